// The dry run for agents: the problems that an operation would report for an object. Nothing is stored. It checks the
// schema, the rules between fields, those for a new object, whether a named offering exists, and whether a
// webhook address leads to the public internet.

import type { Validate } from '../../schemas/types.gen.ts';
import type { Queryable } from '../base/db.ts';
import { type FieldProblem, withPointers } from '../base/errors.ts';
import type { JsonValue } from '../base/json/parse.ts';
import type { Input, OperationResult } from '../base/operation.ts';
import type { Outbound } from '../base/outbound/outbound.ts';
import { candidateFrom } from '../base/schema/contract.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { recurrenceProblems } from '../domain/offerings/bounded-rules.ts';
import type { OfferingContent } from '../domain/offerings/offering.ts';
import { findByExternalIds } from '../domain/offerings/queries.ts';
import { unknownOffering } from '../domain/offerings/unknown-offering.ts';
import { factsFor } from '../domain/venues/venue.ts';
import { checkEndpoint, type NewEndpoint } from '../domain/webhooks/endpoints.ts';

/** Pointers lead into `object`, as they would into the body of the later call. */
const OBJECT_POINTER = '/object';

interface ExternalServices {
  readonly db: Queryable;
  readonly outbound: Outbound;
}

export async function validateObject(
  services: ExternalServices,
  caller: Caller,
  input: Input<Validate>,
): Promise<OperationResult> {
  const { schema, object } = input.body;
  const badTexts = input.badTexts.map((bad) => ({ ...bad, field: bad.field.slice(OBJECT_POINTER.length) }));
  const candidate = { ...candidateFrom(object as JsonValue), badTexts };
  const { whenNew } = caller.contract.validate(schema, candidate, factsFor(caller.now, caller.venue));
  const problems = whenNew.length > 0 ? whenNew : await problemsFromServices(services, caller, schema, object);
  const errors = problems.map((problem) => ({ ...problem, doc_url: caller.docUrl(problem.code) }));
  return { status: 200, body: { valid: errors.length === 0, errors } };
}

/** Problems that only the database or another server knows, for an object that is valid otherwise. */
async function problemsFromServices(
  { db, outbound }: ExternalServices,
  caller: Caller,
  schema: string,
  object: unknown,
): Promise<FieldProblem[]> {
  if (schema === 'offering') return recurrenceProblems([{ at: '', content: object as OfferingContent }]);
  if (schema === 'availability') return unboundedTimes(object as Required<OfferingContent>['availability']);
  if (schema === 'webhook_endpoint') return checkEndpoint({ outbound }, { body: object as NewEndpoint });
  if (schema !== 'checkout_create' && schema !== 'event') return [];
  const { offering_external_id: externalId } = object as { readonly offering_external_id?: string };
  if (externalId === undefined) return [];
  const found = await findByExternalIds(db, caller.venue.id, caller.mode, [externalId]);
  return found.has(externalId) ? [] : [await unknownOffering(db, caller, externalId)];
}

/** For an availability alone: pointers lead into it, not into an offering. */
function unboundedTimes(availability: Required<OfferingContent>['availability']): FieldProblem[] {
  const problems = recurrenceProblems([{ at: '', content: { availability } }]);
  return problems.map((problem) => withPointers(problem, (pointer) => pointer.slice('/availability'.length)));
}
