// What has to be ended when the process stops, last thing first. Once it is stopping, whatever is still being started is
// ended as soon as it stands, so that a signal in the middle of a start is obeyed like any other.

import type { Log } from './log.ts';

export type CleanupStep = () => Promise<void>;

/** The start was overtaken by a signal: not a failure. */
export class ShutdownRequested extends Error {}

export class Shutdown {
  readonly #endings: CleanupStep[] = [];
  readonly #log: Log;
  #stopping = false;

  constructor(log: Log) {
    this.#log = log;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Throws Stopped, after ending it, when the process is on its way out already. */
  async add(ending: CleanupStep): Promise<void> {
    this.#endings.push(ending);
    if (!this.#stopping) return;
    await this.run();
    throw new ShutdownRequested();
  }

  /** False when something did not end cleanly; the log says what. */
  async run(): Promise<boolean> {
    this.#stopping = true;
    let clean = true;
    for (let end = this.#endings.pop(); end !== undefined; end = this.#endings.pop()) {
      try {
        await end();
      } catch (error) {
        this.#log.error({ err: error }, 'something did not stop cleanly');
        clean = false;
      }
    }
    return clean;
  }
}
