// Things with an hour, the soonest first: a binary heap. It never looks at a clock itself.

export class Soonest<T> {
  readonly #heap: { readonly at: number; readonly thing: T }[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** The hour of the soonest; null when there is nothing. */
  next(): number | null {
    return this.#heap[0]?.at ?? null;
  }

  add(at: number, thing: T): void {
    const heap = this.#heap;
    heap.push({ at, thing });
    for (let here = heap.length - 1; here > 0; ) {
      const above = (here - 1) >> 1;
      if (!this.#isSooner(here, above)) return;
      this.#swap(here, above);
      here = above;
    }
  }

  /** Takes the soonest if its hour has come. */
  takeDue(now: number): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > now) return undefined;
    this.#swap(0, heap.length - 1);
    heap.pop();
    for (let here = 0; ; ) {
      let least = here;
      for (const below of [2 * here + 1, 2 * here + 2]) {
        if (below < heap.length && this.#isSooner(below, least)) least = below;
      }
      if (least === here) return first.thing;
      this.#swap(here, least);
      here = least;
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
