// Records every log line of a run, and every secret that the run made, in files of one folder; scan.ts reads them at
// the end. Each process writes its own files, line by line, so that nothing is lost when it is killed. Without a folder
// (chaos, conformance) nothing is recorded.

import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Random } from '../../src/base/random.ts';
import type { Seal } from '../../src/base/seal.ts';

/** The setup of the run sets it; processes that tests start inherit it. */
export const LOG_FOLDER_VARIABLE = 'EVERYSHARE_TEST_LOGS';
export const LINES_EXTENSION = '.lines';
export const SECRETS_EXTENSION = '.secrets';
/** The log of the tests' PostgreSQL. */
export const POSTGRES_LINES_FILE = `postgres${LINES_EXTENSION}`;

const openFiles = new Map<string, number>();
const recorded = new Set<string>();

function append(extension: string, text: string): void {
  const folder = process.env[LOG_FOLDER_VARIABLE];
  if (folder === undefined) return;
  let file = openFiles.get(extension);
  if (file === undefined) {
    file = openSync(
      join(folder, `${process.pid}-${Date.now()}-${Math.floor(performance.now() * 1e3)}${extension}`),
      'a',
      0o600,
    );
    openFiles.set(extension, file);
  }
  writeSync(file, text);
}

/** Records whole log lines. */
export function recordLines(text: string): void {
  append(LINES_EXTENSION, text);
}

/** Records what a program writes on standard error. */
export function recordStream(stream: Readable): void {
  createInterface({ input: stream }).on('line', (line) => recordLines(`${line}\n`));
}

/** Shorter texts are examples, not secrets, and would be found everywhere. */
const MIN_SECRET_LENGTH = 10;

export function recordSecret(kind: string, text: string): void {
  if (text.length < MIN_SECRET_LENGTH && kind !== 'code') return;
  if (recorded.has(text)) return;
  recorded.add(text);
  append(SECRETS_EXTENSION, `${kind}\t${text}\n`);
}

const SECRET_FIELDS =
  /"(secret|signing_secret|client_secret|token|key|secret_test|publishable_test|phone|webhook_url|url|d)":"([^"\\]+)"/g;
const TOKEN_IN_ADDRESS = /\/(?:s|v1\/hooks\/[a-z]+)\/([\w-]{16,})/g;

/** Records the secrets inside a message: secret fields, tokens in addresses, sign-in codes and card numbers. */
export function recordSecretsIn(text: string): void {
  for (const [, name = '', value = ''] of text.matchAll(SECRET_FIELDS)) {
    if (name !== 'url' && name !== 'webhook_url') recordSecret(name, value);
  }
  for (const [, token = ''] of text.matchAll(TOKEN_IN_ADDRESS)) recordSecret('token in an address', token);
  for (const [, code = ''] of text.matchAll(/#(\d{6})\b/g)) recordCode(code);
  for (const [, card = ''] of text.matchAll(/card%5D%5Bnumber%5D=(\d{13,19})/g)) recordSecret('card', card);
}

/** 000000, the public code of the sandbox's reserved numbers, is no secret. */
function recordCode(code: string): void {
  if (code !== '000000') recordSecret('code', code);
}

/** The sealed row that checks the encryption key holds a public word. */
const KEY_CHECK_ROW = 'installation';

/** Records every text that is sealed: the seal exists for secrets. */
export function recordSealed(seal: Seal): void {
  const { seal: sealed, fingerprint } = seal;
  const recording: Seal = {
    ...seal,
    seal(plain, row) {
      const text = String(plain);
      if (row === KEY_CHECK_ROW) return sealed(plain, row);
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
  // In place, because every part of the context already holds this object.
  Object.assign(seal, recording);
}

/** A draw of 32 bytes is the token of a browser session. */
export function recordSessionTokens(random: Random): Random {
  return {
    bytes(length) {
      const bytes = random.bytes(length);
      if (length === 32) recordSecret('session', bytes.toString('base64url'));
      return bytes;
    },
  };
}
