// What one delivery does to the venue's offerings, and what is told of it. Each change is judged and written by itself, whole
// or not at all; an older one than was applied before changes nothing; what cannot be done is named.

import { createHash } from 'node:crypto';
import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid, Problem } from '../../base/errors.ts';
import { type JsonValue, parseStrictJson } from '../../base/json/parse.ts';
import { candidateFrom } from '../../base/schema/contract.ts';
import type { Caller } from '../keys/caller.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import { findByExternalIds } from '../offerings/queries.ts';
import { upsertOfferings } from '../offerings/upsert-offerings.ts';
import { takeTicks } from '../venues/ticks.ts';
import { factsFor } from '../venues/venue.ts';
import { type DueDelivery, findThing, type InboundStatus, type KnownThing, keepThing } from './deliveries/queries.ts';
import { readBody } from './mapping/body.ts';
import { type Change, interpret, type Thing, type Whole } from './mapping/interpret.ts';
import { type Mappings, mappingOf } from './mapping/read-mappings.ts';
import { offeringAfter, offeringCanceled, slotsAfter } from './merge.ts';

export interface Outcome {
  readonly status: Exclude<InboundStatus, 'pending'>;
  readonly reason: string | null;
  readonly offering: string | null;
}

export type SellerParts = Pick<Caller, 'ids' | 'contract'> & { readonly mappings: Mappings };

/** The venue, as if it had sent the offering itself. */
export type Seller = SellerParts & Pick<Caller, 'venue' | 'mode' | 'now'>;

export async function outcomeOf(tx: Queryable, seller: Seller, delivery: DueDelivery, text: string): Promise<Outcome> {
  const reading = interpret(mappingOf(seller.mappings, delivery.provider), readBody(text), delivery.defaults);
  if (reading.does !== 'change' && reading.does !== 'whole')
    return { status: reading.does, reason: reading.reason, offering: null };
  // From here on this is the venue's only writer: what is known stays so until it is written.
  await takeTicks(tx, seller.venue.id, seller.mode, seller.now, 1);
  if (reading.does === 'whole') return wholeApplied(tx, seller, delivery, reading.whole, text);
  const outcomes: Outcome[] = [];
  for (const change of reading.changes) outcomes.push(await changeApplied(tx, seller, delivery, change));
  return together(outcomes);
}

/** Applied where one of them was; the others' reasons are told all the same. */
function together(outcomes: readonly Outcome[]): Outcome {
  const first = outcomes.find(({ status }) => status === 'applied') ?? outcomes[0];
  if (first === undefined) throw new Error('a delivery that changes something has a change');
  const reasons = new Set(outcomes.flatMap(({ reason }) => (reason === null ? [] : [reason])));
  return { ...first, reason: reasons.size === 0 ? null : [...reasons].join(' ').slice(0, LONGEST_REASON) };
}

const LONGEST_REASON = 2_000;
const OLDER = 'A newer delivery about the same thing was applied before.';

async function changeApplied(tx: Queryable, seller: Seller, delivery: DueDelivery, change: Change): Promise<Outcome> {
  const known = await findThing(tx, delivery, hashOf(change.thing));
  if (known !== null && isOlder(delivery, change.thing, known)) return told('superseded', OLDER, change.externalId);
  const externalId = change.externalId ?? (await offeringOf(tx, delivery, change.thing));
  if (externalId === null) return told('needs_api_read', 'The delivery does not say which offering it is about.', null);
  const before = await contentOf(tx, seller, externalId);
  const content = change.action === 'cancel' && !change.isOfSlot ? canceled(before) : null;
  if (change.action === 'cancel' && before === null) return told('unmapped', unknown(externalId), externalId);
  const merged = content === null ? offeringAfter(before, externalId, change, delivery.defaults) : { content };
  // Which offering the thing belongs to is worth knowing, also where nothing can be made of it yet.
  await keepThing(tx, delivery, hashOf(change.thing), keptAs(delivery, change.thing, externalId));
  if ('missing' in merged) return { ...lacking(merged.missing, change), offering: externalId };
  return upserted(tx, seller, merged.content);
}

const canceled = (before: OfferingContent | null): OfferingContent | null =>
  before === null ? null : offeringCanceled(before);

const unknown = (externalId: string): string => `This venue has no offering "${externalId}".`;

function told(status: Outcome['status'], reason: string | null, offering: string | null): Outcome {
  return { status, reason, offering };
}

function lacking(missing: readonly string[], { onlyByApi }: Change): Omit<Outcome, 'offering'> {
  const byApi = missing.filter((name) => onlyByApi.includes(name === 'tiers' ? 'tier.amount' : name));
  if (byApi.length > 0) {
    const what = byApi.join(' and ');
    return {
      status: 'needs_api_read',
      reason: `The delivery has no ${what}: send the offering once with POST /v1/offerings, and deliveries will keep it up to date.`,
    };
  }
  const kind = missing.includes('kind') ? ' Connect with defaults.kind to say what is sold.' : '';
  const tiers = missing.includes('tiers')
    ? ' Prices need a currency: connect with defaults.currency, if it has none.'
    : '';
  return { status: 'unmapped', reason: `There is no ${missing.join(' and no ')} for a new offering.${kind}${tiers}` };
}

/** By the provider's own count where both have one, else by the order of arrival. The same one again is not older. */
function isOlder(delivery: DueDelivery, { version }: Thing, known: KnownThing): boolean {
  if (version !== null && known.version !== null && version !== BigInt(known.version))
    return version < BigInt(known.version);
  return delivery.received_at < known.received_at;
}

function keptAs(delivery: DueDelivery, { version }: Thing, offering: string | null) {
  return { version: version === null ? null : String(version), receivedAt: delivery.received_at, offering };
}

function hashOf({ name }: Pick<Thing, 'name'>): Buffer {
  return createHash('sha256').update(name).digest();
}

/** What the body does not say, an earlier delivery may have: a class belongs to its description. */
async function offeringOf(tx: Queryable, delivery: DueDelivery, { partOf }: Thing): Promise<string | null> {
  const whole = partOf === null ? null : await findThing(tx, delivery, hashOf({ name: partOf }));
  return whole?.offering_external_id ?? null;
}

async function contentOf(tx: Queryable, seller: Seller, externalId: string): Promise<OfferingContent | null> {
  const found = await findByExternalIds(tx, seller.venue.id, seller.mode, [externalId]);
  return found.get(externalId)?.content ?? null;
}

/** Through the validation and the command of POST /v1/offerings, which refuses before it writes. */
async function upserted(tx: Queryable, seller: Seller, content: OfferingContent): Promise<Outcome> {
  const { external_id } = content;
  const problems = problemsOf(seller, 'offering', content);
  if (problems.length > 0) return told('failed', reasonOf(problems), external_id);
  const body = seller.contract.normal('offering', content as unknown as JsonValue) as unknown as OfferingContent;
  try {
    await upsertOfferings(tx, seller, { body });
  } catch (error) {
    const found = error instanceof Problem ? (error.detail.problems ?? []) : [];
    if (found.length === 0) throw error;
    return told('failed', reasonOf(found), external_id);
  }
  return told('applied', null, external_id);
}

function problemsOf({ contract, now, venue }: Seller, schema: string, value: unknown): readonly FieldProblem[] {
  return contract.judge(schema, candidateFrom(value as JsonValue), factsFor(now, venue)).problems;
}

const MOST_TOLD = 5;

/** As POST /v1/offerings would have said it. */
function reasonOf(problems: readonly FieldProblem[]): string {
  const some = problems.slice(0, MOST_TOLD).map(({ field, message }) => `${field === '' ? '/' : field}: ${message}`);
  const more = problems.length - some.length;
  return [...some, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ').slice(0, LONGEST_REASON);
}

interface CustomData {
  readonly external_id: string;
  readonly slots?: readonly { readonly starts_at: string }[];
}

/** A delivery in our own words: the body, then its data, as their schemas say. */
async function wholeApplied(
  tx: Queryable,
  seller: Seller,
  delivery: DueDelivery,
  { schema, thing }: Whole,
  text: string,
): Promise<Outcome> {
  const data = customData(seller, schema, text);
  const known = await findThing(tx, delivery, hashOf(thing));
  const { external_id } = data;
  if (known !== null && isOlder(delivery, thing, known)) return told('superseded', OLDER, external_id);
  const before = await contentOf(tx, seller, external_id);
  const after = customAfter(before, schema, data);
  if (after === null) return told('failed', unknown(external_id), external_id);
  const outcome = await upserted(tx, seller, after);
  if (outcome.status === 'applied') await keepThing(tx, delivery, hashOf(thing), keptAs(delivery, thing, external_id));
  return outcome;
}

/** Null: there is no such offering. */
function customAfter(before: OfferingContent | null, schema: string, data: CustomData): OfferingContent | null {
  if (schema === 'offering') return data as unknown as OfferingContent;
  if (before === null || data.slots === undefined) return canceled(before);
  const { availability } = before;
  const slots = slotsAfter(availability?.slots ?? [], data.slots);
  return { ...before, availability: { ...availability, slots } } as OfferingContent;
}

function customData(seller: Seller, schema: string, text: string): CustomData {
  const parsed = parseStrictJson(Buffer.from(text));
  if (!parsed.ok) throw new Error('what is stored was JSON when it came');
  const facts = factsFor(seller.now, seller.venue);
  const whole = seller.contract.judge('custom_hook', parsed, facts).problems;
  if (whole.length > 0) throw invalid(whole);
  const { data } = parsed.value as { data: JsonValue };
  const problems = problemsOf(seller, schema, data);
  if (problems.length > 0) throw invalid(problems.map((one) => ({ ...one, field: `/data${one.field}` })));
  return data as unknown as CustomData;
}

/** What was wrong with a body, before anything was written. Null: it is no fault of the body's. */
export function refusedBody(error: unknown): Outcome | null {
  const problems = error instanceof Problem ? (error.detail.problems ?? []) : [];
  return problems.length === 0 ? null : told('failed', reasonOf(problems), null);
}
