// Checkouts by the hundred thousand, written as rows: for benches that need many to be there, not to be created.

import type { Stage } from './stage.ts';

const CHUNK = 25_000;

export interface RowsWish {
  readonly venueId: string;
  readonly rows: number;
  /** One for all, in milliseconds. */
  readonly payBy: number;
  /** Each with the event that told of its creation. */
  readonly withEvents: boolean;
}

/** Open checkouts, each created a millisecond after the one before. Triggers sleep meanwhile: these rows are right. */
export async function loadCheckouts({ db }: Stage, wish: RowsWish): Promise<void> {
  for (let done = 0; done < wish.rows; done += CHUNK) {
    const last = Math.min(done + CHUNK, wish.rows);
    await db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by,
           expires_at, description, external_booking_id, url, return_url, metadata, fingerprint, created_at)
         select $1::uuid, 'chk_' || lpad(i::text, 10, '0') || substr(md5($1::uuid::text || i), 1, 16), 'test', 'open', 48000, 'usd',
           1200, 6, to_timestamp($2 / 1000.0), to_timestamp($2 / 1000.0), 'Cabana 3, Saturday 12 June',
           'booking-' || lpad(i::text, 9, '0'), 'http://127.0.0.1/c/chk_' || lpad(i::text, 26, '0'),
           'https://harbor-house.example/bookings/done', '{"table":"12","source":"website"}',
           decode(md5(i::text), 'hex') || decode(md5(i::text), 'hex'),
           timestamptz '2026-01-01' + i * interval '1 millisecond'
         from generate_series($3::int, $4::int) i`,
        [wish.venueId, wish.payBy, done + 1, last],
      );
      if (!wish.withEvents) return;
      await tx.query(
        `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
         select c.venue_id, 'evt_0' || substr(c.checkout_id, 6), c.mode, 'checkout.created', c.checkout_id, 1,
           json_build_object('object', json_build_object('id', c.checkout_id)), c.created_at
         from checkouts c where c.venue_id = $1
           and c.created_at > timestamptz '2026-01-01' + $2 * interval '1 millisecond'`,
        [wish.venueId, done],
      );
    });
  }
}
