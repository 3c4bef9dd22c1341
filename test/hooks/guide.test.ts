// The example in the guide works: the test reads it from the page and runs it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
const folder = mkdtempSync(join(tmpdir(), 'everyshare-guide-'));
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world.close();
});

const guide = readFileSync(join(packageRoot, 'docs', 'guides', 'venue-systems.md'), 'utf8');
const block = (language: string): string => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(guide)?.[1] ?? '';

describe('the guide on venue systems', () => {
  it('has an example that connects a custom system', async () => {
    const file = join(folder, 'deliver.mjs');
    writeFileSync(file, block('js'));
    const { deliver } = await import(pathToFileURL(file).href);
    const { secretTest: key } = await world.venue();
    const { json } = await world.call('POST', '/v1/integrations', { key, body: { provider: 'custom' } });
    const { webhook_url: url, signing_secret: secret } = json.data;
    const response = await deliver(url, secret, JSON.parse(block('json')));
    expect(response).toEqual({ received: true, id: expect.stringMatching(/^hkd_/), duplicate: false });
    expect((await deliver(url, secret, JSON.parse(block('json')))).duplicate).toBe(true);
    await applyDueDeliveries(world.context, 10);
    expect((await world.call('GET', '/v1/offerings/tee-18', { key })).json.data.title).toBe('Eighteen holes');
    await expect(deliver(url, 'whsec_other', {})).rejects.toThrow('401');
  });

  it('has a page for each provider, which names every field of its mapping', () => {
    for (const provider of PROVIDERS) {
      const page = readFileSync(join(packageRoot, 'docs', 'providers', `${provider}.md`), 'utf8');
      const mapping = world.context.mappings.get(provider);
      for (const { fields } of mapping?.objects ?? [])
        for (const field of Object.keys(fields)) expect(page).toContain(`\`${field}\``);
      for (const { name } of mapping?.events ?? []) expect(page).toContain(`\`${name}\``);
    }
  });
});
