// Reads disputes of the processor: what it has withdrawn, given back and charged for each, from the balance transactions.
// The events about a dispute are only hints: they come late, twice and out of order.

import type Stripe from 'stripe';
import type { DisputeFacts, DisputesPage } from './processor.ts';
import { idOf } from './stripe-facts.ts';

const PAGE_SIZE = 100;

export async function retrieveDispute(stripe: Stripe, disputeId: string): Promise<DisputeFacts> {
  return disputeFactsOf(await stripe.disputes.retrieve(disputeId));
}

/** The newest dispute of the intent's charge; null: there is none. */
export async function findDispute(stripe: Stripe, intentId: string): Promise<DisputeFacts | null> {
  const { data } = await stripe.disputes.list({ payment_intent: intentId, limit: 1 });
  return data[0] === undefined ? null : disputeFactsOf(data[0]);
}

export async function disputesSince(stripe: Stripe, since: number, after: string | null): Promise<DisputesPage> {
  const page = await stripe.disputes.list({
    created: { gte: Math.floor(since / 1000) },
    limit: PAGE_SIZE,
    ...(after === null ? {} : { starting_after: after }),
  });
  const last = page.data.at(-1);
  return { disputes: page.data.map(disputeFactsOf), next: page.has_more && last !== undefined ? last.id : null };
}

export function disputeFactsOf(dispute: Stripe.Dispute): DisputeFacts {
  const { id, amount, currency, status, reason } = dispute;
  return {
    disputeId: id,
    intentId: idOf(dispute.payment_intent),
    amount,
    currency,
    status,
    reason,
    evidenceDueAt: dueAt(dispute),
    ...movedBy(dispute),
    ...feesOf(dispute),
  };
}

/** Not for every status, and not in every event of the processor's own tests. */
function dueAt({ evidence_details: details }: Stripe.Dispute): number | null {
  const seconds = (details as Stripe.Dispute.EvidenceDetails | undefined)?.due_by ?? null;
  return seconds === null ? null : seconds * 1000;
}

/**
 * What was withdrawn and given back, in the currency of the charge. An account whose balance is in another currency has
 * both in that one: there the first withdrawal counts as the whole dispute, and everything else in proportion to it. What
 * a won dispute brings less or more, because the rate has moved, is not the guest's.
 */
function movedBy(dispute: Stripe.Dispute): Pick<DisputeFacts, 'withdrawn' | 'reinstated'> {
  let [withdrawn, reinstated, first] = [0, 0, 0];
  for (const { amount } of dispute.balance_transactions) {
    if (amount < 0) {
      withdrawn -= amount;
      if (first === 0) first = -amount;
    } else reinstated += amount;
  }
  const isForeign = dispute.balance_transactions.some(({ currency }) => currency !== dispute.currency);
  if (!isForeign || first === 0) return { withdrawn, reinstated };
  const inProportion = (amount: number): number => Math.round((dispute.amount * amount) / first);
  const taken = inProportion(withdrawn);
  const isWhole = dispute.status === 'won' && reinstated > 0;
  return { withdrawn: taken, reinstated: isWhole ? taken : Math.min(taken, inProportion(reinstated)) };
}

/** A fee below zero gives an earlier one back. A fee in another currency is converted by its exchange rate. */
function feesOf(dispute: Stripe.Dispute): Pick<DisputeFacts, 'processorFee' | 'processorFeeReturned'> {
  let [processorFee, processorFeeReturned] = [0, 0];
  for (const { fee, currency, exchange_rate: rate } of dispute.balance_transactions) {
    // Without a rate it cannot be converted.
    const own = currency === dispute.currency ? fee : rate === null ? 0 : Math.round(fee / rate);
    if (own > 0) processorFee += own;
    else processorFeeReturned -= own;
  }
  return { processorFee, processorFeeReturned };
}
