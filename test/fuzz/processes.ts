// The service as it really runs: a frozen copy of the built program, PostgreSQL, the card processor, an API server and a worker, each
// a process of its own, on ports of their own. Whatever ends by itself is a finding; all of it ends with us.

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
  /** Of each process, in bytes, after a full garbage collection. */
  memory(): Promise<Readonly<Record<ProcessName, Memory>>>;
  /** For what no log may hold; gone with the stage. */
  readonly secrets: string;
  /** What PostgreSQL wrote. */
  postgresLog(): Promise<string | null>;
  /** Processes that ended though nobody asked. */
  readonly crashes: readonly string[];
  close(): Promise<void>;
}

export interface Memory {
  readonly heap: number;
  readonly rss: number;
}

export type ProcessName = 'serve' | 'worker' | 'processor';

const PATIENCE_MS = 60_000;

export async function startProcesses(seed: number, folder: string): Promise<RunningService> {
  const scratch = mkdtempSync(join(tmpdir(), 'everyshare-fuzz-'));
  chmodSync(scratch, 0o711); // PostgreSQL runs as another user when we are root, and must get through.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const endings: (() => Promise<void>)[] = [async () => rmSync(scratch, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startAll(seed, folder, scratch, endings)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startAll(
  seed: number,
  folder: string,
  scratch: string,
  endings: (() => Promise<void>)[],
): Promise<Omit<RunningService, 'close'>> {
  const program = await copyProgram(scratch);
  const [api = 0, processor = 0] = await freePorts(2);
  const sealKey = createHash('sha256').update(`fuzz ${seed}`).digest();
  const keys = { test: sandboxKeys(sealKey, 'test'), live: sandboxKeys(sealKey, 'live') };
  const operatorToken = `opt_fuzz_${sealKey.toString('hex').slice(0, 24)}`;
  const postgres = await startEmbeddedPostgres({
    dataDir: join(scratch, 'database'),
    // Nobody kills it here, and there is much to write.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  endings.push(() => postgres.stop());
  const sharedEnv: Env = {
    ENCRYPTION_KEY: sealKey.toString('base64'),
    OPERATOR_TOKEN: operatorToken,
    SANDBOX_PROCESSOR_URL: `http://127.0.0.1:${processor}`,
    DATA_DIR: join(scratch, 'data'),
    // Each request says where it comes from, so that no address's hour is used up; and events go to a receiver of ours.
    TRUSTED_PROXIES: '127.0.0.1',
    ALLOW_INSECURE_TARGETS: '1',
    // A line for each request: what is in it is looked at afterwards.
    LOG_LEVEL: 'info',
  };
  mkdirSync(join(scratch, 'data'));
  mkdirSync(join(scratch, 'secrets'), { mode: 0o700 });
  const fallen: string[] = [];
  const run = runner({ folder, fallen, endings, main: join(program, 'dist', 'main.js') });
  const bank = { folder: join(scratch, 'bank'), host: '127.0.0.1', port: processor, publicBase: '', keys };
  const env = { ...sharedEnv, DATABASE_URL: postgres.url };
  const processes = {
    processor: await run('processor', settingsToEnv(bank), 'the processor listens'),
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
    crashes: fallen,
  };
}

interface Running {
  readonly folder: string;
  readonly main: string;
  readonly fallen: string[];
  readonly endings: (() => Promise<void>)[];
}

const PROBE = ['--expose-gc', '--import', join(packageRoot, 'test', 'fuzz', 'memory-probe.js')];

/** Starts one word of the program, and comes back when it says that it is ready. */
function runner({ folder, main, fallen, endings }: Running) {
  return async (word: ProcessName, env: Env, ready: string): Promise<ChildProcess> => {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [...PROBE, main, word], {
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const slay = (): void => void child.kill('SIGKILL');
    process.once('exit', slay);
    const log = createWriteStream(join(folder, 'logs', `${word}.log`));
    let words = '';
    let asked = false;
    const closed = new Promise<void>((resolve) => {
      child.once('close', (code, signal) => {
        if (!asked) fallen.push(`${word} ended with ${signal ?? code}`);
        process.off('exit', slay);
        log.end(() => resolve());
      });
    });
    endings.push(async () => {
      asked = true;
      child.kill('SIGTERM');
      const hard = setTimeout(slay, 10_000);
      await closed;
      clearTimeout(hard);
    });
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${word} is not ready after a minute: ${words}`)), PATIENCE_MS);
      void closed.then(() => reject(new Error(`${word} ended: ${words}`)));
      const hear = (chunk: Buffer): void => {
        log.write(chunk);
        if (words.length < 10_000) words += chunk.toString('utf8');
        if (!words.includes(ready)) return;
        clearTimeout(late);
        resolve();
      };
      child.stdout?.on('data', hear);
      child.stderr?.on('data', hear);
    });
    return child;
  };
}

function memoryOf(child: ChildProcess): Promise<Memory> {
  const answered = new Promise<Memory>((resolve, reject) => {
    if (!child.connected) return reject(new Error(`${child.spawnargs.at(-1)} is gone`));
    child.once('message', (memory) => resolve(memory as Memory));
    child.send('memory');
  });
  return withDeadline(`${child.spawnargs.at(-1)} reports its memory`, answered, PATIENCE_MS, () =>
    child.kill('SIGKILL'),
  );
}
