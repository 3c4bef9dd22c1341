// Inserts checkouts as rows, for benches that need many existing checkouts.

import type { BenchFixture } from './fixture.ts';

const CHUNK = 25_000;

export interface CheckoutRows {
  readonly venueId: string;
  readonly rows: number;
  /** In milliseconds, the same for all rows. */
  readonly payBy: number;
  /** Also inserts the checkout.created event of each. */
  readonly withEvents: boolean;
}

/**
 * Inserts open checkouts, each created a millisecond after the previous one. Triggers are off, because the rows are
 * valid.
 */
export async function insertCheckoutRows({ db }: BenchFixture, load: CheckoutRows): Promise<void> {
  for (let done = 0; done < load.rows; done += CHUNK) {
    const last = Math.min(done + CHUNK, load.rows);
    await db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by,
           expires_at, description, external_booking_id, url, return_url, metadata, fingerprint, created_at)
         select $1::uuid, 'chk_' || lpad(i::text, 10, '0') || substr(md5($1::uuid::text || i), 1, 16), 'test', 'open', 48000, 'usd',
           1200, 6, to_timestamp($2 / 1000.0), to_timestamp($2 / 1000.0), 'Cabana 3, Saturday 12 June',
           'booking-' || lpad(i::text, 9, '0'), 'http://127.0.0.1/c/chk_' || lpad(i::text, 26, '0'),
           'https://harbor-club.example/bookings/done', '{"table":"12","source":"website"}',
           decode(md5(i::text), 'hex') || decode(md5(i::text), 'hex'),
           timestamptz '2026-01-01' + i * interval '1 millisecond'
         from generate_series($3::int, $4::int) i`,
        [load.venueId, load.payBy, done + 1, last],
      );
      if (!load.withEvents) return;
      await tx.query(
        `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
         select c.venue_id, 'evt_0' || substr(c.checkout_id, 6), c.mode, 'checkout.created', c.checkout_id, 1,
           json_build_object('object', json_build_object('id', c.checkout_id)), c.created_at
         from checkouts c where c.venue_id = $1
           and c.created_at > timestamptz '2026-01-01' + $2 * interval '1 millisecond'`,
        [load.venueId, done],
      );
    });
  }
}
