// What a guest reads on the card statement after the operator's own name: the venue's name in the few characters that
// card networks carry. Pure.

/** A statement has 22 characters: up to 10 of the account's prefix, and `* ` between the two. */
const MAX_SUFFIX_LENGTH = 10;

/** Letters that are no accented Latin letter, but have a usual spelling in plain ones. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
]);

/** Null: the name has no Latin letter, so the statement shows only the operator's own name. */
export function statementSuffix(venueName: string): string | null {
  const plain = [...venueName.toLowerCase()].map((letter) => SPELLINGS.get(letter) ?? letter).join('');
  const latin = plain
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[<>\\'"*]/g, '')
    .replaceAll(/[^\x21-\x7e]+/g, ' ')
    // The processor requires a letter; beginning with one keeps it when the rest is cut off.
    .replace(/^[^a-z]+/, '');
  const suffix = latin.slice(0, MAX_SUFFIX_LENGTH).trim().toUpperCase();
  return suffix === '' ? null : suffix;
}
