// How the SDK sends a request: keys, retries, time-outs, abort signals, paging and errors, against a server that answers
// as each test says.

import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type CheckoutCreate,
  ConflictError,
  ConnectionError,
  Everyshare,
  EveryshareError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  type RequestOptions,
  ServerError,
  TimeoutError,
} from '../../sdk/src/everyshare.ts';
import { waitFor } from '../support/wait-for.ts';
import { cut, cutInBody, FakeServer, failure, hang, json, type Responder } from './fake-server.ts';

let server: FakeServer;
let client: Everyshare;
beforeAll(async () => {
  // The shortest wait before a retry.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  server = await FakeServer.start();
  client = new Everyshare({ apiKey: 'svc_test_x', baseUrl: `${server.url}/` });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
});

const CHECKOUT = { id: 'chk_1', object: 'checkout' };
const BODY = { amount: 100, external_booking_id: 'bk-1' } as CheckoutCreate;
const create = (options?: RequestOptions) => client.checkouts.create(BODY, options);
const keys = (): unknown[] => server.requests.map(({ headers }) => headers['idempotency-key']);
/** The error of a call that must fail. */
const errorOf = async (call: PromiseLike<unknown>): Promise<unknown> =>
  call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );

describe('a request', () => {
  it('carries the headers of the client, and no Authorization for a client without a key', async () => {
    const page = new Everyshare({ apiKey: null, baseUrl: server.url, headers: { 'Everyshare-Mode': 'test' } });
    server.answer(json(201, CHECKOUT));
    await page.checkouts.create(BODY, { headers: { 'x-trace': '1' } });
    const [{ headers } = { headers: {} }] = server.requests;
    expect(headers).toMatchObject({ 'everyshare-mode': 'test', 'x-trace': '1' });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('carries the key, JSON, and the SDK’s name', async () => {
    server.answer(json(201, CHECKOUT));
    expect(await create()).toEqual(CHECKOUT);
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/checkouts',
        body: JSON.stringify(BODY),
        headers: {
          authorization: 'Bearer svc_test_x',
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': expect.stringMatching(/^everyshare-sdk\/\d/),
        },
      },
    ]);
  });

  it('sends no key to an address that needs none', async () => {
    server.answer(json(200, { challenge_id: 'x', expires_in: 600 }));
    await client.guests.signIn.create({ phone: '+15550100001' });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('encodes the parts of the address, and refuses an id that would lead elsewhere', async () => {
    server.answer(json(200, { data: { id: 'x' } }));
    await client.offerings.retrieve('a/b?c #ü');
    expect(server.requests[0]?.path).toBe('/v1/offerings/a%2Fb%3Fc%20%23%C3%BC');
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      const error = await errorOf(client.offerings.retrieve(id));
      expect(error).toBeInstanceOf(EveryshareError);
      expect((error as Error).message).toMatch(/^id is .+: give the id of the object\.$/);
    }
    expect(server.requests).toHaveLength(1);
  });

  it('needs a key and an address that it can use', async () => {
    expect(() => new Everyshare({ apiKey: '' })).toThrow(/apiKey is missing/);
    expect(() => new Everyshare({ apiKey: ' \n' })).toThrow(/apiKey is missing/);
    expect(String(await errorOf(create({ apiKey: '' })))).toMatch(/apiKey is missing/);
    expect(() => new Everyshare({ apiKey: 'x', baseUrl: 'api.example' })).toThrow(/baseUrl is "api.example"/);
  });

  it('shows its key and the token of a hook in no error and no output', async () => {
    server.answer(cut);
    const failed = await errorOf(client.hooks.deliver('custom', 'hook-token', { id: 1 }));
    expect(String(failed)).toMatch(/^ConnectionError: POST http:.+\/v1\/hooks\/\{provider\}\/\{token\}: there was no/);
    server.answer(failure(404, 'not_found'));
    const refused = await errorOf(client.hooks.deliver('custom', 'hook-token', { id: 1 }));
    expect(refused).toBeInstanceOf(NotFoundError);
    expect((refused as NotFoundError).response.url).toContain('hook-token');
    const all = [client, failed, refused];
    const shown = inspect(all, { depth: 9, showHidden: true }) + JSON.stringify(all);
    expect(shown).not.toMatch(/svc_test_x|hook-token/);
  });

  it('does not follow a redirect, which would lead the key elsewhere', async () => {
    server.answer((_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end());
    expect(await errorOf(create())).toMatchObject({ status: 307, code: 'unexpected_response' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('the Idempotency-Key', () => {
  it('is made for every write that takes one, and is the same for each retry', async () => {
    server.answer(failure(503, 'service_unavailable'), cut, json(201, CHECKOUT));
    expect(await create()).toEqual(CHECKOUT);
    expect(keys()).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0]).toMatch(/^sdk-[0-9a-f]{32}$/);
    server.answer(json(201, CHECKOUT));
    await Promise.all([create(), create(), client.checkouts.refund('chk_1'), client.checkouts.cancel('chk_1')]);
    expect(new Set(keys()).size).toBe(4);
  });

  it('is the caller’s own if there is one, and a replay says so', async () => {
    server.answer(json(201, CHECKOUT, { 'idempotent-replayed': 'true' }));
    const { isReplay } = await create({ idempotencyKey: 'mine' }).withResponse();
    expect([keys(), isReplay]).toEqual([['mine'], true]);
  });

  it('is left out once the booking has a checkout, so that the same booking gets the same checkout', async () => {
    server.answer(failure(409, 'conflict', { reason: 'booking_in_progress' }), json(201, CHECKOUT));
    expect(await create()).toEqual(CHECKOUT);
    expect(keys()).toEqual([expect.stringMatching(/^sdk-/), undefined]);
    server.answer(failure(409, 'conflict', { reason: 'booking_in_progress' }));
    expect(await errorOf(create())).toMatchObject({ status: 409, reason: 'booking_in_progress' });
    expect(keys()).toHaveLength(2);
    server.answer(failure(409, 'conflict', { reason: 'booking_in_progress' }));
    expect(await errorOf(create({ idempotencyKey: 'mine' }))).toBeInstanceOf(ConflictError);
    expect(keys()).toEqual(['mine']);
  });

  it('is not sent where the operation does not take one, and the caller’s own is refused there', async () => {
    server.answer(json(200, { data: {} }));
    await client.boats.deactivate('b');
    const refused = errorOf(client.boats.deactivate('b', { idempotencyKey: 'mine' }));
    expect(String(await refused)).toMatch(/\/deactivate takes no idempotencyKey: leave it out/);
    expect(keys()).toEqual([undefined]);
  });
});

describe('a retry', () => {
  it.each([
    ['408', failure(408, 'request_timeout')],
    ['500', failure(500, 'internal_error')],
    ['502 of a proxy', json(502, 'bad gateway')],
    ['503', failure(503, 'service_unavailable')],
    ['429', failure(429, 'rate_limited', {}, { 'retry-after': '0' })],
    ['409 request_in_progress', failure(409, 'conflict', { reason: 'request_in_progress' })],
    ['a connection that is cut', cut],
    ['an answer that is cut', cutInBody],
  ])('follows %s', async (_name, first) => {
    server.answer(first, json(201, CHECKOUT));
    expect(await create()).toEqual(CHECKOUT);
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    [400, 'invalid_json'],
    [401, 'unauthorized'],
    [403, 'insufficient_scope'],
    [404, 'not_found'],
    [409, 'conflict'],
    [413, 'payload_too_large'],
    [422, 'invalid_type'],
  ])('does not follow %i', async (status, code) => {
    server.answer(failure(status, code));
    expect(await errorOf(create())).toMatchObject({ status, code });
    expect(server.requests).toHaveLength(1);
  });

  it('waits for Retry-After, and a random time more', async () => {
    server.answer(failure(503, 'service_unavailable', {}, { 'retry-after': '1' }), json(201, CHECKOUT));
    await create();
    const [first = 0, second = 0] = server.requests.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(1_240);
  });

  it('does not wait for more than a minute: the error says how long', async () => {
    server.answer(failure(429, 'rate_limited', {}, { 'retry-after': '1800' }));
    const error = await errorOf(create());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: 1800 });
    expect(server.requests).toHaveLength(1);
  });

  it('happens maxRetries times, and then the last failure is thrown', async () => {
    server.answer(failure(503, 'service_unavailable'));
    expect(await errorOf(create({ maxRetries: 1 }))).toBeInstanceOf(ServerError);
    expect(server.requests).toHaveLength(2);
    server.answer(cut);
    const error = await errorOf(create({ maxRetries: 0 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  it('never repeats a write whose outcome is unknown and that would have a second effect', async () => {
    for (const first of [cut, failure(500, 'internal_error')]) {
      server.answer(first);
      await errorOf(client.webhookEndpoints.test('whe_1'));
      await errorOf(client.experiences.submit({ title: 'x', starts_at: '2030-01-01T00:00:00Z' }));
      expect(server.requests).toHaveLength(2);
    }
    server.answer(cut, json(201, { data: {}, duplicate: true }));
    await client.experiences.submit({ title: 'x', starts_at: '2030-01-01T00:00:00Z', external_id: 'e' });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a time-out', () => {
  it('ends an attempt that gets no answer', async () => {
    server.answer(hang);
    const error = await errorOf(create({ timeout: 50, maxRetries: 0 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as Error).message).toMatch(/no answer within 50 ms/);
  });

  it('ends an attempt whose answer does not end, and the next attempt may succeed', async () => {
    const stall: typeof hang = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
    };
    server.answer(stall, json(201, CHECKOUT));
    expect(await create({ timeout: 100 })).toEqual(CHECKOUT);
  });

  it('may be longer than a timer can be', async () => {
    for (const timeout of [Number.POSITIVE_INFINITY, 2 ** 31]) {
      server.answer((request, response) => void setTimeout(json(201, CHECKOUT), 30, request, response));
      expect(await create({ timeout, maxRetries: 0 })).toEqual(CHECKOUT);
    }
  });
});

describe('an abort signal', () => {
  it('ends a call that waits for its answer, with the signal’s reason', async () => {
    server.answer(hang);
    const stop = new AbortController();
    const failed = errorOf(create({ signal: stop.signal }));
    await waitFor('the request is sent', () => server.requests.length === 1);
    stop.abort();
    expect(await failed).toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(1);
  });

  it('ends a call that waits before a retry, and a call that has not begun', async () => {
    server.answer(failure(503, 'service_unavailable', {}, { 'retry-after': '30' }));
    const stop = new AbortController();
    const reason = new Error('the user left');
    const failed = errorOf(create({ signal: stop.signal }));
    await waitFor('the request is sent', () => server.requests.length === 1);
    stop.abort(reason);
    expect(await failed).toBe(reason);
    expect(await errorOf(create({ signal: stop.signal }))).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });
});

describe('an error', () => {
  it('has the code, every problem, the request id, the rate limit and the status', async () => {
    const problem = { code: 'invalid_type', field: '/amount', message: 'no', expected: 'an integer', example_fix: 1 };
    server.answer(
      json(
        422,
        { error: { code: 'invalid_type', message: 'no', field: '/amount', request_id: 'req_7' }, errors: [problem] },
        { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59', 'x-ratelimit-reset': '1812790800' },
      ),
    );
    const error = await errorOf(create());
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toBeInstanceOf(EveryshareError);
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      message: 'no',
      status: 422,
      code: 'invalid_type',
      field: '/amount',
      reason: null,
      errors: [problem],
      requestId: 'req_7',
      rateLimit: { limit: 60, remaining: 59, reset: 1_812_790_800 },
      retryAfter: null,
    });
  });

  it('says so when the answer is not from the API', async () => {
    server.answer((_request, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no</h1>'));
    const error = await errorOf(create());
    expect(error).toMatchObject({ status: 404, code: 'unexpected_response', requestId: null });
    expect((error as Error).message).toMatch(/not from the API \(status 404\): check baseUrl/);
    server.answer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>'));
    expect(await errorOf(create())).toMatchObject({ status: 200, code: 'unexpected_response' });
    for (const status of [200, 201]) {
      server.answer((_request, response) => response.writeHead(status).end());
      for (const call of [() => create(), () => client.tools.call({}), () => client.payouts.listCsv()])
        expect(await errorOf(call())).toMatchObject({ status, code: 'unexpected_response' });
    }
    for (const status of [202, 204]) {
      server.answer((_request, response) => response.writeHead(status).end());
      expect(await client.tools.call({})).toBeUndefined();
    }
    for (const answer of [
      json(200, {}),
      json(200, null),
      (_request: unknown, response: ServerResponse) => response.end(),
    ]) {
      server.answer(answer as Responder);
      const failed = [
        client.me.retrieve(),
        client.checkouts.list(),
        client.webhookEndpoints.list().toArray({ limit: 1 }),
      ];
      for (const call of failed) expect(await errorOf(call)).toMatchObject({ code: 'unexpected_response' });
    }
  });
});

describe('withResponse', () => {
  it('gives the response, the request id and the rate limit beside the data', async () => {
    const limits = { 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '5' };
    server.answer(json(200, CHECKOUT, { 'x-request-id': 'req_9', ...limits }));
    const { data, response, requestId, rateLimit } = await client.checkouts.retrieve('chk_1').withResponse();
    expect([data, response.status, requestId]).toEqual([CHECKOUT, 200, 'req_9']);
    expect(rateLimit).toEqual({ limit: 600, remaining: 1, reset: 5 });
  });
});

describe('a list', () => {
  const page = (ids: readonly string[], next_before: string | null) =>
    json(200, { data: ids.map((id) => ({ id })), next_before });

  it('is read object by object, page after page, with the same query', async () => {
    server.answer(page(['a', 'b'], '2027-01-01T00:00:00Z'), page([], '2026-01-01T00:00:00Z'), page(['c'], null));
    const ids: string[] = [];
    for await (const { id } of client.checkouts.list({ status: 'open', limit: 2 })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/checkouts?status=open&limit=2',
      '/v1/checkouts?status=open&limit=2&before=2027-01-01T00%3A00%3A00Z',
      '/v1/checkouts?status=open&limit=2&before=2026-01-01T00%3A00%3A00Z',
    ]);
  });

  it('ends with an error when the answer names the page that was asked for as the next one', async () => {
    server.answer(page(['a'], '2027-01-01T00:00:00Z'));
    const ids: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { id } of client.checkouts.list()) ids.push(id);
    };
    await expect(read()).rejects.toThrow('The list cannot go on after before=2027-01-01T00:00:00Z.');
    expect([ids, server.requests.length]).toEqual([['a', 'a'], 2]);
  });

  it('reads no more pages than needed', async () => {
    server.answer(page(['a', 'b'], '2027-01-01T00:00:00Z'));
    for await (const { id } of client.checkouts.list()) if (id === 'b') break;
    expect(await client.checkouts.list().toArray({ limit: 2 })).toHaveLength(2);
    expect(await client.checkouts.list().toArray({ limit: 0 })).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  it('gives one page, and the next ones when asked', async () => {
    server.answer(page(['a'], '2027-01-01T00:00:00Z'), page(['b'], null));
    const first = await client.checkouts.list().page();
    expect([first.data, first.hasMore]).toEqual([[{ id: 'a' }], true]);
    const second = await first.next();
    expect([second?.data, second?.hasMore, await second?.next()]).toEqual([[{ id: 'b' }], false, null]);
  });
});
