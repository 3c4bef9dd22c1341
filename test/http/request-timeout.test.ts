// What a connection gets whose request does not arrive in time.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { replyClientError } from '../../src/http/client-error.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const HEADERS_TIMEOUT_MS = 300;

let world: TestWorld;
const server = createServer(
  { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: 600, connectionsCheckingInterval: 20 },
  (_request, response) => response.end('here'),
);
beforeAll(async () => {
  world = await openTestWorld();
  const urls = () => ({ base: '', checkoutPages: '', schemas: '' });
  const http = { app: world.context, metrics: { observe: () => undefined }, urls } as unknown as HttpContext;
  server.on('clientError', (error, socket) => replyClientError(http, error, socket as Socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await world.close();
});

/** Opens a connection; `received` is what came until it was closed. */
async function open(): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
  await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
  return { socket, received };
}

it('is closed without an answer if it was never used', async () => {
  expect(await (await open()).received).toBe('');
});

it('gets 408 if its request has begun', async () => {
  const { socket, received } = await open();
  socket.write('GET /v1/me HTTP/1.1\r\nhost');
  expect(await received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*"code":"request_timeout"/s);
});

it('gets its answer if the request arrived while the process was paused', async () => {
  const { socket, received } = await open();
  socket.write('GET /v1/me HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const pausedUntil = performance.now() + 2 * HEADERS_TIMEOUT_MS;
  while (performance.now() < pausedUntil);
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*here/s);
});
