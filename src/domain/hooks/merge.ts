// From a change that a venue system asks for to the whole offering it leads to: what was known, with what the delivery says.
// Pure. It gives a whole offering or says what is missing; never a part of one.

import type { OfferingContent } from '../offerings/offering.ts';
import type { Defaults } from './integration.ts';
import type { Change, MappedSlot, MappedTier } from './mapping/interpret.ts';

type Slot = NonNullable<NonNullable<OfferingContent['availability']>['slots']>[number];
type Tier = OfferingContent['tiers'][number];

export type Merged =
  | { readonly content: OfferingContent }
  /** What a new offering needs and neither the delivery nor the venue's defaults have. */
  | { readonly missing: readonly string[] };

const MOST_SLOTS = 1000;

export function offeringAfter(
  before: OfferingContent | null,
  externalId: string,
  change: Change,
  defaults: Defaults,
): Merged {
  const kind = change.kind ?? before?.kind ?? defaults.kind;
  const title = change.texts.title ?? before?.title;
  const tiers = tiersAfter(before?.tiers ?? [], change);
  const category = before?.category ?? defaults.category;
  const missing = [
    ...(kind === undefined ? ['kind'] : []),
    ...(title === undefined ? ['title'] : []),
    ...(tiers.length === 0 ? ['tiers'] : []),
  ];
  if (missing.length > 0) return { missing };
  const availability = availabilityAfter(before, change);
  return {
    content: {
      ...before,
      external_id: externalId,
      kind,
      ...change.texts,
      title,
      tiers,
      ...(category === undefined ? {} : { category }),
      ...(availability === undefined ? {} : { availability }),
    } as OfferingContent,
  };
}

/** Nothing of it can be booked any more; the offering itself stays, and an upsert brings it back. */
export function offeringCanceled(before: OfferingContent): OfferingContent {
  const { slots: _, recurring: __, ...rest } = before.availability ?? {};
  return { ...before, availability: { ...rest, slots: [], recurring: [] } };
}

/** Fees, deposits and whatever else the venue has added to a tier stay. */
function tiersAfter(before: readonly Tier[], { tiers, replacesTiers }: Change): readonly Tier[] {
  if (tiers.length === 0) return before;
  const named = ({ external_id, label }: Pick<MappedTier, 'external_id' | 'label'>): string =>
    external_id ?? label ?? '';
  const fresh = new Map(tiers.map((tier) => [named(tier), tier]));
  const kept = before.flatMap((old): Tier[] => {
    const next = fresh.get(named(old));
    fresh.delete(named(old));
    if (next !== undefined) return [{ ...old, ...next } as Tier];
    return replacesTiers ? [] : [old];
  });
  return [...kept, ...([...fresh.values()] as unknown as Tier[])];
}

function availabilityAfter(
  before: OfferingContent | null,
  change: Change,
): OfferingContent['availability'] | undefined {
  const known = before?.availability;
  const timezone = known?.timezone ?? change.timezone ?? undefined;
  const slots = slotsWith(known?.slots ?? [], change);
  if (timezone === undefined && slots === null) return known;
  return {
    ...known,
    ...(timezone === undefined ? {} : { timezone }),
    ...(slots === null ? {} : { slots }),
  } as OfferingContent['availability'];
}

/**
 * A slot is touched where the delivery says how many places are left, or where it is one that we know already: that
 * somebody has booked a time does not mean that the time can be booked. Null: nothing changes.
 */
function slotsWith(before: readonly Slot[], { slot, action }: Change): readonly Slot[] | null {
  if (slot === null) return null;
  const isKnown = before.some((old) => isSameSlot(old, slot));
  if (action === 'cancel') return isKnown ? slotsAfter(before, [{ ...slot, capacity: 0 }]) : null;
  return isKnown || slot.capacity !== undefined ? slotsAfter(before, [slot]) : null;
}

/** Slots of the same id or the same start are replaced where they stand, new ones come last, the others are left alone. */
export function slotsAfter(before: readonly Slot[], fresh: readonly MappedSlot[]): Slot[] {
  const left = new Set(fresh);
  const kept = before.map((old) => {
    const next = fresh.find((one) => left.has(one) && isSameSlot(old, one));
    if (next === undefined) return old;
    left.delete(next);
    return { ...old, ...next } as Slot;
  });
  return withoutOldest([...kept, ...([...left] as unknown as Slot[])]);
}

function isSameSlot(old: Slot, next: MappedSlot): boolean {
  if (old.external_id !== undefined && next.external_id !== undefined) return old.external_id === next.external_id;
  return Date.parse(old.starts_at) === Date.parse(next.starts_at);
}

/** An offering has room for so many: those that began first make room. */
function withoutOldest(slots: readonly Slot[]): Slot[] {
  const over = slots.length - MOST_SLOTS;
  if (over <= 0) return [...slots];
  const byStart = [...slots].sort((a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at));
  const gone = new Set(byStart.slice(0, over));
  return slots.filter((slot) => !gone.has(slot));
}
