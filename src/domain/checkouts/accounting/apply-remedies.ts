// Applies the remedies that reconciliation found, when an operator says so: each release and refund is written to the
// audit log first. More than MAX_UNKNOWN_CHARGES charges without a record look like a restored backup: then nothing is
// applied until an operator has checked the list and confirms their number.

import type { CommandContext } from '../../../base/command-context.ts';
import type { Mode } from '../../../base/config.ts';
import { type Processor, ProcessorRefusal, ProcessorUnavailable } from '../../payments/processor.ts';
import { audit } from '../../venues/audit.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import type { Difference, Finding, Remedy } from './compare-holds.ts';

export const MAX_UNKNOWN_CHARGES = 3;

export interface RemedyApproval {
  readonly command: CommandContext;
  /** How many charges without a record the operator has checked; null: none. */
  readonly confirmedCharges: number | null;
}

export async function applyRemedies(
  services: PaymentServices,
  mode: Mode,
  findings: readonly Finding[],
  runId: string,
  apply: RemedyApproval | null,
): Promise<Difference[]> {
  const charges = findings.filter(({ remedy }) => remedy?.action === 'refund').length;
  const isStopped = charges > MAX_UNKNOWN_CHARGES && apply?.confirmedCharges !== charges;
  const differences: Difference[] = [];
  if (isStopped) {
    const what = `${charges} charges are not in our records, which looks like a restored backup: nothing is released or refunded`;
    differences.push({ mode, subject: 'unknown charges', what, done: null });
  }
  for (const { remedy, ...finding } of findings) {
    if (remedy === undefined) differences.push({ mode, ...finding });
    else if (apply === null || isStopped)
      differences.push({ mode, ...finding, what: withRemedy(finding.what, remedy) });
    else
      differences.push({
        mode,
        ...finding,
        ...(await applyRemedy(services, mode, finding.what, remedy, { ...apply, runId })),
      });
  }
  return differences;
}

function withRemedy(what: string, { action }: Remedy): string {
  return `${what}: --apply ${action === 'refund' ? 'refunds' : 'releases'} it`;
}

async function applyRemedy(
  services: PaymentServices,
  mode: Mode,
  what: string,
  remedy: Remedy,
  { command, runId }: RemedyApproval & { readonly runId: string },
): Promise<Pick<Difference, 'what' | 'done'>> {
  const { action, venueId, intentId, amount } = remedy;
  const processor = processorFor(services, mode);
  const entry = { venueId, action: `reconcile.${action}`, subject: intentId, detail: { amount, mode } };
  await services.db.transaction((tx) => audit(tx, command, entry));
  try {
    if (action === 'release') {
      await processor.release(intentId, `reconcile release ${intentId} ${runId}`);
      return { what, done: 'released' };
    }
    return { what, ...(await refundUnknown(processor, remedy, runId)) };
  } catch (error) {
    if (error instanceof ProcessorRefusal)
      return { what: `${what}; the processor refused the ${action}: ${error.code}`, done: null };
    if (!(error instanceof ProcessorUnavailable)) throw error;
    return { what: `${what}; the ${action} has no answer yet (${error.message})`, done: null };
  }
}

/** Searches for the refund of an earlier run first: the processor may have made it and failed then. */
async function refundUnknown(
  processor: Processor,
  { venueId, intentId, amount }: Remedy,
  runId: string,
): Promise<Partial<Pick<Difference, 'what'>> & Pick<Difference, 'done'>> {
  const mark = `reconcile refund ${intentId}`;
  const refund =
    (await processor.findRefund(intentId, mark)) ??
    (await processor.refund(intentId, { key: `${mark} ${runId}`, amount, movementId: mark, venueId }));
  const reason = refund.reason === null ? '' : ` (${refund.reason})`;
  if (refund.status === 'failed') return { what: `the refund of an unknown charge failed${reason}`, done: null };
  return { done: refund.status === 'done' ? 'refunded' : `refund pending${reason}` };
}
