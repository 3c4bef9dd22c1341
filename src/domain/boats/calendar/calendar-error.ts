// What the calendar reader throws, and the list of what it could live with. An error means: keep the blocks you have.
// A problem means: the blocks are good, and this much of the calendar is not in them. Both are sentences for the venue.

export class CalendarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CalendarError';
  }
}

const MAX_PROBLEMS = 20;
const LONGEST = 300;

export class Problems {
  readonly #missing = new Set<string>();
  readonly #said = new Set<string>();
  #left = 0;

  add(sentence: string): void {
    this.#keep(this.#said, sentence);
  }

  /** Times that are taken are not in the blocks, so that they look free. */
  miss(sentence: string): void {
    this.#keep(this.#missing, sentence);
  }

  #keep(kept: Set<string>, sentence: string): void {
    const short = sentence.length > LONGEST ? `${sentence.slice(0, LONGEST - 1)}…` : sentence;
    if (kept.has(short)) return;
    if (kept.size < MAX_PROBLEMS) kept.add(short);
    else this.#left += 1;
  }

  missing(): string[] {
    return [...this.#missing];
  }

  /** What is missing comes first. */
  list(): string[] {
    const all = [...this.#missing, ...this.#said];
    if (all.length + this.#left <= MAX_PROBLEMS) return all;
    const shown = all.slice(0, MAX_PROBLEMS - 1);
    return [...shown, `And ${all.length - shown.length + this.#left} more problems.`];
  }
}

/** Somebody else's text inside a sentence of ours: short, and of one line. */
export function quoted(text: string): string {
  const cut = text.slice(0, 61);
  const start = /^[ -~]*$/.test(cut) ? cut : cut.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return `"${start.length > 60 ? `${start.slice(0, 60)}…` : start}"`;
}
