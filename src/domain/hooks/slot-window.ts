// Merges all slots of a time, as a venue system's API lists them, into an offering. Pure. The list is complete for its
// days: a known slot of that time that it does not have can no longer be booked, and is removed.

import type { OfferingContent } from '../offerings/offering.ts';
import type { SlotWindow } from './mapping/interpret.ts';
import type { PricedSlot } from './mapping/read-fields.ts';
import { isSameSlot, type MergedOffering, mergeSlots, priceOverrides } from './merge.ts';

const DAY_MS = 86_400_000;

/** `slots`: the slots of the window as they are to be written. */
export function mergeWindow(
  merged: MergedOffering,
  { days }: SlotWindow,
  slots: readonly PricedSlot[],
  now: number,
): MergedOffering {
  const { content } = merged;
  const known = content.availability?.slots ?? [];
  const until = now + days * DAY_MS;
  const kept = known.filter((old) => {
    const start = Date.parse(old.starts_at);
    const isInWindow = start >= now && start < until;
    return !isInWindow || slots.some(({ slot }) => isSameSlot(old, slot));
  });
  const priced = slots.map(({ slot, tiers }) => ({ ...slot, tier_overrides: priceOverrides(tiers, content.tiers) }));
  const after = mergeSlots(kept, priced, 'merge');
  const availability = { ...content.availability, slots: after.slots } as OfferingContent['availability'];
  return { content: { ...content, availability } as OfferingContent, notes: [...merged.notes, ...after.notes] };
}
