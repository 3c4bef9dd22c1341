// The bank's books: tables of rows for each mode, changed only through a draft whose changes are applied and journaled as
// one line, or not at all. Replaying the lines gives the same books; replaying a line twice changes nothing.

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
  'events',
  'endpoints',
  'deliveries',
  'answers',
];

type Row = Rows[TableName];

/** Names under which a row is found besides its id. They must never change in a row's life. */
const INDEXES: { readonly [T in TableName]?: (row: Rows[T]) => readonly (string | null)[] } = {
  refunds: (row) => [row.charge, row.intent],
  transfers: (row) => [row.source, row.group, row.destination],
  reversals: (row) => [row.transfer],
  intents: (row) => [row.customer],
  charges: (row) => [row.intent],
  disputes: (row) => [row.charge, row.intent],
};

export class Table<R extends { readonly id: string }> {
  readonly #places = new Map<string, number>();
  /** In the order of making; undefined where a row was taken away. */
  #rows: (R | undefined)[] = [];
  readonly #byName = new Map<string, string[]>();
  readonly #namesOf: ((row: R) => readonly (string | null)[]) | undefined;

  constructor(namesOf?: (row: R) => readonly (string | null)[]) {
    this.#namesOf = namesOf;
  }

  get size(): number {
    return this.#places.size;
  }

  get(id: string): R | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#rows[place];
  }

  put(row: R): void {
    const place = this.#places.get(row.id);
    if (place !== undefined) {
      this.#rows[place] = row;
      return;
    }
    this.#places.set(row.id, this.#rows.length);
    this.#rows.push(row);
    for (const name of this.#namesOf?.(row) ?? []) {
      if (name === null) continue;
      const ids = this.#byName.get(name);
      if (ids === undefined) this.#byName.set(name, [row.id]);
      else ids.push(row.id);
    }
  }

  remove(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#rows[place] = undefined;
    if (this.#rows.length > 64 && this.#rows.length > 2 * this.#places.size) this.#close();
  }

  #close(): void {
    this.#rows = this.#rows.filter((row) => row !== undefined);
    for (const [place, row] of this.#rows.entries()) if (row !== undefined) this.#places.set(row.id, place);
  }

  *oldestFirst(): Generator<R> {
    for (const row of this.#rows) if (row !== undefined) yield row;
  }

  /** Every row made before `after` (or simply every row), newest first. */
  *newestFirst(after?: string): Generator<R> {
    const start = after === undefined ? this.#rows.length : (this.#places.get(after) ?? 0);
    for (let place = start - 1; place >= 0; place--) {
      const row = this.#rows[place];
      if (row !== undefined) yield row;
    }
  }

  /** The rows under this name, newest first. */
  findByIndex(name: string): R[] {
    const ids = this.#byName.get(name) ?? [];
    return ids.flatMap((id) => this.get(id) ?? []).reverse();
  }

  copyRows(): (R | undefined)[] {
    return this.#rows.slice();
  }
}

export type Tables = { readonly [T in TableName]: Table<Rows[T]> };

function makeTables(): Tables {
  const made: Record<string, unknown> = {};
  for (const name of TABLE_NAMES) {
    made[name] = new Table(INDEXES[name] as ((row: Row) => readonly (string | null)[]) | undefined);
  }
  return made as Tables;
}

/** One line of the journal: rows put and ids removed, all of one mode. */
interface JournalEntry {
  readonly m: Mode;
  readonly p?: readonly (readonly [TableName, Row])[];
  readonly r?: readonly (readonly [TableName, string])[];
}

/** Changes that are not yet made: read through it, and it shows them. */
export class PendingChanges {
  readonly #tables: Tables;
  readonly #puts = new Map<string, readonly [TableName, Row]>();
  readonly #removed: (readonly [TableName, string])[] = [];

  constructor(committed: Tables) {
    this.#tables = committed;
  }

  find<T extends TableName>(table: T, id: string): Rows[T] | undefined {
    const put = this.#puts.get(`${table} ${id}`);
    if (put !== undefined) return put[1] as Rows[T];
    return this.#tables[table].get(id) as Rows[T] | undefined;
  }

  put<T extends TableName>(table: T, row: Rows[T]): Rows[T] {
    this.#puts.set(`${table} ${row.id}`, [table, row]);
    return row;
  }

  remove(table: TableName, id: string): void {
    this.#removed.push([table, id]);
  }

  /** For reading lists; rows put in this draft are not in them. */
  get tables(): Tables {
    return this.#tables;
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
  readonly #watchers: ((mode: Mode, table: TableName, row: Row) => void)[] = [];

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

  /** Told of every row put from now on, after it is in the books. */
  subscribe(watcher: (mode: Mode, table: TableName, row: Row) => void): void {
    this.#watchers.push(watcher);
  }

  /** Makes the draft's changes. They are on disk once `settled()` says so: nobody is told of them before. */
  commit(mode: Mode, changes: PendingChanges): void {
    const entry = changes.toJournalEntry(mode);
    if (entry === null) return;
    this.#journal.append(entry);
    this.#apply(entry);
  }

  /** Null: all that the books say is on disk. */
  flush(): Promise<void> | null {
    return this.#journal.flush();
  }

  #apply({ m, p = [], r = [] }: JournalEntry): void {
    const tables = this.#tables[m];
    for (const [name, row] of p) {
      (tables[name] as Table<Row>).put(row);
      for (const watcher of this.#watchers) watcher(m, name, row);
    }
    for (const [name, id] of r) tables[name].remove(id);
  }

  /** Rows never change in place, so a copy of the lists is a copy of the books; writing it out may take its time. */
  #snapshot(): Iterable<string> {
    const copies = (['test', 'live'] as const).flatMap((mode) =>
      TABLE_NAMES.map((name) => ({ mode, name, rows: this.#tables[mode][name].copyRows() as (Row | undefined)[] })),
    );
    return (function* () {
      for (const { mode, name, rows } of copies) {
        const live = rows.filter((row) => row !== undefined);
        for (let at = 0; at < live.length; at += ROWS_PER_SNAPSHOT_LINE) {
          const p = live.slice(at, at + ROWS_PER_SNAPSHOT_LINE).map((row) => [name, row] as const);
          yield JSON.stringify({ m: mode, p } satisfies JournalEntry);
        }
      }
    })();
  }
}
