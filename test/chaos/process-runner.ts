// One of the program's processes under the nemesis's hand: started, watched, killed, stopped, and started again as an init
// system would. Its output goes to a log; an end that nobody asked for is told apart from one that was.

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { withDeadline } from '../support/wait-for.ts';
import type { Env, ProcessSpec } from './run-setup.ts';
import type { Happening } from './timeline.ts';

export type RecordHappening = (happening: Omit<Happening, 'at'>) => void;

/** After an end of its own (the database was away at its start, say). */
const RESTART_MS = 400;
const MAX_HEAL_MS = 120_000;

export class ProcessRunner {
  readonly name: string;
  readonly #part: ProcessSpec;
  readonly #more: Env;
  readonly #tell: RecordHappening;
  readonly #log: WriteStream;
  #child: ChildProcess | null = null;
  #isReady = false;
  #isStopped = false;
  #asked = false;
  #ending = false;
  #restart: NodeJS.Timeout | null = null;
  #downMs = RESTART_MS;
  #waiting: (() => void)[] = [];

  constructor(part: ProcessSpec, more: Env, folder: string, tell: RecordHappening) {
    this.name = part.name;
    this.#part = part;
    this.#more = more;
    this.#tell = tell;
    this.#log = createWriteStream(join(folder, 'logs', `${part.name}.log`), { flags: 'a' });
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isStopped;
  }

  start(): void {
    this.#restart = null;
    if (this.#ending || this.#child !== null) return;
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, this.#part.argv, {
      env: { PATH, HOME, ...this.#part.env, ...this.#more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#isReady = false;
    this.#isStopped = false;
    this.#asked = false;
    this.#downMs = RESTART_MS;
    this.#say({ what: 'start' }, child.pid);
    let words = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#log.write(text);
      if (this.#isReady) return;
      words += text;
      if (!words.includes(this.#part.ready)) return;
      this.#isReady = true;
      this.#say({ what: 'ready' }, child.pid);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    child.stderr?.on('data', (chunk: Buffer) => this.#log.write(chunk));
    child.once('error', (error) => this.#say({ what: 'trouble', detail: error.message }));
    child.once('close', (code, signal) => this.#ended(child, signal ?? `code ${code}`));
  }

  #ended(child: ChildProcess, how: string): void {
    const unasked = this.#isReady && !this.#asked && !this.#ending;
    this.#child = null;
    this.#isReady = false;
    this.#isStopped = false;
    this.#say({ what: 'exit', detail: how, ...(unasked ? { unasked } : {}) }, child.pid);
    if (!this.#ending) this.#restart = setTimeout(() => this.start(), this.#downMs);
  }

  /** Kills it, or asks it to end; it comes back after `downMs`. */
  end(signal: 'SIGKILL' | 'SIGTERM', downMs: number): boolean {
    const pid = this.#child?.pid;
    if (pid === undefined) return false;
    this.#asked = true;
    this.#downMs = downMs;
    this.#say({ what: signal === 'SIGKILL' ? 'kill' : 'term' }, pid);
    this.#child?.kill(signal);
    return true;
  }

  stop(): boolean {
    if (this.#child === null || this.#isStopped) return false;
    this.#isStopped = true;
    this.#say({ what: 'stop' }, this.#child.pid);
    this.#child.kill('SIGSTOP');
    return true;
  }

  continue(): void {
    if (this.#child === null || !this.#isStopped) return;
    this.#isStopped = false;
    this.#say({ what: 'continue' }, this.#child.pid);
    this.#child.kill('SIGCONT');
  }

  /** Up and running, at once where it waits to be started again. */
  async heal(): Promise<void> {
    this.continue();
    if (this.#restart !== null) {
      clearTimeout(this.#restart);
      this.start();
    }
    // One that was asked to end is not up, though it still answers.
    if (this.#isReady && !this.#asked) return;
    const ready = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await withDeadline(`${this.name} is ready again`, ready, MAX_HEAL_MS);
  }

  /** For good. */
  async close(): Promise<void> {
    this.#ending = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const child = this.#child;
    if (child !== null) {
      const gone = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await gone;
      clearTimeout(hard);
    }
    await new Promise<void>((resolve) => this.#log.end(resolve));
  }

  /** On the way out, when nothing can be awaited. */
  slay(): void {
    this.#ending = true;
    this.#child?.kill('SIGKILL');
  }

  #say(what: Pick<Happening, 'what' | 'detail' | 'unasked'>, pid?: number): void {
    this.#tell({ who: this.name, ...what, ...(pid === undefined ? {} : { pid }) });
  }
}
