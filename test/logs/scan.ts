// Reads every log line of a run and looks for every secret that the run made, and for whatever has the shape of one. What it
// tells of a find names the place and the kind, never the secret.

import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { LINES_EXTENSION, POSTGRES_LINES_FILE, SECRETS_EXTENSION } from '../support/record-logs.ts';

export interface Find {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  /** The line, with the secret taken out. */
  readonly shown: string;
}

export interface Scanned {
  readonly files: number;
  readonly lines: number;
  /** Of them, those that our own servers and programs wrote. */
  readonly own: number;
  readonly secrets: number;
  /** Lines out of which something was taken before they were written. */
  readonly scrubbed: number;
  readonly finds: readonly Find[];
}

const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a key', /\b(?:svc|sk|rk|pk)_(?:test|live)_[A-Za-z0-9]{8,}/],
  ['a signing secret', /\bwhsec_[A-Za-z0-9]{8,}/],
  ['the operator’s token', /\bopt_[A-Za-z0-9_]{16,}/],
  ['a client secret', /\w_secret_[A-Za-z0-9]{6,}/],
  ['a member’s token', /\beyJ[\w-]{10,}\.[\w-]{10,}\./],
  ['a bearer', /\bBearer\s+(?!\[redacted\])[\w.~+/-]{8,}/i],
  ['a phone', /(?<![\w.])\+[1-9]\d{7,14}\b/],
  ['a hook’s address', /\/v1\/hooks\/[a-z]+\/[\w-]{16,}/],
  ['an invite', /\/s\/[A-Za-z0-9]{20,}/],
  ['a session', /everyshare_(?:session|sign_in)=[\w-]{16,}/],
  ['a database password', /\bpostgres(?:ql)?:\/\/[^:@/\s"]*:(?!\[redacted\])[^@\s"]+@/],
];

const CARD = /(?<![\w.-])\d{13,19}(?![\w.-])/g;

/** As the last digit of a card proves: other long numbers pass for one in one case of ten, and are looked at then. */
function isCard(digits: string): boolean {
  let sum = 0;
  for (const [place, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (place % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** So many characters of a secret decide where to look closer. */
const GRAM = 6;

/** Numbers that stand in every line and could be anybody's code. */
const COUNTED = /"(?:pid|ms|port|time|duration_ms)":("[^"]*"|[\d.]+)/g;

export class Secrets {
  readonly #byGram = new Map<string, [kind: string, text: string][]>();
  #size = 0;

  add(kind: string, text: string): void {
    this.#size += 1;
    const gram = text.slice(0, GRAM);
    const list = this.#byGram.get(gram);
    if (list === undefined) this.#byGram.set(gram, [[kind, text]]);
    else list.push([kind, text]);
  }

  get size(): number {
    return this.#size;
  }

  /** The first one that the line holds. */
  in(line: string): [kind: string, text: string] | null {
    for (let at = 0; at + GRAM <= line.length; at++) {
      const list = this.#byGram.get(line.slice(at, at + GRAM));
      const found = list?.find(
        ([, text]) => line.startsWith(text, at) && (!/^\d+$/.test(text) || isAlone(line, at, text.length)),
      );
      if (found !== undefined) return found;
    }
    return null;
  }
}

/** Digits, and not a part of a longer number or name. */
function isAlone(line: string, at: number, length: number): boolean {
  return !/[\w.-]/.test(line[at - 1] ?? '') && !/[\w-]/.test(line[at + length] ?? '');
}

/** A phone as people write it, too: without its plus, with spaces, and as it is dialled at home. */
function spellings(phone: string): string[] {
  const parsed = parsePhoneNumberFromString(phone);
  if (parsed === undefined) return [phone.slice(1)];
  const home = parsed.nationalNumber;
  const groups = parsed
    .formatNational()
    .split(/\D+/)
    .filter((digits) => digits !== '');
  const grouped = ['-', ' ', '.'].map((between) => groups.join(between));
  return [phone.slice(1), parsed.formatInternational(), parsed.formatNational(), home, ...grouped];
}

export function readSecrets(folder: string): Secrets {
  const secrets = new Secrets();
  const seen = new Set<string>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith(SECRETS_EXTENSION))) {
    for (const row of readFileSync(join(folder, name), 'utf8').split('\n')) {
      const [kind = '', text = ''] = row.split('\t');
      if (text === '' || seen.has(text)) continue;
      seen.add(text);
      secrets.add(kind, text);
      if (!text.startsWith('+')) continue;
      for (const spelling of new Set(spellings(text))) secrets.add(kind, spelling);
    }
  }
  return secrets;
}

export function findIn(
  line: string,
  secrets: { in(line: string): [kind: string, text: string] | null },
): [string, string] | null {
  for (const [kind, shape] of SHAPES) {
    const [text] = shape.exec(line) ?? [];
    if (text !== undefined) return [kind, text];
  }
  const card = [...line.matchAll(CARD)].find(([digits]) => isCard(digits));
  if (card !== undefined) return ['a card', card[0]];
  return secrets.in(line.replaceAll(COUNTED, ''));
}

export async function scan(folder: string): Promise<Scanned> {
  const secrets = readSecrets(folder);
  const names = readdirSync(folder).filter((file) => file.endsWith(LINES_EXTENSION));
  const finds: Find[] = [];
  let [lines, own, scrubbed] = [0, 0, 0];
  for (const file of names) {
    let number = 0;
    for await (const line of createInterface({ input: createReadStream(join(folder, file)), crlfDelay: Infinity })) {
      number += 1;
      if (line.includes('[redacted')) scrubbed += 1;
      const found = findIn(line, secrets);
      if (found === null) continue;
      const [kind, text] = found;
      finds.push({ file, line: number, kind, shown: line.replaceAll(text, `[${kind}]`).slice(0, 600) });
    }
    lines += number;
    if (file !== POSTGRES_LINES_FILE) own += number;
  }
  return { files: names.length, lines, own, secrets: secrets.size, scrubbed, finds };
}

/** What is wrong, for a person; null: nothing. */
export function verdict({ own, finds }: Scanned, mustHaveLines: boolean): string | null {
  if (finds.length > 0) {
    const shown = finds
      .slice(0, 20)
      .map(({ file, line, kind, shown }) => `  ${kind}, line ${line} of ${file}: ${shown}`);
    return `logs: ${finds.length} lines hold what no log may hold:\n${shown.join('\n')}`;
  }
  return own === 0 && mustHaveLines ? 'logs: not one line of ours was read, so that nothing was shown' : null;
}
