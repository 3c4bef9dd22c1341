// The clean-up steps of the process, run in reverse order when it stops. A step that is added after the stop began runs at
// once, so that a signal in the middle of a start stops the process like any other.

import type { Log } from './log.ts';

export type CleanupStep = () => Promise<void>;

/** A signal arrived during the start. Not a failure. */
export class ShutdownRequested extends Error {}

export class Shutdown {
  readonly #steps: CleanupStep[] = [];
  readonly #log: Log;
  #isStopping = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Runs the step and throws ShutdownRequested when the process is stopping already. */
  async add(step: CleanupStep): Promise<void> {
    this.#steps.push(step);
    if (!this.#isStopping) return;
    await this.run();
    throw new ShutdownRequested();
  }

  /** Returns false when a step failed; the log says which error. */
  async run(): Promise<boolean> {
    this.#isStopping = true;
    let clean = true;
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        this.#log.error({ err: error }, 'a clean-up step failed');
        clean = false;
      }
    }
    return clean;
  }
}
