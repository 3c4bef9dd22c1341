// The operator's commands for refunds that did not reach the guest: list them, reserve one before it is paid in another way,
// and close it then.

import { Problem } from '../base/errors.ts';
import { closeRefund } from '../domain/checkouts/refunds/close-refund.ts';
import {
  giveBackReservation,
  type ReservationChange,
  reserveMovement,
} from '../domain/checkouts/refunds/reserve-failed.ts';
import { type FailedRefund, findFailedRefund, listFailedRefunds } from '../domain/payments/refund-queries.ts';
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
  help: 'close a reserved refund that you have paid to the guest in another way; it is never sent again',
  options: [
    { name: 'note', valueName: 'TEXT', isRequired: true, help: `how it was paid, 1 to ${MAX_NOTE_LENGTH} characters` },
  ],
  async run(input, open) {
    const id = parseId(input.argument(0), 'ID', 'refund list');
    const note = noteIn(input);
    const { context, command } = await open();
    const refund = await orRefused(context.db.transaction((tx) => closeRefund(tx, command, id, note)));
    if (refund === null) throw noFailedRefund(id);
    return { json: { ...jsonOf(refund), status: 'closed', note }, text: block(linesOf(refund, note)) };
  },
};

/** What a command that changes a reservation says of the payment; null: nothing. */
function knownOfPayment(input: CommandInput): string | null {
  const note = input.text('note')?.trim() ?? null;
  const length = note === null ? 1 : [...note].length;
  if (length >= 1 && length <= MAX_NOTE_LENGTH) return note;
  throw usageError(`--note has ${length} characters: say in 1 to ${MAX_NOTE_LENGTH} whether it was paid.`);
}

const PAYMENT_NOTE = {
  name: 'note',
  valueName: 'TEXT',
  help: `whether it was paid; required when another operator has reserved it, 1 to ${MAX_NOTE_LENGTH} characters`,
} as const;

const reserve: Command = {
  words: ['refund', 'reserve'],
  arguments: ['ID'],
  help: 'reserve a failed refund before you pay it in another way: it is not sent again meanwhile',
  options: [
    { name: 'take-over', valueName: null, help: 'reserve it although another operator has, with --note' },
    PAYMENT_NOTE,
  ],
  run: (input, open) => changeReservation(input, open, reserveMovement, 'reserved: pay it now, then "refund close".'),
};

const giveBack: Command = {
  words: ['refund', 'give-back'],
  arguments: ['ID'],
  help: 'give a reserved refund back that was not paid: it can be retried again',
  options: [PAYMENT_NOTE],
  run: (input, open) => changeReservation(input, open, giveBackReservation, 'given back: it can be retried.'),
};

async function changeReservation(
  input: CommandInput,
  open: Parameters<Command['run']>[1],
  change: typeof reserveMovement,
  done: string,
): ReturnType<Command['run']> {
  const id = parseId(input.argument(0), 'ID', 'refund list');
  const asked: ReservationChange = { note: knownOfPayment(input), isTakenOver: input.flag('take-over') };
  const { context, command } = await open();
  const refund = await findFailedRefund(context.db, id);
  if (refund === null) throw noFailedRefund(id);
  const isChanged = await orRefused(context.db.transaction((tx) => change(tx, command, refund.venueId, refund, asked)));
  if (!isChanged)
    throw commandError(`the refund ${id} is not reserved, or has changed: look at "everyshare refund list".`);
  return { json: { ...jsonOf(refund), status: 'failed' }, text: `The refund ${id} is ${done}` };
}

/** The command prints the message of a conflict, and of a note that is missing. */
async function orRefused<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    if (error.detail.field === '/note') throw commandError(`${error.message} Say it with --note.`);
    throw error.code === 'conflict' ? commandError(error.message) : error;
  });
}

const noFailedRefund = (id: string): Error =>
  commandError(`there is no failed refund with the id ${id}: "everyshare refund list" shows them.`);

function linesOf({ id, checkoutId, amount, currency, mode }: FailedRefund, note: string): [string, string][] {
  return [
    ['id', id],
    ['checkout', checkoutId],
    ['amount', `${amount} ${currency} (${mode})`],
    ['status', 'closed'],
    ['note', note],
  ];
}

export const refundCommands: readonly Command[] = [list, reserve, giveBack, close];
