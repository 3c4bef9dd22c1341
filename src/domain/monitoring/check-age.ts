// How old the last run of a check may be. Pure.

import type { Check } from './check-queries.ts';

const HOUR_MS = 3_600_000;
/** A worker reconciles every six hours, and checks the ledger every day unless LEDGER_CHECK_HOURS says otherwise. */
const MAX_CHECK_AGE_MS = { reconcile: 24 * HOUR_MS, ledger: 48 * HOUR_MS } as const;

/** A check that has not run for long says nothing about today. */
export const isOldCheck = ({ name, at }: Pick<Check, 'name' | 'at'>, now: number): boolean =>
  now - at > MAX_CHECK_AGE_MS[name];
