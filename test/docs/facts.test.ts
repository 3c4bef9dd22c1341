// What the guides state of settings, scopes, events, calls and limits is what the program has. A guide that falls
// behind fails here, in the change that leaves it behind.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testCards } from '../../sandbox/processor/cards.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { MAX_STREAMS_PER_KEY } from '../../src/domain/events/stream-place.ts';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { READS_PER_HOUR, SCOPES, WRITES_PER_HOUR } from '../../src/domain/keys/key.ts';
import { MEMBER_READS_PER_HOUR, MEMBER_WRITES_PER_HOUR } from '../../src/domain/members/limits.ts';
import { tools } from '../../src/run/operations/tools.ts';
import { partnerOperations } from '../../src/run/operations.ts';

const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');
const guide = (name: string): string => read(`docs/guides/${name}.md`);
const guides = readdirSync(join(packageRoot, 'docs/guides')).map((file) => read(`docs/guides/${file}`));

/** The section of a guide below a heading. */
function section(name: string, heading: string): string {
  const found = guide(name)
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`));
  if (found === undefined) throw new Error(`docs/guides/${name}.md has no section "${heading}"`);
  return found;
}

/** The first cells of the rows of a text's tables, without the head. */
const firstCells = (text: string): string[] =>
  [...text.matchAll(/^\| *`([^|]*?)` *\|/gm)].map(([, cell = '']) => cell.replaceAll('`', ''));

describe('the guides', () => {
  it('describe every setting that the program reads', () => {
    const config = ['config', 'retention', 'stripe-settings'].map((name) => read(`src/base/${name}.ts`)).join('');
    const named = [...config.matchAll(/read\.\w+\('([A-Z_]+)'/g)].map(([, name = '']) => name);
    const stripe = [...config.matchAll(/read(?:Key|Secrets)\('([A-Z_]+)'/g)].flatMap(([, name]) => [
      `STRIPE_TEST_${name}`,
      `STRIPE_LIVE_${name}`,
    ]);
    expect(named.length).toBeGreaterThan(30);
    expect(stripe.length).toBe(8);
    const undescribed = [...named, ...stripe].filter((name) => !guides.some((text) => text.includes(`\`${name}\``)));
    expect(undescribed).toEqual([]);
  });

  it('list every scope of a key', () => {
    const listed = firstCells(section('authentication', 'Scopes')).flatMap((cell) => cell.split(', '));
    expect(listed.sort()).toEqual([...SCOPES].sort());
  });

  it('list every event that an endpoint can subscribe to', () => {
    const { $defs } = JSON.parse(read('schemas/v1/fields.json'));
    expect(firstCells(section('webhooks', 'Register an address'))).toEqual($defs.subscribed_events.items.enum);
  });

  it('list every tool of agents', () => {
    expect(firstCells(section('agents', 'Tools'))).toEqual(tools.map(({ name }) => name));
  });

  it('list every call that takes an Idempotency-Key', () => {
    const text = section('idempotency', 'Which calls take it').split('\n\n')[1] ?? '';
    const named = [...text.matchAll(/`(?:POST )?([/\w]+)`/g)].map(([, name]) => name?.split('/').at(-1)).slice(0, -1);
    const taken = partnerOperations.filter(({ idempotent }) => idempotent === true);
    expect(named.sort()).toEqual(taken.map(({ path }) => path.split('/').at(-1)).sort());
  });

  it('list every call that answers in pages', () => {
    const paged = partnerOperations.filter(({ query }) => JSON.stringify(query ?? {}).includes('"before"'));
    const named = [...section('paging', 'The rules').matchAll(/`GET ([^`]*)`/g)].map(([, path]) => path);
    const unpaged = ['/v1/webhook_endpoints', '/v1/integrations'];
    expect(named.filter((path) => !unpaged.includes(path ?? '')).sort()).toEqual(paged.map(({ path }) => path).sort());
  });

  it('state the limits of keys, members and streams', () => {
    const text = guide('limits');
    expect(text).toContain(`${WRITES_PER_HOUR} writes, ${READS_PER_HOUR} reads; the operator can raise both`);
    expect(text).toContain(`${MEMBER_WRITES_PER_HOUR} writes, ${MEMBER_READS_PER_HOUR} reads `);
    expect(text).toContain(`${MAX_STREAMS_PER_KEY} open streams of events for a key`);
    expect(guide('going-live')).toContain(`${WRITES_PER_HOUR} writes and ${READS_PER_HOUR} reads an hour`);
  });

  it('state the bounds of a checkout and of an offering as the schemas have them', () => {
    const { properties } = JSON.parse(read('schemas/v1/checkout_create.json'));
    const { party_size, description } = properties;
    const offering = JSON.parse(read('schemas/v1/offering.json')).properties;
    const text = guide('limits');
    expect(text).toContain(`\`party_size\` from ${party_size.minimum} to ${party_size.maximum}`);
    expect(text).toContain(`\`description\` up to ${description.maxLength} characters`);
    expect(text).toContain(`title ${offering.title.maxLength} and description 4,000 characters`);
    expect(offering.description.maxLength).toBe(4_000);
    expect(text).toContain(`${offering.tiers.maxItems} tiers`);
  });

  it('name only test cards that the sandbox has', () => {
    const numbers = firstCells(section('testing', 'Cards')).map((cell) => cell.replaceAll(' ', ''));
    const known = new Set(testCards.map(({ number }) => number));
    expect(numbers.length).toBeGreaterThan(10);
    expect(numbers.filter((number) => !known.has(number))).toEqual([]);
  });

  it('count the venue systems, and name each language of the pages', () => {
    const words: Readonly<Record<number, string>> = { 13: 'Thirteen', 14: 'Fourteen', 15: 'Fifteen', 16: 'Sixteen' };
    expect(guide('venue-systems')).toContain(`${words[PROVIDERS.length - 1]} systems have a mapping`);
    const names = new Intl.DisplayNames('en', { type: 'language' });
    for (const file of readdirSync(join(packageRoot, 'locales')))
      expect(section('guest-pages', 'Languages')).toContain(names.of(file.replace('.json', '')));
  });
});
