// A whole Everyshare for a test: a database of its own, one or more real servers on it, and a client that speaks HTTP to
// them as a partner would. Nothing here is a stand-in.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { inject } from 'vitest';
import { startProcessor } from '../../sandbox/processor/server.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { CommandContext } from '../../src/base/command-context.ts';
import { type Mode, readConfig } from '../../src/base/config.ts';
import { type Db, openDb } from '../../src/base/db.ts';
import { makeLog } from '../../src/base/log.ts';
import { makeOutbound } from '../../src/base/outbound/outbound.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { traceDb } from '../../src/base/tracing/trace-db.ts';
import { captureDue } from '../../src/domain/checkouts/capture/capture.ts';
import { applyDueProcessorEvents } from '../../src/domain/checkouts/disputes/apply-disputes.ts';
import { expireDue } from '../../src/domain/checkouts/expire.ts';
import { settleDueHolds } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { verifyEncryptionKey } from '../../src/domain/installation/verify-encryption-key.ts';
import { type IssuedKey, issueKey, type NewKeyRequest } from '../../src/domain/keys/issue-key.ts';
import { revokeKey } from '../../src/domain/keys/revoke-key.ts';
import { createVenueWithKeys, type VenueWithKeys } from '../../src/domain/keys/sandbox-venue.ts';
import { observeProcessors } from '../../src/domain/payments/observe-processor.ts';
import { finishSandboxOnboarding } from '../../src/domain/payments/payout-account.ts';
import { refreshDuePayoutAccounts } from '../../src/domain/payments/refresh-payout-accounts.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';
import { type RunningServer, startServer } from '../../src/http/server.ts';
import type { Monitoring } from '../../src/main/monitoring.ts';
import { open } from '../../src/mcp/tool-server.ts';
import { type AppContext, commandContext, makeContext, readSchemas } from '../../src/run/context.ts';
import { databaseUrl } from './create-database.ts';
import { recordLines, recordSealed, recordSecret, recordSecretsIn, recordSessionTokens } from './record-logs.ts';
import { createTestDatabase, databaseNameOf } from './test-database.ts';
import { runUntilIdle } from './wait-for.ts';

export interface CallOptions {
  readonly key?: string;
  /** Sent as JSON; a string or Buffer is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Which of the servers, from 0. */
  readonly server?: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  readonly json: any;
}

export interface TestWorld {
  readonly db: Db;
  readonly context: AppContext;
  readonly urls: readonly string[];
  /** The ports of METRICS_PORT; null: /metrics is at the url. */
  readonly metricsPorts: readonly (number | null)[];
  /** Every log line the servers wrote. */
  readonly logs: string[];
  /** Every statement sent to the database, newest last. */
  readonly statements: string[];
  readonly operatorToken: string;
  call(method: string, path: string, call?: CallOptions): Promise<HttpResponse>;
  command(): CommandContext;
  venue(options?: { name?: string; origins?: readonly string[]; sandbox?: boolean }): Promise<VenueWithKeys>;
  key(venueId: string, options?: Partial<Omit<NewKeyRequest, 'venueId'>> & { mode?: Mode }): Promise<IssuedKey>;
  revoke(keyId: string): Promise<void>;
  /** The embedded card processor, in memory. */
  readonly processor: Awaited<ReturnType<typeof startProcessor>>;
  /** The processor's clock; tests set it ahead. */
  readonly processorClock: { aheadMs: number };
  /** Does what the worker would do about money, until nothing is due. */
  work(): Promise<void>;
  close(): Promise<void>;
}

const keysOf = (mode: Mode) => ({
  secret: `sk_${mode}_for_tests`,
  publishable: `pk_${mode}_for_tests`,
  webhookSecret: `whsec_${mode}_for_tests`,
});
export const PROCESSOR_KEYS = { test: keysOf('test'), live: keysOf('live') };

export interface TestWorldOptions {
  /** The processor passes for the real one: browsers are not shown the way to it. */
  readonly hidesProcessor?: boolean;
  readonly servers?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Few by default: each connection parses and plans every statement anew, and a database lives for one file. */
  readonly connections?: number;
  /** What the first server and the calls to the processor report to; absent: to no one. */
  readonly monitoring?: Monitoring;
  /** A database of this run that exists and is migrated; absent: a new one. */
  readonly databaseUrl?: string;
}

const processorSecrets = Object.values(PROCESSOR_KEYS).flatMap(({ secret, webhookSecret }) => [secret, webhookSecret]);
const schemas = readSchemas(join(packageRoot, 'schemas', 'v1'));
export const SEAL_KEY = Buffer.alloc(32, 7);
const OPERATOR_TOKEN = 'opt_for_tests_0123456789abcdef';

export async function openTestWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const straight = options.databaseUrl ?? (await createTestDatabase('world', 'migrated'));
  const pooler = inject('poolerUrl');
  const url = pooler === null ? straight : databaseUrl(pooler, databaseNameOf(straight));
  const dataDir = mkdtempSync(join(tmpdir(), 'everyshare-world-'));
  const logs: string[] = [];
  const statements: string[] = [];
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    ENCRYPTION_KEY: SEAL_KEY.toString('base64'),
    OPERATOR_TOKEN,
    LOG_LEVEL: 'info',
    // Few tests look at the request log, and each of its batches costs the others time.
    REQUEST_LOG: 'off',
    ...options.env,
  });
  const log = makeLog(config.logLevel, 'test', {
    write(line: string) {
      logs.push(line);
      recordLines(line);
    },
  });
  for (const secret of [OPERATOR_TOKEN, new URL(url).password, SEAL_KEY.toString('base64'), ...processorSecrets]) {
    recordSecret('a secret of the tests', secret);
  }
  const processorClock = { aheadMs: 0, now: () => systemClock.now() + processorClock.aheadMs };
  const processor = await startProcessor({
    host: '127.0.0.1',
    port: 0,
    folder: null,
    keys: PROCESSOR_KEYS,
    clock: processorClock,
  });
  const stripeFor = (mode: Mode) =>
    makeStripeProcessor({
      mode,
      secretKey: PROCESSOR_KEYS[mode].secret,
      publishableKey: PROCESSOR_KEYS[mode].publishable,
      address: { protocol: 'http', host: '127.0.0.1', port: processor.port },
    });
  const plain = { test: stripeFor('test'), live: stripeFor('live') };
  const { monitoring } = options;
  const processors = monitoring === undefined ? plain : observeProcessors(plain, monitoring.observeCall);
  const outbound = makeOutbound({ allowInsecureTargets: config.allowInsecureTargets });
  const tracing = monitoring?.tracing ?? null;
  const traced = (db: Db): Db => (tracing === null ? db : traceDb(db, tracing));
  const openContext = (): AppContext =>
    makeContext({
      processors,
      processorAccess: {
        sandboxUrl: options.hidesProcessor === true ? null : async () => processor.url,
        processorEventSecrets: { test: [PROCESSOR_KEYS.test.webhookSecret], live: [PROCESSOR_KEYS.live.webhookSecret] },
      },
      config,
      db: traced(
        openDb({
          url,
          connections: options.connections ?? 6,
          pooled: pooler !== null,
          applicationName: 'test',
          connectTimeoutMs: 60_000,
          onStatement: (text) => statements.push(text),
        }),
      ),
      clock: systemClock,
      random: recordSessionTokens(systemRandom),
      log,
      outbound,
      sealKeys: [SEAL_KEY],
      operatorToken: OPERATOR_TOKEN,
      schemas,
    });
  const contexts = Array.from({ length: options.servers ?? 1 }, openContext);
  const context = contexts[0] as AppContext;
  for (const { seal } of contexts) recordSealed(seal);
  await verifyEncryptionKey(context.db, context.seal, Date.now());
  const servers: RunningServer[] = [];
  for (const one of contexts) {
    servers.push(await startServer(one, open, one === context ? monitoring?.metrics : undefined, monitoring?.tracing));
  }
  const urls = servers.map((server) => `http://127.0.0.1:${server.port}`);
  const command = (): CommandContext =>
    commandContext(context, { name: 'test', via: 'cli', address: null, requestId: null });
  return {
    db: context.db,
    context,
    urls,
    metricsPorts: servers.map(({ metricsPort }) => metricsPort),
    logs,
    statements,
    operatorToken: OPERATOR_TOKEN,
    command,
    call: (method, path, call = {}) => send(`${urls[call.server ?? 0]}${path}`, method, call),
    venue: async (venue = {}) => {
      const options = { name: 'Harbor Club', origins: [], sandbox: false, ...venue };
      const opened = await context.db.transaction((tx) => createVenueWithKeys(tx, command(), options));
      for (const key of [opened.secretTest, opened.publishableTest]) recordSecret('key', key);
      return opened;
    },
    key: async (venueId, key = {}) => {
      const issued = await context.db.transaction((tx) => issueKey(tx, command(), { venueId, ...PLAIN_KEY, ...key }));
      recordSecret('key', issued.key);
      // A live key is for a venue that can be paid.
      if (key.mode === 'live') await finishSandboxOnboarding(context.services, venueId, 'live');
      return issued;
    },
    revoke: async (keyId) => {
      await context.db.transaction((tx) => revokeKey(tx, command(), keyId));
    },
    processor,
    processorClock,
    async work() {
      const { services } = context;
      await runUntilIdle('the worker', async () => {
        let done = await expireDue(services, 1_000);
        done += await settleDueHolds(services, 100);
        done += await captureDue(services, 100);
        done += await settleDueMovements(services, 100);
        done += await refreshDuePayoutAccounts(services, 100);
        return done + (await applyDueProcessorEvents(services, 100));
      });
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
      await Promise.all(contexts.map((one) => one.db.close()));
      await outbound.close();
      await processor.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let shared: Promise<TestWorld> | null = null;

/**
 * For files that look only at venues of their own, and run no worker that takes a limited number of due rows. In `npm test`
 * and `npm run test:fast` the files of a worker share one world, because to open one and to warm its connections costs
 * half a second; `close` leaves it open. Elsewhere each file has its own.
 */
export async function openSharedWorld(): Promise<TestWorld> {
  if (!inject('isFastLoop') && !inject('isUsual')) return openTestWorld();
  shared ??= openTestWorld();
  const world = await shared;
  return {
    ...world,
    close: async () => {
      world.processor.api.faults.clear();
      world.processorClock.aheadMs = 0;
    },
  };
}

const PLAIN_KEY: Omit<NewKeyRequest, 'venueId'> = {
  kind: 'secret',
  mode: 'test',
  scopes: [],
  expiresAt: null,
  allowIps: [],
  writesPerHour: null,
  readsPerHour: null,
};

/** Not `fetch`, which takes three times the processor time for a call: a run makes tens of thousands. */
const client = new Agent();
/** The headers that `fetch` sends. */
const CLIENT_HEADERS = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/** A stream has no end: its first part is read, and the connection is closed. */
async function beginningOf(body: Readable): Promise<string> {
  for await (const chunk of body) return String(chunk);
  return '';
}

async function send(url: string, method: string, call: CallOptions): Promise<HttpResponse> {
  const raw = typeof call.body === 'string' || Buffer.isBuffer(call.body);
  const sent = call.body === undefined ? undefined : raw ? (call.body as string | Buffer) : JSON.stringify(call.body);
  recordSecretsIn(`${url} ${String(sent ?? '')}`);
  const headers: Record<string, string> = { ...CLIENT_HEADERS };
  if (call.key !== undefined) headers.authorization = `Bearer ${call.key}`;
  if (sent !== undefined) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(call.headers ?? {})) headers[name.toLowerCase()] = value;
  const response = await request(url, {
    dispatcher: client,
    method: method as 'GET',
    headers,
    ...(sent === undefined ? {} : { body: sent }),
  });
  const type = String(response.headers['content-type'] ?? '');
  const isStream = type.startsWith('text/event-stream');
  const text = isStream ? await beginningOf(response.body) : await response.body.text();
  recordSecretsIn(text);
  return {
    status: response.statusCode,
    headers: toHeaders(response.headers),
    text,
    json: type.includes('json') && text !== '' ? JSON.parse(text) : undefined,
  };
}

function toHeaders(received: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(received))
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  return headers;
}
