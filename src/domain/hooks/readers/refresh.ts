// Which objects are read again once a day, and when. Pure. An answer that lists times covers a number of days: without
// another read the last of them would pass, and prices and places would stay as they were.

import type { Reader } from '../../../../schemas/types.gen.ts';
import { objectEntryOf, readEntryOf } from './read-readers.ts';

const DAY_MS = 24 * 3_600_000;
const MIN_INTERVAL_MS = DAY_MS / 2;

/**
 * Only what the catalogue names is read again. Other reads, such as of one class for a booking, give the same offerings,
 * and each booking would add one.
 */
export function isReadDaily(reader: Reader, readName: string): boolean {
  if (readName !== reader.catalogue.read) return false;
  return objectEntryOf(reader, readEntryOf(reader, readName).object).each_slot !== undefined;
}

/** The next time at the object's own time of day, at least half a day away: objects are spread over the day by their hash. */
export function refreshTime(hash: Buffer, now: number): number {
  const timeOfDay = Math.floor((hash.readUInt32BE(0) / 2 ** 32) * DAY_MS);
  const earliest = now + MIN_INTERVAL_MS;
  return earliest + ((((timeOfDay - earliest) % DAY_MS) + DAY_MS) % DAY_MS);
}
