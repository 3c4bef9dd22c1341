// Every log line of a whole run, and every secret that the run made, in files of one folder: whoever runs the tests reads them
// at the end (scan.ts). Each process writes files of its own, line by line, so that nothing is lost however it ends. Without a
// folder (chaos, conformance) nothing is kept.

import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Random } from '../../src/base/random.ts';
import type { Seal } from '../../src/base/seal.ts';

/** Set by whoever starts the run; processes of the tests inherit it. */
export const LOG_FOLDER_VARIABLE = 'EVERYSHARE_TEST_LOGS';
export const LINES_EXTENSION = '.lines';
export const SECRETS_EXTENSION = '.secrets';
/** What the tests' PostgreSQL wrote. */
export const POSTGRES_LINES_FILE = `postgres${LINES_EXTENSION}`;

const open = new Map<string, number>();
const known = new Set<string>();

function append(ending: string, text: string): void {
  const folder = process.env[LOG_FOLDER_VARIABLE];
  if (folder === undefined) return;
  let file = open.get(ending);
  if (file === undefined) {
    file = openSync(
      join(folder, `${process.pid}-${Date.now()}-${Math.floor(performance.now() * 1e3)}${ending}`),
      'a',
      0o600,
    );
    open.set(ending, file);
  }
  writeSync(file, text);
}

/** What a log was handed: whole lines. */
export function recordLines(text: string): void {
  append(LINES_EXTENSION, text);
}

/** What a program writes on standard error. */
export function recordStream(stream: Readable): void {
  createInterface({ input: stream }).on('line', (line) => recordLines(`${line}\n`));
}

/** Shorter ones are no secrets but examples, and would be found everywhere. */
const MIN_SECRET_LENGTH = 10;

export function recordSecret(kind: string, text: string): void {
  if (text.length < MIN_SECRET_LENGTH && kind !== 'code') return;
  if (known.has(text)) return;
  known.add(text);
  append(SECRETS_EXTENSION, `${kind}\t${text}\n`);
}

const MEMBERS =
  /"(secret|signing_secret|client_secret|token|key|secret_test|publishable_test|phone|webhook_url|url|d)":"([^"\\]+)"/g;
const TOKEN_IN_ADDRESS = /\/(?:s|v1\/hooks\/[a-z]+)\/([\w-]{16,})/g;

/** What people or programs tell one another may hold secrets among other things: those members, addresses and codes are kept. */
export function recordSecretsIn(text: string): void {
  for (const [, name = '', value = ''] of text.matchAll(MEMBERS)) {
    if (name !== 'url' && name !== 'webhook_url') recordSecret(name, value);
  }
  for (const [, token = ''] of text.matchAll(TOKEN_IN_ADDRESS)) recordSecret('token in an address', token);
  for (const [, code = ''] of text.matchAll(/#(\d{6})\b/g)) recordCode(code);
  for (const [, card = ''] of text.matchAll(/card%5D%5Bnumber%5D=(\d{13,19})/g)) recordSecret('card', card);
}

/** The code that everybody knows, of the sandbox's reserved numbers, is none. */
function recordCode(code: string): void {
  if (code !== '000000') recordSecret('code', code);
}

/** The row that proves the encryption key, by a word that everybody knows. */
const PROOF = 'installation';

/** What is sealed is secret: that is what it is sealed for. */
export function recordSealed(seal: Seal): void {
  const { seal: sealed, fingerprint } = seal;
  const watched: Seal = {
    ...seal,
    seal(plain, row) {
      const text = String(plain);
      if (row === PROOF) return sealed(plain, row);
      if (text.length > 200 || /[\s{]/.test(text)) recordSecretsIn(text);
      else recordSecret(row.split(' ')[0] ?? 'sealed', text);
      return sealed(plain, row);
    },
    fingerprint(plain, purpose) {
      if (purpose === 'phone') recordSecret('phone', plain);
      if (purpose === 'sign-in code') recordCode(plain.split(' ')[1] ?? '');
      return fingerprint(plain, purpose);
    },
  };
  // In place: everybody in the house has this very seal.
  Object.assign(seal, watched);
}

/** 32 bytes are what a browser's session is made of. */
export function recordSessionTokens(random: Random): Random {
  return {
    bytes(length) {
      const drawn = random.bytes(length);
      if (length === 32) recordSecret('session', drawn.toString('base64url'));
      return drawn;
    },
  };
}
