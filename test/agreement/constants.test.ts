// Patterns, limits and lists that stand in TypeScript and again in the public schemas are equal.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { E164 } from '../../src/domain/members/phone.ts';

const schema = (name: string) => JSON.parse(readFileSync(join(packageRoot, 'schemas/v1', `${name}.json`), 'utf8'));
const fields = schema('fields').$defs;

it('a phone number has one pattern', () => {
  expect(fields.phone.pattern).toBe(E164.source);
});
