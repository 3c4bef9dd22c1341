// Replaces the prices or the availability of an existing offering and keeps the rest of it. The resulting offering is
// validated and stored as if it had been sent with POST /v1/offerings. The parts that stay are read again under the
// venue's list lock, so that a concurrent change of another writer is not undone.

import type { SetAvailability, SetPriceTiers } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { candidateFrom } from '../../base/schema/contract.ts';
import type { Caller } from '../keys/caller.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { factsFor } from '../venues/venue.ts';
import type { OfferingContent } from './offering.ts';
import { findByExternalIds } from './queries.ts';
import { unknownOffering } from './unknown-offering.ts';
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
  const fingerprintOf = (content: OfferingContent): Buffer =>
    contract.fingerprint('offering', content as unknown as JsonValue);
  const before = await withPart(tx, caller, externalId, part);
  // Only a change takes the list lock. Under the lock the offering is read again, since it may have changed meanwhile.
  if (!fingerprintOf(before.stored).equals(fingerprintOf(before.content)))
    await allocateTimestamps(tx, venue.id, mode, caller.now, 1);
  const { content } = await withPart(tx, caller, externalId, part);
  return upsertOfferings(tx, caller, { body: content });
}

/** The offering as it is stored, and as it would be with the part replaced. */
async function withPart(
  tx: Queryable,
  caller: Caller,
  externalId: string,
  part: Part,
): Promise<{ readonly stored: OfferingContent; readonly content: OfferingContent }> {
  const found = await findByExternalIds(tx, caller.venue.id, caller.mode, [externalId]);
  const stored = found.get(externalId)?.content;
  if (stored === undefined) throw invalid([await noOfferingToChange(tx, caller, externalId)]);
  const content = { ...stored, ...part };
  const candidate = candidateFrom(content as unknown as JsonValue);
  const { problems } = caller.contract.validate('offering', candidate, factsFor(caller.now, caller.venue));
  const changed = 'tiers' in part ? 'tiers' : 'availability';
  if (problems.length > 0) throw invalid(problemsOfPart(problems, changed, stored));
  return { stored, content };
}

async function noOfferingToChange(tx: Queryable, caller: Caller, externalId: string): Promise<FieldProblem> {
  const message = `This venue has no offering "${externalId}": name one that it has, or send the whole offering first.`;
  return { ...(await unknownOffering(tx, caller, externalId)), message };
}

/**
 * Problems elsewhere in the offering are reported at the part that the caller sent, where the caller can fix them: the
 * first of each code, since each shows the stored tiers as its example.
 */
function problemsOfPart(
  problems: readonly FieldProblem[],
  part: 'tiers' | 'availability',
  stored: OfferingContent,
): FieldProblem[] {
  const at = `/${part}`;
  const isInPart = ({ field }: FieldProblem): boolean => field === at || field.startsWith(`${at}/`);
  const elsewhere = new Map<string, FieldProblem>();
  for (const { code, field, message, expected } of problems.filter((problem) => !isInPart(problem))) {
    if (elsewhere.has(code)) continue;
    elsewhere.set(code, {
      code: code === 'unknown_field' ? 'not_allowed' : code,
      field: at,
      message: `With this the offering would be wrong at ${field}. ${message}`,
      expected,
      example_fix: part === 'tiers' ? stored.tiers : {},
    });
  }
  return [...problems.filter(isInPart), ...elsewhere.values()];
}
