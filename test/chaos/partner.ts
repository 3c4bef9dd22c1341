// What all scenarios of a run share, and what a partner program does with its key: it reads a checkout, and drives it by the test helpers. What it
// was told is written into the booking.

import type { BookableVenue, Booking } from './booking.ts';
import type { Client, ClientResponse, Json, Recorder } from './client.ts';
import type { Guests } from './guests.ts';

export interface LoadContext {
  readonly venues: readonly BookableVenue[];
  readonly api: Client;
  readonly guests: Guests;
  /** Members who are nobody yet, for parties with open seats; each is used once. */
  readonly seats: string[];
  readonly recorder: Recorder;
  readonly seed: number;
  /** True once nothing new is begun. */
  isStopping(): boolean;
}

export const pathOf = ({ id }: Booking): string => `/v1/checkouts/${id}`;

export function recordResponse(context: LoadContext, booking: Booking, response: ClientResponse): void {
  if (booking.observe(response) && response.json.status === 'completed') context.recorder.mark('completed');
}

export async function read(context: LoadContext, booking: Booking): Promise<Json | null> {
  const response = await context.api.send({ method: 'GET', path: pathOf(booking), key: booking.venue.key });
  if (response === null) return null;
  if (response.status !== 200) {
    booking.broken.push(`an acknowledged checkout was answered ${response.status}: ${response.text.slice(0, 200)}`);
    return null;
  }
  recordResponse(context, booking, response);
  return response.json;
}

/** A test helper. Null: refused because the checkout is elsewhere by now, or given up. */
export async function runTestHelper(
  context: LoadContext,
  booking: Booking,
  command: string,
  body?: unknown,
): Promise<Json | null> {
  const response = await context.api.send({
    method: 'POST',
    path: `/v1/test_helpers/checkouts/${booking.id}/${command}`,
    key: booking.venue.key,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response === null || response.status === 409) return null;
  if (response.status !== 200) {
    booking.broken.push(`the helper ${command} was answered ${response.status}: ${response.text.slice(0, 300)}`);
    return null;
  }
  recordResponse(context, booking, response);
  return response.json;
}
