// The explicit list of every operation of the service. HTTP routes, OpenAPI, the tool server and the reference are made
// from it, in this order; nothing is registered anywhere else.

import type { Operation } from '../base/operation.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { account } from './operations/account.ts';
import { analytics } from './operations/analytics.ts';
import { boats, experiences, offerings } from './operations/catalogue.ts';
import { events, integrations, webhookEndpoints } from './operations/messages.ts';
import { checkouts, testHelpers } from './operations/money.ts';
import { agents, guests } from './operations/people.ts';

export const operations: readonly Operation<Caller>[] = [
  ...account,
  ...offerings,
  ...experiences,
  ...boats,
  ...checkouts,
  ...webhookEndpoints,
  ...events,
  ...integrations,
  ...analytics,
  ...guests,
  ...agents,
  ...testHelpers,
];
