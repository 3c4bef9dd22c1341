// Names and titles that people typed, made safe to show and to send: normalised, without invisible characters, and refused
// if they hold a link or a number in any spelling. A text in our name must not carry a link or a phone number of another.

/** Characters that are not seen: format characters, variation selectors, fillers, lone surrogates, private use. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cs}\p{Co}]/gu;
/** Control characters and the blank of Braille look like a space. */
const BLANK = /[\p{Cc}\s\u2800]+/gu;

/** The name in Unicode form NFKC, without characters that are not seen, each run of blanks as one space. */
export function normalizeName(text: string): string {
  const compatible = text.normalize('NFKC').replaceAll(INVISIBLE, '');
  return compatible.replaceAll(BLANK, ' ').normalize('NFKC').trim();
}

/**
 * The normalised name; null: nothing is left of it, or it holds a link or a number. With `allowTimes` dates, times of day
 * and amounts are no numbers: a booking's description names them.
 */
export function plainName(text: string, { allowTimes = false } = {}): string | null {
  const name = normalizeName(text);
  const letters = forComparison(name);
  if (name === '' || containsLink(letters)) return null;
  return containsNumber(allowTimes ? withoutTimes(letters) : letters) ? null : name;
}

/** In small letters without accents and combining signs, which could stand between the characters of a link. */
function forComparison(name: string): string {
  const bare = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  // Full stops that a browser reads as a dot, also in brackets: evil[.]com.
  return bare.replaceAll(/[\u3002\uff0e\uff61]/gu, '.').replaceAll(/[([{<]\s*(\.|dot|punkt|punto)\s*[)\]}>]/gu, ' $1 ');
}

/** Endings of addresses that are hardly ever the next word after a full stop. */
const ENDINGS =
  'com|net|org|io|info|biz|app|dev|xyz|ly|gg|tv|cc|co|ru|cn|uk|eu|online|site|shop|store|link|click|top|club|live|page|vip|icu|zip';
const AT_START = '(?<![\\p{L}\\p{N}])';
const AT_END = '(?![\\p{L}\\p{N}])';

const LINKS: readonly RegExp[] = [
  /:\s*\/\s*\/|xn--/u,
  new RegExp(`${AT_START}(?:https?|hxxps?|ftp|mailto|tel|sms)\\s*:`, 'u'),
  new RegExp(`www\\s?\\.|${AT_START}www${AT_END}`, 'u'),
  // evil.com, evil..com
  /[\p{L}\p{N}_-]\.{1,2}\p{L}{2}/u,
  // evil .com, evil . com
  /\s\.\s*\p{L}{2}/u,
  // evil. com, evil·com, evil,com, and characters that look like a dot
  new RegExp(
    `[\\p{L}\\p{N}]\\s*[.\\u00b7\\u2022\\u2219\\u22c5\\u30fb\\u06d4\\u02d9\\ua4f8\\u0660]\\s*(?:${ENDINGS})${AT_END}`,
    'u',
  ),
  new RegExp(`[\\p{L}\\p{N}],(?:${ENDINGS})${AT_END}`, 'u'),
  // evil dot com, in the languages of the texts
  new RegExp(
    `${AT_START}(?:dot|d0t|punkt|punto|point|ponto)\\s*(?:${ENDINGS}|de|es|me|us|at|ch|fr|it|to)${AT_END}`,
    'u',
  ),
];

function containsLink(letters: string): boolean {
  return LINKS.some((pattern) => pattern.test(letters));
}

/** A digit of any script, and numerals in circles or as Roman signs. */
const DIGIT = '[\\p{Nd}\\p{No}\\p{Nl}]';
/** What stands between the groups of a number that is read as one. A comma and a space separate the items of a list. */
const BETWEEN =
  '(?:,(?!\\s)|[\\s.\\-\\u2010\\u2011\\u2012\\u2013\\u2014\\u2212()\\[\\]/\\\\_\\u00b7\\u2022\\u2219~*+|:;\'\\u2019"#=]){0,3}';
const NUMBERS: readonly RegExp[] = [
  new RegExp(`${DIGIT}(?:${BETWEEN}${DIGIT}){4}`, 'u'),
  // Chinese numerals from zero to nine.
  /[\u3007\u96f6\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d]{5}/u,
];

/** Five or more digits in a row, also with blanks or punctuation between them. */
function containsNumber(letters: string): boolean {
  return NUMBERS.some((pattern) => pattern.test(letters));
}

const NOT_IN_NUMBER = {
  before: '(?<![\\p{N}.:/+-]|\\p{N}{4}\\s)',
  after: '(?![\\p{N}:/-]|\\.\\p{N}|\\s\\p{N}{4})',
};
const TIMES: readonly RegExp[] = [
  // 2027-06-01, with or without a time; 1.6.2027, 06/01/27
  '(?:19|20)\\d\\d-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\\d|3[01])(?:t(?:[01]?\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d)?z?)?',
  '(?:0?[1-9]|[12]\\d|3[01])([./-])(?:0?[1-9]|[12]\\d|3[01])\\1(?:(?:19|20)\\d\\d|\\d\\d)',
  // 19:30, 19.30, 7:30-9:30
  '(?:[01]?\\d|2[0-3])[:.][0-5]\\d(?:\\s*[-\\u2013]\\s*(?:[01]?\\d|2[0-3])[:.][0-5]\\d)?',
  // 1,500 or 1,500.00
  '\\d{1,3},\\d{3}(?:\\.\\d\\d)?',
  // a year after the name of a month: June 2027, 1 June 2027
  '(?<=\\p{L}\\s)20\\d\\d(?!\\s?\\p{N})',
].map((pattern) => new RegExp(`${NOT_IN_NUMBER.before}${pattern}${NOT_IN_NUMBER.after}`, 'gu'));

function withoutTimes(letters: string): string {
  return TIMES.reduce((text, pattern) => text.replaceAll(pattern, ' x '), letters);
}
