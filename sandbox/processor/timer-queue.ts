// A priority queue of items by time, earliest first: a binary heap. It reads no clock.

export class TimerQueue<T> {
  readonly #heap: { readonly at: number; readonly item: T }[] = [];

  /** The time of the earliest item; null when the queue is empty. */
  nextAtMs(): number | null {
    return this.#heap[0]?.at ?? null;
  }

  add(at: number, item: T): void {
    const heap = this.#heap;
    heap.push({ at, item });
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#isEarlier(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Removes and returns the earliest item if its time has come. */
  takeDue(now: number): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > now) return undefined;
    this.#swap(0, heap.length - 1);
    heap.pop();
    for (let index = 0; ; ) {
      let earliest = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < heap.length && this.#isEarlier(child, earliest)) earliest = child;
      }
      if (earliest === index) return first.item;
      this.#swap(index, earliest);
      index = earliest;
    }
  }

  #isEarlier(one: number, other: number): boolean {
    return (this.#heap[one]?.at ?? 0) < (this.#heap[other]?.at ?? 0);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
