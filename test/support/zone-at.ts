// A time zone in which it is a certain hour now, for tests about quiet hours.

/** The IANA name of a zone whose clock shows this hour. */
export function zoneAt(hour: number): string {
  const offset = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  // The names of these zones have the sign the other way round: Etc/GMT-3 is three hours ahead of UTC.
  return offset === 0 ? 'UTC' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}
