// Creating checkouts, as the benches of creates do it: bodies and requests that are new each time, load on one server, the
// same SQL alone, and the check that every answer left its rows behind.

import { createHash } from 'node:crypto';
import { systemClock } from '../src/base/clock.ts';
import { makeIds } from '../src/base/ids.ts';
import { systemRandom } from '../src/base/random.ts';
import { hashOfKey } from '../src/domain/keys/key.ts';
import { ORIGIN } from './keys.ts';
import { postRequest } from './load.ts';
import { type Bare, BOOKING, createByPgbench, findPgbench } from './pgbench.ts';
import { callsCounted } from './reads.ts';
import type { SqlOrder, Unit } from './sql.ts';
import type { Stage } from './stage.ts';

export const PATH = '/v1/checkouts';
const CONNECTIONS = 48;
/** Connections of pgbench: as many as our server has. */
const CLIENTS = 12;
/** So many venues with a key each: no row of the limit is waited for. */
const VENUES = 96;
const LEAST = 96;
const DAY_MS = 86_400_000;
const PAY_BY = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + 3 * DAY_MS).toISOString();

export interface Lot {
  readonly venueId: string;
  readonly key: string;
}

const lotsOf = new WeakMap<Stage, Promise<Lot[]>>();

/** The same for every bench of one run. */
export function makeLots(stage: Stage): Promise<Lot[]> {
  const known = lotsOf.get(stage);
  if (known !== undefined) return known;
  const lots = openLots(stage);
  lotsOf.set(stage, lots);
  return lots;
}

async function openLots(stage: Stage): Promise<Lot[]> {
  const venues = await Promise.all(Array.from({ length: VENUES }, () => stage.makeVenue(1)));
  return venues.map(({ id, keys }) => ({ venueId: id, key: keys[0] ?? '' }));
}

let made = 0;

export function newBody(partySize = 6, booking?: string): string {
  made++;
  return JSON.stringify({
    amount: 48_000,
    currency: 'usd',
    party_size: partySize,
    pay_by: PAY_BY,
    description: 'Cabana 3, Saturday 12 June',
    return_url: `${ORIGIN}/bookings/done`,
    external_booking_id: booking ?? `booking-${String(made).padStart(9, '0')}`,
    metadata: { table: '12', source: 'website' },
  });
}

/** One whole request, new each time; `once`: with a header of its own that makes it idempotent. */
export function newRequest({ key }: Lot, once = false): string {
  const body = newBody();
  return postRequest(PATH, key, body, once ? `attempt-${made}` : null);
}

export interface Rounds {
  /** One round: requests a second. */
  round(): Promise<number>;
}

/** How a round is made: so many requests, and what they must leave behind. */
export interface CreateWish {
  readonly port: number;
  readonly lots: readonly Lot[];
  readonly requests: (count: number) => string[];
  /** Checkouts and events that each request adds; null: there is no database behind it. */
  readonly adds: 0 | 1 | null;
}

/** Load of POST /v1/checkouts over 48 connections. */
export async function makeCreator(stage: Stage, wish: CreateWish): Promise<Rounds> {
  const send = (count: number): Promise<number> =>
    stage.load.send({
      port: wish.port,
      requests: wish.requests(count),
      connections: CONNECTIONS,
      count,
      status: 201,
      length: null,
    });
  const checked = async (count: number): Promise<number> => {
    if (wish.adds === null) return send(count);
    const before = await left(stage, wish.lots);
    const rate = await send(count);
    const after = await left(stage, wish.lots);
    insist('calls counted', after.calls - before.calls, count);
    insist('checkouts added', after.checkouts - before.checkouts, count * wish.adds);
    insist('events added', after.events - before.events, count * wish.adds);
    return rate;
  };
  const count = await calibrated(stage, checked, wish.adds === null ? stage.seconds.warmAlone : warmth(stage));
  return { round: () => checked(count) };
}

/** The two statements of a create alone: through pgbench, or where there is none through a loop of the program's own driver. */
export async function makeBareCreator(stage: Stage, lots: readonly Lot[]): Promise<Rounds> {
  const pgbench = findPgbench();
  const send = pgbench === null ? await byDriver(stage, lots) : byPgbench(stage, lots, pgbench);
  const round = async (): Promise<number> => {
    const before = await left(stage, lots);
    const { rate, made } = await send();
    const after = await left(stage, lots);
    insist('calls counted', after.calls - before.calls, made);
    insist('checkouts added', after.checkouts - before.checkouts, made);
    insist('events added', after.events - before.events, made);
    return rate;
  };
  return { round };
}

type SendBare = () => Promise<Bare>;

function byPgbench({ url, quick }: Stage, lots: readonly Lot[], pgbench: string): SendBare {
  const creates = lots.map((lot) => ({ ...lot, body: newBody(6, BOOKING) }));
  return () => createByPgbench(pgbench, url, creates, { each: quick ? 40 : 300, clients: CLIENTS });
}

/** Over as many at once as there are connections to the server. */
async function byDriver(stage: Stage, lots: readonly Lot[]): Promise<SendBare> {
  const ids = makeIds(systemClock, systemRandom);
  const sql = stage.sql();
  const send = async (count: number): Promise<number> => {
    const { seconds, last } = await sql.run(bareCreates(lots, count, ids));
    const created = last.filter(([row]) => (row as { outcome?: string }).outcome === 'created');
    insist('creates answered', created.length, count);
    return count / seconds;
  };
  const made = await calibrated(stage, send, warmth(stage));
  return async () => ({ rate: await send(made), made });
}

function bareCreates(lots: readonly Lot[], count: number, ids: ReturnType<typeof makeIds>): SqlOrder {
  const texts = [
    'select * from admit($1, $2, $3)',
    `select * from create_checkout($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0), $10, interval '30 days')`,
  ];
  const now = Date.now();
  const chains = Array.from({ length: count }, (_, at): Unit[] => {
    const { venueId, key } = lots[at % lots.length] as Lot;
    const content = newBody();
    const id = ids.prefixed('chk');
    const fingerprint = createHash('sha256').update(content).digest();
    // A venue's turn comes once in so many: each of its creates has a millisecond of its own, as they have in life.
    const at_ = now + Math.floor(at / lots.length);
    const url = `http://127.0.0.1/c/${id}`;
    const create = [venueId, 'test', id, ids.prefixed('evt'), null, fingerprint, content, url, at_, true];
    return [
      { kind: 'express', groups: [[{ text: 0, values: [[hashOfKey(key)], ['write'], [1]] }]] },
      { kind: 'single', groups: [[{ text: 1, values: create }]] },
    ];
  });
  return { texts, chains, atOnce: CONNECTIONS };
}

/** A create takes longer to warm up than a read: every connection of the server has to read the functions first. */
const warmth = ({ seconds }: Stage): number => 2 * seconds.warm;

async function calibrated(stage: Stage, checked: (count: number) => Promise<number>, seconds: number): Promise<number> {
  const until = Date.now() + seconds * 1000;
  let rate = await checked(LEAST);
  while (Date.now() < until) rate = await checked(Math.max(LEAST, Math.round(rate * 0.25)));
  return Math.max(LEAST, Math.round(rate * stage.seconds.round));
}

interface Left {
  readonly checkouts: number;
  readonly events: number;
  readonly calls: number;
}

async function left({ db }: Stage, lots: readonly Lot[]): Promise<Left> {
  const venues = lots.map(({ venueId }) => venueId);
  const rows = await db.query<{ checkouts: number; events: number }>(
    `select (select count(*) from checkouts where venue_id = any($1)) as checkouts,
       (select count(*) from events where venue_id = any($1) and type = 'checkout.created' and sequence = 1) as events`,
    [venues],
  );
  const { checkouts = 0, events = 0 } = rows[0] ?? {};
  return { checkouts, events, calls: await callsCounted(db) };
}

export function insist(what: string, found: number, wanted: number): void {
  if (found !== wanted) throw new Error(`${what}: ${found}, not ${wanted}`);
}

/** One create through the server, looked at closely. */
export async function createOnce(
  port: number,
  key: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly text: string; readonly id: string; readonly replayed: boolean }> {
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`POST ${PATH} answered ${answer.status}: ${text.slice(0, 300)}`);
  const { id } = JSON.parse(text) as { id: string };
  return { text, id, replayed: answer.headers.get('idempotent-replayed') === 'true' };
}
