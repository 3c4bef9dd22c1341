// Masks what a caller sent, before it is stored: mail addresses, phones, cards, keys, tokens and other secrets, also
// written with escapes, percent signs, other digits or separators. The rules are about form, so they mask more than
// needed (a long number, an unknown token) rather than less. mask-body.ts masks by the names of members too.

import { scrub } from './log.ts';

const ISO_TIME =
  '(?:19|20)\\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[T ][0-2]\\d:[0-5]\\d(?::[0-6]\\d(?:\\.\\d{1,9})?)?(?:Z|[+-][01]\\d:?[0-5]\\d)?)?(?!\\d)';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])';
const OWN_ID = '(?<![A-Za-z0-9])(?:chk|shr|evt|whe|int|key|hkd|shk|req)_[0-9a-z]{26}(?![0-9A-Za-z])';
const MAIL = '(?:"[^"]{1,64}"|[\\p{L}\\p{N}.!#$%&\'*+/=?^_`{|}~-]{1,64})@[\\p{L}\\p{N}.:[\\]-]{1,253}';
const TOKEN = '[A-Za-z0-9_+=-]{20,}';
const DIGITS = '\\+?[(]?\\p{Nd}[\\p{Nd}\\s().\\-/·‐-―]{4,40}\\p{Nd}';

/** The alternatives are tried in this order at each place: what is kept comes before what is masked. */
const makePattern = (): RegExp =>
  new RegExp(`(?<kept>${ISO_TIME}|${UUID}|${OWN_ID})|(?<mail>${MAIL})|(?<token>${TOKEN})|(?<digits>${DIGITS})`, 'gu');
/** Compiled at the first text that needs it: it took 9 ms of the start. */
let pattern: RegExp | undefined;

export interface MaskOptions {
  /** The value is an id of the caller's own: a long number in it is no phone, unless it is written as one. */
  readonly isId?: boolean;
  /**
   * The text is a message of ours, which may repeat what the caller sent: a number is masked only if its digits were sent.
   * Without this, a limit such as 99999999 would be shown as a phone.
   */
  readonly wasSent?: (digits: string) => boolean;
}

/** Such a text is too short and too plain for anything that is masked, and most texts are. */
const PLAIN_TEXT = /^[A-Za-z .,;!?'"()[\]{}<>&*$#|~^`\n\r\t-]{0,19}$/;
const BEARER = /bearer/i;

/** The text with every secret replaced; the text itself, without control characters, where there is none. */
export function maskText(text: string, options: MaskOptions = {}): string {
  if (PLAIN_TEXT.test(text) && !BEARER.test(text)) return text;
  const clean = withoutControls(text);
  const plain = withoutPercents(clean.normalize('NFKC').replaceAll(/\p{Cf}/gu, ''));
  const masked = maskShapes(plain, options);
  return masked === plain ? clean : masked;
}

/** A part of every form that scrub() replaces. */
const SCRUBBED = /_|eyJ|bearer|\+[1-9]|\/(?:v1\/hooks|s|payouts)\/|postgres/i;
/** Seven digits, an `@`, or the beginning of a token. */
const MASKABLE = /(?:\p{Nd}\P{Nd}{0,40}){7}|@|[A-Za-z0-9_+=-]{20}/u;

function maskShapes(plain: string, options: MaskOptions): string {
  const scrubbed = SCRUBBED.test(plain) ? scrub(plain).replaceAll(/\[redacted (phone|token)\]/g, '[$1]') : plain;
  if (!MASKABLE.test(scrubbed)) return scrubbed;
  pattern ??= makePattern();
  return scrubbed.replaceAll(pattern, (...match: unknown[]) => {
    const [found] = match as [string];
    const { kept, mail, token } = match.at(-1) as Record<string, string | undefined>;
    if (kept !== undefined) return found;
    if (mail !== undefined) return '[mail address]';
    if (token !== undefined) return isToken(token) ? '[token]' : maskNumbers(token, options);
    return maskDigits(found, options);
  });
}

/** A word that is no token may still hold a phone: `tel_5550100001-home-of-anna`. */
function maskNumbers(word: string, options: MaskOptions): string {
  return word.replaceAll(/\d[\d-]{5,}\d/g, (digits) => maskDigits(digits, options));
}

/** Random text: letters of both cases with digits, or a long word of one case with digits and without separators. */
function isToken(word: string): boolean {
  if (/^[0-9a-f]{32,}$/i.test(word)) return true;
  const digits = word.replaceAll(/\D/g, '').length;
  if (/[a-z]/.test(word) && /[A-Z]/.test(word) && digits > 0) return true;
  return /[A-Za-z0-9]{28,}/.test(word) && digits >= 3 && /[A-Za-z]/.test(word);
}

const MIN_PHONE_DIGITS = 7;
/** Digits without any separator: shorter ones are amounts, years and counts. */
const MIN_BARE_DIGITS = 8;
const MIN_CARD_DIGITS = 13;
const MAX_CARD_DIGITS = 19;

function maskDigits(found: string, { isId = false, wasSent }: MaskOptions): string {
  const digits = digitsOf(found);
  if (wasSent !== undefined && !wasSent(digits)) return found;
  const isCard = digits.length >= MIN_CARD_DIGITS && digits.length <= MAX_CARD_DIGITS && passesLuhn(digits);
  if (isCard) return '[card]';
  const isMarked = /^[+(]/.test(found);
  if (isId && !isMarked) return found;
  const isBare = digits.length === found.length;
  if (digits.length < (isBare ? MIN_BARE_DIGITS : MIN_PHONE_DIGITS)) return found;
  if (!isMarked && (isDate(found) || isCoordinate(found))) return found;
  return digits.length > MAX_CARD_DIGITS ? `[${digits.length} digits]` : '[phone]';
}

/** Every digit of a text, one after the other. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\P{Nd}/gu, '');
}

/** As recurrence rules write it, or as people do: a caller must see the date that was refused. */
function isDate(found: string): boolean {
  return (
    /^(?:19|20)\d{2}([/.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/.test(found) ||
    /^(?:0?[1-9]|[12]\d|3[01])([/.-])(?:0?[1-9]|[12]\d|3[01])\1(?:19|20)\d{2}$/.test(found)
  );
}

function isCoordinate(found: string): boolean {
  return /^\d{1,3}\.\d+$/.test(found) && Number(found) <= 180;
}

/** The check digit of card numbers. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = digitValue(digit) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Of a decimal digit of any script: the ten digits of a script follow one another. */
function digitValue(digit: string): number {
  if (/^[0-9]$/.test(digit)) return Number(digit);
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return code - zero;
}

/** Tabs and line ends stay. PostgreSQL cannot store U+0000 and halves of a character. */
export function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed.
  return text.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\p{Cs}/gu, '');
}

/** Masked, and at most this long. */
export function maskShort(text: string, maxLength: number, options: MaskOptions = {}): string {
  return withoutControls(maskText(text, options).slice(0, maxLength));
}

function withoutPercents(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded; // Not UTF-8.
    }
  });
}

const SECRET_NAME =
  /pass(?:word|wd|phrase|code|key|port)|secret|token|credential|authorization|apikey|accesskey|privatekey|signingkey|encryptionkey|signature|cookie|session|otp$|^code$|(?:verification|signin|login|security|access)code|^pin(?:code)?$|cvc|cvv|(?:^|credit|debit|bank)card|cardnumber|^pan$|iban|accountnumber|routingnumber|sortcode|^ssn|socialsecurity|taxid|phone|mobile|^tel$|telephone|^fax|whatsapp|^e?mail|mail(?:address)?$|birth|^dob$/;

/** A member of this name holds something secret or personal, in any spelling: `apiKey`, `api_key`, `API-KEY`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, ''),
  );
}
