// Describes the machine and the versions of a run.

import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import type { Db } from '../src/base/db.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly platform: string;
  readonly node: string;
  readonly postgres: string;
  /** The load average of the minute before the run; above 0, other work may have disturbed the run. */
  readonly load_before: number;
}

export async function describeMachine(db: Db, loadBefore: number): Promise<Machine> {
  const rows = await db.query<{ server_version: string }>('show server_version');
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round((totalmem() / 1024 ** 3) * 10) / 10,
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    postgres: rows[0]?.server_version ?? 'unknown',
    load_before: loadBefore,
  };
}

export function loadNow(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}
