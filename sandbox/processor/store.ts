// The processor's stored objects: tables of rows for each mode, in memory, rebuilt from the journal at start. Changes
// are applied and journaled together as one line, or not at all. Replaying a line twice changes nothing.

import type { Journal } from './journal.ts';
import type { Mode, Rows, TableName } from './row-types.ts';

const TABLE_NAMES: readonly TableName[] = [
  'intents',
  'charges',
  'refunds',
  'customers',
  'methods',
  'accounts',
  'transfers',
  'reversals',
  'disputes',
  'payouts',
  'topUps',
  'payoutSettings',
  'events',
  'endpoints',
  'domains',
  'deliveries',
  'answers',
];

type Row = Rows[TableName];

/** Keys under which a row is found besides its id. A row's keys must never change. */
const INDEXES: { readonly [T in TableName]?: (row: Rows[T]) => readonly (string | null)[] } = {
  refunds: (row) => [row.charge, row.intent],
  transfers: (row) => [row.source, row.group, row.destination],
  reversals: (row) => [row.transfer],
  intents: (row) => [row.customer],
  charges: (row) => [row.intent],
  disputes: (row) => [row.charge, row.intent],
  payouts: (row) => [row.account ?? 'platform'],
};

/** In seconds; 0: rows of this table have no time of creation. */
const createdOf = (row: object | undefined): number => (row as { readonly created?: number } | undefined)?.created ?? 0;

export class Table<R extends { readonly id: string }> {
  readonly #positions = new Map<string, number>();
  /** In order of creation, unless #isUnordered; undefined where a row was removed. */
  #rows: (R | undefined)[] = [];
  /** A row was put that was created before the row in front of it: a payment of the past. */
  #isUnordered = false;
  readonly #idsByKey = new Map<string, string[]>();
  readonly #keysOf: ((row: R) => readonly (string | null)[]) | undefined;

  constructor(keysOf?: (row: R) => readonly (string | null)[]) {
    this.#keysOf = keysOf;
  }

  get size(): number {
    return this.#positions.size;
  }

  get(id: string): R | undefined {
    const position = this.#positions.get(id);
    return position === undefined ? undefined : this.#rows[position];
  }

  put(row: R): void {
    const position = this.#positions.get(row.id);
    if (position !== undefined) {
      this.#rows[position] = row;
      return;
    }
    if (createdOf(row) < createdOf(this.#rows.at(-1))) this.#isUnordered = true;
    this.#positions.set(row.id, this.#rows.length);
    this.#rows.push(row);
    for (const key of this.#keysOf?.(row) ?? []) {
      if (key === null) continue;
      const ids = this.#idsByKey.get(key);
      if (ids === undefined) this.#idsByKey.set(key, [row.id]);
      else ids.push(row.id);
    }
  }

  remove(id: string): void {
    const position = this.#positions.get(id);
    if (position === undefined) return;
    this.#positions.delete(id);
    this.#rows[position] = undefined;
    if (this.#rows.length > 64 && this.#rows.length > 2 * this.#positions.size) this.#compact();
  }

  /** Drops the gaps that removed rows left. */
  #compact(): void {
    this.#rows = this.#rows.filter((row) => row !== undefined);
    for (const [position, row] of this.#rows.entries()) if (row !== undefined) this.#positions.set(row.id, position);
  }

  /** Brings the rows into the order of their creation, before they are listed. The sort keeps equal times in order. */
  #order(): void {
    if (!this.#isUnordered) return;
    this.#isUnordered = false;
    this.#rows = this.#rows.filter((row) => row !== undefined).sort((a, b) => createdOf(a) - createdOf(b));
    this.#compact();
    const position = (id: string): number => this.#positions.get(id) ?? -1;
    for (const ids of this.#idsByKey.values()) ids.sort((a, b) => position(a) - position(b));
  }

  *oldestFirst(): Generator<R> {
    this.#order();
    for (const row of this.#rows) if (row !== undefined) yield row;
  }

  /** The rows created before the row `after`, or all rows, newest first. */
  *newestFirst(after?: string): Generator<R> {
    this.#order();
    const start = after === undefined ? this.#rows.length : (this.#positions.get(after) ?? 0);
    for (let position = start - 1; position >= 0; position--) {
      const row = this.#rows[position];
      if (row !== undefined) yield row;
    }
  }

  /** The rows with this index key, newest first. */
  findByIndex(key: string): R[] {
    this.#order();
    const ids = this.#idsByKey.get(key) ?? [];
    return ids.flatMap((id) => this.get(id) ?? []).reverse();
  }

  copyRows(): (R | undefined)[] {
    this.#order();
    return this.#rows.slice();
  }
}

export type Tables = { readonly [T in TableName]: Table<Rows[T]> };

function makeTables(): Tables {
  const tables: Record<string, unknown> = {};
  for (const name of TABLE_NAMES) {
    tables[name] = new Table(INDEXES[name] as ((row: Row) => readonly (string | null)[]) | undefined);
  }
  return tables as Tables;
}

/** One line of the journal: rows put and ids removed, all of one mode. */
interface JournalEntry {
  readonly m: Mode;
  readonly p?: readonly (readonly [TableName, Row])[];
  readonly r?: readonly (readonly [TableName, string])[];
}

/** Changes that are not yet committed. Reads through it see them. */
export class PendingChanges {
  /** For lists: rows put here and not yet committed are not in them. */
  readonly committed: Tables;
  readonly #puts = new Map<string, readonly [TableName, Row]>();
  readonly #removed: (readonly [TableName, string])[] = [];

  constructor(committed: Tables) {
    this.committed = committed;
  }

  find<T extends TableName>(table: T, id: string): Rows[T] | undefined {
    const put = this.#puts.get(`${table} ${id}`);
    if (put !== undefined) return put[1] as Rows[T];
    return this.committed[table].get(id) as Rows[T] | undefined;
  }

  put<T extends TableName>(table: T, row: Rows[T]): Rows[T] {
    this.#puts.set(`${table} ${row.id}`, [table, row]);
    return row;
  }

  remove(table: TableName, id: string): void {
    this.#removed.push([table, id]);
  }

  toJournalEntry(mode: Mode): JournalEntry | null {
    if (this.#puts.size === 0 && this.#removed.length === 0) return null;
    return {
      m: mode,
      ...(this.#puts.size === 0 ? {} : { p: [...this.#puts.values()] }),
      ...(this.#removed.length === 0 ? {} : { r: this.#removed }),
    };
  }
}

const ROWS_PER_SNAPSHOT_LINE = 200;

export class Store {
  readonly #tables: Readonly<Record<Mode, Tables>> = { test: makeTables(), live: makeTables() };
  readonly #journal: Journal;
  readonly #listeners: ((mode: Mode, table: TableName, row: Row) => void)[] = [];

  constructor(journal: Journal) {
    this.#journal = journal;
    for (const line of journal.read()) this.#apply(JSON.parse(line) as JournalEntry);
    journal.startWriting(() => this.#snapshot());
  }

  tables(mode: Mode): Tables {
    return this.#tables[mode];
  }

  begin(mode: Mode): PendingChanges {
    return new PendingChanges(this.#tables[mode]);
  }

  /** Calls `listener` for every row put from now on, after it is in its table. */
  subscribe(listener: (mode: Mode, table: TableName, row: Row) => void): void {
    this.#listeners.push(listener);
  }

  /** Applies the changes. They are durable once `flush()` has resolved; no response may be sent before. */
  commit(mode: Mode, changes: PendingChanges): void {
    const entry = changes.toJournalEntry(mode);
    if (entry === null) return;
    this.#journal.append(entry);
    this.#apply(entry);
  }

  /** Resolves when every committed change is on disk; null when they are already. */
  flush(): Promise<void> | null {
    return this.#journal.flush();
  }

  #apply({ m, p = [], r = [] }: JournalEntry): void {
    const tables = this.#tables[m];
    for (const [name, row] of p) {
      (tables[name] as Table<Row>).put(row);
      for (const listener of this.#listeners) listener(m, name, row);
    }
    for (const [name, id] of r) tables[name].remove(id);
  }

  /** Rows are never changed in place, so copying the lists of rows copies the state; the lines can be written later. */
  #snapshot(): Iterable<string> {
    const copies = (['test', 'live'] as const).flatMap((mode) =>
      TABLE_NAMES.map((name) => ({ mode, name, rows: this.#tables[mode][name].copyRows() as (Row | undefined)[] })),
    );
    return (function* () {
      for (const { mode, name, rows } of copies) {
        const present = rows.filter((row) => row !== undefined);
        for (let at = 0; at < present.length; at += ROWS_PER_SNAPSHOT_LINE) {
          const p = present.slice(at, at + ROWS_PER_SNAPSHOT_LINE).map((row) => [name, row] as const);
          yield JSON.stringify({ m: mode, p } satisfies JournalEntry);
        }
      }
    })();
  }
}
