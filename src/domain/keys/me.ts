// GET /v1/me: who the key is, what it may do, and for a sandbox what to call next. Everything it tells was learned when
// the caller was let in, so it asks the database nothing more.

import type { Answer } from '../../base/operation.ts';
import { CATEGORIES, shownVenue } from '../venues/venue.ts';
import type { Caller } from './caller.ts';

const NEXT_STEPS: readonly string[] = [
  'Post what you sell with POST /v1/offerings, then approve it yourself with POST /v1/test_helpers/review.',
  'Create a checkout for a party with POST /v1/checkouts and open its url.',
  'Drive it to the end without guests with POST /v1/test_helpers/checkouts/{id}/complete.',
  'Register an address for events with POST /v1/webhook_endpoints and confirm bookings on checkout.completed.',
  'When you are ready for real money, have this sandbox linked to your verified venue; live keys and venue systems follow.',
];

export async function describeMe(caller: Caller): Promise<Answer> {
  const { key, venue } = caller;
  const data = {
    venue: shownVenue(venue),
    mode: caller.mode,
    scopes: key.scopes,
    limits: { writes_per_hour: key.writesPerHour, reads_per_hour: key.readsPerHour },
    categories: CATEGORIES,
    key: { id: key.id, kind: key.kind, created_at: key.createdAt, expires_at: key.expiresAt },
    ...(venue.linked ? {} : { next_steps: NEXT_STEPS }),
  };
  return { status: 200, body: { data } };
}
