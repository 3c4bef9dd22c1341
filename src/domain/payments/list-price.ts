// The card processor's list price, to tell an operator whether a venue's fee covers it. Pure. The fee is for a checkout,
// the processor's price for each charge, so it depends on the number of guests and the size of their shares.

import { type FeeRate, feeOf } from '../../base/money.ts';

/** Stripe's price for a card in the US, in November 2026. Cards of other countries and other currencies cost more. */
export const LIST_PRICE: FeeRate = { bps: 290, fixed: 30 };

export interface CostExample {
  readonly guests: number;
  /** What each guest pays. */
  readonly share: number;
  readonly fee: number;
  readonly cost: number;
}

const PARTIES = [
  { guests: 2, share: 12_000 },
  { guests: 6, share: 5_000 },
  { guests: 10, share: 2_000 },
] as const;

/** What a fee brings for some parties, and what the processor charges for them at its list price. */
export function compareWithListPrice(rate: FeeRate): readonly CostExample[] {
  return PARTIES.map(({ guests, share }) => ({
    guests,
    share,
    fee: feeOf(guests * share, rate),
    cost: guests * feeOf(share, LIST_PRICE),
  }));
}

export const isBelowCost = ({ fee, cost }: CostExample): boolean => fee < cost;
