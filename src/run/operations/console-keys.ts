// The console's calls about API keys, in the mode of the session.

import {
  changeVenueKey,
  createVenueKey,
  listVenueKeys,
  revokeVenueKey,
  rollVenueKey,
} from '../../domain/keys/manage-keys.ts';
import type { AppOperation } from '../app-operation.ts';
import { beforeId, nextBeforeId, only, paged, pageQuery, plain } from './shapes.ts';

const CONSOLE = { audience: 'console', tag: 'Console', auth: 'team' } as const;
const EXAMPLE_ID = 'key_01jz3k8q7v5m2n9t4w6x8y0abc';

export const consoleKeys: readonly AppOperation[] = [
  {
    ...CONSOLE,
    id: 'listKeys',
    kind: 'query',
    method: 'GET',
    path: '/console/api/keys',
    summary: 'List the API keys of the venue',
    description: 'Newest first, those of the session’s mode, without their text.',
    effect: 'read',
    query: pageQuery(['active', 'expired', 'revoked'], beforeId(EXAMPLE_ID, { pattern: '^key_[0-9a-z]{26}$' })),
    responses: { 200: paged('One page of keys.', 'api_key', nextBeforeId(EXAMPLE_ID)) },
    run: listVenueKeys,
  },
  {
    ...CONSOLE,
    id: 'createKey',
    kind: 'external',
    method: 'POST',
    path: '/console/api/keys',
    summary: 'Create an API key',
    description:
      'In the session’s mode. The text of the key is in this answer only. A live key is for a linked venue, and needs a code of the last ten minutes; one with `checkouts:write` can refund, so that an owner has to create it (403 `role_not_allowed`). A venue has at most 100 active keys in a mode (409 `too_many_keys`).',
    effect: 'write',
    stepUp: 'live',
    body: only('api_key_create'),
    responses: { 201: plain('The new key with its text.', 'created_api_key') },
    errors: ['conflict'],
    run: createVenueKey,
  },
  {
    ...CONSOLE,
    id: 'updateKey',
    kind: 'external',
    method: 'POST',
    path: '/console/api/keys/{id}',
    summary: 'Change an API key',
    description:
      'Its name, expiry and addresses; the next request with the key follows them. A revoked or expired key cannot be changed (409 `key_revoked`, `key_expired`), and a rolled one ends with its overlap (409 `already_rolled`). A live key needs a code of the last ten minutes.',
    effect: 'write',
    stepUp: 'live',
    body: only('api_key_update'),
    responses: { 200: plain('The key as it is now.', 'api_key') },
    errors: ['conflict'],
    run: changeVenueKey,
  },
  {
    ...CONSOLE,
    id: 'rollKey',
    kind: 'external',
    method: 'POST',
    path: '/console/api/keys/{id}/roll',
    summary: 'Replace an API key by a new one',
    description:
      'The new key has the same name, scopes, addresses and limits, and lives as long as the old one was to live. The old one keeps working for `overlap_hours`, but never longer than it would have. A key is rolled once: 409 `already_rolled`, `key_revoked` or `key_expired` otherwise. A live key needs a code of the last ten minutes, and one with `checkouts:write` an owner (403 `role_not_allowed`).',
    effect: 'write',
    stepUp: 'live',
    body: only('api_key_roll'),
    responses: { 201: plain('The new key with its text, and the old one.', 'rolled_api_key') },
    errors: ['conflict'],
    run: rollVenueKey,
  },
  {
    ...CONSOLE,
    id: 'revokeKey',
    kind: 'external',
    method: 'POST',
    path: '/console/api/keys/{id}/revoke',
    summary: 'Revoke an API key',
    description: 'The next request with it is refused. A key that was revoked before stays as it is.',
    effect: 'write',
    responses: { 200: plain('The revoked key.', 'api_key') },
    run: revokeVenueKey,
  },
];
