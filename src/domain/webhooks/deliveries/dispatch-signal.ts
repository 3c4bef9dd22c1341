// Between two loops of one worker: dispatch rings when it has made deliveries, and whoever delivers looks at once instead of a
// moment later. A nudge and no more: what counts stands in the table, and who misses the bell looks soon anyway.

export class DispatchSignal {
  #heard: (() => void) | null = null;

  notify(): void {
    this.#heard?.();
  }

  /** One listens at a time; null: nobody does any more. */
  subscribe(heard: (() => void) | null): void {
    this.#heard = heard;
  }
}
