// GET /embed/v1.js: the script that pages of partners load. It is the one that build.js makes, small, and readable by every
// origin.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleEmbed, EMBED_FILE } from '../../build.js';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

const MAX_BYTES = 8 * 1024;

let world: TestWorld;
beforeAll(async () => {
  world = await openSharedWorld();
});
afterAll(() => world.close());

describe('the script of the embed', () => {
  it('is what the build makes of web/embed and locales', async () => {
    expect(readFileSync(EMBED_FILE, 'utf8'), 'run `npm run build`').toBe(await bundleEmbed());
  });

  it('is served to every origin, compressed to at most 8 KB, with an etag that saves the second download', async () => {
    const url = `${world.urls[0]}/embed/v1.js`;
    const response = await fetch(url, { headers: { origin: 'https://any.example', 'accept-encoding': 'gzip' } });
    const header = (name: string): string | null => response.headers.get(name);
    expect([response.status, header('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(header('access-control-allow-origin')).toBe('*');
    expect(header('cross-origin-resource-policy')).toBe('cross-origin');
    expect(header('cache-control')).toMatch(/^public, max-age=3600, stale-while-revalidate=\d+/);
    expect(header('set-cookie')).toBe(null);
    expect(await response.text()).toBe(readFileSync(EMBED_FILE, 'utf8'));
    const again = await fetch(url, { headers: { 'if-none-match': header('etag') ?? '' } });
    expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*']);
    // fetch() has unpacked it: its length on the way is what the server's gzip gives.
    expect(gzipSync(readFileSync(EMBED_FILE), { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('has no other version yet', async () => {
    const { status, json } = await world.call('GET', '/embed/v2.js');
    expect([status, json.error.code]).toEqual([404, 'not_found']);
    expect(json.error.message).toContain('/embed/v1.js');
  });
});
