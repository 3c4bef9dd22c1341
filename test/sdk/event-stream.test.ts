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
const state = (id: string, status: string): string => `id: ${id}\nevent: progress\ndata: {"status":"${status}"}\n\n`;
const logged = (id: string, createdAt: number) => ({
  ...{ id, type: 'checkout.created', created_at: new Date(createdAt).toISOString() },
});
/** A stream that stays open until the client closes it. */
function openStream(text: string): { readonly responder: Responder; isClosed(): boolean } {
  let isClosed = false;
  return {
    responder(request, response) {
      response.on('close', () => {
        isClosed = true;
      });
      stream(text)(request, response);
    },
    isClosed: () => isClosed,
  };
}

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
    // The server commits an event up to a minute after the time that it carries.
    const now = Date.now();
    const log = [logged('b', now + 1_000), logged('a', now), logged('late', now - 55_000), logged('old', now - 65_000)];
    server.answer(stream(':\n\n', ends), stream(event('b')), json(200, { data: log, next_before: 'more' }));
    expect(await read(3)).toEqual(['late', 'a', 'b']);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/events/stream',
      '/v1/events/stream',
      '/v1/events?limit=100',
    ]);
  });

  it('throws what the caller’s own function throws, and closes the connection', async () => {
    const opened = openStream(event('a'));
    server.answer(opened.responder);
    const onOpen = (): void => {
      throw new Error('of the caller');
    };
    const reading = client.events.stream({ onOpen })[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toThrow('of the caller');
    await expect.poll(opened.isClosed).toBe(true);
  });

  it('closes the connection when the log cannot be read', async () => {
    const opened = openStream(event('a'));
    server.answer(stream(':\n\n', ends), opened.responder, failure(401, 'unauthorized'));
    await expect(read(1)).rejects.toBeInstanceOf(AuthenticationError);
    await expect.poll(opened.isClosed).toBe(true);
  });

  it('counts an event as processed when the program asks for the next one, and gives it again if not', async () => {
    server.answer(stream(event('a') + event('b')), stream(event('b')));
    const following = client.events.stream();
    const seen: unknown[] = [];
    const readUntilError = async (): Promise<void> => {
      for await (const { id } of following) {
        seen.push([id, following.lastEventId]);
        if (id === 'b') throw new Error('not processed');
      }
    };
    for (let time = 0; time < 2; time++) await expect(readUntilError()).rejects.toThrow('not processed');
    expect(seen).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['b', 'a'],
    ]);
    expect(lastIds()).toEqual([undefined, 'a']);
  });

  it('says once that it broke, and each time that it is open', async () => {
    server.answer(stream(event('a'), ends), failure(503, 'service_unavailable'), cut, stream(event('b')));
    const calls: string[] = [];
    const note = (text: string) => (): void => void calls.push(text);
    for await (const { id } of client.events.stream({ onOpen: note('open'), onBreak: note('break') })) {
      calls.push(id);
      if (id === 'b') break;
    }
    expect(calls).toEqual(['open', 'a', 'break', 'open', 'b']);
  });

  it('hands out a message with the line separators of Unicode in its text', async () => {
    const text = 'one\u2028two\u2029three\u0085four';
    server.answer(stream(event('x').replace('"type"', `"name":"${text}","type"`)));
    for await (const message of client.events.stream().messages()) {
      expect(JSON.parse(message.data)).toMatchObject({ id: 'x', name: text });
      break;
    }
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
    const opened = openStream(event('a') + event('b'));
    server.answer(opened.responder);
    const ids: string[] = [];
    for await (const { id } of client.events.stream({ signal: stop.signal })) {
      ids.push(id);
      stop.abort();
    }
    // The second event came with the same bytes as the first.
    expect(ids).toEqual(['a']);
    await expect.poll(opened.isClosed).toBe(true);
  });

  it('ends when the signal aborts in onOpen, before the first event', async () => {
    for (const text of [':\n\n', event('a')]) {
      const stop = new AbortController();
      const opened = openStream(text);
      server.answer(opened.responder);
      const following = client.events.stream({ signal: stop.signal, onOpen: () => stop.abort() });
      for await (const { id } of following) expect.unreachable(id);
      await expect.poll(opened.isClosed).toBe(true);
    }
  });

  it('ends when the signal aborts while events of the log are handed out', async () => {
    const log = [logged('b', Date.now()), logged('a', Date.now())];
    const opened = openStream(':\n\n');
    server.answer(stream(':\n\n', ends), opened.responder, json(200, { data: log, next_before: null }));
    const stop = new AbortController();
    const ids: string[] = [];
    for await (const { id } of client.events.stream({ signal: stop.signal })) {
      ids.push(id);
      stop.abort();
    }
    expect(ids).toEqual(['a']);
    await expect.poll(opened.isClosed).toBe(true);
  });

  it('of a group’s progress hands out a state that comes back, leaves out one that is repeated, and ends with the checkout', async () => {
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
    // The server's preflight does not allow this header, so a browser could not come back with it.
    expect(lastIds()).toEqual([undefined, undefined]);
  });

  it('of a group’s progress ends its messages with the checkout too, also when they are read again', async () => {
    server.answer(stream(state('m1', 'open') + state('m2', 'expired'), ends));
    const progress = client.guests.checkouts.streamProgress('chk_1');
    const ids: string[] = [];
    for await (const { id } of progress.messages()) ids.push(id);
    for await (const { id } of progress.messages()) ids.push(id);
    expect([ids, server.requests.length]).toEqual([['m1', 'm2', 'm1', 'm2'], 2]);
    for await (const { status } of progress) if (status === 'expired') break;
    server.answer(stream(state('m2', 'expired'), ends));
    for await (const { id } of progress.messages()) expect(id).toBe('m2');
    expect(server.requests).toHaveLength(1);
  });

  it('waits longer after each break without a new message', async () => {
    server.answer(
      ...Array<Responder>(3).fill(stream(state('m1', 'open'), ends)),
      stream(state('m2', 'completed'), ends),
    );
    for await (const _ of client.guests.checkouts.streamProgress('chk_1'));
    const times = server.requests.map(({ at }) => at);
    const waits = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(waits).toHaveLength(3);
    expect(waits[1]).toBeGreaterThanOrEqual(495);
    expect(waits[2]).toBeGreaterThanOrEqual(995);
  });

  it('says so when the answer is not a stream', async () => {
    server.answer(json(200, { hello: 1 }));
    await expect(read(1)).rejects.toMatchObject({ code: 'unexpected_response' });
  });
});
