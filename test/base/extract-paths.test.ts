// extractPaths accepts and refuses the same bodies as the strict parser, and finds the same values at its paths.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePathExtractor } from '../../src/base/json/extract-paths.ts';
import { type JsonValue, parseStrictJson } from '../../src/base/json/parse.ts';

const PATHS = ['id', 'type', 'a.b', 'a.b.c', 'a.type', 'b'];
const extract = makePathExtractor(PATHS);

function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || Array.isArray(found) || !Object.hasOwn(found, name))
      return undefined;
    found = found[name];
  }
  return found;
}

/**
 * What extractPaths returns for a value: a scalar as it is, a large number as text, and for a list or an object whether it is
 * empty.
 */
function outlineOf(value: JsonValue | undefined): unknown {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return value;
  return [Array.isArray(value), Object.keys(value).length > 0];
}

const name = fc.constantFrom('id', 'type', 'a', 'b', 'c', '__proto__', 'ü', 'x');
const body = fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, true, false, 0, -1.5, 1e21, '', 'a"\\b', 'ü\u0001', '{"id":1}'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
})).object;

describe('extractPaths', () => {
  it('finds at each path what the strict parser finds', () => {
    fc.assert(
      fc.property(body, fc.constantFrom(0, 2), (value, space) => {
        const bytes = Buffer.from(JSON.stringify(value, null, space));
        const [extracted, parsed] = [extract(bytes), parseStrictJson(bytes)];
        if (!extracted.ok || !parsed.ok) throw new Error('refused');
        for (const path of PATHS)
          expect([path, outlineOf(valueAt(extracted.value, path))]).toEqual([
            path,
            outlineOf(valueAt(parsed.value, path)),
          ]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '',
    '{',
    '{"id":1,"id":2}',
    '{"id":1,"\\u0069d":2}',
    '{"a":{"b":01}}',
    `${'['.repeat(33)}${']'.repeat(33)}`,
    '{"id":"\u0001"}',
    '\ufeff{}',
    '{"a":{"b":1}} x',
  ])('refuses what the strict parser refuses, with the same message: %j', (text) => {
    const bytes = Buffer.from(text);
    expect(extract(bytes)).toEqual(parseStrictJson(bytes));
    expect(extract(bytes).ok).toBe(false);
  });

  it('matches names with escapes, keeps numbers that no double holds, and accepts bodies that are no object', () => {
    expect(extract(Buffer.from('{"\\u0069d":1e999,"type":-0}'))).toEqual({
      ok: true,
      value: { id: '1e999', type: 0 },
    });
    expect(extract(Buffer.from('{"id": 9007199254740993 ,"type":-9007199254740991}'))).toEqual({
      ok: true,
      value: { id: '9007199254740993', type: -9007199254740991 },
    });
    expect(extract(Buffer.from('[{"id":1}]'))).toMatchObject({ ok: true, value: ['…'] });
    expect(extract(Buffer.from('{}'))).toEqual({ ok: true, value: {} });
    expect(extract(Buffer.from('7'))).toEqual({ ok: true, value: 7 });
    expect(() => makePathExtractor(['a[].b'])).toThrow('a[].b cannot be extracted');
  });
});
