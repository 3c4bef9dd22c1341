// What the calendar reader throws, and the list of what it could live with. An error means: keep the blocks you have.
// A problem means: the blocks are good, and this much of the calendar is not in them. Both are sentences for the venue.

export class CalendarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CalendarError';
  }
}

const MAX_PROBLEMS = 50;

export class Problems {
  readonly #said = new Set<string>();
  #left = 0;

  add(sentence: string): void {
    if (this.#said.has(sentence)) return;
    if (this.#said.size < MAX_PROBLEMS) this.#said.add(sentence);
    else this.#left += 1;
  }

  list(): string[] {
    return this.#left === 0 ? [...this.#said] : [...this.#said, `And ${this.#left} more problems.`];
  }
}

/** Somebody else's text inside a sentence of ours: short, and of one line. */
export function quoted(text: string): string {
  const clean = text.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return `"${clean.length > 60 ? `${clean.slice(0, 60)}…` : clean}"`;
}
