// The roles of operators, the people who run the service, and which role may make which call at the desk. Reads are for
// every operator; a write is for the roles that this table names, and for admins alone where it names none.

export const OPERATOR_ROLES = ['admin', 'reviewer', 'support', 'finance'] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

const REVIEWERS: readonly OperatorRole[] = ['admin', 'reviewer'];
const FINANCE: readonly OperatorRole[] = ['admin', 'finance'];
const ADMINS: readonly OperatorRole[] = ['admin'];

/** By the id of the operation. */
export const OPERATOR_ROLES_OF_WRITES: Readonly<Record<string, readonly OperatorRole[]>> = {
  approveReview: REVIEWERS,
  rejectReview: REVIEWERS,
  takeDownReview: REVIEWERS,
  reopenReview: REVIEWERS,
  requestReconcile: FINANCE,
  retryCapture: FINANCE,
  retryMovement: FINANCE,
  reserveForPaymentByHand: FINANCE,
  giveBackReserved: FINANCE,
  payByHand: FINANCE,
  oweReversal: FINANCE,
  writeOffDebt: FINANCE,
  setVenueFee: FINANCE,
  suspendVenue: ADMINS,
  resumeVenue: ADMINS,
  raiseLimits: ADMINS,
  approveVenue: ADMINS,
  viewVenue: OPERATOR_ROLES,
};

export function operatorRolesFor({
  id,
  effect,
}: {
  readonly id: string;
  readonly effect: 'read' | 'write';
}): readonly OperatorRole[] {
  return effect === 'read' ? OPERATOR_ROLES : (OPERATOR_ROLES_OF_WRITES[id] ?? ADMINS);
}
