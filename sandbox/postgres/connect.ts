// Connections to a cluster over its unix socket: the URL, a single attempt to connect, and the `everyshare` database.

import pg from 'pg';

const DATABASE = 'everyshare';
/** The superuser that initdb creates. */
export const SUPERUSER = 'everyshare';

/** SQLSTATE cannot_connect_now: starting up, recovering or shutting down. */
export const CANNOT_CONNECT_NOW = '57P03';

/**
 * A URL for a unix socket. PostgreSQL clients use the host of the query; `localhost` only lets `new URL` accept the
 * URL. sslmode keeps a PGSSLMODE of the environment from being tried on the socket.
 */
export function socketUrl(socketDir: string, password: string, database: string = DATABASE): string {
  const query = `host=${encodeURIComponent(socketDir)}&port=5432&sslmode=disable`;
  return `postgres://${SUPERUSER}:${encodeURIComponent(password)}@localhost/${database}?${query}`;
}

type ConnectResult =
  | { readonly client: pg.Client; readonly code: null }
  | { readonly client: null; readonly code: string; readonly message: string };

/** Tries to connect once. Never throws. */
export async function tryConnect(url: string): Promise<ConnectResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return { client, code: null };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    await client.end().catch(() => undefined);
    return { client: null, code: code ?? 'CLOSED', message };
  }
}

/** Whether the error came from a PostgreSQL server (a SQLSTATE) and not from the socket. */
export function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}

/** Errors that do not go away by waiting: wrong password, no such role. */
export function isAuthFailure(code: string): boolean {
  return code.startsWith('28');
}

export async function ensureDatabase(client: pg.Client): Promise<void> {
  const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
  if (found.rowCount !== 0) return;
  await client.query(`create database ${DATABASE}`).catch((error: Error & { code?: string }) => {
    if (error.code !== '42P04' && error.code !== '23505') throw error;
  });
}

export async function dataDirectoryOf(client: pg.Client): Promise<string> {
  const result = await client.query<{ data_directory: string }>('show data_directory');
  return result.rows[0]?.data_directory ?? '';
}
