// The interface of a journal: an ordered list of lines that outlives the process. The journal in this file stores
// nothing, for tests and simulations; file-journal.ts is durable.

/** The journal can no longer be written. Acknowledged lines are on disk; later ones are lost. */
export class JournalFailure extends Error {
  constructor(cause: unknown) {
    super(`the journal cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'JournalFailure';
  }
}

export interface Journal {
  /** Every stored line, oldest first. Call it once, before the first append. */
  read(): Iterable<string>;
  /** Call it once after `read`. `snapshot` returns lines for the whole state at the time of its call. */
  startWriting(snapshot: () => Iterable<string>): void;
  /** Adds an entry as a line of JSON. It is durable once a later `flush()` has resolved. */
  append(entry: object): void;
  /**
   * Resolves when every appended line is durable; null when they are already. After a failure it always rejects with
   * it.
   */
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
