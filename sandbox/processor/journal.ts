// What the bank asks of its journal: an ordered list of lines that outlives the process. The one here keeps nothing and is
// for simulations; file-journal.ts keeps everything.

/** The journal cannot be written any more. What was acknowledged is kept; nothing further will be. */
export class JournalFailure extends Error {
  constructor(cause: unknown) {
    super(`the journal cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'JournalFailure';
  }
}

export interface Journal {
  /** Every line kept so far, oldest first. Read once, before the first append. */
  read(): Iterable<string>;
  /** From now on lines come; `snapshot` gives the lines that stand for the whole state as it is at the call. */
  startWriting(snapshot: () => Iterable<string>): void;
  /** Takes an entry as a line of JSON; it is kept for certain once a `settled()` asked for afterwards has resolved. */
  append(entry: object): void;
  /** Null: all that was appended is kept. Rejects with a JournalFailure when it cannot be, and from then on always. */
  flush(): Promise<void> | null;
  close(): Promise<void>;
}

export function memoryJournal(): Journal {
  return {
    read: () => [],
    startWriting: () => undefined,
    append: () => undefined,
    flush: () => null,
    close: async () => undefined,
  };
}
