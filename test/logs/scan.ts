// Reads every log line of a run and looks for every secret that the run made, and for any text with the form of a
// secret. A finding names the file, the line and the kind, never the secret.

import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { LINES_EXTENSION, POSTGRES_LINES_FILE, SECRETS_EXTENSION } from '../support/record-logs.ts';

export interface Finding {
  readonly file: string;
  readonly lineNumber: number;
  readonly kind: string;
  /** The line with the secret replaced. */
  readonly redactedLine: string;
}

export interface ScanResult {
  readonly files: number;
  readonly lines: number;
  /** Lines that the servers and programs of this repository wrote, without those of PostgreSQL. */
  readonly ownLines: number;
  readonly secrets: number;
  /** Lines in which the log itself redacted a value. */
  readonly redactedLines: number;
  readonly findings: readonly Finding[];
}

const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ['a key', /\b(?:svc|sk|rk|pk)_(?:test|live)_[A-Za-z0-9]{8,}/],
  ['a signing secret', /\bwhsec_[A-Za-z0-9+/]{8,}/],
  ['the operator’s token', /\bopt_[A-Za-z0-9_]{16,}/],
  ['a client secret', /\w_secret_[A-Za-z0-9]{6,}/],
  ['a member’s token', /\beyJ[\w-]{10,}\.[\w-]{10,}\./],
  ['a bearer', /\bBearer\s+(?!\[redacted\])[\w.~+/-]{8,}/i],
  ['a phone', /(?<![\w.])\+[1-9]\d{7,14}\b/],
  ['a hook’s address', /\/v1\/hooks\/[a-z]+\/[\w-]{16,}/],
  ['an invite', /\/s\/[A-Za-z0-9]{20,}/],
  ['an onboarding', /\/payouts\/[\w-]{20,}/],
  ['a session', /everyshare_(?:session|sign_in)=[\w-]{16,}/],
  ['a database password', /\bpostgres(?:ql)?:\/\/[^:@/\s"]*:(?!\[redacted\])[^@\s"]+@/],
];

const CARD = /(?<![\w.-])\d{13,19}(?![\w.-])/g;

/** The Luhn check. One in ten other long numbers passes it too; a person has to look at those. */
function isCard(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Secrets are indexed by this many first characters. */
const PREFIX_LENGTH = 6;

/** Numbers of every log line that could equal a sign-in code by chance. */
const NUMERIC_FIELDS = /"(?:pid|ms|port|time|duration_ms)":("[^"]*"|[\d.]+)/g;

export class Secrets {
  readonly #byPrefix = new Map<string, [kind: string, text: string][]>();
  #size = 0;

  add(kind: string, text: string): void {
    this.#size += 1;
    const prefix = text.slice(0, PREFIX_LENGTH);
    const candidates = this.#byPrefix.get(prefix);
    if (candidates === undefined) this.#byPrefix.set(prefix, [[kind, text]]);
    else candidates.push([kind, text]);
  }

  get size(): number {
    return this.#size;
  }

  /** The first secret in the line. */
  findIn(line: string): [kind: string, text: string] | null {
    for (let index = 0; index + PREFIX_LENGTH <= line.length; index++) {
      const candidates = this.#byPrefix.get(line.slice(index, index + PREFIX_LENGTH));
      const found = candidates?.find(
        ([, text]) => line.startsWith(text, index) && (!/^\d+$/.test(text) || isWholeToken(line, index, text.length)),
      );
      if (found !== undefined) return found;
    }
    return null;
  }
}

/** True when the text is not part of a longer number or name. */
function isWholeToken(line: string, index: number, length: number): boolean {
  return !/[\w.-]/.test(line[index - 1] ?? '') && !/[\w-]/.test(line[index + length] ?? '');
}

/** A phone number as people write it: without the plus, with separators, and in national form. */
function phoneSpellings(phone: string): string[] {
  const parsed = parsePhoneNumberFromString(phone);
  if (parsed === undefined) return [phone.slice(1)];
  const nationalNumber = parsed.nationalNumber;
  const groups = parsed
    .formatNational()
    .split(/\D+/)
    .filter((digits) => digits !== '');
  const grouped = ['-', ' ', '.'].map((separator) => groups.join(separator));
  return [phone.slice(1), parsed.formatInternational(), parsed.formatNational(), nationalNumber, ...grouped];
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
      for (const spelling of new Set(phoneSpellings(text))) secrets.add(kind, spelling);
    }
  }
  return secrets;
}

export function findIn(
  line: string,
  secrets: { findIn(line: string): [kind: string, text: string] | null },
): [string, string] | null {
  for (const [kind, shape] of SHAPES) {
    const [text] = shape.exec(line) ?? [];
    if (text !== undefined) return [kind, text];
  }
  const card = [...line.matchAll(CARD)].find(([digits]) => isCard(digits));
  if (card !== undefined) return ['a card', card[0]];
  return secrets.findIn(line.replaceAll(NUMERIC_FIELDS, ''));
}

export async function scan(folder: string): Promise<ScanResult> {
  const secrets = readSecrets(folder);
  const files = readdirSync(folder).filter((file) => file.endsWith(LINES_EXTENSION));
  const findings: Finding[] = [];
  let [lines, ownLines, redactedLines] = [0, 0, 0];
  for (const file of files) {
    let lineNumber = 0;
    for await (const line of createInterface({ input: createReadStream(join(folder, file)), crlfDelay: Infinity })) {
      lineNumber += 1;
      if (line.includes('[redacted')) redactedLines += 1;
      const found = findIn(line, secrets);
      if (found === null) continue;
      const [kind, text] = found;
      findings.push({ file, lineNumber, kind, redactedLine: line.replaceAll(text, `[${kind}]`).slice(0, 600) });
    }
    lines += lineNumber;
    if (file !== POSTGRES_LINES_FILE) ownLines += lineNumber;
  }
  return { files: files.length, lines, ownLines, secrets: secrets.size, redactedLines, findings };
}

/** A message for a person; null: there is no problem. */
export function describeProblem({ ownLines, findings }: ScanResult, requiresOwnLines: boolean): string | null {
  if (findings.length > 0) {
    const shown = findings
      .slice(0, 20)
      .map(({ file, lineNumber, kind, redactedLine }) => `  ${kind}, line ${lineNumber} of ${file}: ${redactedLine}`);
    return `logs: ${findings.length} lines hold what no log may hold:\n${shown.join('\n')}`;
  }
  return ownLines === 0 && requiresOwnLines ? 'logs: not one line of ours was read, so the scan proves nothing' : null;
}
