// The fixture's webhook endpoints with deliveries, and its connections to every venue system, with the signature of
// each.

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

const SIGNING_PROVIDERS = ['square', 'toast', 'mindbody'];
const SECRET = 'signing-secret-of-the-provider';
export const PROVIDERS: readonly string[] = [...new Set(SAMPLES.map(({ provider }) => provider))];

export const samplesOf = (provider: string): Json[] =>
  SAMPLES.filter((one) => one.provider === provider).map(({ body }) => body as Json);

export async function createConnections(
  sendOk: SendOk,
  key: string,
  receiver: string,
  providers: readonly string[] = PROVIDERS,
): Promise<Connections> {
  const endpoints: AnyJson[] = [];
  // Requests of the run disable and delete some. With a few more, each call still meets one that accepts it.
  const created = ['checkout.created', 'checkout.completed'];
  for (const events of [created, ['checkout.canceled'], created, created, ['share.held'], ['share.held']]) {
    endpoints.push(await sendOk('POST', '/v1/webhook_endpoints', key, { url: `${receiver}/hooks`, events }));
  }
  const integrations: { id: string; hook: Hook }[] = [];
  // More of the one whose API is read: requests of the run delete credentials.
  for (const provider of [...providers, ...Array<string>(READ_INTEGRATIONS).fill('eventbrite')])
    integrations.push(await connect(sendOk, key, provider));
  return {
    own: {
      webhook_endpoints: endpoints.map(({ id }) => id),
      integrations: integrations.map(({ id }) => id),
    },
    hooks: integrations.map(({ hook }) => hook),
  };
}

const READ_INTEGRATIONS = 6;

async function connect(sendOk: SendOk, key: string, provider: string): Promise<{ id: string; hook: Hook }> {
  const sample = SAMPLES.find((one) => one.provider === provider && one.defaults !== undefined);
  const { data } = await sendOk('POST', '/v1/integrations', key, {
    provider,
    defaults: sample?.defaults ?? {},
    ...(SIGNING_PROVIDERS.includes(provider) ? { signing_secret: SECRET } : {}),
  });
  recordSecret('signing_secret', data.signing_secret ?? SECRET);
  const url = data.webhook_url as string;
  const hook = { provider, url, path: new URL(url).pathname, secret: data.signing_secret ?? SECRET };
  const [first = {}] = samplesOf(provider);
  await sendOk('POST', hook.path, '', first, signatureHeaders(hook, Buffer.from(JSON.stringify(first)), Date.now()));
  if (provider === 'eventbrite') {
    await sendOk('POST', `/v1/integrations/${data.id}/credentials`, key, { credentials: { token: 'fuzz-token' } });
    await sendOk('POST', `/v1/integrations/${data.id}/sync`, key);
  }
  return { id: data.id, hook };
}

/** Endpoints and integrations, each with the id of its newest delivery. */
export async function newestDeliveries(
  sendOk: SendOk,
  key: string,
  own: Pools,
): Promise<Record<string, [string, string][]>> {
  const kinds = ['webhook_endpoints', 'integrations'];
  const lists = await Promise.all(kinds.map((kind) => newestDeliveriesOf(sendOk, key, kind, own[kind] ?? [])));
  return Object.fromEntries(kinds.map((kind, index) => [kind, lists[index] ?? []]));
}

/** The id is `none` where there is no delivery yet. */
async function newestDeliveriesOf(
  sendOk: SendOk,
  key: string,
  kind: string,
  ids: readonly string[],
): Promise<[string, string][]> {
  const pages = await Promise.all(ids.map((id) => sendOk('GET', `/v1/${kind}/${id}/deliveries?limit=1`, key)));
  return pages.map(({ data }, index) => [ids[index] ?? '', data[0]?.id ?? 'none']);
}

/** The provider's signature headers for these bytes; none for a provider that does not sign. */
export function signatureHeaders({ provider, secret, url }: Hook, raw: Buffer, now: number): Record<string, string> {
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
    return ''; // Broken on purpose: no signature is valid then.
  }
}
