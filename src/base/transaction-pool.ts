// The connections of transactions: each has one to itself while it runs. db.ts opens the pool.

import pg from 'pg';
import { systemMonotonicClock } from './clock.ts';
import { DatabaseClient, type DatabaseClientSettings } from './database-client.ts';
import type { PoolCounts, SilentServer } from './pipelined-pool.ts';

const IDLE_TIMEOUT_MS = 60_000;

export class TransactionPool {
  readonly #pool: pg.Pool;
  readonly #silent: SilentServer;
  readonly #openedAt = new WeakMap<object, number>();

  constructor(
    max: number,
    settings: DatabaseClientSettings,
    silent: SilentServer,
    onLost: ((error: Error) => void) | undefined,
  ) {
    this.#silent = silent;
    this.#pool = new pg.Pool({
      ...settings,
      Client: DatabaseClient as unknown as new () => pg.ClientBase,
      max,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
    });
    this.#pool.on('error', (error) => onLost?.(error));
    this.#pool.on('connect', (client) => {
      this.#openedAt.set(client, systemMonotonicClock.now());
      // A connection can break between the pool and its user, when neither listens; an unhandled 'error' would end the process.
      client.on('error', () => undefined);
    });
  }

  /** A connection that the caller releases. */
  async take(): Promise<pg.PoolClient> {
    let client = await this.#pool.connect();
    // At most as often as connections were open.
    while (this.#silent.isInDoubt(this.#openedAt.get(client) ?? 0)) {
      (client as unknown as DatabaseClient).destroy();
      client.release(true);
      client = await this.#pool.connect();
    }
    return client;
  }

  counts(): PoolCounts {
    const { options, totalCount, idleCount, waitingCount } = this.#pool;
    return { max: options.max, open: totalCount, busy: totalCount - idleCount, waiting: waitingCount };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
