// Reads a phone number as a person types it. A file of its own, because it loads the number plans of all countries.

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

const MAX_TYPED_LENGTH = 80;

/**
 * In E.164 form; null: not a phone number. Without a country code it is a number of the USA. The sandbox sends nothing,
 * so it also accepts unassigned numbers.
 */
export function parsePhone(typed: string, isSandbox: boolean): string | null {
  const parsed = parsePhoneNumberFromString(typed.slice(0, MAX_TYPED_LENGTH), 'US');
  const isAcceptable = isSandbox ? parsed?.isPossible() : parsed?.isValid();
  return parsed !== undefined && isAcceptable === true ? parsed.number : null;
}
