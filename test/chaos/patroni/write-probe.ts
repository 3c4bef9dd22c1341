// Writes a row through HAProxy several times a second, and records for how long that was not possible: the time without
// a writable leader, as a client sees it.

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const EVERY_MS = 200;
const TIMEOUT_MS = 1_500;

/** From the last write that was acknowledged to the next one. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** Shorter gaps are pauses of a busy machine. */
export const MIN_OUTAGE_MS = 2_000;

export class WriteProbe {
  readonly #url: string;
  readonly #onOutage: (outage: Outage) => void;
  #isStopping = false;
  #running: Promise<void> = Promise.resolve();
  #lastAt = 0;

  constructor(url: string, onOutage: (outage: Outage) => void) {
    this.#url = url;
    this.#onOutage = onOutage;
  }

  /** When a write was last acknowledged. */
  get lastAt(): number {
    return this.#lastAt;
  }

  async start(): Promise<void> {
    const client = await this.#connect();
    if (client === null) throw new Error('the database does not answer through HAProxy');
    await client.query('create table if not exists probe (id integer primary key, at timestamptz)');
    await client.query('insert into probe values (1, now()) on conflict do nothing');
    await client.end();
    this.#lastAt = Date.now();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    let client: pg.Client | null = null;
    while (!this.#isStopping) {
      client ??= await this.#connect();
      if (client !== null && (await write(client))) this.#succeed();
      else if (client !== null) {
        client.end().catch(() => undefined);
        client = null;
      }
      await delay(EVERY_MS);
    }
    client?.end().catch(() => undefined);
  }

  #succeed(): void {
    const now = Date.now();
    if (now - this.#lastAt >= MIN_OUTAGE_MS) this.#onOutage({ from: this.#lastAt, to: now });
    this.#lastAt = now;
  }

  async #connect(): Promise<pg.Client | null> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      application_name: 'probe',
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch {
      client.end().catch(() => undefined);
      return null;
    }
  }
}

async function write(client: pg.Client): Promise<boolean> {
  try {
    const { rowCount } = await client.query('update probe set at = now() where id = 1');
    return rowCount === 1;
  } catch {
    return false;
  }
}
