// Records the secrets in responses (test/support/record-logs.ts); at the end of a run no log line may contain one. Only
// what is certainly a secret is recorded, because responses also repeat values that requests made up.

import type { IncomingHttpHeaders } from 'node:http';
import { recordSecret } from '../support/record-logs.ts';

const SECRET_MEMBERS = /"(secret|signing_secret|client_secret|token|publishable_key)":"([\w.~+/=-]{16,})"/g;
const TOKEN_IN_PATH = /\/(?:s|v1\/hooks\/[a-z]+)\/([\w-]{20,})/g;
const SESSION = /^everyshare_(?:session|sign_in)=([\w-]{16,})/;
/** A sign-in code, as the sandbox's outbox shows it. */
const CODE = /#(\d{6})\b/g;
/** The public code of the reserved test phones. */
const KNOWN_CODE = '000000';
/** Longer responses are documents, such as the API reference. */
const MAX_SCANNED_LENGTH = 100_000;

export function recordSecretsIn(path: string, headers: IncomingHttpHeaders, text: string): void {
  for (const cookie of headers['set-cookie'] ?? []) {
    const value = SESSION.exec(cookie)?.[1];
    if (value !== undefined) recordSecret('session', value);
  }
  if (text.length > MAX_SCANNED_LENGTH) return;
  for (const [, name = '', value = ''] of text.matchAll(SECRET_MEMBERS))
    if (/\d/.test(value)) recordSecret(name, value);
  for (const [, token = ''] of text.matchAll(TOKEN_IN_PATH))
    if (/\d/.test(token)) recordSecret('token in an address', token);
  if (!path.startsWith('/sandbox/outbox')) return;
  for (const [, code = ''] of text.matchAll(CODE)) if (code !== KNOWN_CODE) recordSecret('code', code);
}
