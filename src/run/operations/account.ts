// The key's own account.

import { describeMe } from '../../domain/keys/me.ts';
import type { AppOperation } from '../app-operation.ts';
import { enveloped } from './shapes.ts';

export const account: readonly AppOperation[] = [
  {
    id: 'getMe',
    kind: 'query',
    method: 'GET',
    path: '/v1/me',
    tag: 'Account',
    summary: 'Describe the key and its venue',
    description:
      'The venue, mode, scopes and limits of the key, and the category slugs that offerings and events may carry. For a sandbox key the answer also lists the calls to make next.',
    auth: 'secret',
    keyOnly: true,
    effect: 'read',
    responses: { 200: enveloped('The key and its venue.', 'me') },
    run: (_db, caller) => describeMe(caller),
  },
];
