// Runs a comparison with the processor or a check of the ledger, and records what it found, for the worker and for the
// command line alike.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import { type CheckSettings, checkLedger, type LedgerReport } from '../checkouts/accounting/check-ledger.ts';
import { type ReconcileOptions, type ReconcileReport, reconcile } from '../checkouts/accounting/reconcile.ts';
import type { PaymentServices } from '../checkouts/payment-services.ts';
import { recordCheck } from './check-queries.ts';

export async function runLedgerCheck(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  onProgress: Required<CheckSettings>['onProgress'],
): Promise<LedgerReport> {
  const report = await checkLedger(db, { onProgress });
  const { balances, problems, problemCount } = report;
  const findings = problems.map(({ checkoutId, message }) =>
    checkoutId === null ? message : `${checkoutId}: ${message}`,
  );
  const found = { differences: problemCount, settled: 0, compared: null, findings, balances };
  await recordCheck(db, { name: 'ledger', mode: 'all', at: clock.now(), ...found });
  return report;
}

export async function runReconcile(
  services: PaymentServices,
  options: ReconcileOptions & { readonly mode: Mode },
): Promise<ReconcileReport> {
  const report = await reconcile(services, options);
  const { compared } = report;
  // What waits for a person is no difference between the records: it has figures, an alert and a place at the desk of its own.
  const differences = report.differences.filter(({ isWaiting }) => isWaiting !== true);
  const open = differences.filter(({ done }) => done === null);
  // What needs a person comes first: the list is cut.
  const settled = differences.filter(({ done }) => done !== null);
  const findings = [...open, ...settled].map(
    ({ subject, what, done }) => `${subject}: ${what}${done === null ? '' : ` (${done})`}`,
  );
  const found = { differences: open.length, settled: settled.length, compared, findings, balances: null };
  await recordCheck(services.db, { name: 'reconcile', mode: options.mode, at: services.clock.now(), ...found });
  return report;
}
