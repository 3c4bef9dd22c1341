// Releases of the program as a database knows them: which have migrated it, and which is the oldest that may still use it.
// Versions are "major.minor.patch"; package.json has the one of this program.

import { type Queryable, sqlState } from './db.ts';

export interface RecordedRelease {
  readonly release: string;
  /** Servers of earlier releases than this cannot use the database any more. Null: every earlier release can. */
  readonly oldestBeside: string | null;
}

const UNDEFINED_TABLE = '42P01';

/** Negative: `one` is the earlier release. */
export function compareReleases(one: string, other: string): number {
  const parts = (release: string): number[] => release.split(/[.-]/, 3).map(Number);
  const [ones, others] = [parts(one), parts(other)];
  for (let index = 0; index < 3; index++) {
    const difference = (ones[index] ?? 0) - (others[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function newestOf(releases: readonly (string | null)[]): string | null {
  return releases.reduce((newest, release) => {
    if (newest === null || release === null) return newest ?? release;
    return compareReleases(release, newest) > 0 ? release : newest;
  }, null);
}

/** None: the database is new, or of a release before 1.0.0, which did not record itself. */
export async function readReleases(db: Queryable): Promise<RecordedRelease[]> {
  try {
    return await db.query<RecordedRelease>('select release, oldest_beside as "oldestBeside" from releases');
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/**
 * A later call can only raise the oldest release that may run beside this one: another build of the same release may have
 * fewer contracts. Only the process that holds the lock of the migrations calls this.
 */
export async function recordRelease(db: Queryable, { release, oldestBeside }: RecordedRelease): Promise<void> {
  const recorded = (await readReleases(db)).find((each) => each.release === release)?.oldestBeside ?? null;
  await db.query(
    `insert into releases (release, oldest_beside) values ($1, $2)
     on conflict (release) do update set oldest_beside = excluded.oldest_beside`,
    [release, newestOf([recorded, oldestBeside])],
  );
}

/** The database no longer has what this release reads. */
export class UnsupportedRelease extends Error {}

export function isSupported(release: string, oldestBeside: readonly (string | null)[]): boolean {
  const oldest = newestOf(oldestBeside);
  return oldest === null || compareReleases(release, oldest) >= 0;
}

/** A server must not use a database that no longer has what the server reads. */
export function requireSupported(release: string, recorded: readonly RecordedRelease[]): void {
  const floors = recorded.map(({ oldestBeside }) => oldestBeside);
  if (isSupported(release, floors)) return;
  const oldest = newestOf(floors) ?? release;
  const newest = newestOf(recorded.map((each) => each.release)) ?? oldest;
  throw new UnsupportedRelease(
    `release ${newest} has upgraded this database, which serves releases from ${oldest} on; this is ${release}: ` +
      `start ${oldest} or a newer release, or restore the backup from before the upgrade`,
  );
}
