// The writing of server-sent events, apart from what they are about: heartbeats, bounds, the right to read, slow clients, and
// a server that stops.

import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { Problem } from '../../src/base/errors.ts';
import type { ServerSentEvent } from '../../src/base/operation.ts';
import { EventStreams, type StreamLimit, type StreamRequest } from '../../src/http/event-stream.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { waitFor } from '../support/wait-for.ts';

const HEARTBEAT_MS = 40;
const servers: FastifyInstance[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await close(server);
});

/** As the real server stops: idle connections are closed, the others finish. */
async function close(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), 10);
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

const message = (n: number, data = `{"n":${n}}`): ServerSentEvent => ({ id: `evt_${n}`, event: 'x', data });

const limit = (max: number, subject = 'key'): StreamLimit => ({ subject, max, message: `at most ${max}` });

async function openServer(options: Partial<StreamRequest> = {}, limits: { maxStreams?: number } = {}) {
  const streams = new EventStreams({ heartbeatMs: HEARTBEAT_MS, ...limits });
  const source = new Source();
  const server = Fastify({ forceCloseConnections: 'idle' });
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
      await new Promise((resolve) => setTimeout(resolve, 200));
      return source.taken === before && before > 0;
    });
    expect(source.taken).toBeLessThan(500);
    await response.body?.cancel();
  });
});
