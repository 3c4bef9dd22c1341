// What all benches share: one embedded PostgreSQL with durability on, in a temporary folder that is deleted at the end;
// a built copy of the program; the load process; the card processor; and functions that start either side.

import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { findCluster } from '../sandbox/postgres/cluster.ts';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded.ts';
import { startEmbeddedProcessor } from '../sandbox/processor/launcher.ts';
import { readStateFile } from '../sandbox/processor/process-state.ts';
import { type Db, openDb } from '../src/base/db.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { schemaFolders } from '../src/base/schema-files.ts';
import type { Processor } from '../src/domain/payments/processor.ts';
import { makeStripeProcessor } from '../src/domain/payments/stripe.ts';
import { sandboxKeys } from '../src/main/processors.ts';
import { requireDurability } from '../test/support/postgres-runner.ts';
import { runJob } from './child-jobs.ts';
import type { Cleanup } from './cleanup.ts';
import { type Deliveries, deliveriesIn } from './deliveries.ts';
import { type Load, startLoadProcess } from './load.ts';
import { type Payments, paymentsIn } from './payments.ts';
import { type ChildHandle, type Env, freePort, makeProcesses, type Processes, waitForFirstOk } from './processes.ts';
import { makeSeeder, type Seeder } from './seed.ts';
import { type SqlRunner, sqlIn } from './sql.ts';

export interface Server {
  readonly port: number;
  /** Ends the caller's use of the server. Throws if the server wrote anything to standard error. */
  stop(): Promise<void>;
}

export interface StartedServer extends Server {
  readonly child: ChildHandle;
  /** From just before the spawn to the first 200. */
  readonly startMs: number;
}

export interface Worker {
  readonly child: ChildHandle;
  /** Throws if the worker wrote anything to standard error. */
  stop(): Promise<void>;
}

/** A server that says how long its event loop was blocked. */
export interface ProbedServer extends StartedServer {
  resetDelay(): Promise<void>;
  /** Since the last reset. */
  maxDelayMs(): Promise<number>;
}

export interface BenchFixture {
  readonly isQuick: boolean;
  /** Approximate durations of a side's warm-up and of one round. */
  readonly seconds: {
    readonly warm: number;
    /** For a side whose process serves no other bench: V8 compiles the whole way of a request only after some 100,000 of them. */
    readonly warmAlone: number;
    readonly round: number;
  };
  /** For preparing and checking rows. Its commits do not wait for the disk, so no measured work may use it. */
  readonly db: Db;
  /** Address of the database, for measured work and for benches that need their own connection. */
  readonly url: string;
  readonly load: Load;
  /** One more load process, for load beside other load. */
  startLoad(): Load;
  /** The process that sends SQL without a server; started on first use. */
  sql(): SqlRunner;
  /** The process that runs the payment commands, with the embedded processor; started on first use. */
  payments(): Promise<Payments>;
  /** The card processor of the servers that `startServer` starts, once one of them runs. */
  serverProcessor(): Processor;
  /** The process that runs our delivery loops, and the receiver of its posts; started on first use. */
  deliveries(): Promise<Deliveries>;
  /** Runs `node bin/everyshare.js serve` on the fixture's database; resolves at its first 200 on /readyz. */
  startServer(settings?: Env): Promise<StartedServer>;
  /** The same, with the probe of its event loop. */
  startProbedServer(): Promise<ProbedServer>;
  /** A server for load: started for the calling bench; with --quick one shared server, which is warmed up only once. */
  getServer(): Promise<Server>;
  /** Runs `node bin/everyshare.js worker` on the fixture's database. */
  startWorker(settings?: Env): Worker;
  /** Starts a bare Fastify that returns this text on this path. */
  startBareRoute(route: string, body: string): Promise<StartedServer>;
  /** Starts a script of JavaScript that listens on PORT; resolves at its first 200 on this path, within 30 s by default. */
  startScript(file: string, settings: Env, path: string, seconds?: number): Promise<StartedServer>;
  /** Starts a bare Fastify that verifies and parses deliveries signed with this secret. */
  startBareHook(secret: string): Promise<StartedServer>;
  /**
   * Starts our server with canned rows instead of a database; it accepts creates with these keys and returns
   * `response`.
   */
  startCanned(keys: readonly string[], response: string): Promise<StartedServer>;
  /** The bearer token for /internal of our servers. */
  readonly operatorToken: string;
  /** Creates a venue with secret test keys whose rate limit no load reaches. */
  readonly makeVenue: Seeder['makeVenue'];
  /** The same for another database. */
  seederOf(db: Db): Seeder;
  /** Creates a guest with a session. */
  readonly makeGuest: Seeder['makeGuest'];
}

/**
 * All our servers share this address although each has its own port: a server with a new address replaces the running
 * processor.
 */
const BASE_URL = 'http://127.0.0.1';
const OPERATOR_TOKEN = 'opt_for_the_bench_0123456789abcdef';
const ENCRYPTION_KEY = Buffer.alloc(32, 7);
/** The default of our server's DATABASE_CONNECTIONS. */
const CONNECTIONS = '12';

/** `shouldStartAll` starts every process at once, because a run of all benches needs them all. */
export async function openFixture(
  { isQuick, shouldStartAll }: { readonly isQuick: boolean; readonly shouldStartAll: boolean },
  cleanup: Cleanup,
): Promise<BenchFixture> {
  const scratch = mkdtempSync(join(tmpdir(), 'everyshare-bench-'));
  chmodSync(scratch, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  cleanup.add(() => rmSync(scratch, { recursive: true, force: true }));
  const database = startDatabase(join(scratch, 'database'), cleanup);
  database.catch(() => undefined); // The await below reports the error.
  const program = await copyProgram(scratch);
  const script = await buildScripts(program);
  const url = await database;
  await migrate(url, schemaFolders(packageRoot));
  await requireDurability(url);
  const db = openDb({
    url: withoutSyncCommit(url),
    connections: 4,
    pooled: false,
    applicationName: 'everyshare-bench',
  });
  cleanup.add(() => db.close());
  const env: Env = {
    BASE_URL,
    DATABASE_URL: url,
    DATABASE_CONNECTIONS: CONNECTIONS,
    DATA_DIR: join(scratch, 'server'),
    ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
    LOG_LEVEL: 'warn',
    // The receivers of the bench are on this machine.
    ALLOW_INSECURE_TARGETS: '1',
    OPERATOR_TOKEN,
  };
  // Our servers start a processor that outlives them. Cleanup steps run last first, so it is stopped after the servers.
  cleanup.add(() => stopProcessor(env.DATA_DIR ?? ''));
  const processes = makeProcesses(program);
  cleanup.add(() => processes.stopAll());
  const start = makeStarter(processes);
  const everyshare = join(program, 'bin', 'everyshare.js');
  const startServer = (settings: Env = {}): Promise<StartedServer> =>
    start(everyshare, ['serve'], { ...env, ...settings }, '/readyz');
  const startProbedServer = async (): Promise<ProbedServer> => {
    const probe = `--import ${pathToFileURL(script('delay-probe')).href}`;
    const server = await start(everyshare, ['serve'], { ...env, NODE_OPTIONS: probe }, '/readyz', true);
    const ask = (question: string): Promise<unknown> => runJob(server.child, question);
    return {
      ...server,
      resetDelay: async () => void (await ask('reset')),
      maxDelayMs: async () => Number(await ask('delay')),
    };
  };
  const getSharedServer = shareServer(startServer, cleanup);
  const fixture: BenchFixture = {
    isQuick,
    seconds: isQuick ? { warm: 0.25, warmAlone: 0.8, round: 0.2 } : { warm: 2, warmAlone: 8, round: 0.5 },
    db,
    url,
    load: startLoadProcess(processes, script('load-process')),
    startLoad: () => startLoadProcess(processes, script('load-process')),
    startServer,
    startProbedServer,
    startWorker: (settings = {}) => {
      const child = processes.start(everyshare, ['worker'], { ...env, ...settings });
      return { child, stop: () => stopCleanly(child) };
    },
    getServer: isQuick ? getSharedServer : startServer,
    startBareRoute: (route, body) => start(script('bare-route-process'), [], { ROUTE: route, BODY: body }, route),
    startScript: (file, settings, path, seconds) => start(file, [], settings, path, false, seconds),
    startBareHook: (secret) => start(script('bare-hook-process'), [], { SECRET: secret }, '/readyz'),
    startCanned: (keys, response) =>
      start(script('canned-process'), [], { ...env, KEYS: keys.join(' '), RESPONSE: response }, '/healthz'),
    operatorToken: OPERATOR_TOKEN,
    ...makeSeeder(db, ENCRYPTION_KEY, BASE_URL),
    seederOf: (other) => makeSeeder(other, ENCRYPTION_KEY, BASE_URL),
    sql: lazy(() => sqlIn(processes.start(script('sql-process'), [], { DATABASE_URL: url, CONNECTIONS }, true))),
    payments: lazy(async () => {
      const processor = await startProcessor(scratch, everyshare, cleanup);
      const childEnv = { DATABASE_URL: url, CONNECTIONS, ...processor };
      return paymentsIn(processes.start(script('payment-process'), [], childEnv, true));
    }),
    serverProcessor: lazy(() => openServerProcessor(env.DATA_DIR ?? '')),
    deliveries: lazy(async () => {
      const port = await freePort();
      await untilReady(processes.start(script('receiver-process'), [], { PORT: String(port) }, true));
      const receiver = `https://127.0.0.1:${port}`;
      const childEnv = { DATABASE_URL: url, CONNECTIONS, RECEIVER: receiver };
      return deliveriesIn(processes.start(script('delivery-process'), [], childEnv, true), receiver);
    }),
  };
  // Starting them in parallel is faster. A failed start is reported by the bench that uses the process.
  if (shouldStartAll)
    await Promise.allSettled([getSharedServer(), fixture.payments(), fixture.deliveries(), fixture.sql()]);
  return fixture;
}

/** Waits for the first message of a process, which it sends when it is ready. */
function untilReady({ process: child, errorOutput }: ChildHandle): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new Error(`a process of the bench ended: ${errorOutput()}`)));
  });
}

function lazy<T>(make: () => T): () => T {
  let cached: { readonly value: T } | null = null;
  return () => {
    cached ??= { value: make() };
    return cached.value;
  };
}

type Start = (
  script: string,
  args: readonly string[],
  env: Env,
  path: string,
  hasChannel?: boolean,
  seconds?: number,
) => Promise<StartedServer>;

function makeStarter(processes: Processes): Start {
  return async (script, args, env, path, hasChannel, seconds) => {
    const port = await freePort();
    const startedAt = performance.now();
    const child = processes.start(script, args, { ...env, PORT: String(port) }, hasChannel);
    await waitForFirstOk(child, port, path, seconds);
    return { port, child, startMs: performance.now() - startedAt, stop: () => stopCleanly(child) };
  };
}

/** Starts the embedded processor in a separate process, as `npm start` does. Returns its address and keys. */
async function startProcessor(scratch: string, everyshare: string, cleanup: Cleanup): Promise<Env> {
  const keysFor = (mode: string) => ({
    secret: `sk_${mode}_for_the_bench`,
    publishable: `pk_${mode}_for_the_bench`,
    webhookSecret: `whsec_${mode}_for_the_bench`,
  });
  const keys = { test: keysFor('test'), live: keysFor('live') };
  const starting = startEmbeddedProcessor({
    dataDir: join(scratch, 'processor'),
    keys,
    command: [process.execPath, everyshare, 'processor'],
  });
  cleanup.add(async () => (await starting.catch(() => null))?.stop());
  const processor = await starting;
  const { secret: PROCESSOR_SECRET, publishable: PROCESSOR_PUBLISHABLE } = keys.test;
  return { PROCESSOR_URL: processor.url, PROCESSOR_SECRET, PROCESSOR_PUBLISHABLE };
}

function openServerProcessor(dataDir: string): Processor {
  const state = readStateFile(join(dataDir, 'processor'));
  if (state === null) throw new Error('the card processor of the servers does not run');
  const { secret: secretKey, publishable: publishableKey } = sandboxKeys(ENCRYPTION_KEY, 'test');
  const address = { protocol: 'http', host: '127.0.0.1', port: state.port } as const;
  return makeStripeProcessor({ mode: 'test', secretKey, publishableKey, address });
}

function stopProcessor(dataDir: string): void {
  const state = readStateFile(join(dataDir, 'processor'));
  if (state === null) return;
  try {
    process.kill(state.pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * One server that benches use one after the other. The bench that makes it write an error fails; a server that ended is
 * replaced.
 */
function shareServer(start: () => Promise<StartedServer>, cleanup: Cleanup): () => Promise<Server> {
  let server: StartedServer | null = null;
  cleanup.add(async () => {
    if (server?.child.hasEnded() === false) await server.stop();
  });
  return async () => {
    if (server === null || server.child.hasEnded()) server = await start();
    const { port, child } = server;
    const before = child.errorOutput();
    return {
      port,
      async stop() {
        if (child.hasEnded()) throw new Error(`the server ended: ${child.errorOutput().slice(-600)}`);
        expectNoErrorOutput(child, before);
      },
    };
  };
}

/** The process wrote nothing to standard error beyond `before`. */
function expectNoErrorOutput(child: ChildHandle, before = ''): void {
  const output = child.errorOutput();
  if (output !== before) throw new Error(`a server wrote to standard error: ${output.slice(-600)}`);
}

async function stopCleanly(child: ChildHandle): Promise<void> {
  await child.stop();
  expectNoErrorOutput(child);
  const { exitCode, signalCode } = child.process;
  if (exitCode !== 0 && signalCode !== 'SIGTERM') throw new Error(`a server ended with ${exitCode ?? signalCode}`);
}

interface Builder {
  build(): Promise<void>;
  isCurrent(): boolean;
}

/** Not part of the program, or linked instead of copied. */
const NOT_COPIED = new Set(['node_modules', '.git', '.data', 'bench', 'test', 'screens']);

/** Builds the program if needed and copies it, so that edits during the run do not change what is measured. */
async function copyProgram(scratch: string): Promise<string> {
  const builder = (await import(join(packageRoot, 'build.js'))) as Builder;
  if (!builder.isCurrent()) await builder.build();
  const folder = join(scratch, 'program');
  for (const name of readdirSync(packageRoot)) {
    if (NOT_COPIED.has(name)) continue;
    cpSync(join(packageRoot, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const SCRIPTS = [
  'bare-route-process',
  'bare-hook-process',
  'load-process',
  'sql-process',
  'canned-process',
  'payment-process',
  'receiver-process',
  'delivery-process',
  'delay-probe',
] as const;

/** Builds the bench's own processes as JavaScript into the copied program; packages stay in node_modules. */
async function buildScripts(program: string): Promise<(name: (typeof SCRIPTS)[number]) => string> {
  const folder = join(program, 'processes');
  mkdirSync(folder);
  await build({
    entryPoints: SCRIPTS.map((name) => join(packageRoot, 'bench', `${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return (name) => join(folder, `${name}.mjs`);
}

async function startDatabase(dataDir: string, cleanup: Cleanup): Promise<string> {
  const starting = startEmbeddedPostgres({ dataDir });
  cleanup.add(async () => {
    const postgres = await starting.catch(() => null);
    await postgres?.stop();
    const cluster = await findCluster(dataDir); // The cluster may be in another folder that its user can enter.
    if (cluster !== null) await rm(cluster.folder, { recursive: true, force: true });
  });
  return (await starting).url;
}

/** The same database, with commits that do not wait for the disk. */
function withoutSyncCommit(url: string): string {
  const address = new URL(url);
  address.searchParams.set('options', '-c synchronous_commit=off');
  return address.href;
}
