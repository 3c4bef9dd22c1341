// Which servers and workers of earlier releases run beside this one: a migration that takes something away from them must
// not run, and an operator wants to know before an upgrade.

import type { Queryable } from '../../base/db.ts';
import { compareReleases } from '../../base/releases.ts';
import { hasProcessTable, livingProcesses, type ProcessRow } from './process-queries.ts';

/** Empty for a database of a release that had no heartbeats yet. */
export async function listProcesses(db: Queryable): Promise<ProcessRow[]> {
  return (await hasProcessTable(db)) ? livingProcesses(db) : [];
}

/** Each as "serve 1.0.0 on host". */
export async function processesBefore(db: Queryable, release: string): Promise<string[]> {
  const living = await listProcesses(db);
  return living.filter(({ version }) => compareReleases(version, release) < 0).map(describeProcess);
}

export function describeProcess({ role, version, host }: ProcessRow): string {
  return `${role} ${version} on ${host}`;
}
