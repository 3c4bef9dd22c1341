// Finds a duplicate member name in one object, by comparing raw bytes while the object is scanned.
// Guarantees: no allocation for objects of up to 16 members, linear time for larger ones, for any names.
// It compares bytes: names with escapes are left to the slow second pass (escaped-text.ts).

const SMALL_OBJECT_MEMBERS = 16;
const NATIVE_COMPARE_LENGTH = 48;

/** The names of the open objects, one row of 16 for each depth; the next object at a depth overwrites the row. */
export class MemberNames {
  private readonly keys: Int32Array;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  private readonly large: (Set<string> | undefined)[];

  constructor(maxDepth: number) {
    const size = (maxDepth + 1) * SMALL_OBJECT_MEMBERS;
    this.keys = new Int32Array(size);
    this.starts = new Int32Array(size);
    this.ends = new Int32Array(size);
    this.large = new Array<Set<string> | undefined>(maxDepth + 1).fill(undefined);
  }

  /**
   * Records the name between the quotes at `start` and `end - 1` as number `count` (from 0) of the object at this
   * depth. Returns false if the object has that name already.
   */
  add(bytes: Buffer, depth: number, count: number, start: number, end: number): boolean {
    if (count >= SMALL_OBJECT_MEMBERS) return this.addToLarge(bytes, depth, start, end);
    const { keys } = this;
    const length = end - start;
    const key = (length << 16) ^ ((bytes[start + 1] as number) << 8) ^ (bytes[end - 2] as number);
    const first = depth * SMALL_OBJECT_MEMBERS;
    const free = first + count;
    for (let slot = first; slot < free; slot += 1) {
      if (keys[slot] === key && this.isSame(bytes, slot, start, end)) return false;
    }
    keys[free] = key;
    this.starts[free] = start;
    this.ends[free] = end;
    return true;
  }

  /** Frees the names of a large object that was closed. */
  release(depth: number): void {
    this.large[depth] = undefined;
  }

  /** Frees everything, after a scan that stopped inside large objects. */
  releaseAll(): void {
    this.large.fill(undefined);
  }

  private isSame(bytes: Buffer, slot: number, start: number, end: number): boolean {
    const otherStart = this.starts[slot] as number;
    const otherEnd = this.ends[slot] as number;
    const length = end - start;
    if (otherEnd - otherStart !== length) return false;
    if (length > NATIVE_COMPARE_LENGTH) return bytes.compare(bytes, otherStart, otherEnd, start, end) === 0;
    for (let i = 1; i < length; i += 1) {
      if (bytes[otherStart + i] !== bytes[start + i]) return false;
    }
    return true;
  }

  // The slices keep the opening quote: a bare "123" would be hashed as an array index, which V8 does without a seed.
  private addToLarge(bytes: Buffer, depth: number, start: number, end: number): boolean {
    let names = this.large[depth];
    if (names === undefined) {
      names = new Set<string>();
      for (let slot = depth * SMALL_OBJECT_MEMBERS; slot < (depth + 1) * SMALL_OBJECT_MEMBERS; slot += 1) {
        names.add(bytes.toString('latin1', this.starts[slot], (this.ends[slot] as number) - 1));
      }
      this.large[depth] = names;
    }
    const before = names.size;
    names.add(bytes.toString('latin1', start, end - 1));
    return names.size > before;
  }
}
