// A PostgreSQL and a streaming standby of it, both embedded: the standby begins as a copy of the stopped primary's folder.

import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCluster } from '../../sandbox/postgres/cluster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';

export interface StandbyPair {
  readonly primary: EmbeddedPostgres;
  readonly standby: EmbeddedPostgres;
  close(): Promise<void>;
}

/** `prepare` fills the primary before the copy is made. `folder` must be one that every user may enter. */
export async function startStandbyPair(
  folder: string,
  prepare: (url: string) => Promise<unknown>,
): Promise<StandbyPair> {
  const [primaryDir, standbyDir] = [join(folder, 'primary'), join(folder, 'standby')];
  mkdirSync(primaryDir, { mode: 0o711 });
  const first = await startEmbeddedPostgres({ dataDir: primaryDir });
  await prepare(first.url);
  await first.stop();
  execFileSync('cp', ['-a', primaryDir, standbyDir]); // With the owner of each file.
  const primary = await startEmbeddedPostgres({ dataDir: primaryDir });
  await follow(standbyDir, primary.url);
  const standby = await startEmbeddedPostgres({ dataDir: standbyDir });
  return {
    primary,
    standby,
    async close() {
      await standby.stop();
      await primary.stop();
    },
  };
}

async function follow(standbyDir: string, url: string): Promise<void> {
  const cluster = await findCluster(standbyDir);
  if (cluster === null) throw new Error('the copy has no cluster');
  const { uid, gid } = statSync(cluster.pgdata);
  const { username, password, searchParams } = new URL(url);
  const place = `host=${searchParams.get('host')} port=${searchParams.get('port')}`;
  const conninfo = `${place} user=${username} password=${decodeURIComponent(password)}`;
  appendFileSync(join(cluster.pgdata, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  writeFileSync(join(cluster.pgdata, 'standby.signal'), '');
  chownSync(join(cluster.pgdata, 'standby.signal'), uid, gid);
}
