// How far long work has come: one line on a terminal that is drawn over again, and gone when the work is done. Anywhere
// else (a file, a pipe, --json) it writes nothing.

import type { Clock } from '../base/clock.ts';

export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const EVERY_MS = 100;
const WIDTH = 30;
const ERASE_LINE = '\r\u001b[K';

export class ProgressBar {
  readonly #terminal: Terminal | null;
  readonly #clock: Clock;
  readonly #label: string;
  readonly #began: number;
  #drawnAt: number | null = null;

  constructor(label: string, clock: Clock, terminal: Terminal | null) {
    this.#label = label;
    this.#clock = clock;
    this.#terminal = terminal?.isTTY === true ? terminal : null;
    this.#began = clock.now();
  }

  /** `fresh` of those done were done in this run; `share` is from 0 to 1, and null when nobody knows how much there is. */
  show(done: number, fresh: number, share: number | null): void {
    const seconds = Math.max(this.#clock.now() - this.#began, 1) / 1000;
    this.#draw([String(done), `${Math.round(fresh / seconds)}/s`, ...(share === null ? [] : [drawn(share)])]);
  }

  /** For work in which nothing is counted. */
  showShare(share: number): void {
    this.#draw([drawn(share)]);
  }

  #draw(parts: readonly string[]): void {
    if (this.#terminal === null) return;
    const now = this.#clock.now();
    if (this.#drawnAt !== null && now - this.#drawnAt < EVERY_MS) return;
    this.#drawnAt = now;
    this.#terminal.write(`${ERASE_LINE}${[this.#label, ...parts].join('  ')}`);
  }

  /** A line that stays. */
  say(line: string): void {
    this.#terminal?.write(`${ERASE_LINE}${line}\n`);
    this.#drawnAt = null;
  }

  end(): void {
    if (this.#drawnAt !== null) this.#terminal?.write(ERASE_LINE);
    this.#drawnAt = null;
  }
}

function drawn(share: number): string {
  const part = Math.min(Math.max(share, 0), 1);
  const full = Math.floor(part * WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${Math.floor(part * 100)}%`;
}
