// Which servers and workers of earlier releases run beside this one: a migration that takes something away from them must
// not run, and an operator wants to know before an upgrade.

import type { Queryable } from '../../base/db.ts';
import { compareReleases } from '../../base/releases.ts';
import { hasProcessTable, lockProcesses, type ProcessRow, runningProcesses } from './process-queries.ts';

/** Null: unknown, because the database is of a release whose processes record nothing. */
export async function listProcesses(db: Queryable): Promise<ProcessRow[] | null> {
  return (await hasProcessTable(db)) ? runningProcesses(db, null) : null;
}

/**
 * Each as "serve 1.0.0 on host". For the transaction of a migration that takes something away: until it ends, no process
 * records that it lives. One that starts meanwhile waits, and then finds that it is not supported (heartbeat.ts).
 */
export async function processesBefore(tx: Queryable, release: string): Promise<string[]> {
  if (!(await hasProcessTable(tx))) return ['every process that still runs (this database records none)'];
  await lockProcesses(tx);
  const running = await runningProcesses(tx, null);
  return running.filter(({ version }) => compareReleases(version, release) < 0).map(describeProcess);
}

export function describeProcess({ role, version, host }: ProcessRow): string {
  return `${role} ${version} on ${host}`;
}
