// The database as an actor sees it: the real one, with every statement and every commit waiting for the scheduler. A
// transaction has a connection of its own; statements sent together are sent on in their order, as many at once as chance
// says. A statement that waits for a lock is left waiting, as it would be, and the others go on. Only one at a time is:
// which of two would be woken first is PostgreSQL's affair and would not repeat, so a second one is taken back, and sent
// again after locks were let go.

import type { QueryResult } from 'pg';
import { type Db, type Queryable, type Row, sqlState } from '../../src/base/db.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type DatabaseConnection, type SimulationEnvironment, type Statement, send, sendAll } from './environment.ts';
import { type Actor, type PendingAction, type Scheduler, Violation } from './scheduler.ts';
import { ALL_PARTS, changedBy, type Look, type Part, snapshotStatement } from './snapshot.ts';

type Settled = PromiseSettledResult<QueryResult>;

interface Asked extends Statement {
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Statements that are under way on one connection. */
interface Flight {
  readonly line: DatabaseConnection;
  results: Settled[] | null;
  readonly ended: Promise<unknown>;
}

interface Stuck {
  readonly flight: Flight;
  readonly actor: Actor;
  readonly name: string;
  /** What has changed once it goes on: of a transaction nothing, before it is committed. */
  readonly changed: readonly Part[];
  readonly land: (results: Settled[]) => void;
}

export interface DatabaseSettings {
  readonly environment: SimulationEnvironment;
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  /** Changes a statement on its way, or sends it astray: for bugs that are planted. */
  readonly plant: Plant | null;
  /** How often a connection is lost. */
  readonly lossy: () => number;
  /** Told of the state after every commit: of whatever that commit can have changed. */
  readonly onCommit: (look: Look, isOneCommit: boolean) => void;
}

export interface Plant {
  readonly text?: (text: string) => string;
  /** True: this statement of a transaction is committed by itself. */
  readonly astray?: (text: string) => boolean;
}

const TRIES = 4;
const PATIENCE_MS = 1;
/** A statement that neither ends nor waits for a lock by then is a fault of PostgreSQL or of the machine. */
const MAX_STATEMENT_MS = 120_000;

/** Takes locks that another transaction may wait for, or waits for theirs; a plain select does neither. */
function locks(text: string): boolean {
  return changedBy(text) !== null || / for (no key )?update\b/.test(text);
}

const shortened = new Map<string, string>();

function short(text: string): string {
  let name = shortened.get(text);
  if (name === undefined) {
    name = text.replace(/\s+/g, ' ').slice(0, 48);
    shortened.set(text, name);
  }
  return name;
}

function lost(): Error {
  return new Error('Connection terminated unexpectedly');
}

/** Rows come in no particular order from a statement that changes them: an order of our own, so that a seed repeats. */
function rowsOf(text: string, result: QueryResult): Row[] {
  const rows = result.rows as Row[];
  if (rows.length < 2 || !/^\s*(with t as materialized|update)\b/i.test(text)) return rows;
  return rows
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
}

export class Database {
  readonly #settings: DatabaseSettings;
  readonly #open = new Set<Transaction>();
  #stuck: Stuck | null = null;
  /** Counts how often locks were let go. */
  #epoch = 0;

  constructor(settings: DatabaseSettings) {
    this.#settings = settings;
  }

  for(actor: Actor): Db {
    const query = <R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
      this.#single(actor, text, values) as Promise<unknown> as Promise<R[]>;
    return {
      query,
      priority: { query },
      transaction: (work) => this.#transaction(actor, work),
      close: async () => undefined,
    };
  }

  get openTransactions(): number {
    return this.#open.size;
  }

  /** Its connections go, and with them what was not committed. */
  async forget(actor: Actor): Promise<void> {
    for (const tx of [...this.#open]) if (tx.actor === actor) await this.abandon(tx);
  }

  /** The end of a run: whatever is open is rolled back, whoever waits for whom. */
  async close(): Promise<void> {
    const open = [...this.#open].flatMap(({ line }) => line ?? []);
    const stuck = this.#stuck?.flight;
    await Promise.all(open.map((line) => send(line, { text: 'rollback', values: [] })));
    await stuck?.ended;
    this.#settings.environment.free.push(
      ...open,
      ...(stuck === undefined || open.includes(stuck.line) ? [] : [stuck.line]),
    );
  }

  isStuck(actor: Actor): boolean {
    return this.#stuck?.actor === actor;
  }

  /** What happens to transactions that stay open while much time passes: PostgreSQL ends them. */
  async endIdle(): Promise<void> {
    for (const tx of [...this.#open]) {
      if (this.#stuck !== null && this.#stuck.flight.line === tx.line) continue;
      tx.fail(lost());
      await this.abandon(tx);
    }
  }

  async abandon(tx: Transaction): Promise<void> {
    this.#open.delete(tx);
    tx.over = true;
    if (tx.line === null) return;
    const line = tx.line;
    tx.line = null;
    await send(line, { text: 'rollback', values: [] });
    this.#settings.environment.free.push(line);
    await this.#undone();
  }

  #take(): DatabaseConnection {
    const line = this.#settings.environment.free.pop();
    if (line === undefined) throw new Violation('the simulation has run out of connections');
    return line;
  }

  #planted(text: string): string {
    return this.#settings.plant?.text?.(text) ?? text;
  }

  #single(actor: Actor, asked: string, values: readonly unknown[]): Promise<Row[]> {
    const text = this.#planted(asked);
    return new Promise((resolve, reject) => this.#enqueueSingle(actor, { text, values, resolve, reject }, -1));
  }

  #enqueueSingle(actor: Actor, asked: Asked, takenBackAt: number): void {
    this.#settings.scheduler.enqueue({
      actor,
      label: () => short(asked.text),
      ready: () => this.mayTryAgain(takenBackAt),
      grant: () => this.#sendSingle(actor, asked),
    });
  }

  mayTryAgain(takenBackAt: number): boolean {
    return this.#epoch > takenBackAt || this.#stuck === null;
  }

  async #sendSingle(actor: Actor, asked: Asked): Promise<void> {
    const { environment, random, lossy, scheduler } = this.#settings;
    const isLost = random.often(lossy());
    if (isLost && random.often(0.5)) {
      scheduler.note('  lost before it arrived');
      asked.reject(lost());
      return;
    }
    const line = this.#take();
    const changed = changedBy(asked.text);
    const looks = changed !== null && changed.length > 0 && this.#stuck === null ? [lookFor(changed)] : [];
    const flight = this.#fly(line, [asked, ...looks]);
    const land = (results: Settled[]): void => {
      environment.free.push(line);
      if (isLost) {
        scheduler.note('  done, and its answer lost');
        asked.reject(lost());
      } else deliver(asked, results[0]);
    };
    const how = await this.#ended(flight, locks(asked.text));
    if (how === 'waits') return this.#hold({ flight, actor, name: short(asked.text), changed: changed ?? [], land });
    if (how === 'taken back') {
      scheduler.note('  would wait for a lock as well');
      environment.free.push(line);
      this.#enqueueSingle(actor, asked, this.#epoch);
      return;
    }
    const results = flight.results ?? [];
    // Whoever is answered must find the world as it is after that.
    if (changed !== null) await this.#committed(changed, results[1]);
    land(results);
  }

  #tellOf(result: Settled): void {
    if (result.status !== 'fulfilled') throw new Violation(`no snapshot: ${String(result.reason)}`);
    this.#settings.onCommit(result.value.rows[0] as Look, true);
  }

  #fly(line: DatabaseConnection, list: readonly Statement[]): Flight {
    const ended = Promise.allSettled(sendAll(line, list));
    const flight: Flight = { line, results: null, ended };
    ended.then((results) => {
      flight.results = results;
    });
    return flight;
  }

  async #ended(flight: Flight, takesLocks: boolean): Promise<'ended' | 'waits' | 'taken back'> {
    const { environment } = this.#settings;
    const others = this.#stuck !== null || [...this.#open].some((tx) => tx.locks && tx.line !== flight.line);
    if (!takesLocks || !others) {
      await flight.ended;
      return 'ended';
    }
    for (const deadline = Date.now() + MAX_STATEMENT_MS; Date.now() < deadline; ) {
      await within(flight.ended, PATIENCE_MS);
      if (flight.results !== null) return 'ended';
      const { pid } = flight.line;
      const before = this.#stuck?.flight.line.pid;
      const blockers = await environment.blockers(before === undefined ? [pid] : [pid, before]);
      if (flight.results !== null) return 'ended';
      if (!blockers.has(pid)) continue;
      if (before === undefined) return 'waits';
      // Each waits for the other: PostgreSQL ends this one itself.
      if (blockers.get(pid)?.includes(before) && blockers.get(before)?.includes(pid)) continue;
      await environment.cancel(pid);
      await flight.ended;
      return 'taken back';
    }
    throw new Error(`a statement neither ended nor waited for a lock within ${MAX_STATEMENT_MS} ms`);
  }

  #hold(stuck: Stuck): void {
    this.#settings.scheduler.note('  waits for a lock');
    this.#stuck = stuck;
  }

  /** Locks were let go: whoever waited for them goes on. Answers whether somebody did. */
  async #unblock(): Promise<void> {
    const { environment, scheduler } = this.#settings;
    const stuck = this.#stuck;
    this.#epoch++;
    if (stuck === null) return;
    for (const deadline = Date.now() + MAX_STATEMENT_MS; stuck.flight.results === null; ) {
      if (Date.now() > deadline)
        throw new Error(`a statement that waits for no lock did not end within ${MAX_STATEMENT_MS} ms`);
      const blockers = await environment.blockers([stuck.flight.line.pid]);
      if (blockers.size > 0) break;
      await within(stuck.flight.ended, 1);
    }
    if (stuck.flight.results === null) return;
    this.#stuck = null;
    scheduler.note(`  ${stuck.actor.name} goes on: ${stuck.name}`);
  }

  /** After a commit: what waited for it, the state as it is now, and whoever waited is answered. */
  async #committed(changed: readonly Part[], look: Settled | undefined): Promise<void> {
    const { environment, onCommit } = this.#settings;
    const before = this.#stuck;
    await this.#unblock();
    const landed = before !== null && this.#stuck === null ? before : null;
    const all = new Set([...changed, ...(landed?.changed ?? [])]);
    if (look !== undefined) this.#tellOf(look);
    else if (all.size > 0) onCommit(await environment.look(ALL_PARTS.filter((part) => all.has(part))), landed === null);
    landed?.land(landed.flight.results ?? []);
  }

  /** After a rollback. */
  async #undone(): Promise<void> {
    const before = this.#stuck;
    await this.#unblock();
    if (before === null || this.#stuck !== null) return;
    // What waited may have been a statement that committed itself.
    if (before.changed.length > 0)
      this.#settings.onCommit(await this.#settings.environment.look(before.changed), false);
    before.land(before.flight.results ?? []);
  }

  async #transaction<T>(actor: Actor, work: (tx: Queryable) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const tx = new Transaction(this, actor, this.#settings);
      try {
        const query = <R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
          tx.ask(this.#planted(text), values) as Promise<unknown> as Promise<R[]>;
        const done = await work({ query });
        await tx.end('commit');
        return done;
      } catch (error) {
        await tx.end('rollback').catch(() => undefined);
        if (attempt === TRIES || !['40001', '40P01'].includes(sqlState(error))) throw error;
      }
    }
    throw new Error('unreachable: the last attempt returns or throws');
  }

  /** As many of a transaction's statements as chance says. */
  async sendOn(tx: Transaction): Promise<void> {
    const { random, lossy, scheduler } = this.#settings;
    if (random.often(lossy())) {
      scheduler.note('  its connection is lost');
      tx.fail(lost());
      await this.abandon(tx);
      return;
    }
    const count = random.often(0.6) ? tx.queue.length : random.between(1, tx.queue.length);
    const list = tx.queue.splice(0, count);
    const takesLocks = list.some(({ text }) => locks(text));
    const first: Statement[] = tx.line === null ? [{ text: 'begin', values: [] }] : [];
    if (this.#stuck !== null && takesLocks) first.push({ text: 'savepoint s', values: [] });
    if (tx.line === null) {
      tx.line = this.#take();
      this.#open.add(tx);
    }
    tx.locks ||= takesLocks;
    for (const { text } of list) tx.changes(changedBy(text));
    const flight = this.#fly(tx.line, [...first, ...list]);
    const land = (results: Settled[]): void => {
      for (const [at, asked] of list.entries()) deliver(asked, results[at + first.length]);
      tx.enqueueNext();
    };
    const how = await this.#ended(flight, takesLocks);
    if (how === 'ended') return land(flight.results ?? []);
    if (how === 'waits') {
      return this.#hold({ flight, actor: tx.actor, name: short(list[0]?.text ?? ''), changed: [], land });
    }
    scheduler.note('  would wait for a lock as well');
    await send(tx.line, { text: 'rollback to savepoint s', values: [] });
    tx.queue.unshift(...list);
    tx.takenBackAt = this.#epoch;
    tx.enqueueNext();
  }

  async commit(tx: Transaction): Promise<void> {
    const { environment, random, lossy, scheduler } = this.#settings;
    const line = tx.line;
    if (line === null) return tx.ended?.resolve();
    const isLost = random.often(lossy());
    if (isLost && random.often(0.5)) {
      scheduler.note('  its connection is lost before the commit');
      tx.fail(lost());
      await this.abandon(tx);
      return;
    }
    const changed = tx.changed === null ? null : ALL_PARTS.filter((part) => tx.changed?.has(part));
    const looks = changed !== null && changed.length > 0 && this.#stuck === null ? [lookFor(changed)] : [];
    const flight = this.#fly(line, [{ text: 'commit', values: [] }, ...looks]);
    await flight.ended;
    const [committed, look] = flight.results ?? [];
    this.#open.delete(tx);
    tx.over = true;
    tx.line = null;
    environment.free.push(line);
    if (changed !== null) await this.#committed(changed, look);
    else await this.#undone();
    if (isLost) {
      scheduler.note('  committed, and the answer lost');
      tx.fail(lost());
    } else if (committed?.status === 'rejected') tx.fail(committed.reason);
    else if (committed?.value.command !== 'COMMIT') tx.fail(new Error('the transaction had failed before'));
    else tx.ended?.resolve();
  }

  /** A statement of a transaction that is committed by itself: only where a bug is planted. */
  isAstray(text: string): boolean {
    return this.#settings.plant?.astray?.(text) === true;
  }

  sendAstray(actor: Actor, text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#single(actor, text, values);
  }
}

function lookFor(parts: readonly Part[]): Statement {
  return { text: snapshotStatement(parts), values: [] };
}

function deliver(asked: Asked, result: Settled | undefined): void {
  if (result === undefined) asked.reject(lost());
  else if (result.status === 'rejected') asked.reject(result.reason);
  else asked.resolve(rowsOf(asked.text, result.value));
}

/** Until it has ended, or so long, with whatever has arrived by then taken in. */
async function within(ended: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), ms);
  });
  await Promise.race([ended, late]);
  clearTimeout(timer);
}

export class Transaction {
  readonly actor: Actor;
  line: DatabaseConnection | null = null;
  /** Whether somebody may have to wait for it. */
  locks = false;
  /** What its commit may change; null: it has written nothing. */
  changed: Set<Part> | null = null;
  over = false;
  takenBackAt = -1;
  queue: Asked[] = [];
  ended: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  readonly #database: Database;
  readonly #scheduler: Scheduler;
  #pending: PendingAction | null = null;
  #broken: unknown = null;
  #last: 'commit' | 'rollback' | null = null;

  constructor(database: Database, actor: Actor, settings: DatabaseSettings) {
    this.#database = database;
    this.actor = actor;
    this.#scheduler = settings.scheduler;
  }

  ask(text: string, values: readonly unknown[]): Promise<Row[]> {
    if (this.#broken !== null) return Promise.reject(this.#broken);
    if (this.#database.isAstray(text)) return this.#database.sendAstray(this.actor, text, values);
    return new Promise((resolve, reject) => {
      this.queue.push({ text, values, resolve, reject });
      if (this.#pending === null) this.enqueueNext();
    });
  }

  changes(parts: readonly Part[] | null): void {
    if (parts !== null) this.changed = new Set([...(this.changed ?? []), ...parts]);
  }

  end(how: 'commit' | 'rollback'): Promise<void> {
    if (this.#broken !== null || this.over) {
      return how === 'commit' ? Promise.reject(this.#broken) : Promise.resolve();
    }
    if (how === 'rollback') this.queue = [];
    this.#last = how;
    return new Promise((resolve, reject) => {
      this.ended = { resolve, reject };
      if (this.#pending === null) this.enqueueNext();
    });
  }

  /** Asks for its next turn, when there is something to do. */
  enqueueNext(): void {
    this.#pending = null;
    if (this.over || (this.queue.length === 0 && this.#last === null)) return;
    const action: PendingAction = {
      actor: this.actor,
      label: () => (this.queue.length > 0 ? short(this.queue[0]?.text ?? '') : (this.#last ?? '')),
      ready: () => this.#database.mayTryAgain(this.takenBackAt),
      grant: () => this.#go(),
    };
    this.#pending = action;
    this.#scheduler.enqueue(action);
  }

  async #go(): Promise<void> {
    if (this.queue.length > 0) return this.#database.sendOn(this);
    if (this.#last === 'commit') return this.#database.commit(this);
    await this.#database.abandon(this);
    this.ended?.resolve();
  }

  fail(error: unknown): void {
    this.#broken = error;
    this.over = true;
    if (this.#pending !== null) this.#scheduler.withdraw(this.#pending);
    this.#pending = null;
    for (const asked of this.queue.splice(0)) asked.reject(error);
    this.ended?.reject(error);
  }
}
