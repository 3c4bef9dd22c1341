// The town, and what a partner's own program does in it with its key: it reads a checkout, and drives it by the test helpers. What it
// was told is written into the booking.

import type { Booking, Shop } from './booking.ts';
import type { Client, Recorder, Seen, Told } from './client.ts';
import type { Guests } from './guests.ts';

export interface Town {
  readonly shops: readonly Shop[];
  readonly api: Client;
  readonly guests: Guests;
  /** Members who are nobody yet, for parties with open seats; each is used once. */
  readonly seats: string[];
  readonly recorder: Recorder;
  readonly seed: number;
  /** True once nothing new is begun. */
  closing(): boolean;
}

export const pathOf = ({ id }: Booking): string => `/v1/checkouts/${id}`;

export function note(town: Town, booking: Booking, told: Told): void {
  if (booking.see(told) && told.json.status === 'completed') town.recorder.mark('completed');
}

export async function read(town: Town, booking: Booking): Promise<Seen | null> {
  const told = await town.api.ask({ method: 'GET', path: pathOf(booking), key: booking.shop.key });
  if (told === null) return null;
  if (told.status !== 200) {
    booking.broken.push(`an acknowledged checkout was answered ${told.status}: ${told.text.slice(0, 200)}`);
    return null;
  }
  note(town, booking, told);
  return told.json;
}

/** A test helper. Null: refused because the checkout is elsewhere by now, or given up. */
export async function drive(town: Town, booking: Booking, command: string, body?: unknown): Promise<Seen | null> {
  const told = await town.api.ask({
    method: 'POST',
    path: `/v1/test_helpers/checkouts/${booking.id}/${command}`,
    key: booking.shop.key,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (told === null || told.status === 409) return null;
  if (told.status !== 200) {
    booking.broken.push(`the helper ${command} was answered ${told.status}: ${told.text.slice(0, 300)}`);
    return null;
  }
  note(town, booking, told);
  return told.json;
}
