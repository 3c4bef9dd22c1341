// The same SQL alone: statements with their values, sent by a loop in a process of its own through the driver and the
// connections that our server has, with nothing of our server around it.

import { ask } from './asking.ts';
import type { Running } from './processes.ts';

export interface Statement {
  /** Which of the order's texts. */
  readonly text: number;
  readonly values: readonly unknown[];
}

/** What goes together: statements of a group travel at once, groups follow one another. */
export interface Unit {
  readonly kind: 'express' | 'single' | 'transaction';
  readonly groups: readonly (readonly Statement[])[];
}

export interface SqlOrder {
  readonly texts: readonly string[];
  /** Each is done from its first unit to its last; so many of them at once. */
  readonly chains: readonly (readonly Unit[])[];
  readonly atOnce: number;
}

export interface SqlDone {
  readonly seconds: number;
  /** The rows of each chain's last statement. */
  readonly last: readonly (readonly object[])[];
}

export interface Sql {
  run(order: SqlOrder): Promise<SqlDone>;
}

export function sqlBy(running: Running): Sql {
  return { run: (order) => ask<SqlDone>(running, order) };
}
