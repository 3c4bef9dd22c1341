// Rows of living checkouts, made by set-based SQL: checkouts that collect, each with a share, a hold, an event and a
// delivery, none of which is due within a day.

/** Of the rows numbered $2 to $3; $1 is the venue. Triggers must be off: the rows are valid. */
const IDS = 'from generate_series($2::integer, $3::integer) i';
const CHECKOUT_ID = `'chk_' || lpad(i::text, 26, '0')`;

export const LIVING_ROWS = [
  `insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by, expires_at,
     description, external_booking_id, url, return_url, metadata, fingerprint, created_at, organizer_id, notify_at)
   select $1::uuid, ${CHECKOUT_ID}, 'test', 'collecting', 48000, 'usd', 0, 2, now() + interval '2 days',
     now() + interval '2 days' + i * interval '1 second', 'A table', i::text, 'https://pay.example/', 'https://harbor.example/', '{}',
     '\\x00', now() - i * interval '1 second', $1::uuid, now() + interval '1 day' ${IDS}`,
  `insert into shares (venue_id, share_id, checkout_id, position, amount, status, is_organizer, member_id, invited_at)
   select $1::uuid, 'shr_' || i, ${CHECKOUT_ID}, 0, 48000, 'invited', true, $1::uuid, now() ${IDS}`,
  `insert into holds (venue_id, hold_id, checkout_id, share_id, mode, status, amount, currency, intent_id, charge_id, saves_card, due_at,
     created_at, held_at)
   select $1::uuid, gen_random_uuid(), ${CHECKOUT_ID}, 'shr_' || i, 'test', 'held', 48000, 'usd', 'pi_' || i, 'ch_' || i, false,
     now() + interval '1 day', now(), now() ${IDS}`,
  `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
   select $1::uuid, 'evt_' || i, 'test', 'checkout.created', ${CHECKOUT_ID}, 1, '{}', now() - i * interval '1 second' ${IDS}`,
  `insert into deliveries (venue_id, endpoint_id, event_id, type, status, attempts, due_at, ends_at, created_at)
   select $1::uuid, 'whe_1', 'evt_' || i, 'checkout.created', case when i % 2 = 0 then 'pending' else 'delivered' end, 1,
     case when i % 2 = 0 then now() + interval '1 hour' end, now() + interval '2 days', now() - i * interval '1 second' ${IDS}`,
];
