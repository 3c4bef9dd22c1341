// GET /v1/me: the key, its venue, its scopes and limits, and for a sandbox the next steps. The admission of the
// caller has read all of it, so this operation runs no query.

import type { OperationResult } from '../../base/operation.ts';
import { CATEGORIES, venueView } from '../venues/venue.ts';
import type { Caller } from './caller.ts';

const NEXT_STEPS: readonly string[] = [
  'Create an offering with POST /v1/offerings, then approve it with POST /v1/test_helpers/review.',
  'Create a checkout for a party with POST /v1/checkouts, and open its url.',
  'Complete the checkout without guests with POST /v1/test_helpers/checkouts/{id}/complete.',
  'Register an address for events with POST /v1/webhook_endpoints, and confirm a booking when checkout.completed arrives.',
  'When you are ready for real money, have this sandbox linked to your verified venue. A linked venue can have live keys and connect venue systems.',
];

/** The parts that are the same for every caller are serialized once: clients call this operation most often. */
const CATEGORIES_JSON = JSON.stringify(CATEGORIES);
const NEXT_STEPS_JSON = `,"next_steps":${JSON.stringify(NEXT_STEPS)}`;

export async function describeMe(caller: Caller): Promise<OperationResult> {
  const { key, venue } = caller;
  if (key === null) throw new Error('getMe describes a key, and was called without one');
  const identity = JSON.stringify({ venue: venueView(venue), mode: caller.mode, scopes: key.scopes });
  const limits = { writes_per_hour: key.writesPerHour, reads_per_hour: key.readsPerHour };
  const keyView = { id: key.id, kind: key.kind, created_at: key.createdAt, expires_at: key.expiresAt };
  const rest = `"limits":${JSON.stringify(limits)},"categories":${CATEGORIES_JSON},"key":${JSON.stringify(keyView)}`;
  return { status: 200, json: `{"data":${identity.slice(0, -1)},${rest}${venue.linked ? '' : NEXT_STEPS_JSON}}}` };
}
