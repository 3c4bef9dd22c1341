// The body of a failed request as the request log keeps it: at most 8 KB, masked. It is read as text and not parsed,
// because a refused body may be no JSON at all, may be cut, and may repeat the name of a member. A member whose name is
// secret is masked whole. Valid JSON stays valid.

import { isSecretName, maskText, withoutControls } from './mask-text.ts';

export interface MaskedBody {
  readonly text: string;
  /** The body was longer. */
  readonly isCut: boolean;
}

export const MAX_BODY_BYTES = 8 * 1024;

export function maskBody(body: Buffer): MaskedBody {
  const isLong = body.length > MAX_BODY_BYTES;
  const masked = maskDocument(withoutControls(isLong ? beginningOf(body) : body.toString('utf8')));
  const bytes = Buffer.from(masked);
  const isCut = bytes.length > MAX_BODY_BYTES;
  return { text: isCut ? beginningOf(bytes) : masked, isCut: isLong || isCut };
}

/** Without the part of a character at its end. */
function beginningOf(bytes: Buffer): string {
  return bytes
    .subarray(0, MAX_BODY_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
}

const MASKED = '"[masked]"';
/** JSON in a string of JSON is masked as JSON, this deep. */
const MAX_DEPTH = 3;

/** A string with its end, or up to the end of the text; else what stands between two strings. */
const PIECE = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)|[^"]+|"[\s\S]*/g;

export function maskDocument(text: string, depth = 0): string {
  return new Masker(depth).mask(text.match(PIECE) ?? []);
}

class Masker {
  readonly #depth: number;
  readonly #out: string[] = [];
  /** The names of a list of objects are the same in each. */
  readonly #secretNames = new Map<string, boolean>();
  /** The name of the member whose value is read. */
  #name = '';
  /** The value of this member is masked whole. */
  #isSecret = false;
  /** Brackets that are open inside a value that is masked whole. */
  #skipped = 0;

  constructor(depth: number) {
    this.#depth = depth;
  }

  mask(pieces: readonly string[]): string {
    for (const [index, piece] of pieces.entries()) {
      if (piece.startsWith('"')) this.#string(piece, pieces[index + 1] ?? '');
      else this.#between(this.#skipped > 0 ? this.#skip(piece) : piece);
    }
    return this.#out.join('');
  }

  #string(piece: string, next: string): void {
    if (this.#skipped > 0) return;
    const isName = /^\s*[:=]/.test(next);
    const plain = decoded(piece);
    if (isName) {
      this.#name = plain;
      this.#isSecret = this.#isSecretName(plain);
      this.#push(piece, plain, maskText(plain));
    } else if (this.#isSecret) {
      this.#isSecret = false;
      this.#out.push(MASKED);
    } else this.#push(piece, plain, this.#value(plain));
  }

  /** As it was sent, where nothing was masked. */
  #push(piece: string, plain: string, masked: string): void {
    const isSame = masked === plain && piece.length === plain.length + 2;
    this.#out.push(isSame ? piece : JSON.stringify(masked));
  }

  #isSecretName(name: string): boolean {
    let isSecret = this.#secretNames.get(name);
    if (isSecret === undefined) {
      isSecret = isSecretName(name);
      this.#secretNames.set(name, isSecret);
    }
    return isSecret;
  }

  #value(plain: string): string {
    if (this.#depth < MAX_DEPTH && /^\s*[[{]/.test(plain)) return maskDocument(plain, this.#depth + 1);
    return maskText(plain, { isId: isIdName(this.#name) });
  }

  /** The rest of the piece after the value that is masked whole. */
  #skip(piece: string): string {
    for (let at = 0; at < piece.length; at++) {
      if ('{['.includes(piece[at] as string)) this.#skipped++;
      else if ('}]'.includes(piece[at] as string) && --this.#skipped === 0) return piece.slice(at + 1);
    }
    return '';
  }

  #between(piece: string): void {
    const [, before = '', rest = ''] = (this.#isSecret ? /^(\s*[:=]>?\s*)([\s\S]*)$/.exec(piece) : null) ?? [];
    if (before === '' || rest === '') {
      // The value is a string, which is the next piece.
      this.#out.push(this.#isSecret ? piece : maskBare(piece, isIdName(this.#name)));
      return;
    }
    this.#isSecret = false;
    this.#out.push(before);
    if (/^[[{]/.test(rest)) {
      this.#out.push(MASKED);
      this.#between(this.#skip(rest));
      return;
    }
    const [value = ''] = /^[^\s,}\]]+/.exec(rest) ?? [];
    this.#out.push(value === 'null' || value === '' ? value : MASKED);
    this.#between(rest.slice(value.length));
  }
}

function isIdName(name: string): boolean {
  return /(?:^|[_-])ids?$|[a-z]Ids?$/.test(name);
}

/** The text of a string of JSON; of one that is no valid JSON, as much as can be read. */
function decoded(piece: string): string {
  if (/^"[^"\\]*"$/.test(piece)) return piece.slice(1, -1);
  try {
    return JSON.parse(piece) as string;
  } catch {
    const inner = piece.slice(1, piece.endsWith('"') && piece.length > 1 ? -1 : undefined);
    return inner
      .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll(/\\(["\\/])/g, '$1');
  }
}

/** A name and its value without double quotes, as in a form or in text that only looks like JSON. */
const PAIR =
  /(?<![\p{L}\p{N}_])(['`]?)([\p{L}_][\p{L}\p{N}_.[\]%-]{0,80})\1(\s*[=:]>?\s*)('[^']*(?:'|$)|`[^`]*(?:`|$)|[^\s&,;}\]]+)/gu;
/** A number where JSON has one. */
const NUMBER = /(?<=(?:[:,[]|^)\s*)-?(\d+)(\.\d+)?(e[+-]?\d+)?(?=\s*(?:[,\]}]|$))/gi;
/** An amount has at most eight. */
const MAX_PLAIN_DIGITS = 8;

/** Punctuation of JSON with short numbers and constants, which most text outside of strings is. */
const PLAIN_JSON = /^[\s:,[\]{}]*(?:(?:true|false|null|-?\d{1,8}(?:\.\d{1,8})?)(?:\s*[:,[\]{}][\s:,[\]{}]*|\s*$))*$/;

/** Text outside of strings: numbers, punctuation, or anything else that is no JSON. */
function maskBare(piece: string, isId: boolean): string {
  if (PLAIN_JSON.test(piece)) return piece;
  const unpaired = piece.replaceAll(PAIR, (pair, quote: string, name: string, sign: string) =>
    isSecretName(name) ? `${quote}${name}${quote}${sign}[masked]` : pair,
  );
  let out = '';
  let from = 0;
  for (const { 0: number, 1: whole = '', 2: fraction = '', 3: power = '', index } of unpaired.matchAll(NUMBER)) {
    const digits = whole.length + (power === '' ? 0 : fraction.length - 1);
    out += maskText(unpaired.slice(from, index), { isId });
    out += digits > MAX_PLAIN_DIGITS ? `"[${digits} digits]"` : number;
    from = index + number.length;
  }
  return out + maskText(unpaired.slice(from), { isId });
}
