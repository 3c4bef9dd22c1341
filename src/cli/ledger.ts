// `everyshare ledger check`: shows the balance of every account, and where the ledger disagrees with the checkouts.

import type {
  AccountBalance,
  LedgerProblem,
  LedgerReport,
  OwnFunds,
} from '../domain/checkouts/accounting/check-ledger.ts';
import { runLedgerCheck } from '../domain/monitoring/run-checks.ts';
import type { Command, CommandResult } from './command-definition.ts';
import { ProgressBar } from './progress-bar.ts';
import { table } from './table.ts';

const check: Command = {
  words: ['ledger', 'check'],
  arguments: [],
  help: 'check that the ledger adds up and agrees with what happened; changes nothing but the record of the last check',
  options: [],
  async run(input, open) {
    const { context } = await open();
    const bar = new ProgressBar('checking', context.clock, input.flag('json') ? null : process.stderr);
    const report = await runLedgerCheck(context, (done, about) =>
      bar.show(done, done, about === null ? null : done / about),
    );
    bar.end();
    return answerOf(report);
  },
};

function answerOf({ balances, ownFunds, problems, problemCount }: LedgerReport): CommandResult {
  const ok = problemCount === 0;
  const json = { ok, balances, own_funds: ownFunds, problem_count: problemCount, problems: problems.map(jsonOf) };
  if (ok) return { json, text: `${balanceTable(balances)}\n\n${ownLines(ownFunds)}The ledger adds up.` };
  const more = problemCount > problems.length ? `\n… and ${problemCount - problems.length} more` : '';
  return {
    json,
    text: `${balanceTable(balances)}\n\n${problemTable(problems)}${more}`,
    failure: `the ledger has ${problemCount === 1 ? '1 difference' : `${problemCount} differences`}: see docs/guides/money-operations.md.`,
  };
}

function jsonOf({ problem, venueId, checkoutId, subject, expected, found, message }: LedgerProblem): object {
  return { problem, venue_id: venueId, checkout_id: checkoutId, subject, expected, found, message };
}

function balanceTable(balances: readonly AccountBalance[]): string {
  if (balances.length === 0) return 'The ledger has no entries.';
  const rows = balances.map(({ mode, currency, account, debits, credits, balance }) => [
    mode,
    currency,
    account,
    String(debits),
    String(credits),
    String(balance),
  ]);
  return table(['MODE', 'CURRENCY', 'ACCOUNT', 'DEBITS', 'CREDITS', 'BALANCE'], rows);
}

function ownLines(ownFunds: readonly OwnFunds[]): string {
  return ownFunds
    .map(
      ({ mode, currency, amount }) =>
        `Yours at the processor, not the guests’ or the venues’: ${amount} ${currency} (${mode}).\n`,
    )
    .join('');
}

function problemTable(problems: readonly LedgerProblem[]): string {
  const rows = problems.map(({ problem, checkoutId, subject, message }) => [
    problem,
    checkoutId ?? '-',
    subject ?? '-',
    message,
  ]);
  return table(['PROBLEM', 'CHECKOUT', 'SUBJECT', 'WHAT'], rows);
}

export const ledgerCommands: readonly Command[] = [check];
