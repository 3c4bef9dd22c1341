// Starts and stops the bench's child processes: plain `node` with a clean environment, the same for both sides. No
// child outlives the bench.

import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type Env = Readonly<Record<string, string>>;

export interface ChildHandle {
  readonly process: ChildProcess;
  /** What the process has written to standard error. */
  errorOutput(): string;
  /** True once the process has ended. */
  hasEnded(): boolean;
  /** Sends SIGTERM, and SIGKILL after ten seconds; resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface Processes {
  start(script: string, args: readonly string[], env: Env, hasChannel?: boolean): ChildHandle;
  stopAll(): Promise<void>;
}

const KILL_AFTER_MS = 10_000;
const START_SECONDS = 30;

export function makeProcesses(cwd: string): Processes {
  const running = new Set<ChildHandle>();
  const live = new Set<ChildProcess>();
  let isClosing = false;
  // The last resort, for exits on which nothing can be awaited.
  process.on('exit', () => {
    for (const child of live) child.kill('SIGKILL');
  });
  return {
    start(script, args, env, hasChannel = false) {
      if (isClosing) throw new Error('the bench is ending');
      const child = spawn(process.execPath, [script, ...args], {
        cwd,
        env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
        serialization: 'advanced',
        stdio: hasChannel ? ['ignore', 'ignore', 'pipe', 'ipc'] : ['ignore', 'ignore', 'pipe'],
      });
      live.add(child);
      const handle = track(child, () => {
        live.delete(child);
        running.delete(handle);
      });
      running.add(handle);
      return handle;
    },
    async stopAll() {
      isClosing = true;
      await Promise.all([...running].map((handle) => handle.stop()));
    },
  };
}

function track(child: ChildProcess, onEnd: () => void): ChildHandle {
  let output = '';
  let isOver = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000);
  });
  const closed = new Promise<void>((resolve) => {
    const end = (): void => {
      isOver = true;
      onEnd();
      resolve();
    };
    child.once('close', end);
    child.once('error', (error) => {
      output += error.message;
      end();
    });
  });
  return {
    process: child,
    errorOutput: () => output.trim(),
    hasEnded: () => isOver,
    async stop() {
      if (isOver) return;
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
      await closed;
      clearTimeout(kill);
    },
  };
}

/** Returns a port that no process listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(address)));
    });
  });
}

/** Sends a GET of this path every 2 ms until the process answers 200. */
export async function waitForFirstOk(
  child: ChildHandle,
  port: number,
  path: string,
  seconds = START_SECONDS,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (Date.now() <= deadline) {
    const status = await probe(port, path);
    if (status === '200') return;
    if (status !== null) throw new Error(`GET ${path} answered ${status}: ${child.errorOutput()}`);
    if (child.hasEnded()) throw new Error(`the process ended before its first response: ${child.errorOutput()}`);
    await delay(2);
  }
  throw new Error(`no response in ${seconds} s: ${child.errorOutput()}`);
}

/** The status of one GET; null while no process listens. */
function probe(port: number, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const finish = (status: string | null): void => {
      socket.destroy();
      resolve(status);
    };
    socket.once('error', () => finish(null));
    socket.once('close', () => finish(null));
    socket.once('connect', () => socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`));
    socket.once('data', (chunk: Buffer) => finish(chunk.toString('latin1', 9, 12)));
  });
}
