// A few connections with many statements in flight on each. A broken connection is replaced at its next use, and so is
// one to a server that no longer answers. db.ts opens the pools.

import type pg from 'pg';
import { systemMonotonicClock } from './clock.ts';
import { DatabaseClient, type DatabaseClientSettings } from './database-client.ts';

export interface Connection {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
}

export interface PoolCounts {
  readonly max: number;
  readonly open: number;
  /** Statements in flight, or transactions that hold a connection. */
  readonly busy: number;
  /** Transactions that wait for a connection. */
  readonly waiting: number;
}

/** The driver's own message of a statement without an answer. */
const NO_ANSWER = 'Query read timeout';

/**
 * Knows since when connections are suspect. A statement got no answer in time, and PostgreSQL ends slow statements earlier: so
 * its server has gone without closing the connection (cut off, or its machine is), and every connection that is older may
 * lead there too. Without
 * this each of them would cost another statement its whole time-out.
 */
export class SilentServer {
  #since = Number.NEGATIVE_INFINITY;

  /** Runs a statement; if it has no answer, what was opened before it is suspect. */
  async watch<T>(statement: () => Promise<T>): Promise<T> {
    const sentAt = systemMonotonicClock.now();
    try {
      return await statement();
    } catch (error) {
      if (error instanceof Error && error.message === NO_ANSWER) this.#since = Math.max(this.#since, sentAt);
      throw error;
    }
  }

  isInDoubt(openedAt: number): boolean {
    return openedAt <= this.#since;
  }
}

/** The driver's own message. */
const POOL_CLOSED = 'Cannot use a pool after calling end on the pool';

/** The next statement uses the connection with the fewest in flight. */
export class PipelinedPool {
  readonly size: number;
  readonly #settings: DatabaseClientSettings;
  readonly #silent: SilentServer;
  readonly #onLost: ((error: Error) => void) | undefined;
  readonly #connections: PipelinedConnection[] = [];
  #isClosed = false;

  constructor(size: number, settings: DatabaseClientSettings, silent: SilentServer, onLost?: (error: Error) => void) {
    this.size = size;
    this.#settings = settings;
    this.#silent = silent;
    this.#onLost = onLost;
  }

  next(): Connection {
    if (this.#isClosed) throw new Error(POOL_CLOSED);
    let best: PipelinedConnection | undefined;
    for (const connection of this.#connections) {
      if (this.#silent.isInDoubt(connection.openedAt)) return this.#replaceDoubtful();
      if (best === undefined || connection.inFlight < best.inFlight) best = connection;
    }
    if (best === undefined || (best.inFlight > 0 && this.#connections.length < this.size)) {
      best = this.#open();
    }
    return best;
  }

  #replaceDoubtful(): Connection {
    for (const connection of [...this.#connections]) {
      if (!this.#silent.isInDoubt(connection.openedAt)) continue;
      this.#remove(connection);
      connection.abandon();
    }
    return this.next();
  }

  counts(): PoolCounts {
    const busy = this.#connections.reduce((sum, { inFlight }) => sum + inFlight, 0);
    return { max: this.size, open: this.#connections.length, busy, waiting: 0 };
  }

  #open(): PipelinedConnection {
    const connection = new PipelinedConnection(this.#settings, this.#silent, (error) => {
      this.#remove(connection);
      if (error !== null) this.#onLost?.(error);
    });
    this.#connections.push(connection);
    return connection;
  }

  #remove(connection: PipelinedConnection): void {
    const index = this.#connections.indexOf(connection);
    if (index >= 0) this.#connections.splice(index, 1);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#connections.splice(0).map((connection) => connection.close()));
  }
}

class PipelinedConnection implements Connection {
  inFlight = 0;
  readonly openedAt = systemMonotonicClock.now();
  readonly #ready: Promise<void>;
  readonly #client: DatabaseClient;
  readonly #silent: SilentServer;
  #isAbandoned = false;

  constructor(settings: DatabaseClientSettings, silent: SilentServer, onConnectionLost: (error: Error | null) => void) {
    this.#silent = silent;
    this.#client = new DatabaseClient(settings);
    this.#client.on('error', onConnectionLost);
    this.#client.on('end', () => onConnectionLost(null));
    this.#ready = this.#client.connect().then(
      () => undefined,
      (error: Error) => {
        onConnectionLost(null);
        throw error;
      },
    );
  }

  /** Counts from the call on: a statement that is about to be sent must not look like an idle connection to the next. */
  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    this.inFlight++;
    try {
      await this.#ready;
      return await this.#silent.watch(() => this.#client.query(config));
    } finally {
      this.inFlight--;
      if (this.#isAbandoned) this.abandon();
    }
  }

  /** Gets no more statements, and is closed after those in flight, which may be answered after all. */
  abandon(): void {
    this.#isAbandoned = true;
    if (this.inFlight === 0) this.#client.destroy();
  }

  async close(): Promise<void> {
    await this.#ready.catch(() => undefined);
    await this.#client.end();
  }
}
