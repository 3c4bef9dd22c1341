// Repeats acknowledged requests after the nemesis has ended: nothing may happen twice. Every create and refund with a
// key, and every create without one whose booking is still active, gets the same bytes again; the same key with another
// body is a conflict. Also checks that a rate limit is exact over both servers (without a crash of PostgreSQL, which
// resets counts).

import type { Found } from '../support/violation.ts';
import type { Booking } from './booking.ts';
import type { Client, ClientRequest, ClientResponse } from './client.ts';
import type { Venues } from './load.ts';

const MAX_REPLAYS = 1_000;
const CONCURRENCY = 8;
const LIMIT = 60;
const CALLS = 200;
const MAX_LIMIT_TRIES = 3;

/** An acknowledged request, and its response. */
export interface Replay {
  readonly subject: string;
  readonly request: ClientRequest;
  /** A body with another meaning, for the same key. */
  readonly otherBody: string;
  readonly status: number;
  readonly text: string;
}

export interface Replayed {
  readonly replay: Replay;
  readonly same: ClientResponse | null;
  readonly other: ClientResponse | null;
}

/** `active`: checkouts that are neither expired nor canceled, so that their bookings cannot be used again. */
export function replaysOf(bookings: readonly Booking[], active: ReadonlySet<string>): Replay[] {
  return sample(
    bookings.flatMap((booking) => [...createOf(booking, active), ...refundsOf(booking)]),
    MAX_REPLAYS,
  );
}

function createOf(booking: Booking, active: ReadonlySet<string>): Replay[] {
  const { acknowledged, idempotencyKey, body, venue } = booking;
  const [text] = acknowledged;
  if (text === undefined || (idempotencyKey === null && !active.has(booking.id ?? ''))) return [];
  const request: ClientRequest = {
    method: 'POST',
    path: '/v1/checkouts',
    key: venue.key,
    body,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
  };
  const other = { ...(JSON.parse(body) as object), description: 'Another cabana' };
  return [{ subject: booking.id ?? booking.name, request, otherBody: JSON.stringify(other), status: 201, text }];
}

function refundsOf({ id, venue, refunds }: Booking): Replay[] {
  return refunds.flatMap(({ idempotencyKey, amount, response }): Replay[] => {
    if (response?.status !== 200) return [];
    const body = JSON.stringify(amount === null ? {} : { amount });
    const request: ClientRequest = {
      method: 'POST',
      path: `/v1/checkouts/${id}/refund`,
      key: venue.key,
      body,
      idempotencyKey,
    };
    const otherBody = JSON.stringify({ amount: (amount ?? 1) + 1 });
    return [{ subject: id ?? '', request, otherBody, status: 200, text: response.text }];
  });
}

/** At most `max` items, evenly spread over the list. */
export function sample<T>(items: readonly T[], max: number): T[] {
  const step = Math.max(1, items.length / max);
  return Array.from({ length: Math.min(items.length, max) }, (_, index) => items[Math.floor(index * step)] as T);
}

export async function replayAll(api: Client, replays: readonly Replay[]): Promise<Replayed[]> {
  const done: Replayed[] = [];
  const queue = [...replays];
  const runQueue = async (): Promise<void> => {
    for (let replay = queue.shift(); replay !== undefined; replay = queue.shift()) {
      const same = await api.send(replay.request);
      const other = await api.send({ ...replay.request, body: replay.otherBody });
      done.push({ replay, same, other });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runQueue));
  return done;
}

export function checkReplays(replayed: readonly Replayed[], found: Found): void {
  for (const { replay, same, other } of replayed) {
    const { subject, request, status, text } = replay;
    const what = `${request.path.split('/').at(-1)} ${request.idempotencyKey === undefined ? 'without' : 'with'} a key`;
    if (same?.status !== status || same.text !== text) {
      found('equal requests get equal responses', subject, `${what}, repeated, got ${same?.status ?? 'no response'}`);
    }
    if (other?.status !== 409 || other.json?.error?.reason !== 'idempotency_key_reused') {
      const reason = other?.json?.error?.reason ?? '';
      found('another body is a conflict', subject, `${what}: ${other?.status ?? 'no response'} ${reason}`);
    }
  }
}

/**
 * Sends 200 calls at the same time with a limit of 60; returns how many were admitted, or null if calls failed each
 * time.
 */
export async function countAdmittedCalls(api: Client, venues: Venues, servers: number): Promise<number | null> {
  for (let round = 0; round < MAX_LIMIT_TRIES; round++) {
    const { key } = await venues.keyOperator.issue(venues.unrelated.venueId, LIMIT);
    const calls = Array.from({ length: CALLS }, (_, index) =>
      api.sendOnce({ method: 'GET', path: '/v1/checkouts?limit=1', key, server: index % servers }),
    );
    const responses = await Promise.all(calls);
    const admitted = responses.filter((response) => response?.status === 200).length;
    if (responses.every((response) => response?.status === 200 || response?.status === 429)) return admitted;
  }
  return null;
}

export function checkLimit(admitted: number | null, found: Found): void {
  if (admitted === LIMIT) return;
  found(
    'limits are exact',
    'a limit of 60',
    `of ${CALLS} calls at the same time ${admitted ?? 'an unknown number'} were admitted`,
  );
}
