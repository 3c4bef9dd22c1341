// Starts the real service: a copy of the built program, with PostgreSQL, the card processor, an API server and a worker
// as separate processes. A process that ends by itself is a violation; all processes end with this one.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCluster } from '../../sandbox/postgres/cluster.ts';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { settingsToEnv } from '../../sandbox/processor/process-state.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { sandboxKeys } from '../../src/main/processors.ts';
import { copyProgram, type Env, freePorts } from '../chaos/run-setup.ts';
import { withDeadline } from '../support/wait-for.ts';
import { GO_LIVE_ENV } from './console.ts';

export interface RunningService {
  readonly folder: string;
  readonly program: string;
  readonly base: string;
  readonly databaseUrl: string;
  readonly sealKey: Buffer;
  readonly sharedEnv: Env;
  readonly processorSecrets: { readonly test: string; readonly live: string };
  readonly processorEventSecrets: { readonly test: string; readonly live: string };
  readonly operatorToken: string;
  /** The memory of each process in bytes, after a full garbage collection. */
  memory(): Promise<Readonly<Record<ProcessName, Memory>>>;
  /** Folder of the recorded secrets; deleted at the end. */
  readonly secrets: string;
  /** The path of PostgreSQL's log. */
  postgresLog(): Promise<string | null>;
  /** Processes that ended without a request. */
  readonly crashes: readonly string[];
  close(): Promise<void>;
}

export interface Memory {
  readonly heap: number;
  readonly rss: number;
}

export type ProcessName = 'serve' | 'worker' | 'processor';

const READY_TIMEOUT_MS = 60_000;

export async function startProcesses(seed: number, folder: string): Promise<RunningService> {
  const scratch = mkdtempSync(join(tmpdir(), 'everyshare-fuzz-'));
  chmodSync(scratch, 0o711); // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const cleanups: (() => Promise<void>)[] = [async () => rmSync(scratch, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of cleanups.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startAll(seed, folder, scratch, cleanups)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startAll(
  seed: number,
  folder: string,
  scratch: string,
  cleanups: (() => Promise<void>)[],
): Promise<Omit<RunningService, 'close'>> {
  const program = await copyProgram(scratch);
  const [api = 0, processor = 0] = await freePorts(2);
  const sealKey = createHash('sha256').update(`fuzz ${seed}`).digest();
  const keys = { test: sandboxKeys(sealKey, 'test'), live: sandboxKeys(sealKey, 'live') };
  const operatorToken = `opt_fuzz_${sealKey.toString('hex').slice(0, 24)}`;
  const postgres = await startEmbeddedPostgres({
    dataDir: join(scratch, 'database'),
    // PostgreSQL is never killed here, so durability is off for speed.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  cleanups.push(() => postgres.stop());
  const sharedEnv: Env = {
    ENCRYPTION_KEY: sealKey.toString('base64'),
    OPERATOR_TOKEN: operatorToken,
    SANDBOX_PROCESSOR_URL: `http://127.0.0.1:${processor}`,
    DATA_DIR: join(scratch, 'data'),
    // Each request sets its own client address, so that no address reaches its hourly limit; events go to a local
    // receiver.
    TRUSTED_PROXIES: '127.0.0.1',
    ALLOW_INSECURE_TARGETS: '1',
    ...GO_LIVE_ENV,
    // A run asks for more codes in an hour than an installation should send.
    TEXTS_PER_HOUR: '1000000',
    // One line for each request, which is checked at the end.
    LOG_LEVEL: 'info',
  };
  mkdirSync(join(scratch, 'data'));
  mkdirSync(join(scratch, 'secrets'), { mode: 0o700 });
  const crashes: string[] = [];
  const run = makeStarter({ folder, crashes, cleanups, main: join(program, 'dist', 'main.js') });
  const processorSettings = {
    folder: join(scratch, 'processor'),
    host: '127.0.0.1',
    port: processor,
    publicBase: '',
    keys,
  };
  const env = { ...sharedEnv, DATABASE_URL: postgres.url };
  const processes = {
    processor: await run('processor', settingsToEnv(processorSettings), 'the processor listens'),
    serve: await run('serve', { ...env, PORT: String(api) }, 'everyshare is ready at'),
    worker: await run('worker', env, 'worker is ready'),
  };
  return {
    folder,
    program,
    base: `http://127.0.0.1:${api}`,
    databaseUrl: postgres.url,
    sealKey,
    sharedEnv,
    processorSecrets: { test: keys.test.secret, live: keys.live.secret },
    processorEventSecrets: { test: keys.test.webhookSecret, live: keys.live.webhookSecret },
    operatorToken,
    memory: async () => ({
      serve: await memoryOf(processes.serve),
      worker: await memoryOf(processes.worker),
      processor: await memoryOf(processes.processor),
    }),
    secrets: join(scratch, 'secrets'),
    postgresLog: async () => (await findCluster(join(scratch, 'database')))?.logFile ?? null,
    crashes,
  };
}

interface StarterOptions {
  readonly folder: string;
  readonly main: string;
  readonly crashes: string[];
  readonly cleanups: (() => Promise<void>)[];
}

const PROBE = ['--expose-gc', '--import', join(packageRoot, 'test', 'fuzz', 'memory-probe.js')];

/** Returns a function that starts a command of the program and resolves when it is ready. */
function makeStarter({ folder, main, crashes, cleanups }: StarterOptions) {
  return async (command: ProcessName, env: Env, ready: string): Promise<ChildProcess> => {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [...PROBE, main, command], {
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    const log = createWriteStream(join(folder, 'logs', `${command}.log`));
    let output = '';
    let isExpected = false;
    const closed = new Promise<void>((resolve) => {
      child.once('close', (code, signal) => {
        if (!isExpected) crashes.push(`${command} ended with ${signal ?? code}`);
        process.off('exit', kill);
        log.end(() => resolve());
      });
    });
    cleanups.push(async () => {
      isExpected = true;
      child.kill('SIGTERM');
      const killTimer = setTimeout(kill, 10_000);
      await closed;
      clearTimeout(killTimer);
    });
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${command} is not ready after a minute: ${output}`)),
        READY_TIMEOUT_MS,
      );
      void closed.then(() => reject(new Error(`${command} ended: ${output}`)));
      const onOutput = (chunk: Buffer): void => {
        log.write(chunk);
        if (output.length < 10_000) output += chunk.toString('utf8');
        if (!output.includes(ready)) return;
        clearTimeout(timer);
        resolve();
      };
      child.stdout?.on('data', onOutput);
      child.stderr?.on('data', onOutput);
    });
    return child;
  };
}

function memoryOf(child: ChildProcess): Promise<Memory> {
  const answered = new Promise<Memory>((resolve, reject) => {
    if (!child.connected) return reject(new Error(`${child.spawnargs.at(-1)} has ended`));
    child.once('message', (memory) => resolve(memory as Memory));
    child.send('memory');
  });
  return withDeadline(`${child.spawnargs.at(-1)} reports its memory`, answered, READY_TIMEOUT_MS, () =>
    child.kill('SIGKILL'),
  );
}
