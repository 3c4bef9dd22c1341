// Starts the embedded processor in a process of its own, or takes over the one that is running for this data directory:
// killing our server does not kill the bank. However many start it at once, one process is left.

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessorKeys } from './api.ts';
import { processStartTime } from './process-lock.ts';
import {
  fingerprintKeys,
  type ProcessorSettings,
  readStateFile,
  STOP_WHEN_IDLE,
  settingsToEnv,
} from './process-state.ts';
import type { Mode } from './row-types.ts';

export interface EmbeddedProcessorOptions {
  readonly dataDir: string;
  readonly keys: Readonly<Record<Mode, ProcessorKeys>>;
  /** The program that calls `runProcessor(process.env)`: `[process.execPath, 'bin/everyshare.js', 'processor']`. */
  readonly command: readonly string[];
  readonly publicBase?: string;
  readonly host?: string;
  readonly port?: number;
  readonly cwd?: string;
  readonly log?: (line: string) => void;
}

export interface EmbeddedProcessor {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** True when a running one was found and taken over. */
  readonly isAdopted: boolean;
  /** Ends it; comes back when the process is gone. */
  stop(): Promise<void>;
}

interface RunningInstance {
  readonly pid: number;
  readonly port: number;
  readonly keysFingerprint: string;
}

/** A child of ours, which may come too late to be the one. */
interface ChildState {
  readonly pid: number;
  ended: string | null;
}

const START_TIMEOUT_MS = 30_000;

export async function startEmbeddedProcessor(options: EmbeddedProcessorOptions): Promise<EmbeddedProcessor> {
  const { log = () => undefined } = options;
  const settings = toSettings(options);
  const { folder, host } = settings;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const keysFingerprint = fingerprintKeys(settings);
  const deadline = Date.now() + START_TIMEOUT_MS;
  let child: ChildState | null = null;
  while (Date.now() < deadline) {
    const found = await findRunning(folder, host);
    if (found !== null && found.keysFingerprint === keysFingerprint) {
      if (child !== null) await stopIfNotWinner(child, found.pid);
      return handle(settings, found, child?.pid !== found.pid);
    }
    if (found !== null) {
      log(`the running processor (pid ${found.pid}) has other settings: it is ended and started again`);
      await stopProcess(found.pid);
    }
    if (child === null) child = spawnChild(settings, options);
    else if (child.ended === 'code 0') {
      // It found that another was quicker: that one is about to answer, or on its way out.
      await delay(300);
      if ((await findRunning(folder, host)) === null) child = spawnChild(settings, options);
    } else if (child.ended !== null) throw startFailed(folder, child.ended);
    await delay(40);
  }
  throw startFailed(folder, 'it does not answer');
}

/** The address of a running processor of this data directory, else null; starts nothing. */
export async function findEmbeddedProcessor(dataDir: string, host = '127.0.0.1'): Promise<string | null> {
  const found = await findRunning(processorFolder(dataDir), host);
  return found === null ? null : `http://${host}:${found.port}`;
}

const processorFolder = (dataDir: string): string => join(resolve(dataDir), 'processor');

function toSettings({ dataDir, keys, publicBase = '', host = '127.0.0.1', port = 0 }: EmbeddedProcessorOptions) {
  return { folder: processorFolder(dataDir), host, port, publicBase, keys } satisfies ProcessorSettings;
}

function handle(settings: ProcessorSettings, found: RunningInstance, adopted: boolean): EmbeddedProcessor {
  return {
    url: `http://${settings.host}:${found.port}`,
    port: found.port,
    pid: found.pid,
    isAdopted: adopted,
    stop: () => stopProcess(found.pid),
  };
}

/** A pid file is not believed alone: the port must answer, and with the pid that is written down. */
async function findRunning(folder: string, host: string): Promise<RunningInstance | null> {
  const state = readStateFile(folder);
  if (state === null) return null;
  const health = await fetchHealth(host, state.port);
  return health !== null && health.pid === state.pid ? { ...state, keysFingerprint: health.proof } : null;
}

function fetchHealth(host: string, port: number): Promise<{ pid: number; proof: string } | null> {
  return new Promise((answer) => {
    const asking = get({ host, port, path: '/healthz', timeout: 2000, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text.length < 4096) text += chunk;
      });
      response.on('close', () => answer(readHealth(text)));
    });
    asking.on('timeout', () => asking.destroy());
    asking.on('error', () => answer(null));
  });
}

function readHealth(text: string): { pid: number; proof: string } | null {
  try {
    const { pid, proof: keysFingerprint } = JSON.parse(text) as Record<string, unknown>;
    return typeof pid === 'number' && typeof keysFingerprint === 'string' ? { pid, proof: keysFingerprint } : null;
  } catch {
    return null;
  }
}

function spawnChild(settings: ProcessorSettings, { command, cwd }: EmbeddedProcessorOptions): ChildState {
  const [program = '', ...words] = command;
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  const log = openSync(join(settings.folder, 'processor.log'), 'a', 0o600);
  const child = spawn(program, words, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH, HOME, ...(TMPDIR === '' ? {} : { TMPDIR }), ...settingsToEnv(settings), [STOP_WHEN_IDLE]: '1' },
    // A group of its own: a terminal's Ctrl-C is for our server.
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const run: ChildState = { pid: child.pid ?? 0, ended: null };
  child.once('error', (error) => {
    run.ended ??= error.message;
  });
  child.once('exit', (code, signal) => {
    run.ended ??= signal === null ? `code ${code}` : `signal ${signal}`;
  });
  child.unref();
  return run;
}

/** Another was quicker. A child that is still starting must not find the way clear later, when nobody waits for it. */
async function stopIfNotWinner(child: ChildState, winner: number): Promise<void> {
  if (child.pid !== winner && child.pid > 0 && child.ended === null) await stopProcess(child.pid);
}

function startFailed(folder: string, how: string): Error {
  const file = join(folder, 'processor.log');
  let words = '';
  try {
    words = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
  } catch {
    words = '(there is no log)';
  }
  return new Error(`the embedded card processor did not start (${how}). The last lines of ${file}:\n${words}`);
}

async function stopProcess(pid: number): Promise<void> {
  const startTime = processStartTime(pid);
  for (const [signal, time] of [['SIGTERM', 10_000] as const, ['SIGKILL', 5_000] as const]) {
    const deadline = Date.now() + time;
    if (startTime === null || processStartTime(pid) !== startTime) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    while (processStartTime(pid) === startTime && Date.now() < deadline) await delay(10);
  }
  if (processStartTime(pid) === startTime)
    throw new Error(`the card processor (pid ${pid}) does not end: kill -9 ${pid}`);
}
