// Starts the card processor in its own process, or adopts the one that already runs for this data directory, so that
// killing the server does not kill the processor. Of several concurrent starts one process remains.

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join, resolve as resolvePath } from 'node:path';
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
  /** The program that calls `runProcessor(process.env)`, as `[process.execPath, 'bin/everyshare.js', 'processor']`. */
  readonly command: readonly string[];
  readonly publicBase?: string;
  readonly host?: string;
  readonly port?: number;
  readonly cwd?: string;
  /** Who uses it: a name of this server or worker alone. The processor stops when its last user leaves. */
  readonly user?: string;
  readonly log?: (line: string) => void;
}

export interface EmbeddedProcessor {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** It was already running. */
  readonly isAdopted: boolean;
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
  /** The user has no more need of it. The processor goes on if it has other users. */
  leave(): Promise<void>;
}

interface RunningInstance {
  readonly pid: number;
  readonly port: number;
  readonly keysFingerprint: string;
}

/** A process that this launcher started. Another launcher's process may win the lock before it. */
interface ChildState {
  readonly pid: number;
  /** How it ended; null while it runs. */
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
    const found = await findRunning(folder, host, options.user);
    if (found !== null && found.keysFingerprint === keysFingerprint) {
      if (child !== null) await stopIfNotWinner(child, found.pid);
      return handle(settings, found, child?.pid !== found.pid, options.user);
    }
    if (found !== null) {
      log(`the running card processor (pid ${found.pid}) has other keys; it is restarted`);
      await stopProcess(found.pid);
    }
    if (child === null) child = spawnChild(settings, options);
    else if (child.ended === 'code 0') {
      // Another process has the lock: it is about to listen, or is ending.
      await delay(300);
      if ((await findRunning(folder, host)) === null) child = spawnChild(settings, options);
    } else if (child.ended !== null) throw startFailed(folder, child.ended);
    await delay(40);
  }
  throw startFailed(folder, 'it does not answer');
}

/** The URL of the processor that runs for this data directory, or null. Starts nothing. */
export async function findEmbeddedProcessor(dataDir: string, host = '127.0.0.1'): Promise<string | null> {
  const found = await findRunning(processorFolder(dataDir), host);
  return found === null ? null : `http://${host}:${found.port}`;
}

const processorFolder = (dataDir: string): string => join(resolvePath(dataDir), 'processor');

function toSettings({ dataDir, keys, publicBase = '', host = '127.0.0.1', port = 0 }: EmbeddedProcessorOptions) {
  return { folder: processorFolder(dataDir), host, port, publicBase, keys } satisfies ProcessorSettings;
}

function handle(
  { host }: ProcessorSettings,
  found: RunningInstance,
  adopted: boolean,
  user: string | undefined,
): EmbeddedProcessor {
  return {
    url: `http://${host}:${found.port}`,
    port: found.port,
    pid: found.pid,
    isAdopted: adopted,
    stop: () => stopProcess(found.pid),
    async leave() {
      if (user !== undefined) await fetchHealth(host, found.port, { leaver: user });
    },
  };
}

/** Trusts the state file only when its port answers with its pid. */
async function findRunning(folder: string, host: string, user?: string): Promise<RunningInstance | null> {
  const state = readStateFile(folder);
  if (state === null) return null;
  const health = await fetchHealth(host, state.port, user === undefined ? {} : { user });
  return health !== null && health.pid === state.pid ? { ...state, keysFingerprint: health.keysFingerprint } : null;
}

function fetchHealth(
  host: string,
  port: number,
  query: Readonly<Record<string, string>>,
): Promise<{ pid: number; keysFingerprint: string } | null> {
  const path = `/healthz?${new URLSearchParams(query)}`;
  return new Promise((resolve) => {
    const request = get({ host, port, path, timeout: 2000, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text.length < 4096) text += chunk;
      });
      response.on('close', () => resolve(readHealth(text)));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });
}

function readHealth(text: string): { pid: number; keysFingerprint: string } | null {
  try {
    const { pid, proof: keysFingerprint } = JSON.parse(text) as Record<string, unknown>;
    return typeof pid === 'number' && typeof keysFingerprint === 'string' ? { pid, keysFingerprint } : null;
  } catch {
    return null;
  }
}

function spawnChild(settings: ProcessorSettings, { command, cwd }: EmbeddedProcessorOptions): ChildState {
  const [program = '', ...args] = command;
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  const log = openSync(join(settings.folder, 'processor.log'), 'a', 0o600);
  const child = spawn(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH, HOME, ...(TMPDIR === '' ? {} : { TMPDIR }), ...settingsToEnv(settings), [STOP_WHEN_IDLE]: '1' },
    // Its own process group, so that Ctrl-C in a terminal reaches only the server.
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const state: ChildState = { pid: child.pid ?? 0, ended: null };
  child.once('error', (error) => {
    state.ended ??= error.message;
  });
  child.once('exit', (code, signal) => {
    state.ended ??= signal === null ? `code ${code}` : `signal ${signal}`;
  });
  child.unref();
  return state;
}

/** Stops a child that lost the lock: it must not start later, when no launcher waits for it. */
async function stopIfNotWinner(child: ChildState, winnerPid: number): Promise<void> {
  if (child.pid !== winnerPid && child.pid > 0 && child.ended === null) await stopProcess(child.pid);
}

function startFailed(folder: string, reason: string): Error {
  const file = join(folder, 'processor.log');
  let lastLines = '';
  try {
    lastLines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
  } catch {
    lastLines = '(there is no log)';
  }
  return new Error(`the embedded card processor did not start (${reason}). The last lines of ${file}:\n${lastLines}`);
}

async function stopProcess(pid: number): Promise<void> {
  const startTime = processStartTime(pid);
  for (const [signal, timeoutMs] of [['SIGTERM', 10_000] as const, ['SIGKILL', 5_000] as const]) {
    const deadline = Date.now() + timeoutMs;
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
