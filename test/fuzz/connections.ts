// What goes out of the fixture and what comes in: webhook endpoints with deliveries, and a connection to each venue system, with
// how that one signs.

import { createHmac } from 'node:crypto';
import { SAMPLES } from '../support/provider-samples.ts';
import { recordSecret } from '../support/record-logs.ts';
import type { AnyJson, Pools, SendOk } from './fixture.ts';
import type { Json } from './mutations.ts';

export interface Hook {
  readonly provider: string;
  readonly path: string;
  readonly url: string;
  readonly secret: string;
}

export interface Connections {
  readonly own: Pools;
  readonly hooks: readonly Hook[];
}

const SIGNING = ['square', 'toast', 'mindbody'];
const SECRET = 'a-secret-of-the-providers-own';
export const PROVIDERS: readonly string[] = [...new Set(SAMPLES.map(({ provider }) => provider))];

export const samplesOf = (provider: string): Json[] =>
  SAMPLES.filter((one) => one.provider === provider).map(({ body }) => body as Json);

export async function createConnections(
  ask: SendOk,
  key: string,
  receiver: string,
  providers: readonly string[] = PROVIDERS,
): Promise<Connections> {
  const endpoints: AnyJson[] = [];
  for (const events of [['checkout.created', 'checkout.completed'], ['checkout.canceled']]) {
    endpoints.push(await ask('POST', '/v1/webhook_endpoints', key, { url: `${receiver}/hooks`, events }));
  }
  const integrations: { id: string; hook: Hook }[] = [];
  for (const provider of providers) integrations.push(await connect(ask, key, provider));
  return {
    own: {
      webhook_endpoints: endpoints.map(({ id }) => id),
      integrations: integrations.map(({ id }) => id),
    },
    hooks: integrations.map(({ hook }) => hook),
  };
}

async function connect(ask: SendOk, key: string, provider: string): Promise<{ id: string; hook: Hook }> {
  const sample = SAMPLES.find((one) => one.provider === provider && one.defaults !== undefined);
  const { data } = await ask('POST', '/v1/integrations', key, {
    provider,
    defaults: sample?.defaults ?? {},
    ...(SIGNING.includes(provider) ? { signing_secret: SECRET } : {}),
  });
  recordSecret('signing_secret', data.signing_secret ?? SECRET);
  const url = data.webhook_url as string;
  const hook = { provider, url, path: new URL(url).pathname, secret: data.signing_secret ?? SECRET };
  const [first = {}] = samplesOf(provider);
  await ask('POST', hook.path, '', first, signed(hook, Buffer.from(JSON.stringify(first)), Date.now()));
  return { id: data.id, hook };
}

/** Endpoints and integrations, each with its newest delivery. */
export async function withinEach(ask: SendOk, key: string, own: Pools): Promise<Record<string, [string, string][]>> {
  const words = ['webhook_endpoints', 'integrations'];
  const lists = await Promise.all(words.map((word) => within(ask, key, word, own[word] ?? [])));
  return Object.fromEntries(words.map((word, place) => [word, lists[place] ?? []]));
}

/** Where there is none by now, it is called none. */
async function within(ask: SendOk, key: string, word: string, ids: readonly string[]): Promise<[string, string][]> {
  const pages = await Promise.all(ids.map((id) => ask('GET', `/v1/${word}/${id}/deliveries?limit=1`, key)));
  return pages.map(({ data }, place) => [ids[place] ?? '', data[0]?.id ?? 'none']);
}

/** As the provider signs these bytes; none for one that does not. */
export function signed({ provider, secret, url }: Hook, raw: Buffer, now: number): Record<string, string> {
  const hmac = (...parts: (string | Buffer)[]) => {
    const made = createHmac('sha256', secret);
    for (const part of parts) made.update(part);
    return made;
  };
  if (provider === 'square') return { 'x-square-hmacsha256-signature': hmac(url, raw).digest('base64') };
  if (provider === 'mindbody') return { 'x-mindbody-signature': `sha256=${hmac(raw).digest('base64')}` };
  if (provider === 'toast') return { 'toast-signature': hmac(raw, timestampIn(raw)).digest('base64') };
  if (provider !== 'custom') return {};
  const t = Math.floor(now / 1000);
  return { 'service-signature': `t=${t},v1=${hmac(`${t}.`, raw).digest('hex')}` };
}

function timestampIn(raw: Buffer): string {
  try {
    const { timestamp } = JSON.parse(raw.toString('utf8')) as { timestamp?: unknown };
    return typeof timestamp === 'string' ? timestamp : '';
  } catch {
    return ''; // Broken on purpose: then no signature fits it.
  }
}
