// From a change that a venue system asks for to the whole offering it leads to: what was known, with what the delivery says.
// Pure. It gives a whole offering or says what is missing; never a part of one.

import { occurrenceAt } from '../offerings/occurrence.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import type { Defaults } from './integration.ts';
import type { Change, MappedSlot, MappedTier } from './mapping/interpret.ts';

type Availability = NonNullable<OfferingContent['availability']>;
export type Slot = NonNullable<Availability['slots']>[number];
type Tier = OfferingContent['tiers'][number];

export interface MergedOffering {
  readonly content: OfferingContent;
  /** What was left out of it, or cut. */
  readonly notes: readonly string[];
}

export type MergeResult =
  | MergedOffering
  /** What a new offering needs and neither the delivery nor the venue's defaults have. */
  | { readonly missing: readonly string[] };

const MAX_SLOTS = 1000;
const MAX_TIERS = 20;

/** `slot`: what is to be written of the change's slot; null: nothing. */
export function mergeOffering(
  before: OfferingContent | null,
  externalId: string,
  change: Change,
  slot: MappedSlot | null,
  defaults: Defaults,
): MergeResult {
  const kind = change.kind ?? before?.kind ?? defaults.kind;
  const texts = mergeTexts(before, change);
  const title = texts.title ?? before?.title;
  const tiers = mergeTiers(before?.tiers ?? [], change);
  const category = before?.category ?? defaults.category;
  const missing = [
    ...(kind === undefined ? ['kind'] : []),
    ...(title === undefined ? ['title'] : []),
    ...(tiers.length === 0 ? ['tiers'] : []),
  ];
  if (missing.length > 0) return { missing };
  const priced = slot === null ? null : withPriceOverrides(slot, change, tiers);
  const { availability, notes } = mergeAvailability(before, change, priced);
  const cut = change.truncated
    .filter((name) => name in texts)
    .map((name) => `The ${name} is too long: its end is cut off.`);
  return {
    notes: [...cut, ...notes],
    content: {
      ...before,
      external_id: externalId,
      kind,
      ...texts,
      title,
      tiers,
      ...(category === undefined ? {} : { category }),
      ...(availability === undefined ? {} : { availability }),
    } as OfferingContent,
  };
}

/** Nothing of it can be booked any more; the offering itself stays, and a whole upsert brings it back. */
export function cancelOffering(before: OfferingContent): OfferingContent {
  const { slots: _, recurring: __, ...rest } = before.availability ?? {};
  return { ...before, availability: { ...rest, slots: [], recurring: [] } };
}

/** A booking or a slot says how a new offering is called; it does not rename one that is known. */
function mergeTexts(
  before: OfferingContent | null,
  { texts, isAboutSlot: isOfSlot }: Change,
): Readonly<Record<string, string>> {
  if (before === null || !isOfSlot) return texts;
  return Object.fromEntries(
    Object.entries(texts).filter(([name]) => (before as unknown as Record<string, unknown>)[name] === undefined),
  );
}

const tierKey = ({ external_id, label }: Pick<MappedTier, 'external_id' | 'label'>): string =>
  external_id ?? label ?? '';

/** Fees, deposits and whatever else the venue has added to a tier stay, and so does its unit where ours is a fixed one. */
function mergeTiers(
  before: readonly Tier[],
  { tiers, tierMerge: tiersBecome, isFixedUnit: isOurUnit }: Change,
): readonly Tier[] {
  if (tiers.length === 0 || (tiersBecome === 'new' && before.length > 0)) return before;
  const fresh = new Map(tiers.map((tier) => [tierKey(tier), tier]));
  const kept = before.flatMap((old): Tier[] => {
    const next = fresh.get(tierKey(old));
    fresh.delete(tierKey(old));
    if (next === undefined) return tiersBecome === 'replace' ? [] : [old];
    if (tiersBecome === 'by_slot' || tiersBecome === 'add') return [old];
    return [{ ...old, ...next, ...(isOurUnit ? { unit: old.unit } : {}) } as Tier];
  });
  // What is known goes first: a list that is full takes no more.
  return [...kept, ...([...fresh.values()] as unknown as Tier[])].slice(0, Math.max(MAX_TIERS, kept.length));
}

/** Where prices are a slot's own, those that differ from the offering's are kept with the slot. */
function withPriceOverrides(
  slot: MappedSlot,
  { tiers, tierMerge: tiersBecome }: Change,
  known: readonly Tier[],
): MappedSlot {
  if (tiersBecome !== 'by_slot') return slot;
  const amounts = new Map(known.map((tier) => [tier.external_id, tier.amount]));
  const overrides = tiers.flatMap(({ external_id: tier, amount }) =>
    tier === undefined || !amounts.has(tier) || amounts.get(tier) === amount ? [] : [{ tier, amount }],
  );
  return { ...slot, tier_overrides: overrides.length === 0 ? undefined : overrides };
}

function mergeAvailability(
  before: OfferingContent | null,
  change: Change,
  slot: MappedSlot | null,
): { readonly availability: OfferingContent['availability'] | undefined; readonly notes: readonly string[] } {
  const known = before?.availability;
  const timezone = known?.timezone ?? change.timezone ?? undefined;
  if (timezone === undefined && slot === null) return { availability: known, notes: [] };
  const after = slot === null ? null : mergeSlots(known?.slots ?? [], [slot], 'merge');
  const availability = {
    ...known,
    ...(timezone === undefined ? {} : { timezone }),
    ...(after === null ? {} : { slots: after.slots }),
  } as OfferingContent['availability'];
  return { availability, notes: after?.notes ?? [] };
}

/** The slot of this id or this start; also one that a rule gives. Null: there is none. */
export function knownSlot(availability: Availability, slot: MappedSlot): Slot | null {
  const single = availability.slots?.find((old) => isSameSlot(old, slot));
  return single ?? occurrenceAt(availability, Date.parse(slot.starts_at));
}

/** What names a slot in an offering. */
export function slotKey({ external_id, starts_at }: Pick<Slot, 'external_id' | 'starts_at'>): string {
  return external_id ?? new Date(starts_at).toISOString();
}

/**
 * Slots of the same id or the same start change where they stand (merged with what is known, or replaced whole), new ones
 * come last, the others are left alone. A member that is undefined is taken away.
 */
export function mergeSlots(
  before: readonly Slot[],
  fresh: readonly MappedSlot[],
  how: 'merge' | 'replace',
): BoundedSlots {
  const left = new Set(fresh);
  const kept = before.map((old) => {
    const next = fresh.find((one) => left.has(one) && isSameSlot(old, one));
    if (next === undefined) return old;
    left.delete(next);
    return how === 'replace' ? next : { ...old, ...next };
  });
  return dropEarliestSlots([...kept, ...left].map(withoutUndefined));
}

function withoutUndefined(slot: Slot | MappedSlot): Slot {
  return Object.fromEntries(Object.entries(slot).filter(([, value]) => value !== undefined)) as unknown as Slot;
}

function isSameSlot(old: Slot, next: MappedSlot): boolean {
  if (old.external_id !== undefined && next.external_id !== undefined) return old.external_id === next.external_id;
  return Date.parse(old.starts_at) === Date.parse(next.starts_at);
}

export interface BoundedSlots {
  readonly slots: Slot[];
  readonly notes: readonly string[];
}

/** An offering has room for so many: those that began first make room. */
export function dropEarliestSlots(slots: readonly Slot[]): BoundedSlots {
  const over = slots.length - MAX_SLOTS;
  if (over <= 0) return { slots: [...slots], notes: [] };
  const byStart = [...slots].sort((a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at));
  const gone = new Set(byStart.slice(0, over));
  const note = `An offering has room for ${MAX_SLOTS} slots: the earliest were left out, ${over} in number.`;
  return { slots: slots.filter((slot) => !gone.has(slot)), notes: [note] };
}
