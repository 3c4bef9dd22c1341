// The list of personal data is complete: every column that can hold text or the id of a person is in it, or is named as one
// that holds nothing of a guest. It is compared with migrations/schema.sql, so that it needs no database.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { PERSONAL_DATA } from '../../src/domain/privacy/personal-data.ts';
import { IDS_OF_GUESTS, NOT_PERSONAL } from '../privacy/not-personal.ts';

const TEXT_TYPES = /^(text|bytea|jsonb?|character varying|citext|inet)(\[\])?( |,|$)/;
const PERSON = /person|member_id|friend|organizer|payer|guest/;

interface Column {
  readonly name: string;
  readonly type: string;
}

function columnsOf(schema: string): Column[] {
  const tables = schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n([\s\S]*?)^\)/gm);
  return [...tables].flatMap(([, table = '', lines = '']) =>
    [...lines.matchAll(/^ {2}([a-z_]\w*) (.+)$/gm)].map(([, column = '', type = '']) => ({
      name: `${table}.${column}`,
      type,
    })),
  );
}

it('every column of text, JSON or bytes, and every id of a person, is in the list of personal data or in the list of others: add a new column to one of them', () => {
  const columns = columnsOf(readFileSync(join(packageRoot, 'migrations', 'schema.sql'), 'utf8'));
  const found = columns.filter(
    ({ name, type }) => TEXT_TYPES.test(type) || (type.startsWith('uuid') && PERSON.test(name.split('.')[1] ?? '')),
  );
  expect(found.length).toBeGreaterThan(300);
  const personal = PERSONAL_DATA.flatMap((data) => data.columns.map((column) => `${data.table}.${column}`));
  const others = Object.entries(NOT_PERSONAL).flatMap(([table, names]) =>
    names.split(' ').map((column) => `${table}.${column}`),
  );
  expect([...personal, ...others, ...IDS_OF_GUESTS].sort()).toEqual(found.map(({ name }) => name).sort());
});
