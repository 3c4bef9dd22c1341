// Things with an hour, the soonest first: a binary heap. It never looks at a clock itself.

export class TimerQueue<T> {
  readonly #heap: { readonly at: number; readonly thing: T }[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** The hour of the soonest; null when there is nothing. */
  nextAtMs(): number | null {
    return this.#heap[0]?.at ?? null;
  }

  add(at: number, item: T): void {
    const heap = this.#heap;
    heap.push({ at, thing: item });
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#isSooner(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Takes the soonest if its hour has come. */
  takeDue(now: number): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > now) return undefined;
    this.#swap(0, heap.length - 1);
    heap.pop();
    for (let index = 0; ; ) {
      let earliest = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < heap.length && this.#isSooner(child, earliest)) earliest = child;
      }
      if (earliest === index) return first.thing;
      this.#swap(index, earliest);
      index = earliest;
    }
  }

  #isSooner(one: number, other: number): boolean {
    return (this.#heap[one]?.at ?? 0) < (this.#heap[other]?.at ?? 0);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
