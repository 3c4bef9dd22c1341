// Takes a person's phone, mail addresses and names out of text. A phone is found in any way of writing it, inside its
// country and from abroad; names are found as whole words, and those of one or two letters only as the whole text.

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface Identifiers {
  /** E.164. */
  readonly phone: string | null;
  readonly mails: readonly string[];
  readonly names: readonly string[];
}

export const ERASED = '[erased]';
const MIN_NAME_LENGTH = 3;
/** Fewer digits, without the prefix of a country or of a call inside it, are as likely a date or an order. */
const MIN_BARE_DIGITS = 9;
const BETWEEN_DIGITS = '[\\s().\\-/]*';

/** Gives the text without the identifiers; the same text if it has none. */
export type Scrub = (text: string) => string;

/** `isStrict`: the text need not be about the guest, so a short number without a prefix is not taken for the phone. */
export function makeScrub(identifiers: Identifiers, { isStrict = false } = {}): Scrub {
  const patterns = [
    ...phonePatterns(identifiers.phone, isStrict),
    ...identifiers.mails.map(mailPattern),
    ...namePatterns(identifiers.names),
  ];
  return (text) => patterns.reduce((rest, pattern) => rest.replaceAll(pattern, ERASED), text);
}

/** The parts of a number that people write: `trunk` is dialled before the national number inside its country. */
export function partsOfPhone(phone: string): { country: string; trunk: string; national: string } {
  const parsed = parsePhoneNumberFromString(phone);
  if (parsed === undefined) return { country: '', trunk: '', national: phone.replaceAll(/\D/g, '') };
  const national = String(parsed.nationalNumber);
  const dialled = parsed.formatNational().replaceAll(/\D/g, '');
  const trunk = dialled.endsWith(national) ? dialled.slice(0, -national.length) : '';
  return { country: String(parsed.countryCallingCode), trunk, national };
}

function phonePatterns(phone: string | null, isStrict: boolean): RegExp[] {
  if (phone === null) return [];
  const { country, trunk, national } = partsOfPhone(phone);
  const spaced = (text: string): string => [...text].join(BETWEEN_DIGITS);
  const optionalTrunk = trunk === '' ? '' : `(?:${spaced(trunk)}${BETWEEN_DIGITS})?`;
  const abroad = `(?:\\+|00|011)?${BETWEEN_DIGITS}${spaced(country)}${BETWEEN_DIGITS}${optionalTrunk}`;
  const prefixes = [abroad, ...(trunk === '' ? [] : [`${spaced(trunk)}${BETWEEN_DIGITS}`])];
  if (!isStrict || national.length >= MIN_BARE_DIGITS) prefixes.push('');
  return [new RegExp(`(?<!\\d)(?:${prefixes.join('|')})\\(?${spaced(national)}(?!\\d)`, 'g')];
}

/** In a URL the sign @ is written as %40. */
function mailPattern(mail: string): RegExp {
  const written = escaped(mail).replace('@', '(?:@|%40)');
  return new RegExp(`(?<![\\w.+-])${written}(?![\\w-]|\\.\\w)`, 'gi');
}

function namePatterns(names: readonly string[]): RegExp[] {
  // Longest first: "Ada Lovelace" before "Ada".
  const sorted = [...new Set(names.map((name) => name.trim().normalize('NFC')))]
    .filter((name) => name !== '')
    .sort((one, other) => other.length - one.length);
  return sorted.map((name) => {
    // One letter with its accent, or the letter and the accent: both are the same name.
    const written = [...new Set([name, name.normalize('NFD')])].map(escaped).join('|');
    return [...name].length < MIN_NAME_LENGTH
      ? new RegExp(`(?<=^\\s*)(?:${written})(?=\\s*$)`, 'giu')
      : new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(?:${written})(?![\\p{L}\\p{M}\\p{N}])`, 'giu');
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The query and the fragment of a URL, which a partner may fill with a guest's data. The rest leads somewhere, and stays. */
export function scrubUrl(url: string, scrub: Scrub): string {
  const start = url.search(/[?#]/);
  if (start === -1) return url;
  const parts = url.slice(start).split(/(?<=[?&#=;])/);
  const kept = parts.map((part) => {
    const [, text = '', end = ''] = /^([\s\S]*?)([?&#=;]?)$/.exec(part) ?? [];
    const decoded = decodeOr(text);
    const scrubbed = scrub(decoded);
    return scrubbed === decoded ? part : `${encodeURIComponent(scrubbed)}${end}`;
  });
  return url.slice(0, start) + kept.join('');
}

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
