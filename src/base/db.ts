// The one home of the database. Single statements go down a few pipelined connections (many at once on each, no waiting
// for a free one); transactions take a connection of their own. No session state is left behind, so the same code runs
// behind PgBouncer in transaction mode. Times come back as ISO 8601 text in UTC with microseconds, never as Date.

import { createHash } from 'node:crypto';
import pg from 'pg';

export type Row = Record<string, unknown>;

export interface Queryable {
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

export interface Db extends Queryable {
  /** The same, on connections that nothing slow ever uses: what every request needs cannot wait behind a list. */
  readonly pipelined: Queryable;
  /** One transaction: committed when `work` resolves, rolled back when it throws. Tried again after a deadlock. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DbOptions {
  readonly url: string;
  readonly connections: number;
  /** Behind a pooler in transaction mode: no prepared statements, no settings of the session. */
  readonly pooled: boolean;
  readonly applicationName: string;
  /** Told of a connection that broke while idle; the next statement opens another. */
  readonly onLost?: (error: Error) => void;
  /** Told of every statement, so that a test can count round trips. */
  readonly onStatement?: (text: string) => void;
}

const STATEMENT_MS = 15_000;
const SINGLE_MS = 8_000;
const CONNECT_MS = 5_000;
const BEGIN =
  "begin; set local statement_timeout = '10s'; set local lock_timeout = '3s'; set local idle_in_transaction_session_timeout = '15s'";
const TRIES = 4;

const TIMESTAMPTZ = 1184;
const INT8 = 20;

/** `2026-11-15 15:31:36.5+00` as PostgreSQL prints it, to `2026-11-15T15:31:36.500000Z`. */
export function isoFromPostgres(text: string): string {
  const parts = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?([+-]\d{2})(?::?(\d{2}))?$/.exec(text);
  if (parts === null) return text;
  const [, day, time, fraction = '', hours = '+00', minutes = '00'] = parts;
  const micros = fraction.padEnd(6, '0');
  if (hours === '+00' && minutes === '00') return `${day}T${time}.${micros}Z`;
  const utc = new Date(`${day}T${time}${hours}:${minutes}`).toISOString();
  return `${utc.slice(0, 19)}.${micros}Z`;
}

function parserFor(oid: number, format?: string): (text: string) => unknown {
  if (oid === TIMESTAMPTZ) return isoFromPostgres;
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, (format ?? 'text') as 'text');
}

const names = new Map<string, string>();

/** A prepared statement's name is the hash of its text. Texts are constants of the program, so the map stays small. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    names.set(text, name);
  }
  return name;
}

/** An earlier statement of the transaction has failed. */
const ABORTED = '25P02';
const TEMPORARY_STATES = new Set(['40001', '40P01']);
/** Gone, going down, or too busy to answer in time. All of class 08, too: a pooler whose server is gone says 08P01. */
const UNAVAILABLE_STATES = new Set([
  '25006', // A standby, or a primary that has just become one: it only reads.
  '25P03', // We stood still in a transaction for longer than PostgreSQL waits.
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
]);

export function sqlState(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** A deadlock, or another that was quicker: the same once more can succeed. */
export function isTemporary(error: unknown): boolean {
  return TEMPORARY_STATES.has(sqlState(error));
}

const GONE_IN_WORDS =
  /^(Connection terminated|timeout (expired$|exceeded when trying to connect)|Query read timeout|Cannot use a pool after calling end|Client (has encountered|was closed))/;

/**
 * The database cannot be reached, is going down, or others were quicker each time: the caller is told to come back, not that
 * we are broken.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (UNAVAILABLE_STATES.has(state) || TEMPORARY_STATES.has(state) || /^08\w{3}$/.test(state)) return true;
  return error instanceof Error && GONE_IN_WORDS.test(error.message);
}

export function openDb(options: DbOptions): Db {
  const settings = {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    keepAlive: true,
    pipeline: true,
    ...(options.pooled ? {} : { statement_timeout: SINGLE_MS }),
    types: { getTypeParser: parserFor as typeof pg.types.getTypeParser },
  };
  const lanes = new PipelinedPool(Math.max(1, Math.floor(options.connections / 4)), settings, options.onLost);
  const express = new PipelinedPool(Math.max(1, Math.floor(options.connections / 6)), settings, options.onLost);
  const pool = new pg.Pool({
    ...settings,
    max: Math.max(1, options.connections - lanes.size - express.size),
    idleTimeoutMillis: 60_000,
  });
  pool.on('error', (error) => options.onLost?.(error));
  // A connection can be lost between the pool's hands and ours, when neither listens: that would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));

  const send = async <R extends object>(client: Sender, text: string, values?: readonly unknown[]): Promise<R[]> => {
    options.onStatement?.(text);
    const config = { text, values: values === undefined ? [] : [...values] };
    const result = await client.query(options.pooled ? config : { ...config, name: nameOf(text) });
    return result.rows as R[];
  };

  const begin = async <T>(work: (tx: Queryable) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    return withFirstFault((watch) => {
      const tx: Queryable = { query: (text, values) => watch(send(client, text, values)) };
      return inTransaction(client, () => work(tx), options.onStatement);
    });
  };

  return {
    query: async (text, values) => send(await lanes.next(), text, values),
    pipelined: { query: async (text, values) => send(await express.next(), text, values) },
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await begin(work);
        } catch (error) {
          if (attempt >= TRIES || !isTemporary(error)) throw error;
        }
      }
    },
    async close() {
      await Promise.all([lanes.close(), express.close(), pool.end()]);
    },
  };
}

/** Of several statements under way the first that failed says why; the others only that one has. */
async function withFirstFault<T>(work: (watch: <A>(answer: Promise<A>) => Promise<A>) => Promise<T>): Promise<T> {
  let first: unknown;
  const watch = async <A>(answer: Promise<A>): Promise<A> => {
    try {
      return await answer;
    } catch (error) {
      first ??= error;
      throw error;
    }
  };
  try {
    return await work(watch);
  } catch (error) {
    throw sqlState(error) === ABORTED ? (first ?? error) : error;
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  work: () => Promise<T>,
  onStatement?: (text: string) => void,
): Promise<T> {
  let broken: Error | undefined;
  // The pool listens only to idle connections: one that is lost in our hands would end the process.
  const onLost = (lost: Error): void => {
    broken = lost;
  };
  client.on('error', onLost);
  try {
    onStatement?.('begin');
    await client.query(BEGIN);
    const done = await work();
    onStatement?.('commit');
    const { command } = await client.query('commit');
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error: an error was swallowed on the way.
    if (command !== 'COMMIT') throw new Error('the transaction had failed before it was committed');
    return done;
  } catch (error) {
    // A rollback that fails means the connection is gone: it is thrown away, and the first error is the one to tell.
    await client.query('rollback').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.off('error', onLost);
    client.release(broken);
  }
}

interface Sender {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
}

/** As the pool says it. */
const CLOSED = 'Cannot use a pool after calling end on the pool';

/** A few pipelined connections; the one with the least under way is next, and a broken one is replaced on use. */
class PipelinedPool {
  readonly size: number;
  readonly #settings: pg.ClientConfig;
  readonly #onLost: ((error: Error) => void) | undefined;
  readonly #lanes: PipelinedConnection[] = [];
  #isClosed = false;

  constructor(size: number, settings: pg.ClientConfig, onLost?: (error: Error) => void) {
    this.size = size;
    this.#settings = settings;
    this.#onLost = onLost;
  }

  async next(): Promise<Sender> {
    if (this.#isClosed) throw new Error(CLOSED);
    let best = this.#lanes[0];
    for (const lane of this.#lanes) if (best === undefined || lane.underway < best.underway) best = lane;
    if (best === undefined || (best.underway > 0 && this.#lanes.length < this.size)) {
      best = this.#open();
    }
    await best.ready;
    return best;
  }

  #open(): PipelinedConnection {
    const lane = new PipelinedConnection(this.#settings, (error) => {
      const index = this.#lanes.indexOf(lane);
      if (index >= 0) this.#lanes.splice(index, 1);
      if (error !== null) this.#onLost?.(error);
    });
    this.#lanes.push(lane);
    return lane;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#lanes.splice(0).map((lane) => lane.close()));
  }
}

class PipelinedConnection implements Sender {
  underway = 0;
  readonly ready: Promise<void>;
  readonly #client: pg.Client;

  constructor(settings: pg.ClientConfig, gone: (error: Error | null) => void) {
    this.#client = new pg.Client(settings);
    this.#client.on('error', gone);
    this.#client.on('end', () => gone(null));
    this.ready = this.#client.connect().then(
      () => undefined,
      (error: Error) => {
        gone(null);
        throw error;
      },
    );
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    this.underway++;
    try {
      return await this.#client.query(config);
    } finally {
      this.underway--;
    }
  }

  async close(): Promise<void> {
    await this.ready.catch(() => undefined);
    await this.#client.end();
  }
}
