// GET /v1/offerings/{id}/slots: what can be booked of an offering, and at what price, for a party of a given size.

import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid, notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { findOffering } from './queries.ts';
import { bookableSlots } from './slots.ts';

const LONGEST_DAYS = 62;
const DAY = 86_400_000;

export async function listSlots(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { from, to, party_size } = input.query as { from: string; to: string; party_size: number };
  const window = { from: new Date(from.toUpperCase()), to: new Date(to.toUpperCase()) };
  checkWindow(window);
  const row = await findOffering(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  const question = { ...window, partySize: party_size, now: new Date(caller.now) };
  return { status: 200, body: bookableSlots(row.content, question) };
}

function checkWindow({ from, to }: { readonly from: Date; readonly to: Date }): void {
  const length = to.getTime() - from.getTime();
  if (length > 0 && length <= LONGEST_DAYS * DAY) return;
  const problem: FieldProblem = {
    code: length > 0 ? 'out_of_range' : 'not_allowed',
    field: '/query/to',
    message: length > 0 ? `to is more than ${LONGEST_DAYS} days after from.` : 'to must be after from.',
    expected: `a time after from, at most ${LONGEST_DAYS} days later`,
    example_fix: new Date(Math.min(from.getTime() + 7 * DAY, Date.UTC(9998, 11, 31))).toISOString(),
  };
  throw invalid([problem]);
}
