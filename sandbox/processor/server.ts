// The card processor as an HTTP server: carries requests to the API, acts out its faults, calls its tick every second,
// and sends its webhooks. Bad input gets a response, never a crash; only a journal that cannot be written is fatal.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type Random, systemRandom } from '../../src/base/random.ts';
import { makeProcessorApi, type ProcessorApi, type ProcessorKeys } from './api.ts';
import { openFileJournal } from './file-journal.ts';
import { type Journal, JournalFailure, memoryJournal } from './journal.ts';
import type { ApiOutcome } from './messages.ts';
import { MAX_PAST_BODY_BYTES, PAST_PATH } from './past-calls.ts';
import type { Mode } from './row-types.ts';
import { startWebhookSender } from './webhook-sender.ts';

export interface ProcessorOptions {
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
  /** The folder of the journal; null: everything is in memory only. */
  readonly folder: string | null;
  readonly keys: Readonly<Record<Mode, ProcessorKeys>>;
  /** The start of links to the processor's pages, as browsers reach them; by default this server's own address. */
  readonly publicBase?: string;
  readonly log?: (line: string) => void;
  /**
   * The journal can no longer be written. The caller must end the process, since no request gets a response any more.
   */
  readonly onFatal?: (error: Error) => void;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Shown by /healthz as `proof`: a launcher learns from it whether this processor runs with the launcher's keys. */
  readonly keysFingerprint?: string;
  /** The last server or worker that uses this processor has said that it leaves. */
  readonly onUnused?: () => void;
}

export interface RunningProcessor {
  readonly port: number;
  readonly url: string;
  readonly api: ProcessorApi;
  close(): Promise<void>;
  /** The time of the last request, in milliseconds. */
  lastRequestAt(): number;
}

const MAX_BODY_BYTES = 64 * 1024;
const maxBodyBytes = (url: string): number => (url === PAST_PATH ? MAX_PAST_BODY_BYTES : MAX_BODY_BYTES);
const TICK_MS = 1000;

export async function startProcessor(options: ProcessorOptions): Promise<RunningProcessor> {
  const { host = '127.0.0.1', log = () => undefined, clock = systemClock, random = systemRandom } = options;
  const journal: Journal = options.folder === null ? memoryJournal() : openFileJournal(options.folder, { log });
  let url = '';
  const api = makeProcessorApi({
    clock,
    random,
    journal,
    keys: options.keys,
    publicBase: () => options.publicBase ?? url,
    sleep: (ms) => delay(ms),
    events: 'posted',
    onInternalError: (error) => log(`internal error; the request got a 500: ${errorText(error)}`),
  });
  const sender = startWebhookSender({ api, clock, random, log });
  let hasFailed = false;
  const onError = (error: unknown): void => {
    if (hasFailed || error instanceof ClientDisconnected) return;
    log(error instanceof Error ? error.message : String(error));
    if (!(error instanceof JournalFailure)) return;
    hasFailed = true;
    options.onFatal?.(error);
  };
  const tick = async (): Promise<void> => {
    api.tick();
    await api.flush();
  };
  const tickTimer = setInterval(() => void tick().catch(onError), TICK_MS);
  let lastRequestAt = clock.now();
  const users = new Users(clock);
  const server = createServer({ keepAlive: true, noDelay: true }, (request, response) => {
    lastRequestAt = clock.now();
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://processor');
    if (pathname === '/healthz') {
      sendHealth(response, options.keysFingerprint ?? '');
      if (users.leavesUnused(searchParams)) options.onUnused?.();
      return;
    }
    serve(api, request, response, sender.wake).catch((error: unknown) => {
      response.destroy();
      onError(error);
    });
  });
  Object.assign(server, { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 });
  try {
    url = await listen(server, host, options.port);
  } catch (error) {
    clearInterval(tickTimer);
    await sender.close();
    await journal.close();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    url,
    api,
    lastRequestAt: () => lastRequestAt,
    async close() {
      clearInterval(tickTimer);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, sender.close()]);
      await journal.close();
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', reject);
      const name = host.includes(':') ? `[${host}]` : host;
      resolve(`http://${name}:${(server.address() as AddressInfo).port}`);
    });
  });
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

class ClientDisconnected extends Error {}

async function serve(
  api: ProcessorApi,
  request: IncomingMessage,
  response: ServerResponse,
  wake: () => void,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const body = method === 'GET' || method === 'HEAD' ? '' : await readBody(request, maxBodyBytes(url));
  if (body === null) {
    const message = `The request body is larger than ${maxBodyBytes(url) / 1024} KB.`;
    const error = JSON.stringify({ error: { type: 'invalid_request_error', message } });
    return send(response, {
      status: 413,
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: error,
    });
  }
  const headers: Record<string, string> = {};
  for (const name of ['authorization', 'idempotency-key', 'stripe-account']) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const outcome = await api.handle({ method, path: url, headers, body });
  if (method !== 'GET') wake();
  await sendOutcome(response, outcome, method === 'HEAD');
}

function sendHealth(response: ServerResponse, keysFingerprint: string): void {
  const body = JSON.stringify({ status: 'ok', pid: process.pid, proof: keysFingerprint });
  send(response, { status: 200, headers: { 'content-type': 'application/json' }, body });
}

/** A user asks for the processor's health every five seconds; this leaves a margin for a busy machine. */
const USER_SEEN_MS = 30_000;

/** The servers and workers that use this processor, by the names that they send to /healthz. */
class Users {
  readonly #lastSeen = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns true when the request says that the last user leaves. */
  leavesUnused(query: URLSearchParams): boolean {
    const now = this.#clock.now();
    const user = query.get('user');
    const leaver = query.get('leaver');
    if (user !== null) this.#lastSeen.set(user, now);
    for (const [name, at] of this.#lastSeen) {
      if (name === leaver || now - at > USER_SEEN_MS) this.#lastSeen.delete(name);
    }
    return leaver !== null && this.#lastSeen.size === 0;
  }
}

async function sendOutcome(response: ServerResponse, outcome: ApiOutcome, isHead: boolean): Promise<void> {
  if (outcome.fault === undefined) return send(response, isHead ? { ...outcome, body: '' } : outcome);
  if (outcome.ms > 0) {
    const timer = setTimeout(() => response.destroy(), outcome.ms);
    response.once('close', () => clearTimeout(timer));
    return;
  }
  response.destroy();
}

function send(
  response: ServerResponse,
  { status, headers, body }: { status: number; headers: Readonly<Record<string, string>>; body: string },
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Null: the body is larger than `maxBytes`. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve(null);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', () => reject(new ClientDisconnected()));
    request.on('close', () => reject(new ClientDisconnected()));
  });
}
