// What all benches stand on: one embedded PostgreSQL with its durability on, in a folder of its own that goes at the end;
// the built program; the load; and ways to start either side.

import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Db, openDb } from '../src/base/db.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { findCluster } from '../src/sandbox/postgres/cluster.ts';
import { startEmbeddedPostgres } from '../src/sandbox/postgres/embedded.ts';
import type { Endings } from './endings.ts';
import { makeKeys } from './keys.ts';
import { type Load, startLoad } from './load.ts';
import { type Env, firstAnswer, freePort, makeProcesses, type Running } from './processes.ts';

export interface Started {
  readonly port: number;
  readonly running: Running;
  /** From just before the spawn to the first 200. */
  readonly milliseconds: number;
  /** Ends it; whatever it complained of is an error. */
  stop(): Promise<void>;
}

export interface Stage {
  readonly quick: boolean;
  /** How long a side warms up, and how long one of its rounds takes, about. */
  readonly seconds: { readonly warm: number; readonly round: number };
  readonly db: Db;
  readonly load: Load;
  /** `node bin/everyshare.js serve` on the stage's database, up to its first 200 on /readyz. */
  startOurs(): Promise<Started>;
  /** A bare Fastify that answers this text on this path, up to its first 200. */
  startBare(route: string, body: string): Promise<Started>;
  /** Secret test keys of one venue, with a limit that no load reaches. */
  makeKeys(count: number): Promise<string[]>;
}

const ENCRYPTION_KEY = Buffer.alloc(32, 7);

export async function openStage(quick: boolean, endings: Endings): Promise<Stage> {
  const scratch = mkdtempSync(join(tmpdir(), 'everyshare-bench-'));
  chmodSync(scratch, 0o711); // PostgreSQL runs as another user when we are root, and must get through.
  endings.add(() => rmSync(scratch, { recursive: true, force: true }));
  const program = await freezeOurs(scratch);
  const scripts = await buildScripts(scratch);
  const url = await openDatabase(join(scratch, 'database'), endings);
  await migrate(url, join(packageRoot, 'migrations'));
  const db = openDb({ url, connections: 4, pooled: false, applicationName: 'everyshare-bench' });
  endings.add(() => db.close());
  await requireDurability(db);
  const processes = makeProcesses(program);
  endings.add(() => processes.stopAll());
  const start = async (script: string, args: readonly string[], env: Env, path: string): Promise<Started> => {
    const port = await freePort();
    const from = performance.now();
    const running = processes.start(script, args, { ...env, PORT: String(port) });
    await firstAnswer(running, port, path);
    return { port, running, milliseconds: performance.now() - from, stop: () => stopQuiet(running) };
  };
  const env: Env = {
    DATABASE_URL: url,
    DATA_DIR: join(scratch, 'server'),
    ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
    LOG_LEVEL: 'warn',
  };
  return {
    quick,
    seconds: quick ? { warm: 1.2, round: 0.4 } : { warm: 2, round: 0.5 },
    db,
    load: startLoad(processes, scripts.load),
    startOurs: () => start(join(program, 'bin', 'everyshare.js'), ['serve'], env, '/readyz'),
    startBare: (route, body) => start(scripts.bare, [], { ROUTE: route, BODY: body }, route),
    makeKeys: (count) => makeKeys(db, ENCRYPTION_KEY, count),
  };
}

async function stopQuiet(running: Running): Promise<void> {
  await running.stop();
  const words = running.complaints();
  if (words !== '') throw new Error(`a server complained: ${words.slice(-600)}`);
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

/** The bench's own processes as JavaScript; packages stay in node_modules, as in any plain Fastify project. */
async function buildScripts(scratch: string): Promise<{ readonly bare: string; readonly load: string }> {
  const folder = join(scratch, 'scripts');
  mkdirSync(folder);
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: ['bare', 'load-process'].map((name) => join(packageRoot, 'bench', `${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return { bare: join(folder, 'bare.mjs'), load: join(folder, 'load-process.mjs') };
}

async function openDatabase(dataDir: string, endings: Endings): Promise<string> {
  const starting = startEmbeddedPostgres({ dataDir });
  endings.add(async () => {
    const postgres = await starting.catch(() => null);
    await postgres?.stop();
    const cluster = await findCluster(dataDir); // It may have settled elsewhere, where its user can go.
    if (cluster !== null) await rm(cluster.place, { recursive: true, force: true });
  });
  return (await starting).url;
}

async function requireDurability(db: Db): Promise<void> {
  const rows = await db.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')",
  );
  const off = rows.filter(({ setting }) => setting !== 'on').map(({ name }) => name);
  if (rows.length !== 3 || off.length > 0) throw new Error(`durability is off: ${off.join(', ')}`);
}
