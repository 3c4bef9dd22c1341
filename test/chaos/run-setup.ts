// Prepares a run: a temporary folder with a copy of the built program (so that edits during the run do not change it),
// the chaos program as one bundle, free ports, and the settings that all processes share.

import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { settingsToEnv } from '../../sandbox/processor/process-state.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { sandboxKeys } from '../../src/main/processors.ts';
import type { PairPrograms } from './pair-runner.ts';
import type { PatroniPrograms } from './patroni/programs.ts';

export type Env = Readonly<Record<string, string>>;

/** A process that the nemesis starts and restarts. */
export interface ProcessSpec {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Env;
  /** The text that the process prints when it is ready. */
  readonly ready: string;
}

/** Which PostgreSQL the run uses. */
export type DatabaseSetup =
  | { readonly kind: 'one server' }
  /** Two servers behind PgBouncer. */
  | { readonly kind: 'standby'; readonly programs: PairPrograms }
  /** Three servers behind HAProxy. */
  | { readonly kind: 'patroni'; readonly programs: PatroniPrograms; readonly isSynchronous: boolean }
  /** A coordinator and two workers; `bin` has the programs of a PostgreSQL with Citus. */
  | { readonly kind: 'citus'; readonly bin: string };

/** Everything that the nemesis needs; sent to it as JSON. */
export interface RunSetup {
  readonly seed: number;
  readonly scratch: string;
  /** For the files that stay after the run. */
  readonly folder: string;
  readonly program: string;
  readonly chaosScript: string;
  readonly processes: readonly ProcessSpec[];
  readonly apiUrls: readonly string[];
  readonly processorUrl: string;
  readonly processorSecrets: { readonly test: string; readonly live: string };
  /** Settings of all processes, without the database's address, which is known later. */
  readonly sharedEnv: Env;
  readonly database: DatabaseSetup;
}

const NOT_COPIED = new Set(['node_modules', '.git', '.data', '.chaos', '.fuzz', 'bench', 'test', 'screens']);

interface Builder {
  build(): Promise<void>;
}

export async function prepareRun(
  seed: number,
  folder: string,
  database: DatabaseSetup,
  moreEnv: Env = {},
): Promise<RunSetup> {
  const scratch = mkdtempSync(join(tmpdir(), 'everyshare-chaos-'));
  try {
    chmodSync(scratch, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'logs'), { recursive: true });
    const program = await copyProgram(scratch);
    const chaosScript = await bundleChaos(program);
    return await describeProcesses(seed, scratch, folder, program, chaosScript, database, moreEnv);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  }
}

/** Builds the program and copies it. */
export async function copyProgram(scratch: string): Promise<string> {
  const builder = (await import(join(packageRoot, 'build.js'))) as Builder;
  await builder.build();
  const program = join(scratch, 'program');
  for (const name of readdirSync(packageRoot)) {
    if (NOT_COPIED.has(name) || name.startsWith('dist.')) continue;
    cpSync(join(packageRoot, name), join(program, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(program, 'node_modules'));
  return program;
}

async function bundleChaos(program: string): Promise<string> {
  const outfile = join(program, 'chaos.mjs');
  await build({
    entryPoints: [join(packageRoot, 'test', 'chaos', 'main.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return outfile;
}

async function describeProcesses(
  seed: number,
  scratch: string,
  folder: string,
  program: string,
  chaosScript: string,
  database: DatabaseSetup,
  moreEnv: Env,
): Promise<RunSetup> {
  const [api1 = 0, api2 = 0, processor = 0] = await freePorts(3);
  const sealKey = createHash('sha256').update(`chaos ${seed}`).digest();
  const keys = { test: sandboxKeys(sealKey, 'test'), live: sandboxKeys(sealKey, 'live') };
  const processorUrl = `http://127.0.0.1:${processor}`;
  const sharedEnv: Env = {
    ENCRYPTION_KEY: sealKey.toString('base64'),
    OPERATOR_TOKEN: `opt_chaos_${sealKey.toString('hex').slice(0, 24)}`,
    SANDBOX_PROCESSOR_URL: processorUrl,
    // Both servers are one service: a token of one is valid at the other.
    BASE_URL: 'https://api.chaos.example',
    // The clients act as the load balancer, which sets the guest's address.
    TRUSTED_PROXIES: '127.0.0.1',
    CHECKOUT_PAGE_BASE: 'https://pay.chaos.example',
    DATA_DIR: join(scratch, 'data'),
    SHUTDOWN_SECONDS: '8',
    // Every log line is checked at the end.
    LOG_LEVEL: 'info',
    // The receivers are on this machine.
    ALLOW_INSECURE_TARGETS: '1',
    // A run invites more guests in an hour than an installation should.
    TEXTS_PER_HOUR: '1000000',
    ...(database.kind === 'standby' ? { DATABASE_POOLER: 'transaction' } : {}),
    ...moreEnv,
  };
  mkdirSync(join(scratch, 'data'));
  const main = join(program, 'dist', 'main.js');
  const serve = (name: string, port: number): ProcessSpec => ({
    name,
    argv: [main, 'serve'],
    env: { ...sharedEnv, PORT: String(port) },
    ready: 'everyshare is ready at',
  });
  const worker = (name: string): ProcessSpec => ({
    name,
    argv: [main, 'worker'],
    env: sharedEnv,
    ready: 'worker is ready',
  });
  const processorSpec: ProcessSpec = {
    name: 'processor',
    argv: [main, 'processor'],
    env: settingsToEnv({
      folder: join(scratch, 'processor'),
      host: '127.0.0.1',
      port: processor,
      publicBase: '',
      keys,
    }),
    ready: 'the processor listens',
  };
  return {
    seed,
    scratch,
    folder,
    program,
    chaosScript,
    processes: [processorSpec, serve('api-1', api1), serve('api-2', api2), worker('worker-1'), worker('worker-2')],
    apiUrls: [api1, api2].map((port) => `http://127.0.0.1:${port}`),
    processorUrl,
    processorSecrets: { test: keys.test.secret, live: keys.live.secret },
    sharedEnv,
    database,
  };
}

/** Different ports that no process listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
