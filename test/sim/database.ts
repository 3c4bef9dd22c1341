// The real database, with every statement and commit scheduled. A transaction has its own connection; statements that
// were queued together are sent in order, a random number of them at a time. A statement that waits for a lock stays
// blocked while other actors continue. Only one statement may be blocked: PostgreSQL would choose which of two
// continues first, and the run would not be repeatable. So a second one is canceled, and sent again after locks were
// released.

import type { QueryResult } from 'pg';
import { type Db, type Queryable, type Row, sqlState } from '../../src/base/db.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type DatabaseConnection, type SimulationEnvironment, type Statement, send, sendAll } from './environment.ts';
import { type Actor, type PendingAction, type Scheduler, Violation } from './scheduler.ts';
import { ALL_PARTS, changedBy, type SnapshotPart, type SnapshotTexts, snapshotStatement } from './snapshot.ts';

type Settled = PromiseSettledResult<QueryResult>;

interface QueuedStatement extends Statement {
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Statements that were sent on one connection. */
interface InFlight {
  readonly connection: DatabaseConnection;
  results: Settled[] | null;
  readonly allEnded: Promise<unknown>;
}

interface BlockedStatement {
  readonly inFlight: InFlight;
  readonly actor: Actor;
  readonly name: string;
  /** Parts that it changes when it continues; none in a transaction, before its commit. */
  readonly changed: readonly SnapshotPart[];
  readonly onResults: (results: Settled[]) => void;
}

export interface DatabaseSettings {
  readonly environment: SimulationEnvironment;
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  /** Changes statements, for planted bugs. */
  readonly change: StatementChange | null;
  /** Probability of a lost connection. */
  readonly lossRate: () => number;
  /** Called after every commit with the rows of the parts that it can have changed. */
  readonly onCommit: (texts: SnapshotTexts, isOneCommit: boolean) => void;
}

export interface StatementChange {
  readonly rewrite?: (text: string) => string;
  /** Returns true for a statement that is committed outside its transaction. */
  readonly commitsAlone?: (text: string) => boolean;
}

const MAX_TRIES = 4;
const LOCK_POLL_MS = 1;
/** A statement must end or wait for a lock within this time. */
const MAX_STATEMENT_MS = 120_000;

/** The statement may take or wait for locks; a plain select does neither. */
function mayLock(text: string): boolean {
  return changedBy(text) !== null || / for (no key update|update|share)\b/.test(text);
}

const shortNames = new Map<string, string>();

function shortName(text: string): string {
  let name = shortNames.get(text);
  if (name === undefined) {
    name = text.replace(/\s+/g, ' ').slice(0, 48);
    shortNames.set(text, name);
  }
  return name;
}

function connectionLost(): Error {
  return new Error('Connection terminated unexpectedly');
}

/** The rows of a statement that changes them have no fixed order, so they are sorted to make a seed repeatable. */
function sortedRows(text: string, result: QueryResult): Row[] {
  const rows = result.rows as Row[];
  if (rows.length < 2 || !/^\s*(with t as materialized|update)\b|from claim_queues\(/i.test(text)) return rows;
  return rows
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
}

export class Database {
  readonly #settings: DatabaseSettings;
  readonly #open = new Set<Transaction>();
  #blocked: BlockedStatement | null = null;
  /** Incremented each time locks are released. */
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
      background: { query },
      monitoring: { query },
      transaction: (work) => this.#transaction(actor, work),
      close: async () => undefined,
    };
  }

  get openTransactions(): number {
    return this.#open.size;
  }

  /** Rolls back all open transactions of an actor. */
  async abandonAll(actor: Actor): Promise<void> {
    for (const tx of [...this.#open]) if (tx.actor === actor) await this.abandon(tx);
  }

  /** Rolls back all open transactions at the end of a run. */
  async close(): Promise<void> {
    const open = [...this.#open].flatMap(({ connection }) => connection ?? []);
    const blocked = this.#blocked?.inFlight;
    await Promise.all(open.map((connection) => send(connection, { text: 'rollback', values: [] })));
    await blocked?.allEnded;
    this.#settings.environment.freeConnections.push(
      ...open,
      ...(blocked === undefined || open.includes(blocked.connection) ? [] : [blocked.connection]),
    );
  }

  isBlocked(actor: Actor): boolean {
    return this.#blocked?.actor === actor;
  }

  /** Ends open transactions, as PostgreSQL does after its idle time limit. */
  async endIdleTransactions(): Promise<void> {
    for (const tx of [...this.#open]) {
      if (this.#blocked !== null && this.#blocked.inFlight.connection === tx.connection) continue;
      tx.fail(connectionLost());
      await this.abandon(tx);
    }
  }

  async abandon(tx: Transaction): Promise<void> {
    this.#open.delete(tx);
    tx.isOver = true;
    if (tx.connection === null) return;
    const connection = tx.connection;
    tx.connection = null;
    await send(connection, { text: 'rollback', values: [] });
    this.#settings.environment.freeConnections.push(connection);
    await this.#afterRollback();
  }

  #takeConnection(): DatabaseConnection {
    const connection = this.#settings.environment.freeConnections.pop();
    if (connection === undefined) throw new Violation('the simulation has run out of connections');
    return connection;
  }

  #rewritten(text: string): string {
    return this.#settings.change?.rewrite?.(text) ?? text;
  }

  #single(actor: Actor, statement: string, values: readonly unknown[]): Promise<Row[]> {
    const text = this.#rewritten(statement);
    return new Promise((resolve, reject) => this.#enqueueSingle(actor, { text, values, resolve, reject }, -1));
  }

  #enqueueSingle(actor: Actor, statement: QueuedStatement, canceledAtEpoch: number): void {
    this.#settings.scheduler.enqueue({
      actor,
      label: () => shortName(statement.text),
      isReady: () => this.mayRetry(canceledAtEpoch),
      run: () => this.#sendSingle(actor, statement),
    });
  }

  mayRetry(canceledAtEpoch: number): boolean {
    return this.#epoch > canceledAtEpoch || this.#blocked === null;
  }

  async #sendSingle(actor: Actor, statement: QueuedStatement): Promise<void> {
    const { environment, random, lossRate, scheduler } = this.#settings;
    const isLost = random.often(lossRate());
    if (isLost && random.often(0.5)) {
      scheduler.log('  connection lost before the statement');
      statement.reject(connectionLost());
      return;
    }
    const connection = this.#takeConnection();
    const changed = changedBy(statement.text);
    const snapshotQueries =
      changed !== null && changed.length > 0 && this.#blocked === null ? [snapshotQuery(changed)] : [];
    const inFlight = this.#send(connection, [statement, ...snapshotQueries]);
    const onResults = (results: Settled[]): void => {
      environment.freeConnections.push(connection);
      if (isLost) {
        scheduler.log('  done, and its result lost');
        statement.reject(connectionLost());
      } else settleStatement(statement, results[0]);
    };
    const how = await this.#waitFor(inFlight, mayLock(statement.text));
    if (how === 'waits')
      return this.#block({ inFlight, actor, name: shortName(statement.text), changed: changed ?? [], onResults });
    if (how === 'canceled') await sendAllSettled(connection, [ABSORBS_A_LATE_CANCEL]);
    // PostgreSQL may have ended the wait itself before the cancellation came.
    if (how === 'canceled' && inFlight.results?.some(wasCanceled)) {
      scheduler.log('  canceled: it would wait for a lock too');
      environment.freeConnections.push(connection);
      this.#enqueueSingle(actor, statement, this.#epoch);
      return;
    }
    const results = inFlight.results ?? [];
    // Report the commit before the actor continues, so that it sees the state after the commit.
    if (changed !== null) await this.#afterCommit(changed, results[1]);
    onResults(results);
  }

  #reportCommit(result: Settled): void {
    if (result.status !== 'fulfilled') throw new Violation(`the snapshot failed: ${String(result.reason)}`);
    this.#settings.onCommit(result.value.rows[0] as SnapshotTexts, true);
  }

  #send(connection: DatabaseConnection, list: readonly Statement[]): InFlight {
    const ended = sendAllSettled(connection, list);
    const inFlight: InFlight = { connection, results: null, allEnded: ended };
    ended.then((results) => {
      inFlight.results = results;
    });
    return inFlight;
  }

  async #waitFor(inFlight: InFlight, takesLocks: boolean): Promise<'ended' | 'waits' | 'canceled'> {
    const { environment } = this.#settings;
    const others =
      this.#blocked !== null || [...this.#open].some((tx) => tx.hasLocks && tx.connection !== inFlight.connection);
    if (!takesLocks || !others) {
      await inFlight.allEnded;
      return 'ended';
    }
    for (const deadline = Date.now() + MAX_STATEMENT_MS; Date.now() < deadline; ) {
      await waitAtMost(inFlight.allEnded, LOCK_POLL_MS);
      if (inFlight.results !== null) return 'ended';
      const { pid } = inFlight.connection;
      const before = this.#blocked?.inFlight.connection.pid;
      const blockers = await environment.blockers(before === undefined ? [pid] : [pid, before]);
      if (inFlight.results !== null) return 'ended';
      if (!blockers.has(pid)) continue;
      if (before === undefined) return 'waits';
      // Each waits for the other: PostgreSQL cancels this one itself.
      if (blockers.get(pid)?.includes(before) && blockers.get(before)?.includes(pid)) continue;
      await environment.cancel(pid);
      await inFlight.allEnded;
      return 'canceled';
    }
    throw new Error(`a statement neither ended nor waited for a lock within ${MAX_STATEMENT_MS} ms`);
  }

  #block(blocked: BlockedStatement): void {
    this.#settings.scheduler.log('  waits for a lock');
    this.#blocked = blocked;
  }

  /** Called after locks were released: lets the blocked statement continue if nothing blocks it. */
  async #unblock(): Promise<void> {
    const { environment, scheduler } = this.#settings;
    const blocked = this.#blocked;
    this.#epoch++;
    if (blocked === null) return;
    for (const deadline = Date.now() + MAX_STATEMENT_MS; blocked.inFlight.results === null; ) {
      if (Date.now() > deadline)
        throw new Error(`a statement that waits for no lock did not end within ${MAX_STATEMENT_MS} ms`);
      const blockers = await environment.blockers([blocked.inFlight.connection.pid]);
      if (blockers.size > 0) break;
      await waitAtMost(blocked.inFlight.allEnded, 1);
    }
    if (blocked.inFlight.results === null) return;
    this.#blocked = null;
    scheduler.log(`  ${blocked.actor.name} continues: ${blocked.name}`);
  }

  /**
   * After a commit: lets the blocked statement continue, reports the new state, then returns the statement's results.
   */
  async #afterCommit(changed: readonly SnapshotPart[], texts: Settled | undefined): Promise<void> {
    const { environment, onCommit } = this.#settings;
    const before = this.#blocked;
    await this.#unblock();
    const unblocked = before !== null && this.#blocked === null ? before : null;
    const all = new Set([...changed, ...(unblocked?.changed ?? [])]);
    if (texts !== undefined) this.#reportCommit(texts);
    else if (all.size > 0)
      onCommit(await environment.readSnapshot(ALL_PARTS.filter((part) => all.has(part))), unblocked === null);
    unblocked?.onResults(unblocked.inFlight.results ?? []);
  }

  /** After a rollback. */
  async #afterRollback(): Promise<void> {
    const before = this.#blocked;
    await this.#unblock();
    if (before === null || this.#blocked !== null) return;
    // The blocked statement may have been one outside a transaction, which commits by itself.
    if (before.changed.length > 0)
      this.#settings.onCommit(await this.#settings.environment.readSnapshot(before.changed), false);
    before.onResults(before.inFlight.results ?? []);
  }

  async #transaction<T>(actor: Actor, work: (tx: Queryable) => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const tx = new Transaction(this, actor, this.#settings);
      try {
        const query = <R extends object = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
          tx.query(this.#rewritten(text), values) as Promise<unknown> as Promise<R[]>;
        const done = await work({ query });
        await tx.end('commit');
        return done;
      } catch (error) {
        await tx.end('rollback').catch(() => undefined);
        if (attempt === MAX_TRIES || !['40001', '40P01'].includes(sqlState(error))) throw error;
      }
    }
    throw new Error('unreachable: the last attempt returns or throws');
  }

  /** Sends a random number of the transaction's queued statements. */
  async sendQueued(tx: Transaction): Promise<void> {
    const { random, lossRate, scheduler } = this.#settings;
    if (random.often(lossRate())) {
      scheduler.log('  connection lost');
      tx.fail(connectionLost());
      await this.abandon(tx);
      return;
    }
    const count = random.often(0.6) ? tx.queue.length : random.between(1, tx.queue.length);
    const list = tx.queue.splice(0, count);
    const takesLocks = list.some(({ text }) => mayLock(text));
    const first: Statement[] = tx.connection === null ? [{ text: 'begin', values: [] }] : [];
    if (this.#blocked !== null && takesLocks) first.push({ text: 'savepoint s', values: [] });
    if (tx.connection === null) {
      tx.connection = this.#takeConnection();
      this.#open.add(tx);
    }
    tx.hasLocks ||= takesLocks;
    for (const { text } of list) tx.addChanges(changedBy(text));
    const inFlight = this.#send(tx.connection, [...first, ...list]);
    const onResults = (results: Settled[]): void => {
      assertFulfilled(results.slice(0, first.length));
      for (const [at, statement] of list.entries()) settleStatement(statement, results[at + first.length]);
      tx.enqueueNext();
    };
    const how = await this.#waitFor(inFlight, takesLocks);
    if (how === 'ended') return onResults(inFlight.results ?? []);
    if (how === 'waits') {
      return this.#block({ inFlight, actor: tx.actor, name: shortName(list[0]?.text ?? ''), changed: [], onResults });
    }
    scheduler.log('  canceled: it would wait for a lock too');
    assertFulfilled(inFlight.results?.slice(0, first.length) ?? []);
    const rollback = { text: 'rollback to savepoint s', values: [] };
    const undone = await sendAllSettled(tx.connection, [rollback, ABSORBS_A_LATE_CANCEL, rollback]);
    assertFulfilled(undone.slice(-1));
    tx.queue.unshift(...list);
    tx.canceledAtEpoch = this.#epoch;
    tx.enqueueNext();
  }

  async commit(tx: Transaction): Promise<void> {
    const { environment, random, lossRate, scheduler } = this.#settings;
    const connection = tx.connection;
    if (connection === null) return tx.ended?.resolve();
    const isLost = random.often(lossRate());
    if (isLost && random.often(0.5)) {
      scheduler.log('  connection lost before the commit');
      tx.fail(connectionLost());
      await this.abandon(tx);
      return;
    }
    const changed = tx.changed === null ? null : ALL_PARTS.filter((part) => tx.changed?.has(part));
    const snapshotQueries =
      changed !== null && changed.length > 0 && this.#blocked === null ? [snapshotQuery(changed)] : [];
    const inFlight = this.#send(connection, [{ text: 'commit', values: [] }, ...snapshotQueries]);
    await inFlight.allEnded;
    const [committed, texts] = inFlight.results ?? [];
    this.#open.delete(tx);
    tx.isOver = true;
    tx.connection = null;
    environment.freeConnections.push(connection);
    if (changed !== null) await this.#afterCommit(changed, texts);
    else await this.#afterRollback();
    if (isLost) {
      scheduler.log('  committed, and its result lost');
      tx.fail(connectionLost());
    } else if (committed?.status === 'rejected') tx.fail(committed.reason);
    else if (committed?.value.command !== 'COMMIT') tx.fail(new Error('the transaction had already failed'));
    else tx.ended?.resolve();
  }

  /** With a planted bug, some statements of a transaction are committed outside it. */
  commitsAlone(text: string): boolean {
    return this.#settings.change?.commitsAlone?.(text) === true;
  }

  sendAlone(actor: Actor, text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#single(actor, text, values);
  }
}

function snapshotQuery(parts: readonly SnapshotPart[]): Statement {
  return { text: snapshotStatement(parts), values: [] };
}

/** A cancellation that comes after its statement has ended hits the next one of the connection. */
const ABSORBS_A_LATE_CANCEL: Statement = { text: 'select 1', values: [] };

const wasCanceled = (result: Settled): boolean => result.status === 'rejected' && sqlState(result.reason) === '57014';

function sendAllSettled(connection: DatabaseConnection, list: readonly Statement[]): Promise<Settled[]> {
  return Promise.allSettled(sendAll(connection, list));
}

/** Of the statements that the simulation adds itself: the actor's own fail later, with an error that does not say why. */
function assertFulfilled(results: readonly Settled[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function settleStatement(statement: QueuedStatement, result: Settled | undefined): void {
  if (result === undefined) statement.reject(connectionLost());
  else if (result.status === 'rejected') statement.reject(result.reason);
  else statement.resolve(sortedRows(statement.text, result.value));
}

/** Waits until all have ended, at most this long. setImmediate lets results that have arrived be processed first. */
async function waitAtMost(ended: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => setImmediate(resolve), ms);
  });
  await Promise.race([ended, timeout]);
  clearTimeout(timer);
}

export class Transaction {
  readonly actor: Actor;
  connection: DatabaseConnection | null = null;
  /** Another transaction may have to wait for it. */
  hasLocks = false;
  /** Parts that its commit may change; null if it has written nothing. */
  changed: Set<SnapshotPart> | null = null;
  isOver = false;
  canceledAtEpoch = -1;
  queue: QueuedStatement[] = [];
  ended: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  readonly #database: Database;
  readonly #scheduler: Scheduler;
  #pending: PendingAction | null = null;
  #error: unknown = null;
  #ending: 'commit' | 'rollback' | null = null;

  constructor(database: Database, actor: Actor, settings: DatabaseSettings) {
    this.#database = database;
    this.actor = actor;
    this.#scheduler = settings.scheduler;
  }

  query(text: string, values: readonly unknown[]): Promise<Row[]> {
    if (this.#error !== null) return Promise.reject(this.#error);
    if (this.#database.commitsAlone(text)) return this.#database.sendAlone(this.actor, text, values);
    return new Promise((resolve, reject) => {
      this.queue.push({ text, values, resolve, reject });
      if (this.#pending === null) this.enqueueNext();
    });
  }

  addChanges(parts: readonly SnapshotPart[] | null): void {
    if (parts !== null) this.changed = new Set([...(this.changed ?? []), ...parts]);
  }

  end(how: 'commit' | 'rollback'): Promise<void> {
    if (this.#error !== null || this.isOver) {
      return how === 'commit' ? Promise.reject(this.#error) : Promise.resolve();
    }
    if (how === 'rollback') this.queue = [];
    this.#ending = how;
    return new Promise((resolve, reject) => {
      this.ended = { resolve, reject };
      if (this.#pending === null) this.enqueueNext();
    });
  }

  /** Queues the transaction's next action, if there is one. */
  enqueueNext(): void {
    this.#pending = null;
    if (this.isOver || (this.queue.length === 0 && this.#ending === null)) return;
    const action: PendingAction = {
      actor: this.actor,
      label: () => (this.queue.length > 0 ? shortName(this.queue[0]?.text ?? '') : (this.#ending ?? '')),
      isReady: () => this.#database.mayRetry(this.canceledAtEpoch),
      run: () => this.#runNext(),
    };
    this.#pending = action;
    this.#scheduler.enqueue(action);
  }

  async #runNext(): Promise<void> {
    if (this.queue.length > 0) return this.#database.sendQueued(this);
    if (this.#ending === 'commit') return this.#database.commit(this);
    await this.#database.abandon(this);
    this.ended?.resolve();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.isOver = true;
    if (this.#pending !== null) this.#scheduler.remove(this.#pending);
    this.#pending = null;
    for (const statement of this.queue.splice(0)) statement.reject(error);
    this.ended?.reject(error);
  }
}
