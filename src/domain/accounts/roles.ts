// The roles of people in a venue, and which role may make which call. Reads are for every role; a write is for the roles
// that this table names, and for the owner alone where it names none.

export const ROLES = ['owner', 'developer', 'finance', 'viewer'] as const;

export type Role = (typeof ROLES)[number];

const DEVELOPERS: readonly Role[] = ['owner', 'developer'];
const FINANCE: readonly Role[] = ['owner', 'finance'];
const OWNERS: readonly Role[] = ['owner'];

/** By the id of the operation. */
export const ROLES_OF_WRITES: Readonly<Record<string, readonly Role[]>> = {
  // The catalogue.
  upsertOfferings: DEVELOPERS,
  submitExperience: DEVELOPERS,
  upsertBoats: DEVELOPERS,
  deactivateBoat: DEVELOPERS,
  // Endpoints.
  createWebhookEndpoint: DEVELOPERS,
  deleteWebhookEndpoint: DEVELOPERS,
  redeliver: DEVELOPERS,
  recoverDeliveries: DEVELOPERS,
  rotateSecret: DEVELOPERS,
  testWebhookEndpoint: DEVELOPERS,
  disableWebhookEndpoint: DEVELOPERS,
  enableWebhookEndpoint: DEVELOPERS,
  createTestInbox: DEVELOPERS,
  // Integrations.
  createIntegration: DEVELOPERS,
  revokeIntegration: DEVELOPERS,
  setIntegrationCredentials: DEVELOPERS,
  deleteIntegrationCredentials: DEVELOPERS,
  syncIntegration: DEVELOPERS,
  replayInboundDelivery: DEVELOPERS,
  // Keys.
  createKey: DEVELOPERS,
  updateKey: DEVELOPERS,
  rollKey: DEVELOPERS,
  revokeKey: DEVELOPERS,
  // Origins.
  addOrigin: DEVELOPERS,
  removeOrigin: DEVELOPERS,
  // Money.
  refundCheckout: FINANCE,
  createCheckout: OWNERS,
  cancelCheckout: OWNERS,
  // Going live.
  startDomainVerification: DEVELOPERS,
  checkDomain: DEVELOPERS,
  sendDomainCode: DEVELOPERS,
  verifyDomainCode: DEVELOPERS,
  startPayoutOnboarding: FINANCE,
  acceptTerms: OWNERS,
  // A person's own mails.
  changeNotifications: ROLES,
  // The venue.
  updateVenue: OWNERS,
  // People.
  changePersonRole: OWNERS,
  removePerson: OWNERS,
  invitePerson: OWNERS,
  withdrawInvitation: OWNERS,
  leaveVenue: ROLES,
  // Test helpers move no real money, and a developer can make a test key that calls them.
  testReview: DEVELOPERS,
  testCollect: DEVELOPERS,
  testHold: DEVELOPERS,
  testComplete: DEVELOPERS,
  testExpire: DEVELOPERS,
  testAdvance: DEVELOPERS,
};

export function rolesFor({ id, effect }: { readonly id: string; readonly effect: 'read' | 'write' }): readonly Role[] {
  return effect === 'read' ? ROLES : (ROLES_OF_WRITES[id] ?? OWNERS);
}
