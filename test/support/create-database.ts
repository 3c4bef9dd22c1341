// Creates a database on the PostgreSQL of the tests and returns its URL.

import pg from 'pg';

export function databaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** The migrated database that others are copies of. */
export const templateOf = (prefix: string): string => `${prefix}template`;

/**
 * `template` null: the database is empty. To copy the template's files takes half the processor time of logging its pages,
 * but ends with a checkpoint, which is slow where data must reach the disk.
 */
export async function createDatabase(server: string, name: string, template: string | null): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    const { rows } = await client.query<{ fsync: string }>('show fsync');
    const strategy = rows[0]?.fsync === 'off' ? 'file_copy' : 'wal_log';
    await client.query(
      `create database ${name}${template === null ? '' : ` template ${template} strategy ${strategy}`}`,
    );
  } finally {
    await client.end();
  }
  return databaseUrl(server, name);
}
