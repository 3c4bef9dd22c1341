// Sends statements without a server: a separate process runs them through our server's driver, with as many
// connections.

import { runJob } from './child-jobs.ts';
import type { ChildHandle } from './processes.ts';

export interface Statement {
  /** Index into the job's texts. */
  readonly text: number;
  readonly values: readonly unknown[];
}

/** Statements of one group are sent together; the next group waits for their results. */
export interface Unit {
  readonly kind: 'priority' | 'single' | 'transaction';
  readonly groups: readonly (readonly Statement[])[];
}

export interface SqlJob {
  readonly texts: readonly string[];
  /** The units of a chain run one after the other; `concurrency` chains run at the same time. */
  readonly chains: readonly (readonly Unit[])[];
  readonly concurrency: number;
}

export interface SqlResult {
  readonly seconds: number;
  /** The rows of each chain's last statement. */
  readonly lastRows: readonly (readonly object[])[];
}

export interface SqlRunner {
  run(job: SqlJob): Promise<SqlResult>;
}

export function sqlIn(child: ChildHandle): SqlRunner {
  return { run: (job) => runJob<SqlResult>(child, job) };
}
