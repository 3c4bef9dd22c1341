// What the commands that reach the outside are handed: the database, the clock, and the processors. A function that holds
// a transaction never calls the processor, and one that calls the processor holds none.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { type Processor, type Processors, ProcessorTrouble } from '../payments/processor.ts';
import type { Standing } from './locked-checkout.ts';
import { lockCheckout } from './queries.ts';
import type { Step } from './steps.ts';
import { writeSteps } from './write-steps.ts';

export interface MoneyParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly log: Log;
  readonly processors: Processors;
  /** How long a venue's money is kept back after completion, in milliseconds. */
  readonly payoutDelay: number;
}

export function processorFor({ processors }: Pick<MoneyParts, 'processors'>, mode: Mode): Processor {
  const processor = processors[mode];
  if (processor === undefined) throw new ProcessorTrouble(`no card processor is set up for ${mode} mode`);
  return processor;
}

/** What a decision answers: the steps to write, and whatever its caller wants to know. */
export interface Decided<T> {
  readonly steps: readonly Step[];
  readonly answer: T;
}

/** Lock, decide, write: one transaction. Null: there is no such checkout. */
export async function decideUnderLock<T>(
  parts: Pick<MoneyParts, 'db' | 'clock' | 'ids'>,
  venueId: string,
  checkoutId: string,
  decide: (standing: Standing, now: number) => Decided<T>,
): Promise<T | null> {
  return parts.db.transaction((tx) => decideIn(tx, parts, venueId, checkoutId, decide));
}

/** The same inside a transaction that is open already. */
export async function decideIn<T>(
  tx: Queryable,
  parts: Pick<MoneyParts, 'clock' | 'ids'>,
  venueId: string,
  checkoutId: string,
  decide: (standing: Standing, now: number) => Decided<T>,
): Promise<T | null> {
  const standing = await lockCheckout(tx, venueId, checkoutId);
  if (standing === null) return null;
  const now = parts.clock.now();
  const { steps, answer } = decide(standing, now);
  await writeSteps(tx, { ids: parts.ids, now }, standing, steps);
  return answer;
}

/** Longer each time, up to ten minutes; from the turn alone, so that the simulation can repeat it. */
export function retryAt(now: number, turn: number): number {
  return now + Math.min(1_000 * 2 ** Math.min(turn, 10), 600_000);
}
