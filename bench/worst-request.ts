// How long one hostile request blocks the server's event loop, and with it every other request: the longest delay over a
// corpus of bodies at every entry point, against 50 ms.

import { createHmac } from 'node:crypto';
import type { Bench, PreparedBench } from './bench.ts';
import { createOnce, newBody } from './create-load.ts';
import type { BenchFixture, ProbedServer } from './fixture.ts';
import {
  activityBodies,
  costlyOffering,
  fleetBodies,
  formBodies,
  generalBodies,
  type HostileBody,
  offeringBodies,
  partyBodies,
} from './hostile-bodies.ts';

const MAX_DELAY_MS = 50;
const KB = 1024;
/** The least delay of several tries counts: a garbage collection is not the request's. */
const TRIES = { full: 5, quick: 3 };

export const worstRequest: Bench = {
  name: 'worst-request',
  isExtra: true,
  floor: 0.5,
  goal: 1,
  unit: 'ms',
  better: 'less',
  note: 'The longest turn of the event loop for one request, in processor time of its thread, over hostile bodies at API routes, hooks, page forms, /mcp, /internal/activity and processor events, each up to the size limit of its address. Each request is tried several times, and the shortest of its longest turns counts.',
  rounds: { full: 3, quick: 1 },
  sides: { ours: 'the slowest request', base: 'the longest delay allowed' },
  prepare,
};

interface HostileRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.startProbedServer();
  const requests = await makeRequests(fixture, server.port);
  const tries = TRIES[fixture.isQuick ? 'quick' : 'full'];
  const slowest = new Map<string, number>();
  const ours = async (): Promise<number> => {
    let longest = 0;
    for (const request of requests) {
      const delay = await leastDelay(server, request, tries);
      slowest.set(request.name, delay);
      longest = Math.max(longest, delay);
    }
    return longest;
  };
  for (const request of requests) await leastDelay(server, request, 1); // Compiles schemas and code.
  const close = async (): Promise<void> => {
    printSlowest(slowest);
    await server.stop();
  };
  return { ours, base: async () => MAX_DELAY_MS, close };
}

const SHOWN = 12;

/** On standard error, since standard output is the table or one JSON document. */
function printSlowest(delays: ReadonlyMap<string, number>): void {
  const sorted = [...delays].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  for (const [name, ms] of sorted) process.stderr.write(`\n  ${ms.toFixed(1).padStart(7)} ms  ${name}`);
  process.stderr.write('\n');
}

async function leastDelay(server: ProbedServer, request: HostileRequest, tries: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < tries; n++) {
    await server.resetDelay();
    const { method, path, headers, body } = request;
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body === null ? {} : { body }),
    });
    await response.arrayBuffer();
    if (response.status >= 500 || response.status === 429)
      throw new Error(`${request.name}: ${method} ${path} answered ${response.status}`);
    least = Math.min(least, await server.maxDelayMs());
  }
  return least;
}

async function makeRequests(fixture: BenchFixture, port: number): Promise<HostileRequest[]> {
  const { keys } = await fixture.makeVenue(1, 'linked');
  const key = keys[0] ?? '';
  const guest = await fixture.makeGuest();
  const { id } = await createOnce(port, key, newBody(50));
  const json = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
  const post = (path: string, token: string, bodies: readonly HostileBody[]): HostileRequest[] =>
    bodies.map(({ name, text }) => ({
      name: `${path} ${name}`,
      method: 'POST',
      path,
      headers: json(token),
      body: text,
    }));
  const asTool = (name: string, wrap: (text: string) => string, bodies: readonly HostileBody[]): HostileBody[] =>
    bodies
      .map((body) => ({ name: `${name}: ${body.name}`, text: toolCall(name, wrap(body.text)) }))
      .filter(({ text }) => text.length <= 64 * KB);
  const party = `/v1/public/checkouts/${id}/party`;
  // Each form has a guest of its own: a guest may send only so many forms in an hour.
  const forms = await Promise.all(formBodies().map(async (form) => ({ ...form, guest: await fixture.makeGuest() })));
  return [
    ...post('/v1/boats', key, [...generalBodies(1024 * KB), ...fleetBodies()]),
    ...post('/v1/offerings', key, [...generalBodies(64 * KB), ...offeringBodies()]),
    ...post('/v1/checkouts', key, generalBodies(64 * KB)),
    ...post('/v1/experiences', key, generalBodies(64 * KB)),
    ...post('/v1/webhook_endpoints', key, generalBodies(64 * KB)),
    ...post('/v1/public/sign_in', 'x', generalBodies(64 * KB).slice(0, 4)),
    ...post('/internal/activity', fixture.operatorToken, [...generalBodies(1024 * KB), ...activityBodies()]),
    ...post(party, guest.token, [...generalBodies(64 * KB).slice(0, 3), ...partyBodies()]),
    ...post('/mcp', key, [
      ...generalBodies(64 * KB),
      ...asTool('validate', (object) => `{"schema":"offering","object":${object}}`, offeringBodies()),
      ...asTool('validate', (object) => `{"schema":"boat","object":${object}}`, generalBodies(60 * KB)),
      ...asTool('upsert_offerings', (offerings) => offerings, offeringBodies()),
      { name: '50 messages', text: `[${Array.from({ length: 50 }, (_, n) => listTools(n)).join(',')}]` },
    ]),
    ...(await hookRequests(port, key)),
    ...forms.flatMap(({ name, text, guest: { cookie } }) =>
      ['sign-in', 'code', 'name', 'party'].map((action) => ({
        name: `/c/…/${action} ${name}`,
        method: 'POST',
        path: `/c/${id}/${action}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
        body: text,
      })),
    ),
    ...generalBodies(1024 * KB).map(({ name, text }) => ({
      name: `/processor/notices ${name}`,
      method: 'POST',
      path: '/processor/notices/test',
      headers: { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` },
      body: text,
    })),
    ...(await readRequests(port, key)),
  ];
}

function toolCall(name: string, toolArguments: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${toolArguments}}}`;
}

function listTools(id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`;
}

/** Signed by an integration of the venue, so that the server reads them whole. */
async function hookRequests(port: number, key: string): Promise<HostileRequest[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const connect = async (body: object): Promise<{ readonly webhook_url: string; readonly signing_secret?: string }> => {
    const url = `http://127.0.0.1:${port}/v1/integrations`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (response.status !== 201) throw new Error(`POST /v1/integrations answered ${response.status}`);
    return ((await response.json()) as { data: { webhook_url: string; signing_secret?: string } }).data;
  };
  const custom = await connect({ provider: 'custom' });
  const open = await connect({ provider: 'xola' });
  const sign = (body: string): Record<string, string> => {
    const t = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', custom.signing_secret ?? '')
      .update(`${t}.${body}`)
      .digest('hex');
    return { 'service-signature': `t=${t},v1=${v1}` };
  };
  return generalBodies(256 * KB).flatMap(({ name, text }) => [
    { name: `hook ${name}`, method: 'POST', path: new URL(open.webhook_url).pathname, headers: {}, body: text },
    {
      name: `signed hook ${name}`,
      method: 'POST',
      path: new URL(custom.webhook_url).pathname,
      headers: sign(text),
      body: text,
    },
  ]);
}

/** Reads of what a hostile venue has stored, and addresses with long queries. */
async function readRequests(port: number, key: string): Promise<HostileRequest[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const stored = await fetch(`http://127.0.0.1:${port}/v1/offerings`, {
    method: 'POST',
    headers,
    body: JSON.stringify(costlyOffering('costly')),
  });
  if (stored.status >= 400) throw new Error(`POST /v1/offerings answered ${stored.status}: ${await stored.text()}`);
  const get = (name: string, path: string): HostileRequest => ({ name, method: 'GET', path, headers, body: null });
  const pairs = Array.from({ length: 1_500 }, (_, n) => `limit_${n}=1`)
    .join('&')
    .slice(0, 14 * KB);
  return [
    get(
      'slots of 62 days',
      '/v1/offerings/costly/slots?from=2030-01-01T00:00:00Z&to=2030-03-03T00:00:00Z&party_size=1',
    ),
    get('a query of 14 KB', `/v1/checkouts?${pairs}`),
    get('a query of one name', `/v1/checkouts?${'a&'.repeat(7 * KB)}`),
    get('a path of 14 KB', `/v1/offerings/${'%2F'.repeat(4 * KB)}`),
  ];
}
