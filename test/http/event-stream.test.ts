// The writing of server-sent events, apart from what they are about: heartbeats, bounds, the right to read, slow clients, and
// a server that stops.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '../../src/base/errors.ts';
import type { ServerSentEvent } from '../../src/base/operation.ts';
import { EventStreams, type StreamLimit, type StreamRequest } from '../../src/http/event-stream.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { waitFor } from '../support/wait-for.ts';

const HEARTBEAT_MS = 40;
/** More characters than the buffers between a server and its client take. */
const LARGE = 30_000_000;
const servers: FastifyInstance[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const server of servers.splice(0)) await close(server);
});

/** As the real server stops: idle and unused connections are closed, the others finish. */
async function close(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => {
    server.server.closeIdleConnections();
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 10);
  await server.close();
  clearInterval(sweep);
}

/** A source that the test fills. */
class Source {
  readonly waiting: ServerSentEvent[] = [];
  isEnded = false;
  taken = 0;
  #wake: () => void = () => undefined;

  push(...events: ServerSentEvent[]): void {
    this.waiting.push(...events);
    this.#wake();
  }

  async *read(signal: AbortSignal): AsyncGenerator<readonly ServerSentEvent[]> {
    try {
      while (!signal.aborted) {
        const next = this.waiting.shift();
        if (next !== undefined) {
          this.taken++;
          yield [next];
          continue;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          signal.addEventListener('abort', () => resolve());
        });
      }
    } finally {
      this.isEnded = true;
    }
  }
}

function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const message = (n: number, data = `{"n":${n}}`): ServerSentEvent => ({ id: `evt_${n}`, event: 'x', data });

const limit = (max: number, subject = 'key'): StreamLimit => ({ subject, max, message: `at most ${max}` });

interface ServerOptions {
  readonly maxStreams?: number;
  readonly heartbeatMs?: number;
  /** What takes time before the stream is asked for. */
  readonly before?: (raw: ServerResponse) => Promise<void>;
}

async function openServer(options: Partial<StreamRequest> = {}, { before, ...limits }: ServerOptions = {}) {
  const streams = new EventStreams({ heartbeatMs: HEARTBEAT_MS, ...limits });
  const source = new Source();
  const server = Fastify({ forceCloseConnections: 'idle', return503OnClosing: false });
  server.addHook('preHandler', async (_request, { raw }) => before?.(raw));
  server.addHook('preClose', async () => streams.closeAll());
  server.setErrorHandler((error, _request, reply) => {
    const problem = error as unknown as Problem;
    return reply
      .code(problem.status)
      .headers(problem.detail.headers ?? {})
      .send({ code: problem.code });
  });
  server.get('/', (_request, reply) =>
    streams.send(reply, {
      limits: [limit(2)],
      open: async (signal) => source.read(signal),
      isStillAllowed: async () => true,
      ...options,
    }),
  );
  servers.push(server);
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  return { server, streams, source, url, open: () => EventStreamClient.open(url) };
}

describe('a stream of server-sent events', () => {
  it('sends each message with its id, type and data, also data of several lines, and comments in between', async () => {
    const { source, open } = await openServer();
    const client = await open();
    expect(client.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    source.push(message(1), message(2, 'a\nb\r\nc'));
    await client.receives(2);
    await waitFor('three comments', () => client.comments >= 3);
    expect(client.events).toEqual([
      { id: 'evt_1', event: 'x', data: '{"n":1}' },
      { id: 'evt_2', event: 'x', data: 'a\nb\nc' },
    ]);
    client.leave();
  });

  it('frees its place and ends its source when the client leaves, and the third of two is refused with 429', async () => {
    const { source, streams, open } = await openServer();
    const clients = [await open(), await open()];
    const third = await open();
    expect([third.response.status, third.response.headers.get('retry-after')]).toEqual([429, '15']);
    clients[0]?.leave();
    await waitFor('the place is free', () => streams.count === 1);
    expect(source.isEnded).toBe(true);
    expect((await open()).response.status).toBe(200);
  });

  it('is refused when one of several bounds is reached, and a refused one takes no place of the others', async () => {
    const { streams, open } = await openServer({ limits: [limit(9, 'address'), limit(1, 'checkout')] });
    const client = await open();
    for (let n = 0; n < 12; n++) expect((await open()).response.status).toBe(429);
    client.leave();
    await waitFor('the place is free', () => streams.count === 0);
    expect((await open()).response.status).toBe(200);
  });

  it('is refused with 503 beyond the bound of the server, and frees its place if its source cannot be opened', async () => {
    const full = await openServer({ limits: [limit(9)] }, { maxStreams: 1 });
    expect((await full.open()).response.status).toBe(200);
    expect((await full.open()).response.status).toBe(503);
    const broken = await openServer({ open: () => Promise.reject(new Problem('invalid_value')) });
    for (let n = 0; n < 4; n++) expect((await broken.open()).response.status).toBe(422);
    expect(broken.streams.count).toBe(0);
  });

  it('ends at the next comment when the caller may no longer read', async () => {
    let isAllowed = true;
    const { source, open } = await openServer({ isStillAllowed: async () => isAllowed });
    const client = await open();
    await waitFor('a comment', () => client.comments >= 1);
    isAllowed = false;
    await client.ends();
    expect(source.isEnded).toBe(true);
  });

  it('ends when the server stops, which does not wait for the client', async () => {
    const { server, open } = await openServer();
    const client = await open();
    await close(server);
    await client.ends();
  });

  it('takes no more from the source than a slow client reads', async () => {
    const { source, url } = await openServer();
    const data = 'x'.repeat(200_000);
    const response = await fetch(url);
    for (let n = 0; n < 500; n++) source.push(message(n, data));
    await waitFor('the buffers are full', async () => {
      const before = source.taken;
      await delay(200);
      return source.taken === before && before > 0;
    });
    expect(source.taken).toBeLessThan(500);
    await response.body?.cancel();
  });

  it('keeps its place no longer than its client, which leaves while the source opens or has left before', async () => {
    const opening = withResolvers<void>();
    const slow = await openServer({ open: async (signal) => opening.promise.then(() => slow.source.read(signal)) });
    const leave = new AbortController();
    const left = fetch(slow.url, { signal: leave.signal }).catch(() => null);
    await waitFor('the stream opens', () => slow.streams.count === 1);
    leave.abort();
    await waitFor('the place is free', () => slow.streams.count === 0);
    opening.resolve();
    await waitFor('the source ends', () => slow.source.isEnded);

    const late = await openServer({}, { before: (raw) => waitFor('the client has left', () => raw.destroyed).then() });
    await fetch(late.url, { signal: AbortSignal.timeout(50) }).catch(() => null);
    await waitFor('the source ends', () => late.source.isEnded);
    expect(late.streams.count).toBe(0);
    await left;
  });

  it('is cut off when its source fails, and the process goes on, also if the client has not read so far', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', note);
    let hasFailed = false;
    async function* failing(): AsyncGenerator<readonly ServerSentEvent[]> {
      yield [message(1, 'x'.repeat(LARGE))];
      yield [message(2)];
      hasFailed = true;
      throw new Error('the database does not answer');
    }
    const { streams, url } = await openServer({ open: async () => failing() }, { heartbeatMs: 60_000 });
    const response = await fetch(url);
    await waitFor('the failure', () => hasFailed);
    await delay(50);
    await expect(response.text()).rejects.toThrow();
    process.off('unhandledRejection', note);
    expect([unhandled, streams.count]).toEqual([[], 0]);
  });

  it('waits for a quiet source with one reaction, however many comments it sends meanwhile', async () => {
    const quiet = withResolvers<IteratorResult<readonly ServerSentEvent[]>>();
    const reactions = vi.spyOn(quiet.promise, 'then');
    const source = { next: () => quiet.promise };
    const { open } = await openServer({ open: async () => ({ [Symbol.asyncIterator]: () => source }) });
    const client = await open();
    await waitFor('five comments', () => client.comments >= 5);
    expect(reactions).toHaveBeenCalledTimes(1);
    quiet.resolve({ done: true, value: undefined });
    await client.ends();
  });

  it('ends for a caller who may no longer read, also while there are messages all the time', async () => {
    let isAllowed = true;
    async function* endless(signal: AbortSignal): AsyncGenerator<readonly ServerSentEvent[]> {
      for (let n = 0; !signal.aborted; n++) yield [message(n)];
    }
    const options = { open: async (signal: AbortSignal) => endless(signal), isStillAllowed: async () => isAllowed };
    const { open } = await openServer(options);
    const client = await open();
    await waitFor('a comment', () => client.comments >= 1);
    isAllowed = false;
    await client.ends();
  });

  it('does not open while the server stops, and one that was opening then does not keep it from stopping', async () => {
    const opening = withResolvers<void>();
    const { server, source, streams, open } = await openServer({
      open: async (signal) => opening.promise.then(() => source.read(signal)),
    });
    const early = open();
    await waitFor('the stream opens', () => streams.count === 1);
    streams.closeAll();
    const late = await open();
    expect([late.response.status, late.response.headers.get('retry-after')]).toEqual([503, '15']);
    opening.resolve();
    await close(server);
    await (await early).ends();
    expect(source.isEnded).toBe(true);
  });
});
