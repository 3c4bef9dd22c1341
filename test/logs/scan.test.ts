// The scan of logs finds each kind of secret, by its form or because the run made it, reports how much it read, never
// repeats a secret, and fails when it has read nothing.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LINES_EXTENSION, POSTGRES_LINES_FILE, SECRETS_EXTENSION } from '../support/record-logs.ts';
import { describeProblem, scan } from './scan.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function writeLogFolder(
  lines: readonly string[],
  secrets: readonly (readonly [kind: string, text: string])[] = [],
): string {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-scan-'));
  folders.push(folder);
  writeFileSync(join(folder, `a${LINES_EXTENSION}`), lines.map((line) => `${line}\n`).join(''));
  writeFileSync(join(folder, `a${SECRETS_EXTENSION}`), secrets.map(([kind, text]) => `${kind}\t${text}\n`).join(''));
  return folder;
}

const logLine = (fields: object = {}): string =>
  JSON.stringify({
    level: 'info',
    time: '2026-11-16T04:41:35.123Z',
    role: 'test',
    pid: 482913,
    request_id: 'req_01m7h8r50g0002t0p3f2madhzx',
    ms: 12.482913,
    ...fields,
  });

describe('a secret in a log line', () => {
  it.each([
    ['a key', 'svc_live_0123456789abcdefABCDEF0123456789'],
    ['a publishable key', 'pk_test_0123456789abcdef'],
    ['the processor’s key', 'sk_live_0123456789abcdef'],
    ['a signing secret', 'whsec_0123456789abcdef'],
    ['the operator’s token', 'opt_0123456789abcdef0123'],
    ['a client secret', 'pi_3Nx_secret_9f8e7d6c5b4a'],
    ['a member’s token', 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'],
    ['a bearer', 'Bearer abcdefgh12345678'],
    ['a phone', '+15550100042'],
    ['a hook’s address', '/v1/hooks/square/abcdefghijklmnop1234'],
    ['an invite', 'http://pay.example/s/Dd4qyVyDhvtVyki6DwyvkZmS'],
    ['an onboarding', 'http://pay.example/payouts/Dd4qyVyDhvtVyki6DwyvkZmS-_/done'],
    ['a session', 'everyshare_session=abcdefghijklmnop1234'],
    ['a card', '4242424242424242'],
    ['a password', 'postgres://me:hunter2@db.example/everyshare'],
  ])('is found by its form: %s', async (_kind, secret) => {
    for (const line of [logLine({ a: secret }), logLine({ err: { message: `it failed with ${secret}` } }), secret]) {
      const result = await scan(writeLogFolder([logLine(), line]));
      expect(result).toMatchObject({ lines: 2, files: 1, findings: [{ lineNumber: 2 }] });
      expect(JSON.stringify(result.findings)).not.toContain(secret);
      expect(describeProblem(result, false)).toContain('1 lines hold what no log may hold');
      expect(describeProblem(result, false)).not.toContain(secret);
    }
  });

  it.each([
    ['token', 'a token without a shape', 'Dd4qyVyDhvtVyki6DwyvkZmS', 'look at Dd4qyVyDhvtVyki6DwyvkZmS'],
    ['token', 'in the middle of a word', 'Dd4qyVyDhvtVyki6', 'xDd4qyVyDhvtVyki6x'],
    ['signing_secret', 'a secret of the provider’s own', 'a-secret-of-theirs', 'key=a-secret-of-theirs;'],
    ['phone', 'a phone without its plus', '+15550100042', 'to 15550100042'],
    ['phone', 'a phone as a guest types it', '+15550100042', 'typed (555) 010-0042 and'],
    ['phone', 'a phone with dashes', '+15550100042', 'typed 555-010-0042.'],
    ['phone', 'a phone with spaces', '+15550100042', 'typed 555 010 0042'],
    ['phone', 'a phone with dots', '+15550100042', 'typed 555.010.0042'],
    ['phone', 'the digits of a phone at home', '+15550100042', 'typed 5550100042'],
    ['phone', 'a phone of another country', '+4930123456789', 'typed 030 123456789'],
    ['code', 'a code', '482913', 'the code is 482913.'],
  ] as const)('is found because the run made it: %s, %s', async (kind, _description, secret, text) => {
    expect((await scan(writeLogFolder([logLine({ text })], []))).findings).toEqual([]);
    const result = await scan(writeLogFolder([logLine({ text })], [[kind, secret]]));
    expect(result).toMatchObject({ lines: 1, findings: [{ lineNumber: 1, kind }] });
  });
});

describe('log lines without a secret', () => {
  it('have no findings, even when one of their numbers equals a sign-in code', async () => {
    const secrets = [
      ['code', '482913'],
      ['token', 'Dd4qyVyDhvtVyki6DwyvkZmS'],
    ] as const;
    const lines = [logLine(), logLine({ key: 'key_01m7h8r50g0002t0p3f2madhzx' }), logLine({ text: 'x482913 4829131' })];
    const result = await scan(writeLogFolder([...lines, logLine({ text: 'svc_test_[redacted]' })], secrets));
    expect(result).toMatchObject({ lines: 4, secrets: 2, redactedLines: 1, findings: [] });
    expect(describeProblem(result, true)).toBe(null);
  });

  it('fail a whole run when the servers wrote none', async () => {
    const folder = writeLogFolder([]);
    writeFileSync(join(folder, POSTGRES_LINES_FILE), 'LOG:  database system is ready to accept connections\n');
    const result = await scan(folder);
    expect(result).toMatchObject({ lines: 1, ownLines: 0 });
    expect(describeProblem(result, true)).toContain('not one line of ours');
    expect(describeProblem(result, false)).toBe(null);
  });
});
