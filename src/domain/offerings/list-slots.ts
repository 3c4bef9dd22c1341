// GET /v1/offerings/{id}/slots: the slots of an offering that a party of a given size can book, with their prices.

import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid, notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { findOffering } from './queries.ts';
import { bookableSlots } from './slots.ts';

const MAX_DAYS = 62;
const DAY_MS = 86_400_000;

export async function listSlots(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { from, to, party_size } = input.query as { from: string; to: string; party_size: number };
  const range = { from: new Date(from.toUpperCase()), to: new Date(to.toUpperCase()) };
  checkRange(range);
  const row = await findOffering(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  const query = { ...range, partySize: party_size, now: new Date(caller.now) };
  return { status: 200, body: bookableSlots(row.content, query) };
}

function checkRange({ from, to }: { readonly from: Date; readonly to: Date }): void {
  const length = to.getTime() - from.getTime();
  if (length > 0 && length <= MAX_DAYS * DAY_MS) return;
  const problem: FieldProblem = {
    code: length > 0 ? 'out_of_range' : 'not_allowed',
    field: '/query/to',
    message: length > 0 ? `to is more than ${MAX_DAYS} days after from.` : 'to must be after from.',
    expected: `a time after from, at most ${MAX_DAYS} days later`,
    example_fix: new Date(Math.min(from.getTime() + 7 * DAY_MS, Date.UTC(9998, 11, 31))).toISOString(),
  };
  throw invalid([problem]);
}
