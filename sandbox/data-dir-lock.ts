// One `start` for one DATA_DIR: the claim is a lock that lives as long as a connection of ours, so that it ends with the
// process, however that ends. (Only the embedded database has it; servers that share a real one need no such thing.)

import pg from 'pg';

const ADVISORY_LOCK_ID = 0x65766572;

export interface DataDirLock {
  release(): Promise<void>;
}

/** Null: another process has it. */
export async function lockDataDir(url: string): Promise<DataDirLock | null> {
  const client = new pg.Client({ connectionString: url, application_name: 'everyshare-claim', keepAlive: true });
  // When the database goes away so does the claim; what follows is decided by whoever uses the database.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ claimed: boolean }>('select pg_try_advisory_lock($1) as claimed', [
    ADVISORY_LOCK_ID,
  ]);
  if (rows[0]?.claimed === true) return { release: () => client.end() };
  await client.end();
  return null;
}
