// Divides a total over a party. Pure. The shares always add up to the amount exactly. In an equal split the organizer,
// who is first, pays the minor units that are left over.

import { splitEqually } from '../../../base/money.ts';

/** The processor's minimum charge: a share is 0 or at least this. */
export const MIN_CHARGE = 50;

export type SplitProblem =
  | { readonly fault: 'wrong sum'; readonly difference: number }
  /** The position in the party of a share that is above 0 but below MIN_CHARGE. */
  | { readonly fault: 'under the minimum charge'; readonly position: number };

export function equalSplit(amount: number, count: number): readonly number[] {
  return splitEqually(amount, count);
}

/** Null: the amounts can be the shares of this party. */
export function checkSplit(amount: number, amounts: readonly number[]): SplitProblem | null {
  const sum = amounts.reduce((total, part) => total + part, 0);
  if (sum !== amount) return { fault: 'wrong sum', difference: sum - amount };
  const position = amounts.findIndex((part) => part > 0 && part < MIN_CHARGE);
  return position < 0 ? null : { fault: 'under the minimum charge', position };
}
