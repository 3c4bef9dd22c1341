// Pages of the processor's dashboard, for operators.

import type { Processor } from './processor.ts';

/** The page of a payment, where a dispute of it is answered. Null: the sandbox has no dashboard. */
export function paymentPageOf(
  processor: Pick<Processor, 'mode' | 'isSandbox'> | undefined,
  intentId: string | null,
): string | null {
  if (processor === undefined || processor.isSandbox || intentId === null) return null;
  const folder = processor.mode === 'test' ? 'test/' : '';
  return `https://dashboard.stripe.com/${folder}payments/${encodeURIComponent(intentId)}`;
}
