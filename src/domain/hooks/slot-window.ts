// Merges all slots of a time, as a venue system's API lists them, into an offering. Pure. The list is complete for its
// days: a known slot of that time that it does not have can no longer be booked, and is removed, unless a delivery has
// changed it since the read began.

import type { OfferingContent } from '../offerings/offering.ts';
import type { SlotWindow } from './mapping/interpret.ts';
import type { PricedSlot } from './mapping/read-fields.ts';
import { isSameSlot, type MergedOffering, mergeSlots, priceOverrides, type Slot } from './merge.ts';

const DAY_MS = 86_400_000;

export interface WindowSlots {
  readonly written: readonly PricedSlot[];
  /** Slots that a delivery has changed since the read began: they stay as they are, listed or not. */
  readonly newer: readonly Slot[];
  /** The list has a time that a delivery has changed since the read began, or lacks one: it is to be read again. */
  readonly isOutdated: boolean;
}

/** The time up to which a list of so many days is complete. */
export const windowEnd = (days: number, now: number): number => now + days * DAY_MS;

export function isInWindow({ starts_at }: Pick<Slot, 'starts_at'>, days: number, now: number): boolean {
  const start = Date.parse(starts_at);
  return start >= now && start < windowEnd(days, now);
}

export function mergeWindow(
  merged: MergedOffering,
  { days }: SlotWindow,
  { written: slots, newer }: Pick<WindowSlots, 'written' | 'newer'>,
  now: number,
): MergedOffering {
  const { content } = merged;
  const known = content.availability?.slots ?? [];
  const staying = [...newer, ...slots.map(({ slot }) => slot)];
  const kept = known.filter((old) => !isInWindow(old, days, now) || staying.some((slot) => isSameSlot(old, slot)));
  const priced = slots.map(({ slot, tiers }) => ({ ...slot, tier_overrides: priceOverrides(tiers, content.tiers) }));
  const after = mergeSlots(kept, priced, 'merge');
  const availability = { ...content.availability, slots: after.slots } as OfferingContent['availability'];
  return { content: { ...content, availability } as OfferingContent, notes: [...merged.notes, ...after.notes] };
}
