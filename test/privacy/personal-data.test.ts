// The list of personal data is complete: every column that can hold text is in it, or is named as one that holds nothing of
// a guest; and the guide shows the list.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { SEALED_COLUMNS } from '../../src/cli/encryption.ts';
import { PERSONAL_DATA, personalDataTable } from '../../src/domain/privacy/personal-data.ts';
import { makeScrub, scrubJson } from '../../src/domain/privacy/scrub-text.ts';
import { sweptColumns } from '../../src/domain/privacy/sweep-sealed.ts';
import { openSharedWorld } from '../support/test-world.ts';
import { NOT_PERSONAL } from './not-personal.ts';

const personal = PERSONAL_DATA.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`));
const others = Object.entries(NOT_PERSONAL).flatMap(([table, columns]) =>
  columns.split(' ').map((column) => `${table}.${column}`),
);

describe('the list of personal data', () => {
  it('names every column of text, JSON or bytes, or the list of others does: a new column must be added to one of them', async () => {
    const world = await openSharedWorld();
    const found = await world.db.query<{ name: string }>(
      `select c.relname || '.' || a.attname as name
       from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attnum > 0 and not a.attisdropped
         and a.atttypid = any('{text,text[],bytea,bytea[],json,jsonb}'::regtype[])`,
    );
    const names = found.map(({ name }) => name).sort();
    expect([...personal, ...others].sort()).toEqual(names);
    await world.close();
  });

  it('is the table of the guide', () => {
    const guide = readFileSync(join(packageRoot, 'docs', 'guides', 'privacy.md'), 'utf8');
    expect(guide).toContain(personalDataTable());
  });

  it('has every sealed column that an erasure reads', () => {
    for (const { table, column } of sweptColumns(SEALED_COLUMNS)) expect(personal).toContain(`${table}.${column}`);
  });
});

describe('scrubbing', () => {
  const scrub = makeScrub({ phone: '+12125550142', mail: 'ada.l@example.com', names: ['Ada Lovelace', 'Bo', 'Ann'] });

  it.each([
    'Call +12125550142',
    'Call +1 (212) 555-0142',
    'Call 212.555.0142',
    'Call 2125550142',
    'Call 0012125550142',
    'mail ADA.L@example.com',
    'for ada lovelace',
    'for Ann',
  ])('takes the person out of "%s"', (text) => {
    expect(scrub(text)).toMatch(/^(Call|mail|for) \+?\(?\[erased\]$/);
  });

  it.each(['Call +12125550143', 'order 921255501429', 'mail ada.l@example.com.au', 'Anna', 'Bo', 'Adam Lovelace'])(
    'leaves "%s"',
    (text) => {
      expect(scrub(text)).toBe(text);
    },
  );

  it('reads strings and numbers of JSON, and keeps text that has nothing byte for byte', () => {
    expect(JSON.parse(scrubJson('{"a":["Ann",1],"b":{"phone":12125550142}}', scrub))).toEqual({
      a: ['[erased]', 1],
      b: { phone: '[erased]' },
    });
    expect(scrubJson('{ "a" : 1.0 }', scrub)).toBe('{ "a" : 1.0 }');
    expect(scrubJson('no JSON of Ann', scrub)).toBe('no JSON of [erased]');
  });
});
