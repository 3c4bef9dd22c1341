// Intake of a venue system's 256 KB deliveries against only reading, verifying and parsing the same bytes: the cost of
// the token, the rate limit, strict JSON, sealing and storing each delivery once.

import { createHmac } from 'node:crypto';
import type { Bench, PreparedBench } from './bench.ts';
import { expectCount } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';

const BYTES = 256 * 1024;
const CONNECTIONS = 16;
/** Venues with one system each, so that no request waits for another's row. */
const SYSTEMS = 16;
const MIN_COUNT = 48;

export const hookIntake: Bench = {
  name: 'hook-intake',
  isExtra: true,
  floor: 0.5,
  goal: 0.7,
  unit: 'requests/s',
  better: 'more',
  note: 'New deliveries of exactly 256 KB (a custom offering.upsert with its slots), signed, over 16 connections, of 16 venues. Ours seals and stores each before it answers. The other side is a bare Fastify that reads the same body, verifies the same HMAC and parses it with JSON.parse, not with our strict parser; it has no limit and no database.',
  rounds: { full: 13, quick: 3 },
  sides: { ours: 'our server', base: 'parse and HMAC alone' },
  prepare,
};

export interface VenueSystem {
  readonly path: string;
  readonly secret: string;
}

/** A new delivery with its own id and signature, and the bytes of its request. */
export interface Delivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly text: string;
}

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const systems: VenueSystem[] = [];
  while (systems.length < SYSTEMS) systems.push(await connectSystem(fixture, server.port));
  const secret = 'whsec_of_the_bare_side';
  const bare = await fixture.startBareHook(secret);
  const sendToOurs = async (count: number): Promise<number> => {
    const before = await countStored(fixture);
    const rate = await send(fixture, server.port, systems, count);
    expectCount('deliveries stored, each once', (await countStored(fixture)) - before, count);
    return rate;
  };
  const sendToBare = (count: number): Promise<number> => send(fixture, bare.port, [{ path: '/hook', secret }], count);
  const oursCount = await calibrate(fixture, sendToOurs);
  const baseCount = await calibrate(fixture, sendToBare);
  return {
    ours: () => sendToOurs(oursCount),
    base: () => sendToBare(baseCount),
    async close() {
      await bare.stop();
      await server.stop();
      await fixture.db.query('truncate inbound_deliveries'); // Half a gigabyte that no other bench reads.
    },
  };
}

const TOAST_SECRET = 'a-secret-of-toast';

/** `toast` signs with a secret of its own, which it gives when it is connected. */
export async function connectSystem(
  fixture: BenchFixture,
  port: number,
  provider: 'custom' | 'toast' = 'custom',
): Promise<VenueSystem> {
  const { keys } = await fixture.makeVenue(1, 'linked');
  const response = await fetch(`http://127.0.0.1:${port}/v1/integrations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider, ...(provider === 'toast' ? { signing_secret: TOAST_SECRET } : {}) }),
  });
  if (response.status !== 201)
    throw new Error(`POST /v1/integrations answered ${response.status}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { webhook_url: string; signing_secret?: string | null } };
  return { path: new URL(data.webhook_url).pathname, secret: data.signing_secret ?? TOAST_SECRET };
}

function send(fixture: BenchFixture, port: number, systems: readonly VenueSystem[], count: number): Promise<number> {
  const requests = Array.from(
    { length: count },
    (_, at) => largeDelivery(systems[at % systems.length] as VenueSystem).text,
  );
  return fixture.load.send({ port, requests, connections: CONNECTIONS, count, status: 200, bodyBytes: null });
}

/** Deliveries made so far; numbers their ids. */
let made = 0;
const ID = 'dlv-';
const TEMPLATE = template(1000, BYTES);
const TOAST_TIMESTAMP = '2026-01-15T18:04:05.123Z';
const TOAST_SELECTIONS = 3_000;
const TOAST_ORDER = JSON.stringify({
  timestamp: TOAST_TIMESTAMP,
  eventCategory: 'order',
  eventType: 'order_updated',
  guid: ID,
  details: {
    restaurantGuid: 'r-1',
    order: { guid: 'o-1', numberOfGuests: 4, createdInTestMode: false, checks: [{ selections: toastSelections() }] },
  },
});

const largeDelivery = (system: VenueSystem): Delivery => newDelivery(system, TEMPLATE);

/** A delivery with this number of slots. */
export const makeDelivery = (system: VenueSystem, slots: number): Delivery =>
  newDelivery(system, template(slots, null));

/** An order of Toast with many selections, as its own catalogue of events describes it: about 600 KB. */
export function makeToastOrder(system: VenueSystem): Delivery {
  const body = TOAST_ORDER.replace(ID, nextId());
  const signature = createHmac('sha256', system.secret).update(`${body}${TOAST_TIMESTAMP}`).digest('base64');
  return deliveryOf(system.path, body, { 'toast-signature': signature });
}

const nextId = (): string => {
  made++;
  return `${ID}${String(made).padStart(9, '0')}`;
};

function newDelivery({ path, secret }: VenueSystem, text: string): Delivery {
  const body = text.replace(ID, nextId());
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return deliveryOf(path, body, { 'service-signature': `t=${t},v1=${v1}` });
}

function deliveryOf(path: string, body: string, signature: Readonly<Record<string, string>>): Delivery {
  const headers = {
    'content-type': 'application/json',
    ...signature,
    'content-length': String(body.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return { path, headers, body, text: `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n${body}` };
}

function toastSelections(): object[] {
  return Array.from({ length: TOAST_SELECTIONS }, (_, n) => ({
    guid: createHmac('sha256', 'selection').update(String(n)).digest('hex'),
    item: { guid: createHmac('sha256', 'item').update(String(n)).digest('hex') },
    displayName: `Dish ${n}`,
    price: 24.15,
  }));
}

/** An offering with slots that are all different; its description fills the delivery to exactly this many bytes. */
function template(slotCount: number, bytes: number | null): string {
  const slots = Array.from({ length: slotCount }, (_, n) => ({
    external_id: `slot-${createHmac('sha256', 'slot').update(String(n)).digest('hex').slice(0, 24)}`,
    starts_at: new Date(Date.UTC(2030, 0, 1) + n * 5_400_000).toISOString(),
    ends_at: new Date(Date.UTC(2030, 0, 1) + (n + 1) * 5_400_000).toISOString(),
    capacity: (n * 7) % 40,
    tier_overrides: [
      { tier: 'adult', amount: 9000 + ((n * 131) % 4000) },
      { tier: 'child', amount: 4500 + ((n * 71) % 2000) },
    ],
  }));
  const data = {
    external_id: 'tee-18',
    kind: 'tee_time',
    title: 'Eighteen holes',
    description: '',
    tiers: [
      { external_id: 'adult', amount: 9000, currency: 'usd', unit: 'per_person' },
      { external_id: 'child', amount: 4500, currency: 'usd', unit: 'per_person' },
    ],
    availability: { timezone: 'America/New_York', slots },
  };
  const whole = (): string => JSON.stringify({ id: ID, type: 'offering.upsert', data });
  if (bytes === null) return whole();
  const padding = bytes - (whole().length + 9);
  if (padding < 0) throw new Error('the delivery is larger than 256 KB');
  data.description = incompressibleText(padding);
  return whole();
}

/** Text of this length that hardly compresses. */
function incompressibleText(length: number): string {
  let text = '';
  for (let n = 0; text.length < length; n++)
    text += `${createHmac('sha256', 'words').update(String(n)).digest('base64url')} `;
  return text.slice(0, length);
}

async function countStored({ db }: BenchFixture): Promise<number> {
  const rows = await db.query<{ unique: number; total: number }>(
    'select count(distinct dedup_hash) as "unique", count(*) as total from inbound_deliveries',
  );
  const { unique = 0, total = 0 } = rows[0] ?? {};
  expectCount('duplicate deliveries stored', total - unique, 0);
  return unique;
}

async function calibrate(fixture: BenchFixture, run: (count: number) => Promise<number>): Promise<number> {
  const until = Date.now() + fixture.seconds.warm * 1000;
  let rate = await run(MIN_COUNT);
  while (Date.now() < until) rate = await run(MIN_COUNT);
  return Math.max(MIN_COUNT, Math.round(rate * fixture.seconds.round));
}
