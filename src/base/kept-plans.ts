// Statements that PostgreSQL plans once and not again for each call (functions/keep_plans.sql says which may be).

import type { Queryable } from './db.ts';

/** `work` sends its statements at once: all go to the database together, between the two that switch. */
export async function withKeptPlans<T>(tx: Queryable, work: () => Promise<T>): Promise<T> {
  const switchedOn = tx.query('select keep_plans(true)');
  const [, result] = await Promise.all([switchedOn, work(), tx.query('select keep_plans(false)')]);
  return result;
}
