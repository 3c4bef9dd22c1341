// The venue's name on a card statement: always text that the processor accepts.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { statementSuffix } from '../../src/domain/payments/statement-suffix.ts';

it.each([
  ['Harbor Club', 'HARBOR CLU'],
  ['Spa', 'SPA'],
  ['Strandbad Müggelsee', 'STRANDBAD'],
  ['Café Łódź', 'CAFE LODZ'],
  ['Größe & Søn', 'GROSSE & S'],
  ['7 Seas', 'SEAS'],
  [`"Joe's" <Bar>*`, 'JOES BAR'],
  ['Ｈａｒｂｏｒ', 'HARBOR'],
  ['港の家', null],
  ['港 Marina', 'MARINA'],
  ['42', null],
  ['', null],
])('%s is %s', (name, suffix) => {
  expect(statementSuffix(name)).toBe(suffix);
});

it('begins with a letter, has at most ten characters and none that the processor refuses, for any name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(statementSuffix(name) ?? 'A').toMatch(/^[A-Z](?:[!#-&(-)+-;=?-[\]-~ ]{0,8}[!#-&(-)+-;=?-[\]-~])?$/);
    }),
  );
});
