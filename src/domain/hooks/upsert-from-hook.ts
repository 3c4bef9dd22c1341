// The venue as the seller of what its system sends: its offerings as they are known, and the upsert of one, through the
// validation and the command of POST /v1/offerings. What is refused is told in the words of that call; nothing is thrown.

import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, Problem } from '../../base/errors.ts';
import { type JsonValue, parseStrictJson } from '../../base/json/parse.ts';
import type { Caller } from '../keys/caller.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import { findByExternalIds } from '../offerings/queries.ts';
import { upsertOfferings } from '../offerings/upsert-offerings.ts';
import { factsFor } from '../venues/venue.ts';
import type { InboundStatus } from './deliveries/queries.ts';
import { type Mappings, mappingOf } from './mapping/read-mappings.ts';
import { claimOffering, findOtherOwner, type OfferingOwner } from './queries.ts';

export interface Outcome {
  readonly status: Exclude<InboundStatus, 'pending'>;
  readonly reason: string | null;
  readonly offering: string | null;
}

export type SellerServices = Pick<Caller, 'ids' | 'contract'> & { readonly mappings: Mappings };

/** The venue, as if it had sent the offering itself, and the provider that speaks for it. */
export type Seller = SellerServices & Pick<Caller, 'venue' | 'mode' | 'now'> & { readonly provider: string };

export function outcome(status: Outcome['status'], reason: string | null, offering: string | null): Outcome {
  return { status, reason, offering };
}

export async function contentOf(tx: Queryable, seller: Seller, externalId: string): Promise<OfferingContent | null> {
  const found = await findByExternalIds(tx, seller.venue.id, seller.mode, [externalId]);
  return found.get(externalId)?.content ?? null;
}

/** A system of the venue's own speaks in the venue's own ids, as POST /v1/offerings does: it holds nothing back. */
const CUSTOM_PROVIDER = 'custom';

function ownedAs({ venue, mode, provider }: Seller, externalId: string): OfferingOwner {
  return { venueId: venue.id, mode, externalId, provider };
}

const EXTERNAL_ID_PATTERN = /^[^\s\0\p{Surrogate}]{1,128}$/u;

/** As the schema of an offering has it. */
export function isExternalId(text: string): boolean {
  return EXTERNAL_ID_PATTERN.test(text);
}

/** Ids of two systems can be the same: what comes from one is not written by another. Null: it may be written. */
export async function ownedByOther(tx: Queryable, seller: Seller, externalId: string): Promise<string | null> {
  const holder = seller.provider === CUSTOM_PROVIDER ? null : await findOtherOwner(tx, ownedAs(seller, externalId));
  if (holder === null) return null;
  const { name } = mappingOf(seller.mappings, holder);
  return `The offering "${externalId}" of this venue comes from ${name}: two systems that use the same id cannot be connected to one venue.`;
}

/** Refused before anything is written, or written whole. */
export async function upsertFromHook(tx: Queryable, seller: Seller, content: OfferingContent): Promise<Outcome> {
  const { external_id } = content;
  const problems = problemsOf(seller, 'offering', content);
  if (problems.length > 0) return outcome('failed', reasonOf(problems), external_id);
  const body = seller.contract.normalize('offering', content as unknown as JsonValue) as unknown as OfferingContent;
  try {
    await upsertOfferings(tx, seller, { body });
  } catch (error) {
    const found = error instanceof Problem ? (error.detail.problems ?? []) : [];
    if (found.length === 0) throw error;
    return outcome('failed', reasonOf(found), external_id);
  }
  if (seller.provider !== CUSTOM_PROVIDER) await claimOffering(tx, ownedAs(seller, external_id), seller.now);
  return outcome('applied', null, external_id);
}

/** Read as a body would be: text that no column can hold is found here as it is there. */
export function problemsOf({ contract, now, venue }: Seller, schema: string, value: unknown): readonly FieldProblem[] {
  const parsed = parseStrictJson(Buffer.from(JSON.stringify(value)));
  if (!parsed.ok) throw new Error(`an offering was put together that is no JSON: ${parsed.message}`);
  return contract.validate(schema, parsed, factsFor(now, venue)).problems;
}

const MAX_PROBLEMS_LISTED = 5;
export const MAX_REASON_LENGTH = 2_000;

/** As POST /v1/offerings would have said it. */
export function reasonOf(problems: readonly FieldProblem[]): string {
  const some = problems
    .slice(0, MAX_PROBLEMS_LISTED)
    .map(({ field, message }) => `${field === '' ? '/' : field}: ${message}`);
  const more = problems.length - some.length;
  return [...some, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ').slice(0, MAX_REASON_LENGTH);
}
