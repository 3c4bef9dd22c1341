// The names in the SDK: where each operation of the OpenAPI document is found, and the types whose schema has another
// name. An operation without a name here fails `npm run generate`, so that the SDK always has every operation.

/** The operation's method, as a path from the client. */
export const METHOD_NAMES: Readonly<Record<string, string>> = {
  getMe: 'me.retrieve',
  upsertOfferings: 'offerings.upsert',
  listOfferings: 'offerings.list',
  getOffering: 'offerings.retrieve',
  listSlots: 'offerings.listSlots',
  submitExperience: 'experiences.submit',
  listExperiences: 'experiences.list',
  getExperience: 'experiences.retrieve',
  upsertBoats: 'boats.upsert',
  listBoats: 'boats.list',
  getBoat: 'boats.retrieve',
  deactivateBoat: 'boats.deactivate',
  createCheckout: 'checkouts.create',
  listCheckouts: 'checkouts.list',
  getCheckout: 'checkouts.retrieve',
  cancelCheckout: 'checkouts.cancel',
  refundCheckout: 'checkouts.refund',
  listPayouts: 'payouts.list',
  createWebhookEndpoint: 'webhookEndpoints.create',
  listWebhookEndpoints: 'webhookEndpoints.list',
  deleteWebhookEndpoint: 'webhookEndpoints.delete',
  listDeliveries: 'webhookEndpoints.listDeliveries',
  redeliver: 'webhookEndpoints.redeliver',
  recoverDeliveries: 'webhookEndpoints.recover',
  rotateSecret: 'webhookEndpoints.rotateSecret',
  testWebhookEndpoint: 'webhookEndpoints.test',
  disableWebhookEndpoint: 'webhookEndpoints.disable',
  enableWebhookEndpoint: 'webhookEndpoints.enable',
  listEvents: 'events.list',
  streamEvents: 'events.stream',
  getEvent: 'events.retrieve',
  createIntegration: 'integrations.create',
  listIntegrations: 'integrations.list',
  revokeIntegration: 'integrations.revoke',
  setIntegrationCredentials: 'integrations.setCredentials',
  deleteIntegrationCredentials: 'integrations.deleteCredentials',
  syncIntegration: 'integrations.sync',
  getIntegrationSync: 'integrations.getSync',
  listInboundDeliveries: 'integrations.listDeliveries',
  replayInboundDelivery: 'integrations.replayDelivery',
  receiveHook: 'hooks.deliver',
  getAnalytics: 'analytics.retrieve',
  viewCheckout: 'guests.checkouts.retrieve',
  viewProgress: 'guests.checkouts.retrieveProgress',
  streamProgress: 'guests.checkouts.streamProgress',
  chooseParty: 'guests.checkouts.chooseParty',
  takeSeat: 'guests.checkouts.takeSeat',
  mailReceipt: 'guests.checkouts.mailReceipt',
  holdShare: 'guests.shares.hold',
  declineShare: 'guests.shares.decline',
  removeShare: 'guests.shares.remove',
  remindShare: 'guests.shares.remind',
  declineInvite: 'guests.invites.decline',
  signIn: 'guests.signIn.create',
  verifySignIn: 'guests.signIn.verify',
  callTool: 'tools.call',
  testReview: 'testHelpers.review',
  testCollect: 'testHelpers.checkouts.collect',
  testHold: 'testHelpers.checkouts.hold',
  testComplete: 'testHelpers.checkouts.complete',
  testExpire: 'testHelpers.checkouts.expire',
  testAdvance: 'testHelpers.checkouts.advance',
};

/** The method that answers with CSV, for an operation that offers it. */
export const CSV_METHOD_NAMES: Readonly<Record<string, string>> = {
  listPayouts: 'payouts.listCsv',
  getAnalytics: 'analytics.retrieveCsv',
};

/**
 * Writes without an Idempotency-Key that have the same effect when they are sent twice, as a condition on the body: the
 * SDK repeats them when it cannot know whether the first was done. All other writes without a key it does not.
 */
export const REPEATABLE: Readonly<Record<string, string>> = {
  upsertOfferings: 'true',
  submitExperience: 'body.external_id !== undefined',
  upsertBoats: 'true',
  deactivateBoat: 'true',
  disableWebhookEndpoint: 'true',
  enableWebhookEndpoint: 'true',
  revokeIntegration: 'true',
  setIntegrationCredentials: 'true',
  deleteIntegrationCredentials: 'true',
};

/** What a body of this schema is answered with, for an operation that takes one object or many. */
export const RESULT_OF_MANY: Readonly<Record<string, string>> = {
  offering_batch: 'offering_batch_result',
  fleet: 'fleet_result',
};

/** `Event` and `Error` are names of JavaScript; the union of all events is written by hand in sdk/src/events.ts. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  event: 'EventExperience',
  error: 'ErrorBody',
  webhook_event: 'WebhookEventFields',
};
