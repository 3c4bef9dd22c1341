// Runs one process of the program for the nemesis: starts, kills, stops, continues it, and restarts it as an init
// system does. Its output goes to a log file. An exit that the nemesis did not request is recorded as unexpected.

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { withDeadline } from '../support/wait-for.ts';
import type { Env, ProcessSpec } from './run-setup.ts';
import type { TimelineEvent } from './timeline.ts';

export type RecordTimelineEvent = (event: Omit<TimelineEvent, 'at'>) => void;

/** Delay after an exit that was not requested, for example because the database was down at its start. */
const RESTART_MS = 400;
const MAX_HEAL_MS = 120_000;

export class ProcessRunner {
  readonly name: string;
  readonly #spec: ProcessSpec;
  readonly #extraEnv: Env;
  readonly #record: RecordTimelineEvent;
  readonly #log: WriteStream;
  #child: ChildProcess | null = null;
  #isReady = false;
  #isStopped = false;
  #exitRequested = false;
  #isClosing = false;
  #restart: NodeJS.Timeout | null = null;
  #downMs = RESTART_MS;
  #waiting: (() => void)[] = [];

  constructor(spec: ProcessSpec, extraEnv: Env, folder: string, record: RecordTimelineEvent) {
    this.name = spec.name;
    this.#spec = spec;
    this.#extraEnv = extraEnv;
    this.#record = record;
    this.#log = createWriteStream(join(folder, 'logs', `${spec.name}.log`), { flags: 'a' });
  }

  get isReady(): boolean {
    return this.#isReady && !this.#isStopped;
  }

  start(): void {
    this.#restart = null;
    if (this.#isClosing || this.#child !== null) return;
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, this.#spec.argv, {
      env: { PATH, HOME, ...this.#spec.env, ...this.#extraEnv },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#isReady = false;
    this.#isStopped = false;
    this.#exitRequested = false;
    this.#downMs = RESTART_MS;
    this.#recordEvent({ what: 'start' }, child.pid);
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#log.write(text);
      if (this.#isReady) return;
      output += text;
      if (!output.includes(this.#spec.ready)) return;
      this.#isReady = true;
      this.#recordEvent({ what: 'ready' }, child.pid);
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
    child.stderr?.on('data', (chunk: Buffer) => this.#log.write(chunk));
    child.once('error', (error) => this.#recordEvent({ what: 'error', detail: error.message }));
    child.once('close', (code, signal) => this.#onExit(child, signal ?? `code ${code}`));
  }

  #onExit(child: ChildProcess, how: string): void {
    const isUnexpected = this.#isReady && !this.#exitRequested && !this.#isClosing;
    this.#child = null;
    this.#isReady = false;
    this.#isStopped = false;
    this.#recordEvent({ what: 'exit', detail: how, ...(isUnexpected ? { isUnexpected } : {}) }, child.pid);
    if (!this.#isClosing) this.#restart = setTimeout(() => this.start(), this.#downMs);
  }

  /** Sends the signal; the process is started again `downMs` after its exit. */
  end(signal: 'SIGKILL' | 'SIGTERM', downMs: number): boolean {
    const pid = this.#child?.pid;
    if (pid === undefined) return false;
    this.#exitRequested = true;
    this.#downMs = downMs;
    this.#recordEvent({ what: signal === 'SIGKILL' ? 'kill' : 'term' }, pid);
    this.#child?.kill(signal);
    return true;
  }

  stop(): boolean {
    if (this.#child === null || this.#isStopped) return false;
    this.#isStopped = true;
    this.#recordEvent({ what: 'stop' }, this.#child.pid);
    this.#child.kill('SIGSTOP');
    return true;
  }

  continue(): void {
    if (this.#child === null || !this.#isStopped) return;
    this.#isStopped = false;
    this.#recordEvent({ what: 'continue' }, this.#child.pid);
    this.#child.kill('SIGCONT');
  }

  /** Continues or starts the process, without its restart delay, and waits until it is ready. */
  async heal(): Promise<void> {
    this.continue();
    if (this.#restart !== null) {
      clearTimeout(this.#restart);
      this.start();
    }
    // A process that is shutting down counts as down, although it still answers.
    if (this.#isReady && !this.#exitRequested) return;
    const ready = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await withDeadline(`${this.name} is ready again`, ready, MAX_HEAL_MS);
  }

  /** Ends the process without a restart. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const child = this.#child;
    if (child !== null) {
      const exited = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await exited;
      clearTimeout(killTimer);
    }
    await new Promise<void>((resolve) => this.#log.end(resolve));
  }

  /** For an exit on which nothing can be awaited. */
  kill(): void {
    this.#isClosing = true;
    this.#child?.kill('SIGKILL');
  }

  #recordEvent(what: Pick<TimelineEvent, 'what' | 'detail' | 'isUnexpected'>, pid?: number): void {
    this.#record({ who: this.name, ...what, ...(pid === undefined ? {} : { pid }) });
  }
}
