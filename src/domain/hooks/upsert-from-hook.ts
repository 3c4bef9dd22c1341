// Reads and upserts the venue's offerings on behalf of its system, through the validation and the command of POST
// /v1/offerings. A refused offering becomes a failed outcome with the same messages as that call; it is not thrown.

import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, Problem } from '../../base/errors.ts';
import { type BadText, type JsonValue, parseStrictJson } from '../../base/json/parse.ts';
import { MAX_PAGE_BYTES } from '../../base/page.ts';
import type { Caller } from '../keys/caller.ts';
import type { OfferingContent, OfferingRow } from '../offerings/offering.ts';
import { findByExternalIds } from '../offerings/queries.ts';
import { upsertOfferings } from '../offerings/upsert-offerings.ts';
import { factsFor } from '../venues/venue.ts';
import type { InboundStatus } from './deliveries/queries.ts';
import { type Mappings, mappingOf } from './mapping/read-mappings.ts';
import { claimOffering, findOtherOwner, type OfferingOwner } from './queries.ts';
import type { Readers } from './readers/read-readers.ts';

export interface Outcome {
  readonly status: Exclude<InboundStatus, 'pending'>;
  readonly reason: string | null;
  readonly offering: string | null;
  /** What the upsert did, if there was one. */
  readonly effect?: 'created' | 'changed' | 'unchanged';
  /** A delivery has changed a part of what was read since the read began: the object is read again. */
  readonly isOutdated?: boolean;
}

export type HookServices = Pick<Caller, 'ids' | 'contract'> & {
  readonly mappings: Mappings;
  readonly readers: Readers;
};

/** The venue, as if it had sent the offering itself, and the provider whose delivery is applied. */
export type HookContext = HookServices & Pick<Caller, 'venue' | 'mode' | 'now'> & { readonly provider: string };

export function outcome(status: Outcome['status'], reason: string | null, offering: string | null): Outcome {
  return { status, reason, offering };
}

export const NEWER_WAS_APPLIED = 'A newer delivery about the same object was applied before.';
export const unknownOffering = (externalId: string): string => `This venue has no offering "${externalId}".`;

/** An applied outcome with what was left out. */
export function withNotes(result: Outcome, notes: readonly string[]): Outcome {
  return result.status === 'applied' && notes.length > 0 ? { ...result, reason: notes.join(' ') } : result;
}

export async function contentOf(
  tx: Queryable,
  context: HookContext,
  externalId: string,
): Promise<OfferingContent | null> {
  return (await offeringOf(tx, context, externalId))?.content ?? null;
}

export async function offeringOf(tx: Queryable, context: HookContext, externalId: string): Promise<OfferingRow | null> {
  const found = await findByExternalIds(tx, context.venue.id, context.mode, [externalId]);
  return found.get(externalId) ?? null;
}

/** A custom system uses the venue's own ids, like POST /v1/offerings, so it claims no ownership of offerings. */
const CUSTOM_PROVIDER = 'custom';

export function ownerOf({ venue, mode, provider }: HookContext, externalId: string): OfferingOwner {
  return { venueId: venue.id, mode, externalId, provider };
}

const EXTERNAL_ID_PATTERN = /^[^\s\0\p{Surrogate}]{1,128}$/u;

/** The same rule as in the schema of an offering. */
export function isExternalId(text: string): boolean {
  return EXTERNAL_ID_PATTERN.test(text);
}

/**
 * Two systems may use the same id, so an offering of one system is not written by another. Returns why the offering
 * cannot be written; null: it can.
 */
export async function ownershipConflict(
  tx: Queryable,
  context: HookContext,
  externalId: string,
): Promise<string | null> {
  const owner = context.provider === CUSTOM_PROVIDER ? null : await findOtherOwner(tx, ownerOf(context, externalId));
  if (owner === null) return null;
  const { name } = mappingOf(context.mappings, owner);
  return `The offering "${externalId}" of this venue comes from ${name}: two systems that use the same id cannot be connected to one venue.`;
}

/** Writes the whole offering, or refuses it before anything is written. */
export async function upsertFromHook(tx: Queryable, context: HookContext, content: OfferingContent): Promise<Outcome> {
  const { external_id } = content;
  const problems = problemsOf(context, 'offering', content);
  if (problems.length > 0) return outcome('failed', reasonOf(problems), external_id);
  const body = context.contract.normalize('offering', content as unknown as JsonValue) as unknown as OfferingContent;
  let effect: NonNullable<Outcome['effect']>;
  try {
    const { status, body: upserted } = await upsertOfferings(tx, context, { body });
    effect = status === 201 ? 'created' : (upserted as { updated: boolean }).updated ? 'changed' : 'unchanged';
  } catch (error) {
    const found = error instanceof Problem ? (error.detail.problems ?? []) : [];
    if (found.length === 0) throw error;
    return outcome('failed', reasonOf(found), external_id);
  }
  if (context.provider !== CUSTOM_PROVIDER) await claimOffering(tx, ownerOf(context, external_id), context.now);
  return { ...outcome('applied', null, external_id), effect };
}

/** One delivery has at most 256 KB (1 MB from one system), but several can add slots to one offering. */
const TOO_LARGE: FieldProblem = {
  code: 'too_long',
  field: '/availability/slots',
  message: `The offering would be larger than ${MAX_PAGE_BYTES / 1024} KB: send fewer slots or shorter texts.`,
  expected: `an offering of at most ${MAX_PAGE_BYTES / 1024} KB`,
  example_fix: [],
};

/**
 * Validates a value exactly like a request body, including text that PostgreSQL cannot store. The value has no trace of how
 * its numbers were written: `pointed` names those with a point or an exponent, which an amount must not have.
 */
export function problemsOf(
  { contract, now, venue }: HookContext,
  schema: string,
  value: unknown,
  pointed: readonly BadText[] = [],
): readonly FieldProblem[] {
  const bytes = Buffer.from(JSON.stringify(value));
  if (bytes.length > MAX_PAGE_BYTES) return [TOO_LARGE];
  const parsed = parseStrictJson(bytes);
  if (!parsed.ok) throw new Error(`the merged offering is not valid JSON: ${parsed.message}`);
  const candidate = { ...parsed, badTexts: [...parsed.badTexts, ...pointed] };
  return contract.validate(schema, candidate, factsFor(now, venue)).problems;
}

const MAX_PROBLEMS_LISTED = 5;
export const MAX_REASON_LENGTH = 2_000;

/** The problems in the words of POST /v1/offerings. */
export function reasonOf(problems: readonly FieldProblem[]): string {
  const listed = problems
    .slice(0, MAX_PROBLEMS_LISTED)
    .map(({ field, message }) => `${field === '' ? '/' : field}: ${message}`);
  const more = problems.length - listed.length;
  return [...listed, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ').slice(0, MAX_REASON_LENGTH);
}
