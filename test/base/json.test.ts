// The strict JSON parser, positions, canonical JSON and pointers: what is refused and reported; values agree with
// JSON.parse.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/base/json/canonical.ts';
import { type JsonValue, type ParseResult, parseStrictJson } from '../../src/base/json/parse.ts';
import { pointerTo, splitPointer, valueAt } from '../../src/base/json/pointer.ts';
import { positionsOf } from '../../src/base/json/positions.ts';

/** The message when only JSON.parse refuses a text; it must never occur. */
const FALLBACK = /is not JSON/;

const parse = (text: string): ParseResult => parseStrictJson(Buffer.from(text));

function accepted(text: string): Extract<ParseResult, { ok: true }> {
  const result = parse(text);
  if (!result.ok) throw new Error(`refused: ${result.message}`);
  return result;
}

function refused(input: string | number[]): Extract<ParseResult, { ok: false }> {
  const result = parseStrictJson(Buffer.from(input as string));
  if (result.ok) throw new Error('accepted');
  return result;
}

/** The result of JSON.parse with the two documented differences. */
function reference(bytes: Uint8Array): { value: JsonValue } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { value: normalized(JSON.parse(text) as JsonValue) };
  } catch {
    return undefined;
  }
}

function normalized(value: JsonValue): JsonValue {
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value === 0 ? 0 : value;
    return value > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
  }
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(normalized);
  const copy: { [name: string]: JsonValue } = {};
  for (const name of Object.keys(value)) {
    const member = normalized(value[name] as JsonValue);
    Object.defineProperty(copy, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const nestedObjects = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

describe('the strict parser accepts what RFC 8259 allows', () => {
  const texts = [
    ...['null', 'true', 'false', '0', '1', '-1', '10', '42', '0.5', '-0.5', '1.25', '1e2', '1E2', '1e+2', '1e-2'],
    ...['1.5e3', '0e1', '0E+1', '0.0', '123456789012345678901234567890', '9007199254740993', '1e-999', '1e308'],
    ...['-1.7976931348623157e308', '0.1e-07', '5e-324', `1${'0'.repeat(200)}`, `0.${'0'.repeat(400)}1`],
    ...['""', '"a"', '" "', '"\\""', '"\\\\"', '"\\/"', '"/"', '"\\b\\f\\n\\r\\t"', '"\\u0061"', '"\\u00E9\\u00e9"'],
    ...['"\\ud83d\\ude00"', '"\\uD83D\\uDE00"', '"\\ufffe"', '"\\uFFFF"', '"\\u0001"', '"\\u2028"', '"\u2028\u2029"'],
    ...['"é"', '"€"', '"😀"', '"\u{10ffff}"', '"\ufeff"', '"\x7f"', '"// no comment"', '"[{"', '"\\\\u0000"'],
    ...['[]', '[ ]', '[1]', '[1,2]', '[[]]', '[[],[]]', '[null,true,false]', '[ 1 , 2 ]', '[\n1\r\n,\t2 ]', '[{}]'],
    ...['{}', '{ }', '{"a":1}', '{"a":1,"b":2}', '{ "a" : 1 , "b" : 2 }', '{"":0}', '{"a":{"a":{"a":1}}}'],
    ...['{"a":1,"A":2}', '{"a":[{"a":1},{"a":2}]}', '{"ab":1,"ba":2,"aab":3,"abb":4,"acb":5}', '{"é":1,"e":2}'],
    ...['{"\\u0061":1,"b":2}', '{"a\\nb":1,"a\\tb":2}', '{"10":1,"9":2,"x":3}', ' 1 ', '\t\n\r 1\t\n\r ', '{"é":"ü"}'],
    ...['{"toString":1,"constructor":2}', '{"__proto__":1}', '{"__proto__":{"a":1},"a":2}', nested(32)],
  ];

  it.each(texts.map((text) => [JSON.stringify(text).slice(0, 60), text]))('%s', (_name, text) => {
    const result = accepted(text);
    expect(isDeepStrictEqual(result.value, reference(Buffer.from(text))?.value)).toBe(true);
    expect(result.text).toBe(text);
    expect(result.badTexts.filter(({ problem }) => problem !== 'pointed')).toEqual([]);
  });
});

describe('the strict parser refuses what RFC 8259 does not allow', () => {
  const texts = [
    ...[' ', '\n', '[', ']', '{', '}', '[1', '[1,', '[1,]', '[,1]', '[,]', '[1,,2]', '[1 2]', '[1;2]', '[1}', '[}'],
    ...['{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '{,"a":1}', '{"a":1,,"b":2}', '{"a" 1}', '{"a"::1}'],
    ...['{"a":1 "b":2}', '{"a":}', '{a:1}', "{'a':1}", '{1:1}', '{null:1}', '{"a":1]', '{"a"}', '{"a",1}', '{[]:1}'],
    ...['01', '-01', '00', '-', '+1', '.5', '-.5', '1.', '1.e1', '1e', '1e+', '1e-', '1e1.5', '0x1', '0b1', '1_000'],
    ...['1a', '- 1', '1 .5', '--1', '-a', '1e 1', '１', 'NaN', '-NaN', 'Infinity', '-Infinity', 'undefined', '1n'],
    ...['nul', 'tru', 'fals', 'True', 'NULL', 'nulll', 'truefalse', 'nil', 't', 'n', 'f', 'trux', '[nul]', '[tru]'],
    ...['"', '"a', "'a'", '"\\', '"\\"', '"\\x41"', '"\\a"', '"\\0"', '"\\u"', '"\\u12"', '"\\u123"', '"\\u123g"'],
    ...[
      '"\\u12',
      '"\\U0061"',
      '"\\ud83d\\u12"',
      '"\\ud83d\\x"',
      '"\\é"',
      '"a\nb"',
      '"a\tb"',
      '"\0"',
      '"\x1f"',
      '"a\rb"',
    ],
    ...['1 2', '{} {}', '[]]', '{}}', '1,', '""""', '[] x', '{}\0', '1\0', '\0', '// c\n1', '1 // c', '/* c */1', '#1'],
    ...[
      '\u00a01',
      '1\u00a0',
      '\u20281',
      '\v1',
      '\f1',
      '[1\f]',
      '\u00001',
      '\ufeff1',
      '\ufeff{}',
      '1\ufeff',
      '`a`',
      '*',
    ],
    ...[
      '<a/>',
      'a=1',
      '[1:2]',
      '["a":1]',
      '{"a":1,"a":2}',
      '{"a":1,"a":1}',
      '{"":1,"":2}',
      '{"é":1,"é":2}',
      nested(33),
    ],
  ];

  it.each(texts.map((text) => [JSON.stringify(text).slice(0, 60), text]))('%s', (_name, text) => {
    const { message, offset } = refused(text);
    expect(message).toMatch(/^[A-Z].*\(byte [0-9]+\)\.$/);
    expect(message).toContain(`(byte ${offset})`);
    expect(message).not.toMatch(FALLBACK);
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset).toBeLessThanOrEqual(Buffer.byteLength(text));
  });
});

describe('bytes that are not UTF-8 are refused at their offset', () => {
  const quoted = (...bytes: number[]): number[] => [0x22, 0x61, ...bytes, 0x22];
  it.each([
    ['a lone continuation byte', quoted(0x80), 2],
    ['an overlong slash of two bytes', quoted(0xc0, 0xaf), 2],
    ['an overlong NUL', quoted(0xc0, 0x80), 2],
    ['an overlong form with C1', quoted(0xc1, 0xbf), 2],
    ['an overlong form of three bytes', quoted(0xe0, 0x80, 0xaf), 2],
    ['an overlong form of four bytes', quoted(0xf0, 0x80, 0x80, 0xaf), 2],
    ['an encoded high surrogate', quoted(0xed, 0xa0, 0x80), 2],
    ['an encoded surrogate pair (CESU-8)', quoted(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80), 2],
    ['a sequence cut off by the quote', quoted(0xe2, 0x82), 2],
    ['a sequence cut off by the end', [0x22, 0xf0, 0x9f, 0x98], 1],
    ['a bad byte after a good sequence', quoted(0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xff), 7],
    ['something above U+10FFFF', quoted(0xf4, 0x90, 0x80, 0x80), 2],
    ['a lead byte F5', quoted(0xf5, 0x80, 0x80, 0x80), 2],
    ['Latin-1', quoted(0xe9), 2],
    ['UTF-16 with its mark', [0xff, 0xfe, 0x31, 0x00], 0],
  ])('%s', (_name, bytes, offset) => {
    const message = `The body is not valid UTF-8 (byte ${offset}).`;
    expect(refused(bytes)).toEqual({ ok: false, message, offset, exceeded: null });
  });

  it('UTF-16 without a mark is refused too', () => {
    refused([...Buffer.from('{"a":1}', 'utf16le')]);
  });
});

describe('refusals have plain messages', () => {
  it.each([
    ['', 'The body is empty: send a JSON object.'],
    ['  ', 'The body holds no JSON value (byte 2).'],
    ['\ufeff{}', 'The body starts with a byte order mark, which JSON does not allow (byte 0).'],
    ['{"amount":1,"amount":2}', 'The member "amount" appears twice in one object (byte 12).'],
    ['{"é":"€","a":1,"\\u0061":2}', 'The member "a" appears twice in one object (byte 18).'],
    ['[1,]', 'Expected a value, found the character "]" (byte 3).'],
    ['{"a":1,}', 'Expected a member name in double quotes, found the character "}" (byte 7).'],
    ['{"a":', 'The body ends where a value is expected (byte 5).'],
    ['[1 😀]', 'Expected a comma or the end of the array, found the character "😀" (byte 3).'],
    ['[\u2028]', 'Expected a value, found the character "\\u2028" (byte 1).'],
    ['\x7f', 'Expected a value, found the character "\\u007f" (byte 0).'],
    ['{"a b\u202e":1,"a b\u202e":2}', 'The member "a b\\u202e" appears twice in one object (byte 12).'],
    ['1 x', 'After the JSON value the character "x" follows (byte 2).'],
    ['[01]', 'A number starts with a zero it must not have (byte 1).'],
    ['["a\n"]', 'A string has an unescaped control character (byte 3).'],
    ['"\\q"', 'A backslash in a string does not start an escape that JSON knows (byte 1).'],
    ['["a', 'A string is not closed (byte 1).'],
    [nested(33), 'Arrays and objects are nested more than 32 levels deep (byte 32).'],
  ])('%j', (text, message) => {
    expect(refused(text).message).toBe(message);
  });

  it('a very long or unprintable duplicate name is shortened and escaped', () => {
    const name = `\\u0000${'😀'.repeat(5000)}`;
    const { message } = refused(`{"${name}":1,"${name}":2}`);
    expect(message.length).toBeLessThan(200);
    expect(message).toContain('\\u0000😀');
    expect(message).not.toMatch(/\p{Surrogate}|\0|\\ud/u);
  });
});

describe('depth', () => {
  it('32 levels pass and 33 fail, for arrays, for objects and mixed', () => {
    for (const make of [nested, nestedObjects]) {
      expect(parse(make(32)).ok).toBe(true);
      expect(parse(make(33)).ok).toBe(false);
    }
    expect(parse(`${'[{"a":'.repeat(16)}1${'}]'.repeat(16)}`).ok).toBe(true);
    expect(parse(`${'[{"a":'.repeat(16)}[]${'}]'.repeat(16)}`).ok).toBe(false);
  });

  it('siblings do not add up', () => {
    expect(parse(`[${Array(100).fill(nested(31)).join(',')}]`).ok).toBe(true);
  });

  it('5,000 and 500,000 levels are refused without overflowing a stack', () => {
    for (const depth of [5_000, 500_000]) {
      expect(refused(nested(depth)).offset).toBe(32);
      expect(refused('['.repeat(depth)).offset).toBe(32);
      expect(refused(nestedObjects(depth)).offset).toBe(32 * 5);
    }
  });
});

describe('duplicate names', () => {
  it.each([
    '{"a":1,"\\u0061":2}',
    '{"\\u0061":1,"a":2}',
    '{"\\u0061":1,"\\u0061":2}',
    '{"\\u0061":1,"\\u0061":2,"b":3}',
    '{"a/b":1,"a\\/b":2}',
    '{"é":1,"\\u00e9":2}',
    '{"😀":1,"\\ud83d\\ude00":2}',
    '{"\\ud800":1,"\\uD800":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":1,"b":{"a":1},"a":2}',
    '[0,{"x":[{"k":1,"l":2,"k":3}]}]',
    '{"":1,"a":2,"":3}',
    '{"1":1,"2":2,"1":3}',
  ])('are refused in %s', (text) => {
    expect(refused(text).message).toContain('appears twice in one object');
  });

  it('different lone surrogates are different names', () => {
    expect(accepted('{"\\ud800":1,"\\ud801":2,"\\ufffd":3}').badTexts).toHaveLength(2);
  });

  it('are found at every pair of places in objects around and beyond the small size', () => {
    for (const size of [2, 3, 15, 16, 17, 18, 40]) {
      const names = Array.from({ length: size }, (_, i) => `name${i}x`);
      expect(parse(`{${names.map((name) => `"${name}":{"name0x":[]}`).join(',')}}`).ok).toBe(true);
      for (let first = 0; first < size; first += 1) {
        for (let second = first + 1; second < size; second += 1) {
          const twice = names.with(second, names[first] ?? '');
          expect(parse(`{${twice.map((name) => `"${name}":0`).join(',')}}`).ok).toBe(false);
        }
      }
    }
  });

  it('are found in large objects inside large objects, also after a refused body', () => {
    const members = (inner: string): string => Array.from({ length: 40 }, (_, i) => `"n${i}":${inner}`).join(',');
    const text = `[{${members(`{${members('1')}}`)}},{${members('1')}}]`;
    expect(parse(text).ok).toBe(true);
    expect(parse(`[{${members('1')},"n3":1}]`).ok).toBe(false);
    expect(parse(`[{${members('1')},`).ok).toBe(false);
    expect(parse(text).ok).toBe(true);
  });

  it('are found among long names that differ only in the middle', () => {
    const long = (letter: string): string => `"${'x'.repeat(100)}${letter}${'x'.repeat(100)}":1`;
    expect(parse(`{${['a', 'b', 'c'].map(long).join(',')}}`).ok).toBe(true);
    expect(parse(`{${['a', 'b', 'a'].map(long).join(',')}}`).ok).toBe(false);
  });

  it('40,000 members in one object takes linear time', { tags: ['slow'] }, () => {
    const names = Array.from({ length: 39_999 }, (_, i) => `"${i * 128}":1`);
    const started = performance.now();
    expect(parse(`{${names.join(',')}}`).ok).toBe(true);
    expect(parse(`{"\\u0061":1,${names.join(',')}}`).ok).toBe(true);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});

describe('numbers', () => {
  const literals: [string, number][] = [
    ['1e999', Number.MAX_VALUE],
    ['-1e999', -Number.MAX_VALUE],
    ['1E+309', Number.MAX_VALUE],
    [`1${'0'.repeat(400)}`, Number.MAX_VALUE],
    [`-9${'0'.repeat(308)}`, -Number.MAX_VALUE],
    [`1${'0'.repeat(300)}e99`, Number.MAX_VALUE],
    ['1e0000000000000000000999', Number.MAX_VALUE],
    ['1e308', 1e308],
    ['9007199254740993', 9007199254740992],
    ['-0', 0],
    ['-0.0', 0],
    ['-0e5', 0],
    ['-1e-999', 0],
    [`-0.${'0'.repeat(400)}1`, 0],
    ['-0.5', -0.5],
    ['1e-999', 0],
    ['1.0', 1],
  ];

  it.each(literals.map(([literal, expected]) => [literal.slice(0, 30), literal, expected] as const))(
    '%s is read as the double the range checks expect',
    (_name, literal, expected) => {
      expect(Object.is(accepted(literal).value, expected)).toBe(true);
      const inside = accepted(`{"é":[${literal},"-0 1e999",${literal}],"b":-1}`);
      expect(isDeepStrictEqual(inside.value, { é: [expected, '-0 1e999', expected], b: -1 })).toBe(true);
      expect(inside.text).toContain(literal);
    },
  );
});

describe('the name __proto__', () => {
  it('becomes an ordinary own property and never sets a prototype', () => {
    const value = accepted('{"__proto__":{"admin":true},"a":-0}').value as { [name: string]: JsonValue };
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'a']);
    expect(value.admin).toBeUndefined();
    expect(valueAt(value, '/__proto__/admin')).toBe(true);
  });
});

describe('text that cannot be stored is reported by its pointer', () => {
  it.each([
    ['"\\u0000"', '', 'nul', 0],
    ['"\\ud800"', '', 'lone_surrogate', 0],
    ['"\\udc00\\ud800"', '', 'lone_surrogate', 0],
    ['"\\ud800\\ud83d\\ude00"', '', 'lone_surrogate', 0],
    ['"\\ud83dx\\ude00"', '', 'lone_surrogate', 0],
    ['"\\ud83d\\\\ude00"', '', 'lone_surrogate', 0],
    ['"\\ud83d\\n"', '', 'lone_surrogate', 0],
    ['{"a":"x\\u0000y"}', '/a', 'nul', 1],
    ['{"é": {"b":[0,{},"\\uDFFF"]}}', '/é/b/2', 'lone_surrogate', 17],
    ['{"a/b~c":["\\u0000"]}', '/a~1b~0c/0', 'nul', 10],
    ['{"x":1,"a\\u0000":1}', '/a\ufffd', 'nul', 7],
    ['{"\\ud800":{}}', '/\ufffd', 'lone_surrogate', 1],
    ['{"a\\u0000\\ud800":"\\ud800"}', '/a\ufffd\ufffd', 'nul', 1],
  ])('%s', (text, field, problem, offset) => {
    expect(accepted(text).badTexts).toEqual([
      { field, problem, offset, ...(field.includes('\ufffd') ? { isName: true } : {}) },
    ]);
    expect(positionsOf(text).startOf(field)).toBe(offset);
  });

  it('several reports come in document order, also below a bad name and for integer-like names', () => {
    const text = '{"9":"\\u0000","\\u0000":[{"ok":"fine","t":"\\ud800"}],"1":"\\u0000"}';
    expect(accepted(text).badTexts.map(({ field }) => field)).toEqual(['/9', '/\ufffd', '/\ufffd/0/t', '/1']);
  });

  it('the value is the one of JSON.parse', () => {
    expect(accepted('["\\u0000\\ud800"]').value).toEqual(['\u0000\ud800']);
  });

  it('at most 100 fields are reported, however many there are', () => {
    expect(accepted(`[${Array(100_000).fill('"\\u0000"').join(',')}]`).badTexts).toHaveLength(100);
  });
});

/** Any JSON text with white space, escapes, integer-like and special names, but without duplicates. */
const documents = fc.oneof(
  fc.json(),
  fc.json({ stringUnit: 'binary' }),
  fc
    .jsonValue({ stringUnit: fc.constantFrom('a', '1', '~', '/', '"', '\\', 'é', '😀', '\u0000', '\ud800') })
    .map(spaced),
);

function spaced(value: unknown): string {
  return JSON.stringify(value, null, ' \t');
}

describe('properties of the parser', () => {
  it('for any JSON text the value agrees with JSON.parse', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const { value } = accepted(text);
        expect(isDeepStrictEqual(value, reference(Buffer.from(text))?.value)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('after any change of one byte it agrees with JSON.parse or refuses, and never throws', { tags: ['slow'] }, () => {
    const bytes = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],:-+.eE019 \n\tuntf/*')));
    const seeds = fc.oneof(documents, fc.constantFrom('{"a":-1.5e+10,"b":[true,null,"\\u0041\\ud83d\\ude00"]}'));
    fc.assert(
      fc.property(seeds, fc.nat(), bytes, fc.constantFrom('put', 'insert', 'drop'), (text, place, byte, how) => {
        const whole = [...Buffer.from(text)];
        whole.splice(place % whole.length, how === 'insert' ? 0 : 1, ...(how === 'drop' ? [] : [byte]));
        const result = parseStrictJson(Buffer.from(whole));
        const expected = reference(Buffer.from(whole));
        if (result.ok) expect(isDeepStrictEqual(result.value, expected?.value)).toBe(true);
        else expect(result.message).not.toMatch(FALLBACK);
        if (!result.ok && expected !== undefined) expect(result.message).toMatch(/appears twice|levels deep/);
      }),
      { numRuns: 5_000 },
    );
  });

  it('no bytes make it throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const result = parseStrictJson(Buffer.from(bytes));
        expect(result.ok && reference(bytes) === undefined).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('bad text is reported exactly when some string of the value holds NUL or a lone surrogate', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const { value, badTexts: found } = accepted(text);
        const badTexts = found.filter(({ problem }) => problem !== 'pointed');
        const isBad = (string: string): boolean => /\0|\p{Surrogate}/u.test(string);
        const walk = (inner: JsonValue): boolean => {
          if (typeof inner === 'string') return isBad(inner);
          if (inner === null || typeof inner !== 'object') return false;
          return Object.entries(inner).some(([name, member]) => isBad(name) || walk(member));
        };
        expect(badTexts.length > 0).toBe(walk(value));
        for (const { field } of badTexts) expect(isBad(field)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('positions', () => {
  const text = ' {"10": {"b":[1, "x]}" ,{"c":null}], "a~/b":{}},\n"2":true,"é":"\\"","\\u0064":-1.5e3} ';
  const positions = positionsOf(text);

  it('a member starts at its name, an element and the root at their value', () => {
    expect(positions.startOf('')).toBe(1);
    expect(positions.startOf('/10')).toBe(text.indexOf('"10"'));
    expect(positions.startOf('/10/b')).toBe(text.indexOf('"b"'));
    expect(positions.startOf('/10/b/0')).toBe(text.indexOf('1, '));
    expect(positions.startOf('/10/b/1')).toBe(text.indexOf('"x]}"'));
    expect(positions.startOf('/10/b/2/c')).toBe(text.indexOf('"c"'));
    expect(positions.startOf('/10/a~0~1b')).toBe(text.indexOf('"a~/b"'));
    expect(positions.startOf('/2')).toBe(text.indexOf('"2"'));
    expect(positions.startOf('/d')).toBe(text.indexOf('"\\u0064"'));
  });

  it('a value ends just after its last character', () => {
    expect(positions.endOf('')).toBe(text.length - 1);
    expect(positions.endOf('/10')).toBe(text.indexOf(',\n'));
    expect(positions.endOf('/10/b')).toBe(text.indexOf('], ') + 1);
    expect(positions.endOf('/10/b/0')).toBe(text.indexOf('1, ') + 1);
    expect(positions.endOf('/é')).toBe(text.indexOf(',"\\u0064"'));
    expect(positions.endOf('/d')).toBe(text.length - 2);
    expect(positionsOf('17').endOf('')).toBe(2);
  });

  it('an unknown pointer has no position', () => {
    for (const pointer of ['/', '/x', '/10/b/3', '/10/b/00', '/10/b/-', '/10/b/length', '/2/x', '10', '/__proto__']) {
      expect(positions.startOf(pointer)).toBeUndefined();
      expect(positions.endOf(pointer)).toBeUndefined();
    }
  });

  it('integer-like names keep the order of the document', () => {
    const { startOf } = positionsOf('{"b":1,"2":1,"1":1}');
    expect(['/1', '/2', '/b'].sort((a, b) => (startOf(a) ?? 0) - (startOf(b) ?? 0))).toEqual(['/b', '/2', '/1']);
  });

  it('a text of any depth is accepted', () => {
    expect(positionsOf(nested(100_000)).endOf('/0')).toBe(199_999);
  });

  it('for any text, the slice between start and end reads as the value the pointer leads to', () => {
    const visit = (source: string, value: JsonValue, pointer: string, found: ReturnType<typeof positionsOf>): void => {
      const slice = source.slice(found.startOf(pointer), found.endOf(pointer));
      const name = splitPointer(pointer).at(-1);
      const isMember = name !== undefined && !Array.isArray(valueAt(JSON.parse(source), parentOf(pointer)));
      const wrapped = isMember ? `{${slice}}` : slice;
      const expected = isMember ? Object.fromEntries([[name, value]]) : value;
      expect(isDeepStrictEqual(JSON.parse(wrapped), expected)).toBe(true);
      if (value === null || typeof value !== 'object') return;
      for (const [key, inner] of Object.entries(value)) visit(source, inner, pointerTo(pointer, key), found);
    };
    const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));
    fc.assert(
      fc.property(documents, (source) => visit(source, JSON.parse(source) as JsonValue, '', positionsOf(source))),
    );
  });
});

describe('canonical JSON', () => {
  const canonical = (source: string): string => canonicalJson(accepted(source).value);

  it('sorts members by code units, drops white space and prints numbers one way', () => {
    expect(canonical(' { "b" : 1.0 , "a" : [ 1e2, -0, "x" ] , "10": null, "9": true } ')).toBe(
      '{"10":null,"9":true,"a":[100,0,"x"],"b":1}',
    );
    expect(canonical('{"\ufb01":1,"😀":2,"é":3,"z":4}')).toBe('{"z":4,"é":3,"😀":2,"\ufb01":1}');
    expect(canonical('{}')).toBe('{}');
    expect(canonical('[]')).toBe('[]');
    expect(canonical('{"":{}}')).toBe('{"":{}}');
  });

  it('keeps an own __proto__ and ignores what is inherited', () => {
    expect(canonical('{"b":1,"__proto__":{"a":1}}')).toBe('{"__proto__":{"a":1},"b":1}');
    expect(canonicalJson(Object.create({ inherited: 1 }) as JsonValue)).toBe('{}');
  });

  it('accepts the greatest depth that the parser accepts', () => {
    expect(canonical(nestedObjects(32))).toBe(nestedObjects(32));
  });

  /** Values of a small range, so that equal and nearly equal ones are frequent. */
  const small = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonValue>(null, true, false, 0, 1, '', '0', '1', 'a', 'null', '\ud800', '\\ud800', [], {}),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '1', '', '__proto__'), tie('value'), {
        noNullPrototype: true,
        maxKeys: 3,
      }),
    ),
  })).value;

  it('does not depend on the order of members', () => {
    const reversed = (value: JsonValue): string => {
      if (value === null || typeof value !== 'object') return JSON.stringify(value);
      if (Array.isArray(value)) return `[${value.map(reversed).join(' , ')}]`;
      const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)} : ${reversed(member)}`);
      return `{ ${members.reverse().join(', ')} }`;
    };
    fc.assert(
      fc.property(
        fc.oneof(
          small,
          documents.map((source) => JSON.parse(source) as JsonValue),
        ),
        (value) => {
          expect(canonical(reversed(value))).toBe(canonicalJson(value));
          expect(isDeepStrictEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is equal for equal values and different for different ones', () => {
    fc.assert(
      fc.property(small, small, (left, right) => {
        const same = isDeepStrictEqual(JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right)));
        expect(canonicalJson(left) === canonicalJson(right)).toBe(same);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('JSON pointers', () => {
  it('escape and unescape tilde and slash', () => {
    expect(pointerTo('', 'a')).toBe('/a');
    expect(pointerTo('/a', 0)).toBe('/a/0');
    expect(pointerTo('/a', 'm~n/o')).toBe('/a/m~0n~1o');
    expect(pointerTo('', '')).toBe('/');
    expect(splitPointer('')).toEqual([]);
    expect(splitPointer('/')).toEqual(['']);
    expect(splitPointer('/a//~01~1')).toEqual(['a', '', '~1/']);
    expect(() => splitPointer('a')).toThrow(RangeError);
  });

  it('splitting gives back the tokens a pointer was built from', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') })), (tokens) => {
        expect(splitPointer(tokens.reduce((base, token) => pointerTo(base, token), ''))).toEqual(tokens);
      }),
    );
  });

  it('lead to own members and real elements only', () => {
    const root = JSON.parse('{"a":[1,{"b":null}],"":0,"x/y":"z","__proto__":2}') as JsonValue;
    expect(valueAt(root, '')).toBe(root);
    expect(valueAt(root, '/a/0')).toBe(1);
    expect(valueAt(root, '/a/1/b')).toBeNull();
    expect(valueAt(root, '/')).toBe(0);
    expect(valueAt(root, '/x~1y')).toBe('z');
    expect(valueAt(root, '/__proto__')).toBe(2);
    for (const pointer of [
      '/toString',
      '/a/length',
      '/a/-',
      '/a/00',
      '/a/2',
      '/a/1/b/c',
      '/x~1y/0',
      'a',
      '/a/1/__proto__',
    ]) {
      expect(valueAt(root, pointer)).toBeUndefined();
    }
  });
});
