// Keeps a bounded number of values that are costly to make and depend on their key alone. The oldest makes room.

export class BoundedCache<Value> {
  readonly #max: number;
  readonly #values = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string, make: () => Value): Value {
    const existing = this.#values.get(key);
    if (existing !== undefined) return existing;
    const made = make();
    this.#values.set(key, made);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#max && oldest !== undefined) this.#values.delete(oldest);
    return made;
  }
}
