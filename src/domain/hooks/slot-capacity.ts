// How many places a slot has left, as bookings and cancellations change it. Pure. Whoever else says how many are left (the
// venue, or a delivery that states it) is believed from then on: what was booked before is taken to be in that number.

export interface SlotCapacity {
  /** Below none where more was booked than there was; null: nobody has said. */
  readonly placesLeft: number | null;
  /** The sort of thing that has called the slot off; null: it takes place. */
  readonly canceledBy: string | null;
  /** Counts up whenever somebody else than a booking says how many are left. */
  readonly statement: number;
}

/** What one booking has taken off a slot. */
export interface BookedPlaces {
  readonly offering: string;
  /** The slot's own id, else its start. */
  readonly slot: string;
  readonly party: number;
  /** The statement that it was taken off; null: it was taken off nothing. */
  readonly statement: number | null;
}

const MAX_PLACES = 100_000;

/** Undefined: the slot has no capacity. */
export function offeredCapacity({ placesLeft: left, canceledBy: offBy }: SlotCapacity): number | undefined {
  if (offBy !== null) return 0;
  return left === null ? undefined : Math.min(MAX_PLACES, Math.max(0, left));
}

/** The slot as it is now: what was kept of it, unless its capacity has been changed by somebody else since. */
export function currentCapacity(kept: SlotCapacity | null, capacity: number | undefined): SlotCapacity {
  if (kept !== null && offeredCapacity(kept) === capacity) return kept;
  return { placesLeft: capacity ?? null, canceledBy: null, statement: (kept?.statement ?? 0) + 1 };
}

/**
 * After a booking has changed from `before` to a party of this size. What it took off an earlier statement is not given
 * back: that number may have been the venue's way to say so. Too few places are offered then, never too many.
 */
export function capacityAfterBooking(room: SlotCapacity, before: BookedPlaces | null, party: number): SlotCapacity {
  if (room.placesLeft === null) return room;
  const more = party - (before?.party ?? 0);
  const isOfNow = before === null || before.statement === room.statement;
  return { ...room, placesLeft: room.placesLeft - (isOfNow ? more : Math.max(0, more)) };
}
