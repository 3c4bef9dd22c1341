// Finds the programs of a Patroni cluster: Debian's packages, installed if this process is root. Names what is missing.

import { join } from 'node:path';
import { debianProgram } from '../../support/pgbouncer.ts';
import { findPostgresFolder } from '../pair-runner.ts';

export interface PatroniPrograms {
  /** The folder with initdb, postgres and pg_rewind. */
  readonly postgres: string;
  readonly patroni: string;
  readonly patronictl: string;
  readonly etcd: string;
  readonly haproxy: string;
}

/** Program, its Debian package, and the folders in which packages and people install it. */
const PACKAGES = [
  ['patroni', 'patroni'],
  ['patronictl', 'patroni'],
  ['etcd', 'etcd-server'],
  ['haproxy', 'haproxy'],
] as const;
const FOLDERS = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];
/** Patroni's library for etcd, which its package only suggests. */
const ETCD_LIBRARY = '/usr/lib/python3/dist-packages/etcd';

type FindProgram = (packageName: string, paths: readonly string[]) => string | null;

/** Throws an error that names every missing package. */
export function findPatroniPrograms(
  find: FindProgram = debianProgram,
  findPostgres: () => string | null = findPostgresFolder,
): PatroniPrograms {
  const postgres = findPostgres();
  const missing = new Set(postgres === null ? ['postgresql'] : []);
  const paths: Partial<Record<(typeof PACKAGES)[number][0], string>> = {};
  for (const [program, packageName] of PACKAGES) {
    const path = find(
      packageName,
      FOLDERS.map((folder) => join(folder, program)),
    );
    if (path === null) missing.add(packageName);
    else paths[program] = path;
  }
  if (find('python3-etcd', [ETCD_LIBRARY]) === null) missing.add('python3-etcd');
  const { patroni, patronictl, etcd, haproxy } = paths;
  if (missing.size > 0 || postgres === null || !patroni || !patronictl || !etcd || !haproxy) {
    throw new Error(
      `--patroni needs programs that are not here. Install them: apt-get install ${[...missing].join(' ')} (Debian 12 or newer, as root).`,
    );
  }
  return { postgres, patroni, patronictl, etcd, haproxy };
}
