// What a run makes that no log may hold: kept while it goes (test/support/record-logs.ts), looked for in every line at its end. Of an answer
// only what certainly is a secret is kept: what requests made up themselves stands in answers too.

import type { IncomingHttpHeaders } from 'node:http';
import { recordSecret } from '../support/record-logs.ts';

const MEMBERS = /"(secret|signing_secret|client_secret|token|publishable_key)":"([\w.~+/=-]{16,})"/g;
const IN_ADDRESSES = /\/(?:s|v1\/hooks\/[a-z]+)\/([\w-]{20,})/g;
const SESSION = /^everyshare_(?:session|sign_in)=([\w-]{16,})/;
/** As the outbox of the sandbox shows it. */
const CODE = /#(\d{6})\b/g;
/** Of the reserved phones: everybody knows it. */
const KNOWN_CODE = '000000';
/** Longer answers are documents: the reference, the schemas. */
const MOST = 100_000;

export function recordSecretsOf(path: string, headers: IncomingHttpHeaders, text: string): void {
  for (const cookie of headers['set-cookie'] ?? []) {
    const value = SESSION.exec(cookie)?.[1];
    if (value !== undefined) recordSecret('session', value);
  }
  if (text.length > MOST) return;
  for (const [, name = '', value = ''] of text.matchAll(MEMBERS)) if (/\d/.test(value)) recordSecret(name, value);
  for (const [, token = ''] of text.matchAll(IN_ADDRESSES))
    if (/\d/.test(token)) recordSecret('token in an address', token);
  if (!path.startsWith('/sandbox/outbox')) return;
  for (const [, code = ''] of text.matchAll(CODE)) if (code !== KNOWN_CODE) recordSecret('code', code);
}
