// How a total is divided over a party. Pure; the shares always add up to the amount, exactly. In an equal split the cents
// left over go to the organizer, who is first.

import { splitEqually } from '../../../base/money.ts';

/** The processor's least charge: a share is nothing, or at least this. */
export const MIN_CHARGE = 50;

export type SplitProblem =
  | { readonly fault: 'wrong sum'; readonly difference: number }
  /** Place in the party of a share from 1 to 49. */
  | { readonly fault: 'under the least charge'; readonly place: number };

export function equalSplit(amount: number, people: number): readonly number[] {
  return splitEqually(amount, people);
}

/** Null: the amounts can be the shares of this party. */
export function checkSplit(amount: number, amounts: readonly number[]): SplitProblem | null {
  const sum = amounts.reduce((total, part) => total + part, 0);
  if (sum !== amount) return { fault: 'wrong sum', difference: sum - amount };
  const place = amounts.findIndex((part) => part > 0 && part < MIN_CHARGE);
  return place < 0 ? null : { fault: 'under the least charge', place };
}
