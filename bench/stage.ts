// What all benches stand on: one embedded PostgreSQL with its durability on, in a folder of its own that goes at the end;
// the built program; the load; the card processor; and ways to start either side.

import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { findCluster } from '../sandbox/postgres/cluster.ts';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded.ts';
import { startEmbeddedProcessor } from '../sandbox/processor/launcher.ts';
import { readStateFile } from '../sandbox/processor/process-state.ts';
import { type Db, openDb } from '../src/base/db.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { schemaFolders } from '../src/base/schema-files.ts';
import { requireDurability } from '../test/support/postgres-runner.ts';
import { type Deliveries, deliveriesBy } from './deliveries.ts';
import type { Endings } from './endings.ts';
import { makeTown, type Town } from './keys.ts';
import { type Load, startLoad } from './load.ts';
import { type Money, moneyBy } from './money.ts';
import { type Env, firstAnswer, freePort, makeProcesses, type Processes, type Running } from './processes.ts';
import { type Sql, sqlBy } from './sql.ts';

export interface Server {
  readonly port: number;
  /** Nobody needs it any more. Whatever it complained of is an error. */
  stop(): Promise<void>;
}

export interface Started extends Server {
  readonly running: Running;
  /** From just before the spawn to the first 200. */
  readonly milliseconds: number;
}

export interface Stage {
  readonly quick: boolean;
  /** How long a side warms up, and how long one of its rounds takes, about. */
  readonly seconds: {
    readonly warm: number;
    /** Of a side whose process nobody else uses. */
    readonly warmAlone: number;
    readonly round: number;
  };
  /** To lay ready and to look: its commits do not wait for the disk. Nothing that is measured goes through it. */
  readonly db: Db;
  /** Of the database, for whoever measures, or needs a connection of its own. */
  readonly url: string;
  readonly load: Load;
  /** The loop that sends SQL alone; started when it is first asked for. */
  sql(): Sql;
  /** The commands about money, with the embedded processor; started when they are first asked for. */
  money(): Promise<Money>;
  /** Our loops of deliveries, and a receiver that they deliver to; started when they are first asked for. */
  deliveries(): Promise<Deliveries>;
  /** `node bin/everyshare.js serve` on the stage's database, up to its first 200 on /readyz. */
  startOurs(): Promise<Started>;
  /** Such a server to send load to: of this bench alone; with --quick one for all, which need not be warmed up each time. */
  serveOurs(): Promise<Server>;
  /** A bare Fastify that answers this text on this path, up to its first 200. */
  startBare(route: string, body: string): Promise<Started>;
  /** A bare Fastify that verifies and parses deliveries signed with this secret, up to its first 200. */
  startBareHook(secret: string): Promise<Started>;
  /** Our server with its database's answers canned, for creates with these keys, up to its first 200. */
  startCanned(keys: readonly string[], answer: string): Promise<Started>;
  /** Opens /internal of our servers. */
  readonly operatorToken: string;
  /** A venue with so many secret test keys, whose limit no load reaches. */
  readonly makeVenue: Town['makeVenue'];
  /** Somebody who is signed in. */
  readonly makeGuest: Town['makeGuest'];
}

/** Each of our servers gets another port. Without one address for all, each would end the processor of the one before. */
const ADDRESS = 'http://127.0.0.1';
const OPERATOR_TOKEN = 'opt_for_the_bench_0123456789abcdef';
const ENCRYPTION_KEY = Buffer.alloc(32, 7);
/** As many as our server has where nobody says otherwise. */
const CONNECTIONS = '12';

/** `together`: everything is needed soon, and is started at once. */
export async function openStage(
  { quick, together }: { readonly quick: boolean; readonly together: boolean },
  endings: Endings,
): Promise<Stage> {
  const scratch = mkdtempSync(join(tmpdir(), 'everyshare-bench-'));
  chmodSync(scratch, 0o711); // PostgreSQL runs as another user when we are root, and must get through.
  endings.add(() => rmSync(scratch, { recursive: true, force: true }));
  const database = openDatabase(join(scratch, 'database'), endings);
  database.catch(() => undefined); // Told below.
  const program = await freezeOurs(scratch);
  const script = await buildScripts(program);
  const url = await database;
  await migrate(url, schemaFolders(packageRoot));
  await requireDurability(url);
  const db = openDb({ url: hasty(url), connections: 4, pooled: false, applicationName: 'everyshare-bench' });
  endings.add(() => db.close());
  const env: Env = {
    BASE_URL: ADDRESS,
    DATABASE_URL: url,
    DATABASE_CONNECTIONS: CONNECTIONS,
    DATA_DIR: join(scratch, 'server'),
    ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
    LOG_LEVEL: 'warn',
    OPERATOR_TOKEN,
  };
  // Our servers start a processor that outlives them: it is ended after the last of them.
  endings.add(() => endProcessorOf(env.DATA_DIR ?? ''));
  const processes = makeProcesses(program);
  endings.add(() => processes.stopAll());
  const start = starterOf(processes);
  const everyshare = join(program, 'bin', 'everyshare.js');
  const startOurs = (): Promise<Started> => start(everyshare, ['serve'], env, '/readyz');
  const shared = sharing(startOurs, endings);
  const stage: Stage = {
    quick,
    seconds: quick ? { warm: 0.25, warmAlone: 0.8, round: 0.2 } : { warm: 2, warmAlone: 2, round: 0.5 },
    db,
    url,
    load: startLoad(processes, script('load-process')),
    startOurs,
    serveOurs: quick ? shared : startOurs,
    startBare: (route, body) => start(script('bare'), [], { ROUTE: route, BODY: body }, route),
    startBareHook: (secret) => start(script('bare-hook-process'), [], { SECRET: secret }, '/readyz'),
    startCanned: (keys, answer) =>
      start(script('canned-process'), [], { ...env, KEYS: keys.join(' '), ANSWER: answer }, '/healthz'),
    operatorToken: OPERATOR_TOKEN,
    ...makeTown(db, ENCRYPTION_KEY, ADDRESS),
    sql: once(() => sqlBy(processes.start(script('sql-process'), [], { DATABASE_URL: url, CONNECTIONS }, true))),
    money: once(async () => {
      const processor = await openProcessor(scratch, everyshare, endings);
      const all = { DATABASE_URL: url, CONNECTIONS, ...processor };
      return moneyBy(processes.start(script('money-process'), [], all, true));
    }),
    deliveries: once(async () => {
      const port = await freePort();
      await heard(processes.start(script('receiver-process'), [], { PORT: String(port) }, true));
      const all = { DATABASE_URL: url, CONNECTIONS, RECEIVER: `https://127.0.0.1:${port}` };
      return deliveriesBy(processes.start(script('deliver-process'), [], all, true));
    }),
  };
  // Together they are ready sooner than one after the other. Whoever needs one that failed will hear of it.
  if (together) await Promise.allSettled([shared(), stage.money(), stage.deliveries(), stage.sql()]);
  return stage;
}

/** Until a process that says when it is ready has said so. */
function heard({ process: child, complaints }: Running): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new Error(`a process of the bench ended: ${complaints()}`)));
  });
}

function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | null = null;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

type Start = (script: string, args: readonly string[], env: Env, path: string) => Promise<Started>;

function starterOf(processes: Processes): Start {
  return async (script, args, env, path) => {
    const port = await freePort();
    const from = performance.now();
    const running = processes.start(script, args, { ...env, PORT: String(port) });
    await firstAnswer(running, port, path);
    return { port, running, milliseconds: performance.now() - from, stop: () => stopQuiet(running) };
  };
}

/** The embedded processor in a process of its own, as `npm start` runs it: where it is, and the keys to it. */
async function openProcessor(scratch: string, everyshare: string, endings: Endings): Promise<Env> {
  const keysOf = (mode: string) => ({
    secret: `sk_${mode}_for_the_bench`,
    publishable: `pk_${mode}_for_the_bench`,
    webhookSecret: `whsec_${mode}_for_the_bench`,
  });
  const keys = { test: keysOf('test'), live: keysOf('live') };
  const starting = startEmbeddedProcessor({
    dataDir: join(scratch, 'bank'),
    keys,
    command: [process.execPath, everyshare, 'processor'],
  });
  endings.add(async () => (await starting.catch(() => null))?.stop());
  const processor = await starting;
  const { secret: PROCESSOR_SECRET, publishable: PROCESSOR_PUBLISHABLE } = keys.test;
  return { PROCESSOR_URL: processor.url, PROCESSOR_SECRET, PROCESSOR_PUBLISHABLE };
}

function endProcessorOf(dataDir: string): void {
  const state = readStateFile(join(dataDir, 'processor'));
  if (state === null) return;
  try {
    process.kill(state.pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** One server for all that come, one after the other; whoever makes it complain has the error, and one that ended is replaced. */
function sharing(start: () => Promise<Started>, endings: Endings): () => Promise<Server> {
  let one: Started | null = null;
  endings.add(async () => {
    if (one?.running.ended() === false) await one.stop();
  });
  return async () => {
    if (one === null || one.running.ended()) one = await start();
    const { port, running } = one;
    const before = running.complaints();
    return {
      port,
      async stop() {
        if (running.ended()) throw new Error(`the server ended: ${running.complaints().slice(-600)}`);
        insistOnQuiet(running, before);
      },
    };
  };
}

/** It complained of nothing since it had said these words. */
function insistOnQuiet(running: Running, before = ''): void {
  const words = running.complaints();
  if (words !== before) throw new Error(`a server complained: ${words.slice(-600)}`);
}

async function stopQuiet(running: Running): Promise<void> {
  await running.stop();
  insistOnQuiet(running);
  const { exitCode, signalCode } = running.process;
  if (exitCode !== 0 && signalCode !== 'SIGTERM') throw new Error(`a server ended with ${exitCode ?? signalCode}`);
}

interface Builder {
  build(): Promise<void>;
  isCurrent(): boolean;
}

/** Not part of the program, or not to be copied. */
const LEFT_OUT = new Set(['node_modules', '.git', '.data', 'bench', 'test', 'screens']);

/** The program as it is now, built and current: a copy, so that nobody who edits beside us changes what is measured. */
async function freezeOurs(scratch: string): Promise<string> {
  const builder = (await import(join(packageRoot, 'build.js'))) as Builder;
  if (!builder.isCurrent()) await builder.build();
  const folder = join(scratch, 'program');
  for (const name of readdirSync(packageRoot)) {
    if (LEFT_OUT.has(name)) continue;
    cpSync(join(packageRoot, name), join(folder, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const SCRIPTS = [
  'bare',
  'bare-hook-process',
  'load-process',
  'sql-process',
  'canned-process',
  'money-process',
  'receiver-process',
  'deliver-process',
] as const;

/** The bench's own processes as JavaScript, beside the frozen program; packages stay in node_modules, as in any project. */
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

async function openDatabase(dataDir: string, endings: Endings): Promise<string> {
  const starting = startEmbeddedPostgres({ dataDir });
  endings.add(async () => {
    const postgres = await starting.catch(() => null);
    await postgres?.stop();
    const cluster = await findCluster(dataDir); // It may have settled elsewhere, where its user can go.
    if (cluster !== null) await rm(cluster.folder, { recursive: true, force: true });
  });
  return (await starting).url;
}

/** The same database, with commits that do not wait for the disk. */
function hasty(url: string): string {
  const address = new URL(url);
  address.searchParams.set('options', '-c synchronous_commit=off');
  return address.href;
}
