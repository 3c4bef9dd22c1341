// Allows one `everyshare start` for each DATA_DIR: an advisory lock in the embedded database, held by one connection,
// so that it ends with the process. Servers that share a real PostgreSQL do not use it.

import pg from 'pg';

const ADVISORY_LOCK_ID = 0x65766572;

export interface DataDirLock {
  release(): Promise<void>;
}

/** Null: another process has the lock. */
export async function lockDataDir(url: string): Promise<DataDirLock | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'everyshare-data-dir-lock',
    keepAlive: true,
  });
  // A lost connection loses the lock. The server's own connections then fail too, and the server handles that.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    ADVISORY_LOCK_ID,
  ]);
  if (rows[0]?.locked === true) return { release: () => client.end() };
  await client.end();
  return null;
}
