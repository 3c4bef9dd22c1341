// How many places a slot has left, as bookings and cancellations change it. Pure. A number stated by the venue or by a
// delivery replaces the counted one: it is assumed to include all earlier bookings.

export interface SlotCapacity {
  /** Negative if the slot is overbooked; null: the number was never stated. */
  readonly placesLeft: number | null;
  /** The type of the object that canceled the slot; null: the slot is not canceled. */
  readonly canceledBy: string | null;
  /** Increases whenever a number of places is stated, not when a booking changes it. */
  readonly capacityVersion: number;
}

/** The places that one booking has taken on a slot. Stored as JSON, so the member names must not change. */
export interface BookedPlaces {
  readonly offering: string;
  /** The slot's external id, else its start. */
  readonly slot: string;
  /** The slot's start, for a slot that has lost its id since. Older entries have none. */
  readonly start?: string;
  readonly party: number;
  /** The slot's capacityVersion from which the places were subtracted; null: they were not subtracted. */
  readonly statement: number | null;
}

/** The largest capacity of a slot. */
export const MAX_CAPACITY = 100_000;

/** The capacity that the offering shows. Undefined: the slot has none. */
export function offeredCapacity({ placesLeft, canceledBy }: SlotCapacity): number | undefined {
  if (canceledBy !== null) return 0;
  return placesLeft === null ? undefined : Math.min(MAX_CAPACITY, Math.max(0, placesLeft));
}

/** The stored capacity, unless the offering shows another one: then the venue has stated a new number since. */
export function currentCapacity(stored: SlotCapacity | null, capacity: number | undefined): SlotCapacity {
  if (stored !== null && offeredCapacity(stored) === capacity) return stored;
  return { placesLeft: capacity ?? null, canceledBy: null, capacityVersion: (stored?.capacityVersion ?? 0) + 1 };
}

/** The capacity after a number was stated, equal to the known one or not: it includes all earlier bookings. */
export function statedCapacity(capacity: SlotCapacity, placesLeft: number): SlotCapacity {
  return { ...capacity, placesLeft, capacityVersion: capacity.capacityVersion + 1 };
}

/**
 * The capacity after a booking has changed from `before` to a party of this size. Places that were subtracted from an
 * earlier capacityVersion are not returned, because the newer number may already include them: a slot may show too few
 * places, never too many.
 */
export function capacityAfterBooking(capacity: SlotCapacity, before: BookedPlaces | null, party: number): SlotCapacity {
  if (capacity.placesLeft === null) return capacity;
  const difference = party - (before?.party ?? 0);
  const isCurrent = before === null || before.statement === capacity.capacityVersion;
  return { ...capacity, placesLeft: capacity.placesLeft - (isCurrent ? difference : Math.max(0, difference)) };
}
