// `everyshare reconcile`: settles open holds and movements with the card processor, and reports where its records and
// ours differ.

import type { CommandContext } from '../base/command-context.ts';
import type { Mode } from '../base/config.ts';
import { MAX_UNKNOWN_CHARGES } from '../domain/checkouts/accounting/apply-remedies.ts';
import type { Difference } from '../domain/checkouts/accounting/compare-holds.ts';
import { retryFailed } from '../domain/checkouts/refunds/retry-failed.ts';
import { runReconcile } from '../domain/monitoring/run-checks.ts';
import { retryableMovements } from '../domain/payments/movement-queries.ts';
import type { AppContext } from '../run/context.ts';
import { usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { choiceOption, integerOption } from './options.ts';
import { ProgressBar } from './progress-bar.ts';
import { table } from './table.ts';

const DAY_MS = 24 * 3_600_000;

const run: Command = {
  words: ['reconcile'],
  arguments: [],
  help: 'settle what is open with the card processor, and compare its records with ours',
  options: [
    { name: 'mode', valueName: 'test|live', help: 'one mode; both when absent' },
    {
      name: 'retry-failed',
      valueName: null,
      help: 'retry the movements that the processor refused and no operator pays by hand',
    },
    { name: 'checkout', valueName: 'ID', help: 'with --retry-failed: only the movements of this checkout' },
    {
      name: 'apply',
      valueName: null,
      help: 'release and refund what is not in our records; without it they are listed',
    },
    {
      name: 'unknown-charges',
      valueName: 'N',
      help: `with --apply: you have checked these N charges (needed when they are more than ${MAX_UNKNOWN_CHARGES})`,
    },
    { name: 'days', valueName: 'N', help: 'how far back the processor’s records are read, 1 to 3650; 30 when absent' },
  ],
  async run(input, open) {
    const mode = input.text('mode') === null ? null : choiceOption(input, 'mode', ['test', 'live']);
    const days = integerOption(input, 'days', 1, 3650) ?? 30;
    const confirmedCharges = integerOption(input, 'unknown-charges', 1, 1_000_000);
    if (confirmedCharges !== null && !input.flag('apply')) throw usageError('--unknown-charges goes with --apply.');
    const checkoutId = input.text('checkout');
    if (checkoutId !== null && !input.flag('retry-failed')) throw usageError('--checkout goes with --retry-failed.');
    const { context, command } = await open();
    const modes: readonly Mode[] = mode === null ? context.config.modes : [mode];
    const bar = new ProgressBar('reconciling', context.clock, input.flag('json') ? null : process.stderr);
    const retried = input.flag('retry-failed') ? await retryAllFailed(context, command, modes, checkoutId) : 0;
    const differences: Difference[] = [];
    let asked = 0;
    let compared = 0;
    for (const one of modes) {
      const since = context.clock.now() - days * DAY_MS;
      const onProgress = (askedNow: number, comparedNow: number): void =>
        bar.show(asked + compared + askedNow + comparedNow, asked + compared + askedNow + comparedNow, null);
      const apply = input.flag('apply') ? { command, confirmedCharges } : null;
      const found = await runReconcile(context.services, { mode: one, since, apply, onProgress });
      asked += found.asked;
      compared += found.compared;
      differences.push(...found.differences);
    }
    bar.end();
    const unresolved = differences.filter(({ done }) => done === null);
    const rows = differences.map(({ mode: where, subject, what, done }) => [
      where,
      subject,
      what,
      done ?? 'look at it',
    ]);
    const settled = `${asked} asked about, ${compared} compared.`;
    return {
      json: { ok: unresolved.length === 0, retried, asked, compared, differences },
      text:
        rows.length === 0
          ? `The records agree: ${settled}`
          : `${table(['MODE', 'SUBJECT', 'DIFFERENCE', 'DONE'], rows)}\n\n${settled}`,
      ...(unresolved.length === 0
        ? {}
        : {
            failure:
              unresolved.length === 1
                ? 'one difference must be resolved by an operator.'
                : `${unresolved.length} differences must be resolved by an operator.`,
          }),
    };
  },
};

async function retryAllFailed(
  { db }: AppContext,
  command: CommandContext,
  modes: readonly Mode[],
  checkoutId: string | null,
): Promise<number> {
  let retried = 0;
  for (const mode of modes) {
    for (const { venueId, id } of await retryableMovements(db, mode, checkoutId)) {
      if (await db.transaction((tx) => retryFailed(tx, command, venueId, id))) retried++;
    }
  }
  return retried;
}

export const reconcileCommands: readonly Command[] = [run];
