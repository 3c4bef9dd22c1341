// What a client can hold of the server without sending a request, or without reading the answer.

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countSharedCalls } from '../../src/domain/keys/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
const sockets: Socket[] = [];
beforeAll(async () => {
  world = await openTestWorld({
    env: {
      MAX_CONNECTIONS: '60',
      MAX_CONNECTIONS_PER_ADDRESS: '20',
      STALLED_WRITE_SECONDS: '1',
      TRUSTED_PROXIES: '127.0.0.9',
    },
  });
});
afterAll(() => world.close());

/** A connection from another address of this machine than that of `world.call`. */
function open(localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(world.urls[0] ?? '');
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress }, () => resolve(socket));
    sockets.push(socket);
    socket.on('error', reject);
  });
}

async function closeAll(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await waitFor(
    'the server sees the connections closed',
    async () => (await metric('everyshare_http_connections ')) <= 3,
  );
}

/** The value of one line of /metrics; 0: there is none. */
async function metric(start: string): Promise<number> {
  const { text } = await world.call('GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(start));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

/** What the server sends by itself, until it closes the connection. */
function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
  });
}

describe('connections', () => {
  it('of one address beyond its bound are answered 429 and closed; other addresses are served', async () => {
    for (let n = 0; n < 20; n++) await open('127.0.0.2');
    const answer = await readToEnd(await open('127.0.0.2'));
    expect(answer).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*"code":"rate_limited"/);
    expect(answer).toContain('20 connections');
    expect((await world.call('GET', '/healthz')).status).toBe(200);
    expect(await metric('everyshare_http_connections_dropped_total{reason="address"}')).toBe(1);
    await closeAll();
    const again = await open('127.0.0.2');
    again.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(await readToEnd(again)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of a trusted proxy have no bound of their own; in all there is one, and beyond it the answer is 503', async () => {
    for (let n = 0; n < 50; n++) await open('127.0.0.9');
    expect((await world.call('GET', '/healthz')).status).toBe(200);
    const answers: Promise<string>[] = [];
    for (let n = 0; n < 12; n++) answers.push(readToEnd(await open('127.0.0.9')));
    // The connections within the bound are silent.
    expect(await Promise.race(answers)).toMatch(/^HTTP\/1\.1 503 [\s\S]*"code":"service_unavailable"/);
    await closeAll();
  });

  it('whose client does not read its answer are dropped, and other clients are answered meanwhile', {
    tags: ['slow'],
  }, async () => {
    const request = 'GET /docs/scalar.js HTTP/1.1\r\nhost: x\r\n\r\n';
    for (let n = 0; n < 15; n++) {
      const socket = await open('127.0.0.3');
      socket.pause();
      socket.write(request.repeat(8)); // More than the buffers of both systems hold.
    }
    expect((await world.call('GET', '/healthz')).status).toBe(200);
    const dropped = () => metric('everyshare_http_connections_dropped_total{reason="unread"}');
    await waitFor('the silent readers are dropped', async () => (await dropped()) === 15, { timeoutMs: 40_000 });
    await closeAll();
  });

  it('whose client reads slowly are not dropped', { tags: ['slow'] }, async () => {
    const socket = await open('127.0.0.4');
    socket.pause();
    socket.write('GET /docs/scalar.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(4));
    let bytes = 0;
    const until = Date.now() + 4_000;
    while (Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      bytes += (socket.read() as Buffer | null)?.length ?? 0;
    }
    expect(bytes).toBeGreaterThan(100_000);
    expect(socket.destroyed).toBe(false);
    await closeAll();
  });
});

describe('a server that stops', () => {
  it('does not wait for a connection on which no request was sent', async () => {
    const stopping = await openTestWorld();
    const { hostname, port } = new URL(stopping.urls[0] ?? '');
    const unused = connect({ host: hostname, port: Number(port) });
    const ended = new Promise<void>((resolve) => unused.once('close', () => resolve()));
    await new Promise<void>((resolve) => unused.once('connect', () => resolve()));
    await stopping.call('GET', '/healthz');
    await stopping.close();
    await ended;
  });
});

describe('documentation and schemas', () => {
  it('are counted with the other calls of an address without a key: 429 beyond the limit, with Retry-After', async () => {
    expect((await world.call('GET', '/docs/errors')).status).toBe(200);
    await countSharedCalls(world.db, 600, [{ subject: 'address 127.0.0.1', calls: 600 }]);
    for (const path of [
      '/docs',
      '/docs/search?q=hold',
      '/docs/guides/payments.md',
      '/llms.txt',
      '/docs/scalar.js',
      '/docs/errors/conflict',
      '/schemas/v1/index.json',
      '/schemas/v1/boat.json',
    ]) {
      const { status, headers, json } = await world.call('GET', path);
      expect([path, status, json.error.code]).toEqual([path, 429, 'rate_limited']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await world.call('GET', '/healthz')).status).toBe(200);
  });
});
