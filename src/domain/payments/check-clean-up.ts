// Takes back what the processor check has left with the venue and with the platform, also what a failed step has made: it is
// found by its marks, because the answer with its id may be lost. What cannot be undone is reported with its id.

import { type CheckRun, messageOf, money } from './check-run.ts';
import { holdPages } from './hold-pages.ts';
import type { HoldFacts } from './processor.ts';

/** The clock of the processor may be behind ours. */
const CLOCK_MARGIN_MS = 10 * 60_000;

export async function cleanUp(run: CheckRun): Promise<void> {
  await undo(run, `the transfer with the metadata movement_id ${run.movementId('transfer')}`, () => reverseRest(run));
  const intents: HoldFacts[] = [];
  await undo(run, `every payment with the metadata venue_id ${run.mark}`, async () => {
    for await (const holds of holdPages(run.processor, run.startedAt - CLOCK_MARGIN_MS)) {
      intents.push(...holds.filter(({ metadata }) => metadata.venueId === run.mark));
    }
  });
  for (const { intentId, status } of intents) {
    if (status === 'captured') await undo(run, `the charge of ${intentId}`, () => refundRest(run, intentId));
    else if (status !== 'voided')
      await undo(run, `the hold ${intentId}`, () => run.processor.release(intentId, run.key('release')));
  }
}

async function undo(run: CheckRun, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    run.left.push(`${what} (${messageOf(error)})`);
  }
}

async function reverseRest(run: CheckRun): Promise<void> {
  const { processor } = run;
  const transfer = await processor.findTransfer(run.mark, run.movementId('transfer'));
  if (transfer === null) return;
  const reversal = await processor.findReversal(transfer.processorId, run.movementId('reversal'));
  const amount = transfer.amount - (reversal?.amount ?? 0);
  const request = { key: run.key('rest'), amount, movementId: run.movementId('rest') };
  await undo(run, `${money(amount)} of the transfer ${transfer.processorId}`, () =>
    processor.reverse(transfer.processorId, request),
  );
}

async function refundRest(run: CheckRun, intentId: string): Promise<void> {
  const { captured, refunded } = await run.processor.chargeTotals(intentId);
  const amount = captured - refunded;
  if (amount === 0) return;
  const reason = run.unrefundable.get(intentId);
  if (reason !== undefined) throw new Error(reason);
  const request = { key: run.key('rest'), amount, movementId: run.movementId('rest'), venueId: run.mark };
  await run.processor.refund(intentId, request);
}
