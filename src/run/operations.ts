// The explicit list of every operation that has a route. HTTP, OpenAPI, the tool server and the reference are made from
// it, in this order. The three operations that only tools run are declared beside them, in operations/tools.ts.

import type { AppOperation, RunnableOperation } from './app-operation.ts';
import { account } from './operations/account.ts';
import { agents } from './operations/agents.ts';
import { analytics } from './operations/analytics.ts';
import { boats } from './operations/boats.ts';
import { checkouts } from './operations/checkouts.ts';
import { consoleAccess } from './operations/console.ts';
import { consoleAccount } from './operations/console-account.ts';
import { consoleCatalogue } from './operations/console-catalogue.ts';
import { consoleCheckouts } from './operations/console-checkouts.ts';
import { consoleGoLive } from './operations/console-go-live.ts';
import { consoleKeys } from './operations/console-keys.ts';
import { consoleMoney } from './operations/console-money.ts';
import { consoleNotifications } from './operations/console-notifications.ts';
import { consoleOverview } from './operations/console-overview.ts';
import { consolePasskeys } from './operations/console-passkeys.ts';
import { consoleRequests } from './operations/console-requests.ts';
import { consoleVenue } from './operations/console-venue.ts';
import { consoleWebhooks } from './operations/console-webhooks.ts';
import { desk } from './operations/desk.ts';
import { deskHealth } from './operations/desk-health.ts';
import { deskMoney } from './operations/desk-money.ts';
import { deskVenues } from './operations/desk-venues.ts';
import { events } from './operations/events.ts';
import { experiences } from './operations/experiences.ts';
import { guests } from './operations/guests.ts';
import { integrations } from './operations/integrations.ts';
import { offerings } from './operations/offerings.ts';
import { payouts } from './operations/payouts.ts';
import { testHelpers } from './operations/test-helpers.ts';
import { webhookEndpoints } from './operations/webhook-endpoints.ts';

export const operations: readonly AppOperation[] = [
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
  ...consoleAccess,
  ...consoleAccount,
  ...consolePasskeys,
  ...consoleCheckouts,
  ...consoleOverview,
  ...consoleMoney,
  ...consoleCatalogue,
  ...consoleKeys,
  ...consoleRequests,
  ...consoleVenue,
  ...consoleWebhooks,
  ...consoleGoLive,
  ...consoleNotifications,
  ...desk,
  ...deskMoney,
  ...deskHealth,
  ...deskVenues,
];

/** What partners and their guests call: the operations of /v1/openapi.json. The operator's own are in the guides. */
export const partnerOperations = operations.filter(
  ({ auth, audience }) => auth !== 'operator' && audience === undefined,
);

/** What the console and the desk alone call: the operations of /console/openapi.json. */
export const consoleOperations = operations.filter(({ audience }) => audience !== undefined);

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** The operation of this id, for a caller in the program itself: a page, a tool, a command of the command line. */
export function operationNamed(id: string): RunnableOperation {
  const operation = byId.get(id);
  if (operation === undefined || operation.kind === 'tool server' || operation.kind === 'stream')
    throw new Error(`there is no operation ${id} to run`);
  return operation;
}
