// Servers and workers of two releases on one database, each a process of its own with a log file, and the load balancer's
// list of servers that take requests.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../chaos/run-setup.ts';
import { waitFor, withDeadline } from '../support/wait-for.ts';

const MAX_START_MS = 180_000;
const MAX_STARTS = 5;
/** A busy machine may take longer than a process waits for its first connection. That is reported, and any other failed start is a problem. */
const CONNECTION_TIMEOUT = /timeout expired|connection timeout|timeout exceeded when trying to connect/i;
const MAX_STOP_MS = 60_000;

export interface Running {
  readonly name: string;
  /** Of a server; empty for others. */
  readonly url: string;
  stop(): Promise<void>;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** A process that ended before it was ready. Its last line says why. */
class StartFailed extends Error {
  readonly lastLine: string;

  constructor(name: string, errors: string) {
    super(`${name} ended: ${errors}`);
    this.lastLine = errors.trimEnd().split('\n').at(-1) ?? '';
  }
}

export class Fleet {
  /** The servers that take requests. */
  readonly rotation: string[] = [];
  /** Processes that had to be started again for another reason than a slow connection, and those that ended by themselves. */
  readonly failures: string[] = [];
  /** Starts that were repeated because PostgreSQL took longer to open a connection than the process waits. */
  readonly slowStarts: string[] = [];
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #children = new Map<string, ChildProcess>();
  readonly #logs = new Set<string>();

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#env = env;
  }

  /** As an init system does: a process that ends before it is ready is started again. */
  async start(name: string, program: string, role: 'serve' | 'worker'): Promise<Running> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#startOnce(name, program, role);
      } catch (error) {
        this.#children.get(name)?.kill('SIGKILL');
        const isSlow = error instanceof StartFailed && CONNECTION_TIMEOUT.test(error.lastLine);
        const repeated = isSlow ? this.slowStarts : this.failures;
        repeated.push(`start ${attempt} of ${name}: ${error}`);
        if (attempt === MAX_STARTS) throw error;
      }
    }
  }

  /** Resolves when the process has said that it is ready, and a server's /readyz has answered 200. */
  async #startOnce(name: string, program: string, role: 'serve' | 'worker'): Promise<Running> {
    const { PATH = '', HOME = '' } = process.env;
    const [port = 0] = await freePorts(1);
    const child = spawn(process.execPath, [join(program, 'dist', 'main.js'), role], {
      env: { PATH, HOME, PORT: String(port), ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.set(name, child);
    const log = join(this.#folder, `${name}.log`);
    this.#logs.add(log);
    child.stderr.pipe(createWriteStream(log, { flags: 'a' }));
    // Of this start alone: the log has what earlier starts said, too.
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors = `${errors}${chunk}`.slice(-2_000);
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    const ready = role === 'serve' ? 'everyshare is ready at' : 'everyshare worker is ready';
    await waitFor(
      `${name} is ready`,
      () => {
        if (hasEnded(child)) throw new StartFailed(name, errors);
        return output.includes(ready);
      },
      { timeoutMs: MAX_START_MS, intervalMs: 50 },
    );
    const url = role === 'serve' ? `http://127.0.0.1:${port}` : '';
    if (url !== '') {
      await waitFor(`/readyz of ${name} answers 200`, async () => (await fetch(`${url}/readyz`)).status === 200);
      this.rotation.push(url);
    }
    child.once('exit', (code, signal) => {
      // A process that is being stopped is not in the list any more.
      if (this.#children.get(name) === child) this.failures.push(`${name} ended by itself (${code ?? signal})`);
    });
    return { name, url, stop: () => this.#stop(name, url) };
  }

  /** As an operator does: out of the rotation first, so that no new request reaches it, then SIGTERM. */
  async #stop(name: string, url: string): Promise<void> {
    const child = this.#children.get(name);
    if (child === undefined) return;
    const place = this.rotation.indexOf(url);
    if (place >= 0) this.rotation.splice(place, 1);
    this.#children.delete(name);
    if (!hasEnded(child)) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await withDeadline(`${name} stops`, exited, MAX_STOP_MS, () => child.kill('SIGKILL'));
    }
    if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
  }

  killAll(): void {
    for (const [name, child] of this.#children) {
      this.#children.delete(name);
      child.kill('SIGKILL');
    }
  }

  /** Lines of level error or above of all logs. */
  errorLines(): string[] {
    return [...this.#logs].flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => /"level":(50|60|"error"|"fatal")/.test(line)),
    );
  }
}
