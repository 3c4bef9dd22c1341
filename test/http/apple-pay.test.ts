// The file that proves to Apple that this domain may show Apple Pay.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openTestWorld } from '../support/test-world.ts';

const PATH = '/.well-known/apple-developer-merchantid-domain-association';
const folder = mkdtempSync(join(tmpdir(), 'everyshare-apple-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('is published if it is set, and 404 otherwise', async () => {
  const file = join(folder, 'association');
  writeFileSync(file, '7B227073704964223A22');
  const world = await openTestWorld({ env: { APPLE_PAY_DOMAIN_FILE: file } });
  const { status, text, headers } = await world.call('GET', PATH);
  expect([status, text, headers.get('content-type')]).toEqual([
    200,
    '7B227073704964223A22',
    'text/plain; charset=utf-8',
  ]);
  await world.close();
  const plain = await openTestWorld();
  expect((await plain.call('GET', PATH)).status).toBe(404);
  await plain.close();
});

it('that cannot be read, or is empty, is reported at the start', async () => {
  const missing = join(folder, 'missing');
  await expect(openTestWorld({ env: { APPLE_PAY_DOMAIN_FILE: missing } })).rejects.toThrow(
    'APPLE_PAY_DOMAIN_FILE cannot be read',
  );
  const empty = join(folder, 'empty');
  writeFileSync(empty, '');
  await expect(openTestWorld({ env: { APPLE_PAY_DOMAIN_FILE: empty } })).rejects.toThrow(
    'APPLE_PAY_DOMAIN_FILE has 0 bytes',
  );
});
