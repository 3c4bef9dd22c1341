// The sample event for testing an endpoint: a completed checkout of two guests, shaped like a real event and marked as
// a sample.

import type { Caller } from '../keys/caller.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const utc = (at: number): string => new Date(at).toISOString().replace(/Z$/, '000Z');

export function sampleEvent(caller: Caller, now: number) {
  const { ids, venue, mode } = caller;
  const id = ids.prefixed('chk');
  const share = (name: string, isOrganizer: boolean, heldAt: number) => ({
    id: ids.prefixed('shr'),
    amount: 12_000,
    status: 'captured',
    is_organizer: isOrganizer,
    display_name: name,
    held_at: utc(heldAt),
    refunded_amount: 0,
  });
  return {
    id: ids.prefixed('evt'),
    object: 'event',
    type: 'checkout.completed',
    mode,
    created_at: utc(now),
    sequence: 6,
    sample: true,
    data: {
      object: {
        id,
        object: 'checkout',
        mode,
        status: 'completed',
        amount: 24_000,
        currency: 'usd',
        party_size: 2,
        pay_by: utc(now + DAY_MS),
        description: 'Sample: cabana 3, Saturday',
        starts_at: utc(now + 3 * DAY_MS),
        ends_at: utc(now + 3 * DAY_MS + 8 * HOUR_MS),
        location: 'Sample: 1 Pier Road',
        venue: { id: venue.linked ? venue.id : null, name: venue.name },
        external_booking_id: 'sample-booking',
        offering_external_id: null,
        url: caller.checkoutUrl(id),
        return_url: 'https://example.com/bookings/sample',
        cancel_url: null,
        shares: [share('Ada', true, now - DAY_MS), share('Sam', false, now)],
        funded_amount: 24_000,
        refunded_amount: 0,
        failed_refund_amount: 0,
        disputed_refund_amount: 0,
        fee_amount: 0,
        net_amount: 24_000,
        cancellation_reason: null,
        disputes: [],
        created_at: utc(now - DAY_MS),
        completed_at: utc(now),
        metadata: {},
      },
    },
  };
}
