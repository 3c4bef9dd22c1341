// Taking in a venue system's deliveries of 256 KB against reading, verifying and parsing the same bytes and nothing else:
// what the token, the limit, strict JSON, sealing and storing once cost.

import { createHmac } from 'node:crypto';
import type { Bench, Prepared } from './bench.ts';
import { insist } from './creates.ts';
import type { Stage } from './stage.ts';

const BYTES = 256 * 1024;
const CONNECTIONS = 16;
/** So many venues with a system each: none waits for another's row. */
const SYSTEMS = 16;
const LEAST = 48;

export const hookIntake: Bench = {
  name: 'hook-intake',
  isExtra: true,
  floor: 0.5,
  goal: 0.7,
  unit: 'requests/s',
  better: 'more',
  note: 'New deliveries of exactly 256 KB (a custom offering.upsert with its slots), signed, over 16 connections, of 16 venues. Ours stores each, sealed, before it answers. The other side is a bare Fastify that reads the same body, verifies the same HMAC and parses it with JSON.parse, not with our strict parser; it has no limit, no database and keeps nothing.',
  rounds: { full: 13, quick: 3 },
  sides: { ours: 'our server', base: 'parse and HMAC alone' },
  prepare,
};

interface System {
  readonly path: string;
  readonly secret: string;
}

async function prepare(stage: Stage): Promise<Prepared> {
  const server = await stage.serveOurs();
  const systems: System[] = [];
  while (systems.length < SYSTEMS) systems.push(await connect(stage, server.port));
  const secret = 'whsec_of_the_bare_side';
  const bare = await stage.startBareHook(secret);
  const stored = async (count: number): Promise<number> => {
    const before = await kept(stage);
    const rate = await send(stage, server.port, systems, count);
    insist('deliveries stored, each once', (await kept(stage)) - before, count);
    return rate;
  };
  const parsed = (count: number): Promise<number> => send(stage, bare.port, [{ path: '/hook', secret }], count);
  const ours = await calibrated(stage, stored);
  const base = await calibrated(stage, parsed);
  return {
    ours: () => stored(ours),
    base: () => parsed(base),
    async close() {
      await bare.stop();
      await server.stop();
      await stage.db.query('truncate inbound_deliveries'); // Half a gigabyte that nobody reads.
    },
  };
}

async function connect(stage: Stage, port: number): Promise<System> {
  const { keys } = await stage.makeVenue(1, 'linked');
  const answer = await fetch(`http://127.0.0.1:${port}/v1/integrations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
    body: '{"provider":"custom"}',
  });
  if (answer.status !== 201) throw new Error(`POST /v1/integrations answered ${answer.status}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { webhook_url: string; signing_secret: string } };
  return { path: new URL(data.webhook_url).pathname, secret: data.signing_secret };
}

function send(stage: Stage, port: number, systems: readonly System[], count: number): Promise<number> {
  const requests = Array.from({ length: count }, (_, at) => request(systems[at % systems.length] as System));
  return stage.load.send({ port, requests, connections: CONNECTIONS, count, status: 200, length: null });
}

let made = 0;
const ID = 'dlv-';
const TEMPLATE = template();

/** A whole request as it goes over the wire, new each time: another id, another signature. */
function request({ path, secret }: System): string {
  made++;
  const body = TEMPLATE.replace(ID, `${ID}${String(made).padStart(9, '0')}`);
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `service-signature: t=${t},v1=${v1}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

/** An offering with as many slots as it may have, no two alike, filled up with its description to the last byte. */
function template(): string {
  const slots = Array.from({ length: 1000 }, (_, n) => ({
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
  const missing = BYTES - (whole().length + 9);
  if (missing < 0) throw new Error('the delivery is larger than 256 KB');
  data.description = words(missing);
  return whole();
}

/** Text of this length that no compression makes much of. */
function words(length: number): string {
  let text = '';
  for (let n = 0; text.length < length; n++)
    text += `${createHmac('sha256', 'words').update(String(n)).digest('base64url')} `;
  return text.slice(0, length);
}

async function kept({ db }: Stage): Promise<number> {
  const rows = await db.query<{ kept: number }>('select count(distinct dedup_hash) as kept from inbound_deliveries');
  const all = await db.query<{ kept: number }>('select count(*) as kept from inbound_deliveries');
  insist('deliveries that are the same', (all[0]?.kept ?? 0) - (rows[0]?.kept ?? 0), 0);
  return rows[0]?.kept ?? 0;
}

async function calibrated(stage: Stage, run: (count: number) => Promise<number>): Promise<number> {
  const until = Date.now() + stage.seconds.warm * 1000;
  let rate = await run(LEAST);
  while (Date.now() < until) rate = await run(LEAST);
  return Math.max(LEAST, Math.round(rate * stage.seconds.round));
}
