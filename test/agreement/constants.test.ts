// Patterns, limits and lists that stand in TypeScript and again in the public schemas are equal, and the schemas keep to
// what the validator relies on.

import { readdirSync, readFileSync } from 'node:fs';
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

it('no condition or choice of a schema refuses unknown members: the validator counts each of them as a problem', () => {
  const CHOICES = ['if', 'not', 'anyOf', 'oneOf', 'contains'];
  const closedIn = (node: unknown, isChoice: boolean): boolean => {
    if (typeof node !== 'object' || node === null) return false;
    const isClosed = isChoice && ('$ref' in node || (node as Record<string, unknown>).additionalProperties === false);
    return isClosed || Object.entries(node).some(([key, part]) => closedIn(part, isChoice || CHOICES.includes(key)));
  };
  const names = readdirSync(join(packageRoot, 'schemas/v1')).filter((name) => name.endsWith('.json'));
  expect(names.filter((name) => closedIn(schema(name.slice(0, -'.json'.length)), false))).toEqual([]);
  expect(closedIn({ anyOf: [{ type: 'object', additionalProperties: false }] }, false)).toBe(true);
});
