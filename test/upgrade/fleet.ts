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
/** A busy machine may take longer than a process waits for its first connection. Any other failed start is a problem. */
const CONNECTION_TIMEOUT = /timeout expired|connection timeout|timeout exceeded when trying to connect/i;
const MAX_STOP_MS = 60_000;

export interface Running {
  readonly name: string;
  /** Of a server; empty for others. */
  readonly url: string;
  stop(): Promise<void>;
}

export class Fleet {
  /** The servers that take requests. */
  readonly rotation: string[] = [];
  /** Why processes had to be started again, without those that waited too long for a connection. */
  readonly failedStarts: string[] = [];
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
        if (!CONNECTION_TIMEOUT.test(String(error))) this.failedStarts.push(`start ${attempt} of ${name}: ${error}`);
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
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    const ready = role === 'serve' ? 'everyshare is ready at' : 'everyshare worker is ready';
    await waitFor(
      `${name} is ready`,
      () => {
        if (child.exitCode !== null) throw new Error(`${name} ended: ${readFileSync(log, 'utf8').slice(-2_000)}`);
        return output.includes(ready);
      },
      { timeoutMs: MAX_START_MS, intervalMs: 50 },
    );
    const url = role === 'serve' ? `http://127.0.0.1:${port}` : '';
    if (url !== '') {
      await waitFor(`/readyz of ${name} answers 200`, async () => (await fetch(`${url}/readyz`)).status === 200);
      this.rotation.push(url);
    }
    return { name, url, stop: () => this.#stop(name, url) };
  }

  /** As an operator does: out of the rotation first, so that no new request reaches it, then SIGTERM. */
  async #stop(name: string, url: string): Promise<void> {
    const child = this.#children.get(name);
    if (child === undefined) return;
    const place = this.rotation.indexOf(url);
    if (place >= 0) this.rotation.splice(place, 1);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await withDeadline(`${name} stops`, exited, MAX_STOP_MS, () => child.kill('SIGKILL'));
    this.#children.delete(name);
    if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
  }

  killAll(): void {
    for (const child of this.#children.values()) child.kill('SIGKILL');
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
