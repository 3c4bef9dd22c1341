// Headers that every route checks or sends: Host, Content-Encoding, Strict-Transport-Security, and the signs of a proxy
// that close /metrics.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../support/send-raw.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let https: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { METRICS_PORT: '0' } });
  https = await openTestWorld({ env: { BASE_URL: 'https://pay.example', TRUSTED_PROXIES: '127.0.0.1' } });
  key = (await world.venue()).secretTest;
});
afterAll(() => Promise.all([world.close(), https.close()]));

const raw = (bytes: string): Promise<string> => sendRaw(world.urls[0] ?? '', bytes);

describe('Host', () => {
  const get = (path: string, hosts: string, version = '1.1'): Promise<string> =>
    raw(`GET ${path} HTTP/${version}\r\n${hosts}authorization: Bearer ${key}\r\nconnection: close\r\n\r\n`);

  it('is 400 malformed_request when it is missing, empty, doubled or no host, at every address', async () => {
    const [one = ''] = world.urls;
    const doubled = `host: ${new URL(one).host}\r\nHost: ${new URL(one).host}\r\n`;
    for (const path of ['/v1/me', '/healthz', '/docs', '/c/chk_1', '/nowhere'])
      for (const hosts of ['', 'host:\r\n', doubled, 'host: a\r\nhost: b\r\n', 'host: a b\r\n', 'host: a/b\r\n']) {
        const response = await get(path, hosts);
        expect([path, hosts, response.slice(0, 12)]).toEqual([path, hosts, 'HTTP/1.1 400']);
        expect(response).toContain('"code":"malformed_request"');
        expect(response).toContain('Host header');
      }
  });

  it('may be any one host, with a port, as an address, and missing in HTTP/1.0', async () => {
    for (const host of ['x', 'pay.example:8080', '127.0.0.1', '[::1]:8080'])
      expect(await get('/v1/me', `host: ${host}\r\n`)).toMatch(/^HTTP\/1\.1 200/);
    expect(await get('/v1/me', '', '1.0')).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe('Content-Encoding', () => {
  it('on a body is 415 in the order of checks: after 401 and 413, before 400', async () => {
    const post = (path: string, body: string | Buffer, encoding: string, as: string | null = key) =>
      world.call('POST', path, {
        ...(as === null ? {} : { key: as }),
        body,
        headers: { 'content-encoding': encoding },
      });
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip', 'x']) {
      const { status, json } = await post('/v1/checkouts', '{', encoding);
      expect([encoding, status, json.error.code]).toEqual([encoding, 415, 'unsupported_media_type']);
      expect(json.error.message).toContain('Content-Encoding');
    }
    expect((await post('/v1/checkouts', '{', 'gzip', null)).status).toBe(401);
    expect((await post('/v1/checkouts', Buffer.alloc(70_000), 'gzip')).status).toBe(413);
    expect((await post('/internal/activity', '{}', 'gzip', world.operatorToken)).status).toBe(415);
    expect((await post('/processor/notices/test', '{}', 'gzip')).status).toBe(415);
    expect((await post('/c/chk_1/sign-in', 'phone=1', 'gzip')).status).toBe(415);
    expect((await post('/mcp', '{}', 'gzip')).status).toBe(415);
    expect((await post('/v1/checkouts', '{', 'identity')).status).toBe(400);
  });
});

describe('Strict-Transport-Security', () => {
  const PATHS = ['/v1/me', '/v1/nowhere', '/docs', '/docs/errors/nope', '/schemas/v1/index.json', '/healthz', '/c/x'];

  it('is on every answer of an installation whose address is https, errors and broken requests too', async () => {
    for (const path of [...PATHS, '/v1/boats/%E0%A4%A']) {
      const { headers } = await https.call('GET', path);
      expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000']);
    }
    expect((await https.call('POST', '/v1/me')).headers.get('strict-transport-security')).not.toBeNull();
    expect(await sendRaw(https.urls[0] ?? '', 'NONSENSE\r\n\r\n')).toContain('strict-transport-security: max-age=');
  });

  it('is on an answer whose trusted proxy says https, and on none that came by http', async () => {
    const proxied = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    try {
      const headers = { 'x-forwarded-proto': 'https' };
      for (const path of PATHS) {
        const secure = await proxied.call('GET', path, { headers });
        expect(secure.headers.get('strict-transport-security')).not.toBeNull();
        expect((await proxied.call('GET', path)).headers.get('strict-transport-security')).toBeNull();
      }
    } finally {
      await proxied.close();
    }
  });
});

describe('/metrics', () => {
  const SIGNS = {
    forwarded: 'for=203.0.113.9',
    via: '1.1 proxy',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'pay.example',
    'x-forwarded-proto': 'https',
    'x-real-ip': '127.0.0.1',
    'cf-connecting-ip': '203.0.113.9',
    'true-client-ip': '203.0.113.9',
  };

  it('is 404 to a caller with any sign of a proxy, trusted or not, unless it has the operator’s token', async () => {
    for (const [name, value] of Object.entries(SIGNS)) {
      const headers = { [name]: value };
      expect([name, (await https.call('GET', '/metrics', { headers })).status]).toEqual([name, 404]);
      const known = await https.call('GET', '/metrics', { headers, key: https.operatorToken });
      expect([name, known.status]).toEqual([name, 200]);
    }
    expect((await https.call('GET', '/metrics')).status).toBe(200);
  });

  it('has an address of its own with METRICS_PORT, with the same rules, and is gone from the public one', async () => {
    expect((await world.call('GET', '/metrics', { key: world.operatorToken })).status).toBe(404);
    const url = `http://127.0.0.1:${world.metricsPorts[0]}`;
    const scrape = await fetch(`${url}/metrics`);
    expect([scrape.status, await scrape.text()]).toEqual([200, expect.stringContaining('everyshare_http_requests')]);
    expect((await fetch(`${url}/metrics`, { headers: { via: '1.1 proxy' } })).status).toBe(404);
    const headers = { via: '1.1 proxy', authorization: `Bearer ${world.operatorToken}` };
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200);
    for (const path of ['/', '/v1/me', '/healthz']) expect((await fetch(`${url}${path}`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });
});
