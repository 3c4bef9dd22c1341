// Applies a delivery of a custom system, which uses our own schemas: validates the body, then its data, and writes the
// offering whole or not at all.

import type { Queryable } from '../../base/db.ts';
import { invalid, Problem, withPointers } from '../../base/errors.ts';
import { type JsonValue, parseStrictJson } from '../../base/json/parse.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import { factsFor } from '../venues/venue.ts';
import { type AppliedDelivery, findObject, storeObject } from './deliveries/queries.ts';
import { hashOf, isOlder, orderingOf } from './delivery-order.ts';
import type { WholeObject } from './mapping/interpret.ts';
import { cancelOffering, type MergedOffering, mergeSlots } from './merge.ts';
import {
  contentOf,
  type HookContext,
  NEWER_WAS_APPLIED,
  type Outcome,
  outcome,
  problemsOf,
  reasonOf,
  unknownOffering,
  upsertFromHook,
  withNotes,
} from './upsert-from-hook.ts';

interface CustomData {
  readonly external_id: string;
  readonly slots?: readonly { readonly starts_at: string }[];
}

export async function applyWholeObject(
  tx: Queryable,
  context: HookContext,
  delivery: AppliedDelivery,
  { schema, object }: WholeObject,
  text: string,
): Promise<Outcome> {
  const data = readCustomData(context, schema, text);
  const hash = hashOf(object.name);
  const known = await findObject(tx, delivery, hash);
  const { external_id } = data;
  if (known !== null && isOlder(delivery, object, known)) return outcome('superseded', NEWER_WAS_APPLIED, external_id);
  const before = await contentOf(tx, context, external_id);
  const after = mergeCustomData(before, schema, data);
  if (after === null) return outcome('failed', unknownOffering(external_id), external_id);
  const result = withNotes(await upsertFromHook(tx, context, after.content), after.notes);
  if (result.status === 'applied')
    await storeObject(tx, delivery, hash, {
      ...orderingOf(delivery, object),
      offering: external_id,
      optionSeats: null,
    });
  return result;
}

/** The offering after a custom delivery. Null: there is no such offering. */
function mergeCustomData(before: OfferingContent | null, schema: string, data: CustomData): MergedOffering | null {
  if (schema === 'offering') return { content: data as unknown as OfferingContent, notes: [] };
  if (before === null) return null;
  if (data.slots === undefined) return { content: cancelOffering(before), notes: [] };
  const { availability } = before;
  const { slots, notes } = mergeSlots(availability?.slots ?? [], data.slots, 'replace');
  return { content: { ...before, availability: { ...availability, slots } } as OfferingContent, notes };
}

function readCustomData(context: HookContext, schema: string, text: string): CustomData {
  const parsed = parseStrictJson(Buffer.from(text));
  if (!parsed.ok) throw new Error('the stored body is not valid JSON');
  const facts = factsFor(context.now, context.venue);
  const bodyProblems = context.contract.validate('custom_hook', parsed, facts).problems;
  if (bodyProblems.length > 0) throw invalid(bodyProblems);
  const { data } = parsed.value as { data: JsonValue };
  const pointed = parsed.badTexts
    .filter(({ problem, field }) => problem === 'pointed' && field.startsWith('/data/'))
    .map((bad) => ({ ...bad, field: bad.field.slice('/data'.length) }));
  const problems = problemsOf(context, schema, data, pointed);
  if (problems.length > 0)
    throw invalid(problems.map((problem) => withPointers(problem, (pointer) => `/data${pointer}`)));
  return data as unknown as CustomData;
}

/** The failed outcome of a body that did not validate; nothing was written. Null: the error is not about the body. */
export function outcomeOfInvalidBody(error: unknown): Outcome | null {
  const problems = error instanceof Problem ? (error.detail.problems ?? []) : [];
  return problems.length === 0 ? null : outcome('failed', reasonOf(problems), null);
}
