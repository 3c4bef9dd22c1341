// Applies the remedies that reconciliation found, when an operator says so: each release and refund is written to the
// audit log first. More than MAX_UNKNOWN_CHARGES charges without a record look like a restored backup: then nothing is
// applied until an operator has checked the list and confirms their number.

import type { CommandContext } from '../../../base/command-context.ts';
import type { Mode } from '../../../base/config.ts';
import { ProcessorRefusal } from '../../payments/processor.ts';
import { audit } from '../../venues/audit.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import type { Difference, Finding, Remedy } from './compare-holds.ts';

export const MAX_UNKNOWN_CHARGES = 3;

export interface Remedied {
  readonly command: CommandContext;
  /** How many charges without a record the operator has checked; null: none. */
  readonly confirmedCharges: number | null;
}

export async function applyRemedies(
  services: PaymentServices,
  mode: Mode,
  findings: readonly Finding[],
  apply: Remedied | null,
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
    else differences.push({ mode, ...finding, ...(await applyRemedy(services, mode, finding.what, remedy, apply)) });
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
  { command }: Remedied,
): Promise<Pick<Difference, 'what' | 'done'>> {
  const { action, venueId, intentId, amount } = remedy;
  const processor = processorFor(services, mode);
  const entry = { venueId, action: `reconcile.${action}`, subject: intentId, detail: { amount, mode } };
  await services.db.transaction((tx) => audit(tx, command, entry));
  try {
    if (action === 'release') await processor.release(intentId, `reconcile release ${intentId}`);
    else {
      const key = `reconcile refund ${intentId} ${amount}`;
      await processor.refund(intentId, { key, amount, movementId: key });
    }
    return { what, done: action === 'release' ? 'released' : 'refunded' };
  } catch (error) {
    if (!(error instanceof ProcessorRefusal)) throw error;
    return { what: `${what}; the processor refused the ${action}: ${error.code}`, done: null };
  }
}
