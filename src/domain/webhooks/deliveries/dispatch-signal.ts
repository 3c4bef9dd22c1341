// A signal between two loops of one worker: the dispatch loop notifies when it has created deliveries, and the delivery
// loop then polls at once. It only saves time: the table holds the work, and the delivery loop polls it regularly
// anyway.

export class DispatchSignal {
  #listener: (() => void) | null = null;

  notify(): void {
    this.#listener?.();
  }

  /** Sets the only subscriber; null removes it. */
  subscribe(listener: (() => void) | null): void {
    this.#listener = listener;
  }
}
