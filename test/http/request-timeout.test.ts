// What a connection gets whose request does not arrive in time.

import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { replyClientError } from '../../src/http/client-error.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { openTestWorld } from '../support/test-world.ts';

it('is closed without an answer if it was never used, and gets 408 if its request has begun', async () => {
  const world = await openTestWorld();
  onTestFinished(() => world.close());
  const metrics = { observe: () => undefined };
  const http = {
    app: world.context,
    metrics,
    urls: () => ({ base: '', checkoutPages: '', schemas: '' }),
  } as unknown as HttpContext;
  const server = createServer({ headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 });
  server.on('clientError', (error, socket) => replyClientError(http, error, socket as never));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const received = (sent: string): Promise<string> =>
    new Promise((resolve) => {
      let text = '';
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('data', (data) => {
        text += data.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(text));
      if (sent !== '') socket.write(sent);
    });
  const [unused, begun] = await Promise.all([received(''), received('GET /v1/me HTTP/1.1\r\nhost')]);
  expect(unused).toBe('');
  expect(begun).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n.*"code":"request_timeout"/s);
});
