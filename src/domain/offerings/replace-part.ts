// Replaces the prices, or the availability, of an offering that is known, and leaves the rest of it as it is. The whole
// that comes of it is judged and stored as if it had been sent with POST /v1/offerings. Safe beside any other writer: what is
// kept is read again under the venue's list lock, so that nobody's change is undone.

import type { SetAvailability, SetPriceTiers } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { candidateFrom } from '../../base/schema/contract.ts';
import type { Caller } from '../keys/caller.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { factsFor } from '../venues/venue.ts';
import { type OfferingContent, unknownOffering } from './offering.ts';
import { findByExternalIds } from './queries.ts';
import { upsertOfferings } from './upsert-offerings.ts';

type Part = Pick<OfferingContent, 'tiers'> | Pick<Required<OfferingContent>, 'availability'>;

export function setPriceTiers(tx: Queryable, caller: Caller, input: Input<SetPriceTiers>): Promise<OperationResult> {
  const { offering_external_id, tiers } = input.body;
  return replacePart(tx, caller, offering_external_id, { tiers });
}

export function setAvailability(
  tx: Queryable,
  caller: Caller,
  input: Input<SetAvailability>,
): Promise<OperationResult> {
  const { offering_external_id, availability } = input.body;
  return replacePart(tx, caller, offering_external_id, { availability });
}

async function replacePart(tx: Queryable, caller: Caller, externalId: string, part: Part): Promise<OperationResult> {
  const { venue, mode, contract } = caller;
  const print = (content: OfferingContent): Buffer => contract.fingerprint('offering', content as unknown as JsonValue);
  const before = await whole(tx, caller, externalId, part);
  // Only a change takes the lock; then what is kept is asked again, and now it stays so.
  if (!print(before.known).equals(print(before.content))) await allocateTimestamps(tx, venue.id, mode, caller.now, 1);
  const { content } = await whole(tx, caller, externalId, part);
  return upsertOfferings(tx, caller, { body: content });
}

/** The offering as it is known, and as it would be. */
async function whole(
  tx: Queryable,
  caller: Caller,
  externalId: string,
  part: Part,
): Promise<{ readonly known: OfferingContent; readonly content: OfferingContent }> {
  const found = await findByExternalIds(tx, caller.venue.id, caller.mode, [externalId]);
  const known = found.get(externalId)?.content;
  if (known === undefined) throw invalid([nothingToReplace(externalId)]);
  const content = { ...known, ...part };
  const candidate = candidateFrom(content as unknown as JsonValue);
  const { problems } = caller.contract.validate('offering', candidate, factsFor(caller.now, caller.venue));
  const at = 'tiers' in part ? '/tiers' : '/availability';
  if (problems.length > 0) throw invalid(problems.map((problem) => toldOfPart(problem, at)));
  return { known, content };
}

function nothingToReplace(wanted: string): FieldProblem {
  const message = `This venue has no offering "${wanted}": name one that it has, or send the whole offering first.`;
  return { ...unknownOffering(wanted), message };
}

/** What is wrong elsewhere in the offering is told where the caller can mend it: in the part that they sent. */
function toldOfPart(problem: FieldProblem, at: string): FieldProblem {
  if (problem.field === at || problem.field.startsWith(`${at}/`)) return problem;
  return {
    ...problem,
    field: at,
    message: `With this the offering would be wrong at ${problem.field}. ${problem.message}`,
    example_fix: null,
  };
}
