// The address of the server, recorded by the server when it listens. Commands and workers read it: with PORT=0, or
// without BASE_URL in their own environment, they cannot know it.

import type { Queryable } from '../../base/db.ts';

export interface ServerAddress {
  /** The issuer of members' tokens, and the start of links to the API. */
  readonly base: string;
  /** The start of links to hosted pages. */
  readonly pages: string;
}

/** The server that started last is the one that counts: servers that share a database share BASE_URL. */
export async function recordServerAddress(db: Queryable, { base, pages }: ServerAddress): Promise<void> {
  await db.query(
    `update installation set base_url = $1, page_base_url = $2
     where (base_url, page_base_url) is distinct from ($1, $2)`,
    [base, pages],
  );
}

/** Null: no server has run on this database since the address is recorded. */
export async function findServerAddress(db: Queryable): Promise<ServerAddress | null> {
  const rows = await db.query<ServerAddress>(
    'select base_url as base, page_base_url as pages from installation where base_url is not null',
  );
  return rows[0] ?? null;
}
