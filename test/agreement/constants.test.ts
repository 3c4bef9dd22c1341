// Patterns, limits and lists that stand in TypeScript and again in the public schemas are equal.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { E164 } from '../../schemas/rules/phone.ts';
import { MAX_AMOUNT } from '../../src/base/money.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { CHECKOUT_STATUSES, SHARE_TRANSITIONS } from '../../src/domain/checkouts/transitions.ts';

const schema = (name: string) => JSON.parse(readFileSync(join(packageRoot, 'schemas/v1', `${name}.json`), 'utf8'));
const fields = schema('fields').$defs;

it('a phone number has one pattern', () => {
  expect(fields.phone.pattern).toBe(E164.source);
});

it('an amount of money has one maximum', () => {
  const amounts = ['amount', 'charge_amount'].map((name) => fields[name].maximum);
  expect(amounts.concat(schema('refund').properties.amount.maximum)).toEqual([MAX_AMOUNT, MAX_AMOUNT, MAX_AMOUNT]);
});

it('the statuses of checkouts and shares are those of their transitions', () => {
  expect(fields.checkout_status.enum).toEqual(CHECKOUT_STATUSES);
  expect(fields.share_status.enum.sort()).toEqual(Object.keys(SHARE_TRANSITIONS).sort());
});
