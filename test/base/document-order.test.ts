// Problems are sorted as their members stand in the body, by the value alone where that says it, else by the text.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointerTo } from '../../src/base/json/pointer.ts';
import { positionsOf } from '../../src/base/json/positions.ts';
import { inDocumentOrder } from '../../src/base/schema/document-order.ts';
import { runs } from '../support/random-runs.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

function pointersIn(value: Json, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  const members = Object.entries(value).flatMap(([name, part]) => pointersIn(part, pointerTo(at, name)));
  return [at, ...members];
}

describe('document order', () => {
  it('is that of the text, for every value and in any order of the problems', () => {
    const names = fc.string({ unit: fc.constantFrom('a', 'b', '/', '~', '1', 'é'), maxLength: 3 });
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.array(tie('tree'), { maxLength: 12 }),
        fc.dictionary(names, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    const cases = tree.chain((value) => fc.tuple(fc.constant(value), fc.shuffledSubarray(pointersIn(value))));
    fc.assert(
      fc.property(cases, ([value, pointers]) => {
        const text = JSON.stringify(value);
        const { startOf } = positionsOf(text);
        const expected = [...pointers].sort((a, b) => (startOf(a) ?? 0) - (startOf(b) ?? 0));
        for (const source of [text, null]) {
          const sorted = inDocumentOrder(
            pointers.map((field) => ({ field })),
            value,
            source,
          );
          expect(sorted.map(({ field }) => field)).toEqual(expected);
        }
      }),
      runs(500),
    );
  });

  it('has a missing member after the present ones of its object, and integer names where the text has them', () => {
    const text = '{"b":{"y":1},"2":0,"a":{},"1":0}';
    const fields = ['/1', '/a', '/z', '/2', '/b/x', '/b/y', '/a/q'];
    const problems = fields.map((field) => ({ field }));
    const sorted = inDocumentOrder(problems, JSON.parse(text), text).map(({ field }) => field);
    expect(sorted).toEqual(['/b/y', '/b/x', '/2', '/a', '/a/q', '/1', '/z']);
  });
});
