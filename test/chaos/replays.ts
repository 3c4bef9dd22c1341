// Once it is quiet: what was acknowledged is asked again, and nothing may happen twice. Every create and every refund that had a key, and
// every create without one whose booking still stands, gets the same bytes; the same key with another body is a conflict. And a limit
// is exact over both servers (in a stretch without a crash: counts are unlogged and begin anew after one of PostgreSQL's).

import type { Found } from '../support/violation.ts';
import type { Booking } from './booking.ts';
import type { Client, ClientRequest, ClientResponse } from './client.ts';
import type { Venues } from './load.ts';

const MOST = 1_000;
const AT_ONCE = 8;
const LIMIT = 60;
const CALLS = 200;
const ROUNDS = 3;

/** Something that was acknowledged, and how it is asked again. */
export interface Replay {
  readonly subject: string;
  readonly question: ClientRequest;
  /** The same, with a body that means something else. */
  readonly otherBody: string;
  readonly status: number;
  readonly text: string;
}

export interface Replayed {
  readonly replay: Replay;
  readonly same: ClientResponse | null;
  readonly other: ClientResponse | null;
}

/** `standing`: the checkouts that neither expired nor were canceled, whose bookings are therefore not free again. */
export function replaysOf(bookings: readonly Booking[], standing: ReadonlySet<string>): Replay[] {
  return spread(
    bookings.flatMap((booking) => [...createOf(booking, standing), ...refundsOf(booking)]),
    MOST,
  );
}

function createOf(booking: Booking, standing: ReadonlySet<string>): Replay[] {
  const { acknowledged, idempotencyKey, body, venue } = booking;
  const [text] = acknowledged;
  if (text === undefined || (idempotencyKey === null && !standing.has(booking.id ?? ''))) return [];
  const question: ClientRequest = {
    method: 'POST',
    path: '/v1/checkouts',
    key: venue.key,
    body,
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
  };
  const other = { ...(JSON.parse(body) as object), description: 'Another cabana' };
  return [{ subject: booking.id ?? booking.name, question, otherBody: JSON.stringify(other), status: 201, text }];
}

function refundsOf({ id, venue, refunds }: Booking): Replay[] {
  return refunds.flatMap(({ idempotencyKey, amount, response }): Replay[] => {
    if (response?.status !== 200) return [];
    const body = JSON.stringify(amount === null ? {} : { amount });
    const question: ClientRequest = {
      method: 'POST',
      path: `/v1/checkouts/${id}/refund`,
      key: venue.key,
      body,
      idempotencyKey,
    };
    const otherBody = JSON.stringify({ amount: (amount ?? 1) + 1 });
    return [{ subject: id ?? '', question, otherBody, status: 200, text: response.text }];
  });
}

/** So many of them, from the whole of the run. */
export function spread<T>(things: readonly T[], most: number): T[] {
  const step = Math.max(1, things.length / most);
  return Array.from({ length: Math.min(things.length, most) }, (_, place) => things[Math.floor(place * step)] as T);
}

export async function replayAll(api: Client, replays: readonly Replay[]): Promise<Replayed[]> {
  const done: Replayed[] = [];
  const left = [...replays];
  const lane = async (): Promise<void> => {
    for (let replay = left.shift(); replay !== undefined; replay = left.shift()) {
      const same = await api.send(replay.question);
      const other = await api.send({ ...replay.question, body: replay.otherBody });
      done.push({ replay, same, other });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return done;
}

export function checkReplays(replayed: readonly Replayed[], found: Found): void {
  for (const { replay, same, other } of replayed) {
    const { subject, question, status, text } = replay;
    const what = `${question.path.split('/').at(-1)} ${question.idempotencyKey === undefined ? 'without' : 'with'} a key`;
    if (same?.status !== status || same.text !== text) {
      found('equal calls get equal answers', subject, `${what}, asked again, was answered ${same?.status ?? 'never'}`);
    }
    if (other?.status !== 409 || other.json?.error?.reason !== 'idempotency_key_reused') {
      const reason = other?.json?.error?.reason ?? '';
      found('another body is a conflict', subject, `${what}: ${other?.status ?? 'never answered'} ${reason}`);
    }
  }
}

/** How many of very many calls at once pass a limit; null: each time some were not answered. */
export async function callsThatPass(api: Client, venues: Venues, servers: number): Promise<number | null> {
  for (let round = 0; round < ROUNDS; round++) {
    const { key } = await venues.keyOperator.issue(venues.unrelated.venueId, LIMIT);
    const calls = Array.from({ length: CALLS }, (_, place) =>
      api.sendOnce({ method: 'GET', path: '/v1/checkouts?limit=1', key, server: place % servers }),
    );
    const response = await Promise.all(calls);
    const passed = response.filter((one) => one?.status === 200).length;
    if (response.every((one) => one?.status === 200 || one?.status === 429)) return passed;
  }
  return null;
}

export function checkLimit(passed: number | null, found: Found): void {
  if (passed === LIMIT) return;
  found('limits are exact', 'a limit of 60', `of ${CALLS} calls at once ${passed ?? 'an unknown number'} passed`);
}
