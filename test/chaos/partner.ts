// What all scenarios of a run share, and a partner's requests: reading a checkout, and the test helpers. Responses are
// recorded in the booking.

import type { BookableVenue, Booking } from './booking.ts';
import type { Client, ClientResponse, Json, Recorder } from './client.ts';
import type { GuestClient } from './guest-client.ts';

export interface LoadContext {
  readonly venues: readonly BookableVenue[];
  readonly api: Client;
  readonly guests: GuestClient;
  /** Ids of open seats for parties; each is used once. */
  readonly seats: string[];
  /** Completed bookings that were not refunded yet, oldest first: a later refund finds the venue paid. */
  readonly refundable: Booking[];
  readonly recorder: Recorder;
  readonly seed: number;
  /** True once no new scenario is started. */
  isStopping(): boolean;
}

export const pathOf = ({ id }: Booking): string => `/v1/checkouts/${id}`;

export function recordResponse(context: LoadContext, booking: Booking, response: ClientResponse): void {
  if (booking.observe(response) && response.json.status === 'completed') context.recorder.count('completed');
}

export async function read(context: LoadContext, booking: Booking): Promise<Json | null> {
  const response = await context.api.send({ method: 'GET', path: pathOf(booking), key: booking.venue.key });
  if (response === null) return null;
  if (response.status !== 200) {
    booking.unexpected.push(`reading an acknowledged checkout got ${response.status}: ${response.text.slice(0, 200)}`);
    return null;
  }
  recordResponse(context, booking, response);
  return response.json;
}

/**
 * Calls a test helper. Null if it was refused, because the checkout has another status by now, or because the clock was
 * advanced by the first of several equal requests and has gone on since; or if it gave up.
 */
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
  if (command === 'advance' && response.status === 422 && (response.tries ?? 1) > 1) return null;
  if (response.status !== 200) {
    booking.unexpected.push(`the test helper ${command} got ${response.status}: ${response.text.slice(0, 300)}`);
    return null;
  }
  recordResponse(context, booking, response);
  return response.json;
}
