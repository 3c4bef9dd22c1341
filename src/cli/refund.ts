// The operator's commands for refunds that did not reach the guest: list them, and close one that was paid in another way.

import { Problem } from '../base/errors.ts';
import { closeRefund } from '../domain/checkouts/refunds/close-refund.ts';
import { type FailedRefund, listFailedRefunds } from '../domain/payments/refund-queries.ts';
import { commandError, usageError } from './cli-error.ts';
import type { Command, CommandInput } from './command-definition.ts';
import { integerOption, parseId } from './options.ts';
import { block, formatTimestamp, table } from './table.ts';

const MAX_LISTED = 1000;
const DEFAULT_LISTED = 100;
const MAX_NOTE_LENGTH = 500;

const jsonOf = ({ id, venueId, mode, checkoutId, shareId, amount, currency, error, createdAt }: FailedRefund) => ({
  id,
  venue_id: venueId,
  mode,
  checkout_id: checkoutId,
  share_id: shareId,
  amount,
  currency,
  reason: error,
  created_at: createdAt,
});

const list: Command = {
  words: ['refund', 'list'],
  arguments: [],
  help: 'list the refunds that did not reach the guest, live mode first, the oldest first',
  options: [{ name: 'limit', valueName: 'N', help: `how many, 1 to ${MAX_LISTED}; ${DEFAULT_LISTED} when absent` }],
  async run(input, open) {
    const limit = integerOption(input, 'limit', 1, MAX_LISTED) ?? DEFAULT_LISTED;
    const { context } = await open();
    const refunds = await listFailedRefunds(context.db, limit);
    const rows = refunds.map(({ id, mode, checkoutId, amount, currency, error, createdAt }) => [
      id,
      mode,
      checkoutId,
      `${amount} ${currency}`,
      error ?? '-',
      formatTimestamp(createdAt),
    ]);
    return {
      json: refunds.map(jsonOf),
      text:
        rows.length === 0
          ? 'Every refund has reached its guest, or is on its way.'
          : table(['ID', 'MODE', 'CHECKOUT', 'AMOUNT', 'REASON', 'CREATED'], rows),
    };
  },
};

function noteIn(input: CommandInput): string {
  const note = input.required('note').trim();
  const length = [...note].length;
  if (length >= 1 && length <= MAX_NOTE_LENGTH) return note;
  throw usageError(`--note has ${length} characters: say in 1 to ${MAX_NOTE_LENGTH} how the guest was paid.`);
}

const close: Command = {
  words: ['refund', 'close'],
  arguments: ['ID'],
  help: 'close a failed refund that you have paid to the guest in another way; it is never sent again',
  options: [
    { name: 'note', valueName: 'TEXT', isRequired: true, help: `how it was paid, 1 to ${MAX_NOTE_LENGTH} characters` },
  ],
  async run(input, open) {
    const id = parseId(input.argument(0), 'ID', 'refund list');
    const note = noteIn(input);
    const { context, command } = await open();
    try {
      const refund = await context.db.transaction((tx) => closeRefund(tx, command, id, note));
      return { json: { ...jsonOf(refund), status: 'closed', note }, text: block(linesOf(refund, note)) };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
      throw commandError(`there is no failed refund with the id ${id}: "everyshare refund list" shows them.`);
    }
  },
};

function linesOf({ id, checkoutId, amount, currency, mode }: FailedRefund, note: string): [string, string][] {
  return [
    ['id', id],
    ['checkout', checkoutId],
    ['amount', `${amount} ${currency} (${mode})`],
    ['status', 'closed'],
    ['note', note],
  ];
}

export const refundCommands: readonly Command[] = [list, close];
