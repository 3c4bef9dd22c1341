// A venue system for tests: it is connected through the API, and signs and posts to its hook URL like the real one.

import { createHmac } from 'node:crypto';
import type { Defaults } from '../../src/domain/hooks/integration.ts';
import type { HttpResponse, TestWorld } from '../support/test-world.ts';

export interface VenueSystem {
  readonly id: string;
  readonly venueId: string;
  readonly key: string;
  readonly provider: string;
  /** The path of its hook URL. */
  readonly path: string;
  readonly token: string;
  sign(raw: string): Record<string, string>;
  /** Posts a body, with a signature if the provider signs. */
  send(body: object | string, headers?: Record<string, string>): Promise<HttpResponse>;
  /** Makes the stored deliveries 20 seconds older: an equal body is no longer a prompt repetition. */
  forgetArrivals(): Promise<unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
  deliveries(query?: string): Promise<any[]>;
}

const SECRET = 'a-secret-of-the-providers-own';

export async function connectVenueSystem(
  world: TestWorld,
  provider: string,
  defaults: Defaults = {},
  venueId?: string,
): Promise<VenueSystem> {
  const venue = venueId ?? (await world.venue()).venue.id;
  const { key } = await world.key(venue, { writesPerHour: 100_000, readsPerHour: 100_000 });
  const needsSecret = ['square', 'toast', 'mindbody'].includes(provider);
  const body = { provider, defaults, ...(needsSecret ? { signing_secret: SECRET } : {}) };
  const { json } = await world.call('POST', '/v1/integrations', { key, body });
  const { id, webhook_url: url } = json.data;
  const secret = json.data.signing_secret ?? SECRET;
  const { pathname } = new URL(url);
  const sign = (raw: string): Record<string, string> => signatureFor(provider, secret, url, raw);
  return {
    id,
    venueId: venue,
    key,
    provider,
    path: pathname,
    token: pathname.split('/').at(-1) ?? '',
    sign,
    send: (sent, headers = {}) => {
      const raw = typeof sent === 'string' ? sent : JSON.stringify(sent);
      return world.call('POST', pathname, { body: raw, headers: { ...sign(raw), ...headers } });
    },
    forgetArrivals: () =>
      world.db.query(
        "update inbound_deliveries set received_at = (received_at at time zone 'UTC' - interval '20 seconds') at time zone 'UTC' where integration_id = $1",
        [id],
      ),
    deliveries: async (query = '') => {
      const { json: page } = await world.call('GET', `/v1/integrations/${id}/deliveries${query}`, { key });
      return page.data;
    },
  };
}

function signatureFor(provider: string, secret: string, url: string, raw: string): Record<string, string> {
  const hmac = (text: string) => createHmac('sha256', secret).update(text);
  if (provider === 'square') return { 'x-square-hmacsha256-signature': hmac(url + raw).digest('base64') };
  if (provider === 'mindbody') return { 'x-mindbody-signature': `sha256=${hmac(raw).digest('base64')}` };
  if (provider === 'toast') {
    const timestamp = /"timestamp":"([^"]*)"/.exec(raw)?.[1] ?? '';
    return { 'toast-signature': hmac(raw + timestamp).digest('base64') };
  }
  if (provider !== 'custom') return {};
  const t = Math.floor(Date.now() / 1000);
  return { 'service-signature': `t=${t},v1=${hmac(`${t}.${raw}`).digest('hex')}` };
}
