// A body that the server has as a value (a form, the arguments of a tool) is validated like the same body as JSON text.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBadTexts, findBadTextsIn } from '../../src/base/json/escaped-text.ts';
import { type JsonValue, parseStrictJson } from '../../src/base/json/parse.ts';
import { parsedCandidate } from '../../src/run/check-input.ts';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('\0', 'a\0b', '\ud800', 'x\udc00', '\ufffd', 'é', 'a/b', '~', '0', '12', '__proto__'),
);
const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.integer(),
    fc.constantFrom(null, true),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(text, tie('any'), { maxKeys: 4 }),
  ),
})).any;

describe('a parsed body', () => {
  it('has the same unstorable text as its JSON', () => {
    fc.assert(
      fc.property(value, (body) => {
        const inText = findBadTexts(JSON.stringify(body)).map(({ offset, ...bad }) => bad);
        expect(findBadTextsIn(body)).toEqual(inText);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reports at most a hundred unstorable texts', () => {
    expect(findBadTextsIn(Array<string>(1_000).fill('\0'))).toHaveLength(100);
  });

  it('is the same candidate as its JSON, without the text', () => {
    const body = { members: [{ name: 'a\0b' }], split: 'equal' };
    const parsed = parseStrictJson(Buffer.from(JSON.stringify(body)));
    const candidate = parsedCandidate(body);
    expect(parsed.ok && parsed.value).toEqual(candidate.value);
    expect([candidate.text, candidate.badTexts]).toEqual([null, [{ field: '/members/0/name', problem: 'nul' }]]);
  });
});
