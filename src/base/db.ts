// Opens the database connections of a process; migrate.ts alone opens its own. Single statements use a few pipelined
// connections: many statements are in flight on each, and none waits for a free connection. A transaction has a
// connection of its own. A server that is a standby, or that no longer answers, is not used again, so a failover needs
// no restart. No session state is left behind, so the same code runs behind PgBouncer in transaction mode. Times are
// ISO 8601 text in UTC with microseconds, never Date.

import { createHash } from 'node:crypto';
import pg from 'pg';
import { DatabaseClient, type DatabaseClientSettings } from './database-client.ts';
import { NotificationListener } from './notifications.ts';
import { type Connection, PipelinedPool, type PoolCounts, SilentServer } from './pipelined-pool.ts';
import { TransactionPool } from './transaction-pool.ts';

export type Row = Record<string, unknown>;

export interface Queryable {
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

export interface Db extends Queryable {
  /** The same on connections of its own, for short statements only: admission must not wait behind a slow list. */
  readonly priority: Queryable;
  /** One more connection, opened at its first statement: for writing that no request waits for. */
  readonly background: Queryable;
  /** One more, opened at its first statement: for heartbeats and figures, which must not wait behind the request log. */
  readonly monitoring: Queryable;
  /** One transaction: committed when `work` resolves, rolled back when it throws. Retried after a deadlock. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /**
   * Calls back for each notification of the channel, on one more connection that is open until `close`. Absent: behind a
   * pooler no session can listen.
   */
  listen?(channel: string, onNotified: () => void): void;
  /** The connections of this process by their use. Absent: this is no database of its own. */
  connections?(): ConnectionCounts[];
  close(): Promise<void>;
}

export interface ConnectionCounts extends PoolCounts {
  readonly use: 'statements' | 'priority' | 'background' | 'monitoring' | 'transactions';
}

export interface DbOptions {
  readonly url: string;
  readonly connections: number;
  /** Behind a pooler in transaction mode: no prepared statements, no settings of the session. */
  readonly pooled: boolean;
  readonly applicationName: string;
  /** The URL is that of a standby, for reading. Absent: a standby is refused, as an unavailable database. */
  readonly acceptsStandby?: boolean;
  /** Called when an idle connection broke; the next statement opens another. */
  readonly onLost?: (error: Error) => void;
  /** How long a statement or a transaction waits for a connection. Absent: 5 seconds; a test on a busy machine waits longer. */
  readonly connectTimeoutMs?: number;
  /** How long a statement waits for its answer before its server counts as gone. Absent: 15 seconds. */
  readonly queryTimeoutMs?: number;
  /** Called with every statement, so that a test can count round trips. */
  readonly onStatement?: (text: string) => void;
}

/** Reads what several statements need as it was at one moment: amounts that they add up stay equal while others commit. */
export function readSnapshot<T>(db: Db, read: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return read(tx);
  });
}

const QUERY_TIMEOUT_MS = 15_000;
const STATEMENT_TIMEOUT_MS = 8_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** After this much silence the system asks whether the other side still exists; its own default is two hours. */
const KEEPALIVE_IDLE_MS = 10_000;
const BEGIN =
  "begin; set local statement_timeout = '10s'; set local lock_timeout = '3s'; set local idle_in_transaction_session_timeout = '15s'";
const MAX_ATTEMPTS = 4;

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

const statementNames = new Map<string, string>();

/** A prepared statement's name is the hash of its text. Texts are constants of the program, so the map stays small. */
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    statementNames.set(text, name);
  }
  return name;
}

/** An earlier statement of the transaction failed. */
const TRANSACTION_ABORTED = '25P02';
const TEMPORARY_STATES = new Set(['40001', '40P01']);
/** The server is gone, stopping, or too busy. All of class 08 counts too: a pooler that lost its server says 08P01. */
const UNAVAILABLE_STATES = new Set([
  '25006', // A standby, or a primary that has just become one, refuses writes.
  '25P03', // Our process was idle in a transaction for longer than PostgreSQL allows.
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

/** A deadlock or a serialization failure: the same transaction can succeed when it is retried. */
export function isTemporary(error: unknown): boolean {
  return TEMPORARY_STATES.has(sqlState(error));
}

/** The driver's messages, and what a coordinator of Citus says, as an internal error, when its own server was killed meanwhile. */
const UNAVAILABLE_MESSAGES =
  /^(postmaster was shut down|Connection terminated|timeout (expired$|exceeded when trying to connect)|Query read timeout|Cannot use a pool after calling end|Client (has encountered|was closed))/;

/** What the coordinator of a distributed database says, some with the state of an internal error, when one of its nodes is gone. */
const NODE_GONE =
  /^(server closed the connection|terminating connection due to unexpected postmaster exit|connection not open|failure on connection marked as essential|could not commit transaction for shard|connection to the remote node)/;

/** One node of a distributed database is gone. Statements about the venues of other nodes succeed. */
export function isNodeGone(error: unknown): boolean {
  return error instanceof Error && NODE_GONE.test(error.message);
}

/** The database cannot be reached, is stopping, or every retry lost a race: the caller gets 503 and may retry, not 500. */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  if (UNAVAILABLE_STATES.has(state) || TEMPORARY_STATES.has(state) || /^08\w{3}$/.test(state)) return true;
  return isNodeGone(error) || (error instanceof Error && UNAVAILABLE_MESSAGES.test(error.message));
}

function clientSettings(options: DbOptions): DatabaseClientSettings {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_MS,
    pipeline: true,
    acceptsStandby: options.acceptsStandby ?? false,
    // Compiling takes far longer than it saves: with the defaults of Debian's packages one call took 15.9 s, not 67 ms.
    ...(options.pooled ? {} : { statement_timeout: STATEMENT_TIMEOUT_MS, options: '-c jit=off' }),
    types: { getTypeParser: parserFor as typeof pg.types.getTypeParser },
  };
}

export function openDb(options: DbOptions): Db {
  const settings = clientSettings(options);
  const silent = new SilentServer();
  const pipelined = (size: number): PipelinedPool =>
    new PipelinedPool(Math.max(1, Math.floor(size)), settings, silent, options.onLost);
  const statementPool = pipelined(options.connections / 4);
  const priority = pipelined(options.connections / 6);
  const background = pipelined(1);
  const monitoring = pipelined(1);
  const max = Math.max(1, options.connections - statementPool.size - priority.size);
  const transactions = new TransactionPool(max, settings, silent, options.onLost);
  const listeners: NotificationListener[] = [];

  const send = async <R extends object>(
    client: Connection,
    text: string,
    values?: readonly unknown[],
  ): Promise<R[]> => {
    options.onStatement?.(text);
    const config = { text, values: values === undefined ? [] : [...values] };
    const result = await client.query(options.pooled ? config : { ...config, name: statementName(text) });
    return result.rows as R[];
  };

  const begin = async <T>(work: (tx: Queryable) => Promise<T>): Promise<T> => {
    const client = await transactions.take();
    return withFirstError((watch) => {
      const tx: Queryable = { query: (text, values) => watch(send(client, text, values)) };
      return silent.watch(() => inTransaction(client, () => work(tx), options.onStatement));
    });
  };

  return {
    query: async (text, values) => send(statementPool.next(), text, values),
    priority: { query: async (text, values) => send(priority.next(), text, values) },
    background: { query: async (text, values) => send(background.next(), text, values) },
    monitoring: { query: async (text, values) => send(monitoring.next(), text, values) },
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await begin(work);
        } catch (error) {
          if (attempt >= MAX_ATTEMPTS || !isTemporary(error)) throw error;
        }
      }
    },
    ...(options.pooled
      ? {}
      : {
          listen: (channel: string, onNotified: () => void) => {
            listeners.push(
              new NotificationListener(() => new DatabaseClient(settings), channel, onNotified, options.onLost),
            );
          },
        }),
    connections: () => [
      { use: 'statements', ...statementPool.counts() },
      { use: 'priority', ...priority.counts() },
      { use: 'background', ...background.counts() },
      { use: 'monitoring', ...monitoring.counts() },
      { use: 'transactions', ...transactions.counts() },
    ],
    async close() {
      const pools = [statementPool, priority, background, monitoring, transactions];
      await Promise.all([...pools, ...listeners].map((one) => one.close()));
    },
  };
}

/** Of several statements in flight, only the first error says why; the others say that the transaction is aborted. */
async function withFirstError<T>(work: (watch: <A>(result: Promise<A>) => Promise<A>) => Promise<T>): Promise<T> {
  let first: unknown;
  const watch = async <A>(result: Promise<A>): Promise<A> => {
    try {
      return await result;
    } catch (error) {
      first ??= error;
      throw error;
    }
  };
  try {
    return await work(watch);
  } catch (error) {
    throw sqlState(error) === TRANSACTION_ABORTED ? (first ?? error) : error;
  }
}

async function inTransaction<T>(
  client: pg.PoolClient,
  work: () => Promise<T>,
  onStatement?: (text: string) => void,
): Promise<T> {
  let broken: Error | undefined;
  // The pool listens to idle connections only; without this listener a connection that breaks in use would end the process.
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
    // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK and no error: some code swallowed an error.
    if (command !== 'COMMIT') throw new Error('the transaction failed before its commit; its error was swallowed');
    return done;
  } catch (error) {
    // A failed rollback means that the connection is gone. It is discarded, and the first error is thrown.
    await client.query('rollback').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.off('error', onLost);
    client.release(broken);
  }
}
