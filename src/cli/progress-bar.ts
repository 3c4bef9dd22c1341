// The progress of a long command: one line on a terminal that is redrawn, and erased at the end. If the output is not a
// terminal (a file, a pipe, --json), it writes nothing.

import type { Clock } from '../base/clock.ts';

export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const REDRAW_INTERVAL_MS = 100;
const WIDTH = 30;
const ERASE_LINE = '\r\u001b[K';

export class ProgressBar {
  readonly #terminal: Terminal | null;
  readonly #clock: Clock;
  readonly #label: string;
  readonly #startedAt: number;
  #drawnAt: number | null = null;

  constructor(label: string, clock: Clock, terminal: Terminal | null) {
    this.#label = label;
    this.#clock = clock;
    this.#terminal = terminal?.isTTY === true ? terminal : null;
    this.#startedAt = clock.now();
  }

  /** `doneInThisRun` gives the rate. `share` is from 0 to 1; null if the total is unknown. */
  show(done: number, doneInThisRun: number, share: number | null): void {
    const seconds = Math.max(this.#clock.now() - this.#startedAt, 1) / 1000;
    this.#draw([String(done), `${Math.round(doneInThisRun / seconds)}/s`, ...(share === null ? [] : [barText(share)])]);
  }

  /** For work without a count. */
  showShare(share: number): void {
    this.#draw([barText(share)]);
  }

  #draw(parts: readonly string[]): void {
    if (this.#terminal === null) return;
    const now = this.#clock.now();
    if (this.#drawnAt !== null && now - this.#drawnAt < REDRAW_INTERVAL_MS) return;
    this.#drawnAt = now;
    this.#terminal.write(`${ERASE_LINE}${[this.#label, ...parts].join('  ')}`);
  }

  /** A line that stays. */
  printLine(line: string): void {
    this.#terminal?.write(`${ERASE_LINE}${line}\n`);
    this.#drawnAt = null;
  }

  end(): void {
    if (this.#drawnAt !== null) this.#terminal?.write(ERASE_LINE);
    this.#drawnAt = null;
  }
}

function barText(share: number): string {
  const part = Math.min(Math.max(share, 0), 1);
  const full = Math.floor(part * WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${Math.floor(part * 100)}%`;
}
