// The explicit list of every operation of the service. HTTP routes, OpenAPI, the tool server and the reference are made
// from it, in this order; nothing is registered anywhere else.

import type { Operation } from '../base/operation.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { account } from './operations/account.ts';
import { agents } from './operations/agents.ts';
import { analytics } from './operations/analytics.ts';
import { boats } from './operations/boats.ts';
import { checkouts } from './operations/checkouts.ts';
import { events } from './operations/events.ts';
import { experiences } from './operations/experiences.ts';
import { guests } from './operations/guests.ts';
import { integrations } from './operations/integrations.ts';
import { offerings } from './operations/offerings.ts';
import { payouts } from './operations/payouts.ts';
import { testHelpers } from './operations/test-helpers.ts';
import { webhookEndpoints } from './operations/webhook-endpoints.ts';

export const operations: readonly Operation<Caller>[] = [
  ...account,
  ...offerings,
  ...experiences,
  ...boats,
  ...checkouts,
  ...payouts,
  ...webhookEndpoints,
  ...events,
  ...integrations,
  ...analytics,
  ...guests,
  ...agents,
  ...testHelpers,
];
