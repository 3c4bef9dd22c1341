// Processes of the bench: plain `node`, a clean environment, the same for both sides; none outlives the bench.

import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type Env = Readonly<Record<string, string>>;

export interface Running {
  readonly process: ChildProcess;
  /** What it wrote to standard error so far. */
  complaints(): string;
  /** True once the process is gone. */
  ended(): boolean;
  /** Asks it to end, and insists after a while; comes back when it is gone. */
  stop(): Promise<void>;
}

export interface Processes {
  start(script: string, args: readonly string[], env: Env, channel?: boolean): Running;
  stopAll(): Promise<void>;
}

const PATIENCE_MS = 10_000;

export function makeProcesses(cwd: string): Processes {
  const running = new Set<Running>();
  const live = new Set<ChildProcess>();
  let closing = false;
  // The last resort, for ways out on which nothing can be awaited.
  process.on('exit', () => {
    for (const child of live) child.kill('SIGKILL');
  });
  return {
    start(script, args, env, channel = false) {
      if (closing) throw new Error('the bench is ending');
      const child = spawn(process.execPath, [script, ...args], {
        cwd,
        env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
        serialization: 'advanced',
        stdio: channel ? ['ignore', 'ignore', 'pipe', 'ipc'] : ['ignore', 'ignore', 'pipe'],
      });
      live.add(child);
      const one = follow(child, () => {
        live.delete(child);
        running.delete(one);
      });
      running.add(one);
      return one;
    },
    async stopAll() {
      closing = true;
      await Promise.all([...running].map((one) => one.stop()));
    },
  };
}

function follow(child: ChildProcess, gone: () => void): Running {
  let words = '';
  let over = false;
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-4000);
  });
  const closed = new Promise<void>((resolve) => {
    const end = (): void => {
      over = true;
      gone();
      resolve();
    };
    child.once('close', end);
    child.once('error', (error) => {
      words += error.message;
      end();
    });
  });
  return {
    process: child,
    complaints: () => words.trim(),
    ended: () => over,
    async stop() {
      if (over) return;
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await closed;
      clearTimeout(hard);
    },
  };
}

/** A port that nobody listens on at this moment. */
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

/** Knocks every 2 ms until the process answers 200 to a GET of this path. */
export async function firstAnswer(one: Running, port: number, path: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() <= deadline) {
    const status = await knock(port, path);
    if (status === '200') return;
    if (status !== null) throw new Error(`GET ${path} answered ${status}: ${one.complaints()}`);
    if (one.ended()) throw new Error(`the process ended before its first answer: ${one.complaints()}`);
    await delay(2);
  }
  throw new Error(`no answer in 30 s: ${one.complaints()}`);
}

/** The status of the answer; null when nobody listens. */
function knock(port: number, path: string): Promise<string | null> {
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
