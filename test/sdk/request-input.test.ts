// What a caller hands over for a request: the body as it was at the call, keys and headers that can be sent, and errors
// that quote no secret.

import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CheckoutCreate, Everyshare, type RequestOptions } from '../../sdk/src/everyshare.ts';
import { FakeServer, failure, json } from './fake-server.ts';

let server: FakeServer;
let client: Everyshare;
beforeAll(async () => {
  // The shortest wait before a retry.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  server = await FakeServer.start();
  client = new Everyshare({ apiKey: 'svc_test_x', baseUrl: server.url });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const CHECKOUT = { id: 'chk_1', object: 'checkout' };
const BODY = { amount: 100, external_booking_id: 'bk-1' } as CheckoutCreate;
const create = (options?: RequestOptions) => client.checkouts.create(BODY, options);
/** The error of a call that must fail. */
const errorOf = async (call: PromiseLike<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );

describe('a request', () => {
  it('carries the body as it was at the call, also in a retry', async () => {
    const body = { ...BODY };
    const bytes = new TextEncoder().encode('{"id":1}');
    for (const [call, change, expected] of [
      [() => client.checkouts.create(body), () => Object.assign(body, { amount: 200 }), JSON.stringify(BODY)],
      [() => client.hooks.deliver('custom', 'token', bytes), () => bytes.fill(0), '{"id":1}'],
    ] as const) {
      server.answer(failure(429, 'rate_limited', {}, { 'retry-after': '0' }), json(201, CHECKOUT));
      const sent = call();
      change();
      await sent;
      expect(server.requests.map((request) => request.body)).toEqual([expected, expected]);
    }
  });

  it('carries bytes as they are, from a buffer or a part of one', async () => {
    server.answer(json(200, { ok: true }));
    const bytes = new TextEncoder().encode('x{"id":"é"}x');
    const { buffer } = bytes.slice(1, -1);
    for (const body of [buffer, bytes.subarray(1, -1), new DataView(bytes.buffer, 1, bytes.length - 2)])
      await client.hooks.deliver('custom', 'token', body);
    expect(server.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"id":"é"}'));
  });

  it('is not sent with a body that JSON cannot hold', async () => {
    server.answer(json(201, CHECKOUT));
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const metadata of [cycle, { big: 1n }]) {
      const failed = await errorOf(client.checkouts.create({ ...BODY, metadata } as never));
      expect(String(failed)).toMatch(/^EveryshareError: The body cannot be written as JSON: leave out each BigInt/);
    }
    expect(server.requests).toHaveLength(0);
  });

  it('carries a key without the white space around it, and none that has some within, which no error quotes', async () => {
    server.answer(json(201, CHECKOUT));
    await create({ apiKey: ' svc_test_y\n' });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer svc_test_y');
    for (const apiKey of ['svc_live\nsecret', 'svc_live secret', 'svc_live\u2028secret']) {
      const thrown = (() => {
        try {
          return new Everyshare({ apiKey });
        } catch (error) {
          return error;
        }
      })();
      for (const error of [thrown, await errorOf(create({ apiKey }))]) {
        expect(String(error)).toMatch(/^EveryshareError: apiKey has a space, a line break/);
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('svc_live');
      }
    }
    const header = await errorOf(create({ idempotencyKey: 'mine\nsecret' }));
    expect(String(header)).toMatch(/^EveryshareError: The header idempotency-key has a line break/);
    expect(inspect(header, { depth: 9, showHidden: true })).not.toContain('mine');
    expect(server.requests).toHaveLength(1);
  });

  it('carries no Idempotency-Key of the headers: it is refused there, where it would be replaced', async () => {
    server.answer(json(201, CHECKOUT));
    for (const name of ['Idempotency-Key', 'idempotency-key'])
      expect(String(await errorOf(create({ headers: { [name]: 'mine' } })))).toMatch(/in headers: use idempotencyKey/);
    expect(server.requests).toHaveLength(0);
  });
});
