// The SDK's event stream: after any break it goes on after the last event, without gaps and without repeats.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuthenticationError, ConnectionError, Everyshare, RateLimitError } from '../../sdk/src/everyshare.ts';
import { cut, FakeServer, failure, json, type Responder } from './fake-server.ts';

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

const event = (id: string): string =>
  `id: ${id}\nevent: checkout.created\ndata: {"id":"${id}","type":"checkout.created"}\n\n`;
/** Opens a stream, sends these bytes, and then ends, cuts or leaves it open. */
const stream =
  (text: string, end: (response: ServerResponse) => void = () => undefined): Responder =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => end(response));
  };
const ends = (response: ServerResponse): void => void response.end();
const isCut = (response: ServerResponse): void => void response.destroy();

/** The ids of the first events. */
async function read(count: number, options: { lastEventId?: string; maxRetries?: number } = {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.events.stream(options)) if (ids.push(id) >= count) break;
  return ids;
}
const lastIds = (): unknown[] => server.requests.map(({ headers }) => headers['last-event-id']);

describe('the event stream', () => {
  it('goes on after the last event when the server ends the stream or the connection is cut', async () => {
    server.answer(
      stream(`retry: 2000\n\n:\n\n${event('a')}`, ends),
      failure(503, 'service_unavailable', {}, { 'retry-after': '0' }),
      cut,
      // Events of the last minute come again.
      stream(`${event('a')}${event('b')}id: c\nevent: x`, isCut),
      stream(`${event('b')}${event('c')}`),
    );
    expect(await read(3)).toEqual(['a', 'b', 'c']);
    expect(lastIds()).toEqual([undefined, 'a', 'a', 'a', 'b']);
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: 'Bearer svc_test_x',
    });
  }, 20_000);

  it('goes on from the log when the first break comes before the first event', async () => {
    const logged = (id: string, created_at: string) => ({ id, created_at, type: 'checkout.created' });
    const now = new Date(Date.now() + 1_000).toISOString();
    const log = [logged('b', now), logged('a', now), logged('old', '2020-01-01T00:00:00Z')];
    server.answer(stream(':\n\n', ends), stream(event('b')), json(200, { data: log, next_before: 'more' }));
    expect(await read(2)).toEqual(['a', 'b']);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/events/stream',
      '/v1/events/stream',
      '/v1/events?limit=100',
    ]);
  });

  it('throws what the caller’s own function throws', async () => {
    server.answer(stream(event('a')));
    const onOpen = (): void => {
      throw new Error('of the caller');
    };
    const reading = client.events.stream({ onOpen })[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toThrow('of the caller');
  });

  it('begins after the event that the caller names', async () => {
    server.answer(stream(event('e')));
    expect(await read(1, { lastEventId: 'd' })).toEqual(['e']);
    expect(lastIds()).toEqual(['d']);
  });

  it('reads events however the bytes are divided, and hands on their JSON as it was sent', async () => {
    const text = event('x').replace('"type"', '"name":"Café ☕", "type"');
    server.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = Buffer.from(text);
      const send = (at: number): void => {
        if (at < bytes.length) response.write(bytes.subarray(at, at + 7), () => setImmediate(send, at + 7));
      };
      send(0);
    });
    for await (const message of client.events.stream().messages()) {
      expect(message).toEqual({
        id: 'x',
        type: 'checkout.created',
        data: '{"id":"x","name":"Café ☕", "type":"checkout.created"}',
      });
      break;
    }
  });

  it('throws when the key is refused, at first and later', async () => {
    server.answer(failure(401, 'unauthorized'));
    await expect(read(1)).rejects.toBeInstanceOf(AuthenticationError);
    server.answer(stream(event('a'), ends), failure(401, 'unauthorized'));
    await expect(read(2)).rejects.toBeInstanceOf(AuthenticationError);
  });

  it('throws when the first connection fails as often as maxRetries allows', async () => {
    server.answer(cut);
    await expect(read(1, { maxRetries: 1 })).rejects.toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(2);
    server.answer(failure(429, 'rate_limited', {}, { 'retry-after': '900' }));
    await expect(read(1)).rejects.toBeInstanceOf(RateLimitError);
  });

  it('ends when the signal aborts, and closes the connection', async () => {
    const stop = new AbortController();
    let isClosed = false;
    server.answer((request, response) => {
      response.on('close', () => {
        isClosed = true;
      });
      stream(event('a'))(request, response);
    });
    const ids: string[] = [];
    for await (const { id } of client.events.stream({ signal: stop.signal })) {
      ids.push(id);
      stop.abort();
    }
    expect(ids).toEqual(['a']);
    await expect.poll(() => isClosed).toBe(true);
  });

  it('of a group’s progress hands out a state that comes back, leaves out one that is repeated, and ends with the checkout', async () => {
    const state = (id: string, status: string): string =>
      `id: ${id}\nevent: progress\ndata: {"status":"${status}"}\n\n`;
    server.answer(
      stream(`${state('m1', 'open')}${state('m2', 'collecting')}${state('m1', 'open')}`, ends),
      stream(`event: alive\ndata: \n\n${state('m1', 'open')}${state('m3', 'completed')}`),
    );
    const seen: string[] = [];
    for await (const { status } of client.guests.checkouts.streamProgress('chk_1')) seen.push(status);
    expect(seen).toEqual(['open', 'collecting', 'open', 'completed']);
    expect(server.requests.map(({ path }) => path)).toEqual(
      Array(2).fill('/v1/public/checkouts/chk_1/progress/stream'),
    );
  });

  it('says so when the answer is not a stream', async () => {
    server.answer(json(200, { hello: 1 }));
    await expect(read(1)).rejects.toMatchObject({ code: 'unexpected_response' });
  });
});
