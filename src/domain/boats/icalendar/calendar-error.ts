// The error that the calendar reader throws, and the list of problems that it reports. After an error the caller keeps the
// blocks of the last reading. A problem means that the blocks are usable and names what they lack. Venues read both.

export class CalendarError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CalendarError';
  }
}

const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 300;

export class Problems {
  readonly #missing = new Set<string>();
  readonly #other = new Set<string>();
  #omitted = 0;

  add(sentence: string): void {
    this.#record(this.#other, sentence);
  }

  /** Busy times are missing from the blocks, so they look free. */
  addMissing(sentence: string): void {
    this.#record(this.#missing, sentence);
  }

  #record(list: Set<string>, sentence: string): void {
    const short = sentence.length > MAX_PROBLEM_LENGTH ? `${sentence.slice(0, MAX_PROBLEM_LENGTH - 1)}…` : sentence;
    if (list.has(short)) return;
    if (list.size < MAX_PROBLEMS) list.add(short);
    else this.#omitted += 1;
  }

  missing(): string[] {
    return [...this.#missing];
  }

  /** Missing times come first. */
  list(): string[] {
    const all = [...this.#missing, ...this.#other];
    if (all.length + this.#omitted <= MAX_PROBLEMS) return all;
    const shown = all.slice(0, MAX_PROBLEMS - 1);
    return [...shown, `And ${all.length - shown.length + this.#omitted} more problems.`];
  }
}

/** Text of the feed for use in a problem: shortened, on one line. */
export function quoted(text: string): string {
  const cut = text.slice(0, 61);
  const start = /^[ -~]*$/.test(cut) ? cut : cut.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return `"${start.length > 60 ? `${start.slice(0, 60)}…` : start}"`;
}
