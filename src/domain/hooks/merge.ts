// Merges a change from a venue system into the stored offering. Pure. It returns a whole offering or the names of the
// missing fields, never a part of an offering.

import { occurrenceAt } from '../offerings/occurrence.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import type { Defaults } from './integration.ts';
import type { Change } from './mapping/interpret.ts';
import { type MappedSlot, type MappedTier, VENUE_UNIT } from './mapping/read-fields.ts';

type Availability = NonNullable<OfferingContent['availability']>;
export type Slot = NonNullable<Availability['slots']>[number];
type Tier = OfferingContent['tiers'][number];

export interface MergedOffering {
  readonly content: OfferingContent;
  /** What was left out or truncated. */
  readonly notes: readonly string[];
}

export type MergeResult =
  | MergedOffering
  /** Fields that a new offering needs and that neither the delivery nor the venue's defaults have. */
  | { readonly missing: readonly string[] };

const MAX_SLOTS = 1000;
const MAX_TIERS = 20;

/** `slot`: the change's slot as it is to be written; null: no slot is written. */
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
  const tiers = mergeTiers(before?.tiers ?? [], change, defaults);
  const category = before?.category ?? defaults.category;
  const missing = [
    ...(kind === undefined ? ['kind'] : []),
    ...(title === undefined ? ['title'] : []),
    ...(tiers.length === 0 ? ['tiers'] : []),
  ];
  if (missing.length > 0) return { missing };
  const priced = slot === null ? null : withPriceOverrides(slot, change, tiers);
  const { availability, notes } = mergeAvailability(before, change, priced);
  const truncated = change.truncated
    .filter((name) => name in texts)
    .map((name) => `The ${name} is too long: its end is cut off.`);
  const unusable = change.unusable.map((name) => `The ${name} is left out: it is not an https address.`);
  return {
    notes: [...truncated, ...unusable, ...notes],
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

/**
 * Removes all slots and rules, so that nothing can be booked. The offering itself stays; a whole upsert restores it.
 */
export function cancelOffering(before: OfferingContent): OfferingContent {
  const { slots: _, recurring: __, ...rest } = before.availability ?? {};
  return { ...before, availability: { ...rest, slots: [], recurring: [] } };
}

/** A booking or a slot gives texts to a new offering but does not change the texts of a known one. */
function mergeTexts(before: OfferingContent | null, { texts, isAboutSlot }: Change): Readonly<Record<string, string>> {
  if (before === null || !isAboutSlot) return texts;
  return Object.fromEntries(
    Object.entries(texts).filter(([name]) => (before as unknown as Record<string, unknown>)[name] === undefined),
  );
}

type TierName = Pick<MappedTier, 'external_id' | 'label'>;

/** Tiers with ids are compared by id, others by label: a tier may have been stored before its id was read. */
function isSameTier(one: TierName, other: TierName): boolean {
  if (one.external_id !== undefined && other.external_id !== undefined) return one.external_id === other.external_id;
  if (one.external_id === undefined && other.external_id === undefined) return one.label === other.label;
  return one.label !== undefined && one.label === other.label;
}

/** For each known tier the incoming tier that changes it: the one with its id, else the first with its label. */
function pairTiers(before: readonly Tier[], incoming: readonly MappedTier[]): ReadonlyMap<Tier, MappedTier> {
  const pairs = new Map<Tier, MappedTier>();
  const remaining = new Set(incoming);
  const pair = (isPair: (old: Tier, next: MappedTier) => boolean): void => {
    for (const old of before) {
      const next = pairs.has(old) ? undefined : [...remaining].find((candidate) => isPair(old, candidate));
      if (next === undefined) continue;
      pairs.set(old, next);
      remaining.delete(next);
    }
  };
  pair((old, next) => old.external_id !== undefined && old.external_id === next.external_id);
  pair(isSameTier);
  return pairs;
}

/** Keeps the fees, deposits and other fields that the venue has added to a tier, and its unit if the body states none. */
function mergeTiers(before: readonly Tier[], change: Change, defaults: Defaults): readonly Tier[] {
  const { tierMerge } = change;
  if (change.tiers.length === 0 || (tierMerge === 'new' && before.length > 0)) return before;
  const pairs = pairTiers(before, change.tiers);
  const known = before.flatMap((old): Tier[] => {
    const next = pairs.get(old);
    if (next === undefined) return tierMerge === 'replace' ? [] : [old];
    if (tierMerge === 'by_slot') return [withLimits(old, next)];
    if (tierMerge === 'add') return [old];
    return [mergeTier(old, next, change, defaults)];
  });
  const paired = new Set(pairs.values());
  const added = change.tiers.filter((tier) => !paired.has(tier)).map((tier) => mergeTier(null, tier, change, defaults));
  // Known tiers come first: a full list takes no new ones.
  return [...known, ...added].slice(0, Math.max(MAX_TIERS, known.length));
}

/** The limits of a party are not those of a slot: they change with the venue system. */
function withLimits(old: Tier, { min_party, max_party }: MappedTier): Tier {
  return {
    ...old,
    ...(min_party === undefined ? {} : { min_party }),
    ...(max_party === undefined ? {} : { max_party }),
  } as Tier;
}

/** Limits of a group that the body does not have are removed with it: a price for each has the limits of the venue. */
function mergeTier(old: Tier | null, mapped: MappedTier, { fixedUnit }: Change, defaults: Defaults): Tier {
  const { includedTaxPercent, ...next } = mapped;
  const { fees: oldFees, ...kept } = old ?? {};
  const { min_party: _, max_party: __, ...unlimited } = kept as Partial<Tier>;
  const venueUnit = defaults.unit ?? 'per_person';
  const stated = next.unit === VENUE_UNIT ? venueUnit : next.unit;
  const unit = stated ?? old?.unit ?? fixedUnit ?? venueUnit;
  const fees = mergeFees(oldFees ?? [], includedTaxPercent);
  return {
    ...(stated !== undefined && old?.unit === 'per_group' ? unlimited : kept),
    ...next,
    unit,
    ...(fees.length === 0 ? {} : { fees }),
  } as Tier;
}

type Fees = NonNullable<Tier['fees']>;

/** The included tax is the provider's, if the body states it; all other fees are the venue's. */
function mergeFees(before: Fees, includedTaxPercent: number | undefined): Fees {
  if (includedTaxPercent === undefined) return before;
  const others = before.filter(({ type, included }) => type !== 'tax' || !included);
  return includedTaxPercent === 0 ? others : [...others, { type: 'tax', percent: includedTaxPercent, included: true }];
}

/** If prices belong to the slot, those that differ from the offering's become overrides of the slot. */
function withPriceOverrides(slot: MappedSlot, { tiers, tierMerge }: Change, known: readonly Tier[]): MappedSlot {
  return tierMerge === 'by_slot' ? { ...slot, tier_overrides: priceOverrides(tiers, known) } : slot;
}

/** The prices of a slot that differ from those of the offering. Undefined: none does. */
export function priceOverrides(tiers: readonly MappedTier[], known: readonly Tier[]): MappedSlot['tier_overrides'] {
  const amounts = new Map(known.map((tier) => [tier.external_id, tier.amount]));
  const overrides = tiers.flatMap(({ external_id: tier, amount }) =>
    tier === undefined || !amounts.has(tier) || amounts.get(tier) === amount ? [] : [{ tier, amount }],
  );
  return overrides.length === 0 ? undefined : overrides;
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

/** The slot with this id or this start, also one from a recurrence rule. Null: there is none. */
export function knownSlot(availability: Availability, slot: MappedSlot): Slot | null {
  const single = availability.slots?.find((old) => isSameSlot(old, slot));
  return single ?? occurrenceAt(availability, Date.parse(slot.starts_at));
}

type SlotName = Pick<Slot, 'external_id' | 'starts_at'>;

/** The external id of a slot, if it has one, and its start. */
export function slotKeys({ external_id, starts_at }: SlotName): string[] {
  return [...(external_id === undefined ? [] : [external_id]), new Date(starts_at).toISOString()];
}

/** Identifies a slot within an offering. */
export function slotKey({ external_id, starts_at }: SlotName): string {
  return external_id ?? new Date(starts_at).toISOString();
}

/**
 * Slots with the same id or the same start are merged or replaced in place, new slots come last, and all others stay. A
 * field that is undefined is removed.
 */
export function mergeSlots(
  before: readonly Slot[],
  incoming: readonly MappedSlot[],
  mode: 'merge' | 'replace',
): BoundedSlots {
  const remaining = new Set(incoming);
  const known = before.flatMap((old) => {
    const next = incoming.find((slot) => remaining.has(slot) && isSameSlot(old, slot));
    // A slot that is sent replaces every one that it is the same as, by its id or by its start.
    if (next === undefined) return mode === 'replace' && incoming.some((slot) => isSameSlot(old, slot)) ? [] : [old];
    remaining.delete(next);
    return [mode === 'replace' ? next : { ...old, ...next }];
  });
  return dropEarliestSlots([...known, ...remaining].map(withoutUndefined));
}

function withoutUndefined(slot: Slot | MappedSlot): Slot {
  return Object.fromEntries(Object.entries(slot).filter(([, value]) => value !== undefined)) as unknown as Slot;
}

export function isSameSlot(old: Slot, next: MappedSlot): boolean {
  if (old.external_id !== undefined && next.external_id !== undefined) return old.external_id === next.external_id;
  return Date.parse(old.starts_at) === Date.parse(next.starts_at);
}

export interface BoundedSlots {
  readonly slots: Slot[];
  readonly notes: readonly string[];
}

/** An offering has at most MAX_SLOTS slots: the earliest are dropped. */
export function dropEarliestSlots(slots: readonly Slot[]): BoundedSlots {
  const excess = slots.length - MAX_SLOTS;
  if (excess <= 0) return { slots: [...slots], notes: [] };
  const byStart = [...slots].sort((a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at));
  const dropped = new Set(byStart.slice(0, excess));
  const note = `An offering has at most ${MAX_SLOTS} slots: the earliest were left out, ${excess} in number.`;
  return { slots: slots.filter((slot) => !dropped.has(slot)), notes: [note] };
}
