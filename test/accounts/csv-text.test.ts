// The CSV files that the browser makes: the same quotes and the same guard against formulas as in those of the server.

import { describe, expect, it } from 'vitest';
import { type Cell, csvOf } from '../../src/base/csv.ts';
import { type Columns, csvText } from '../../web/console/ui/csv.ts';

const COLUMN: Columns<Cell> = [['value', (cell) => cell]];

/** The one cell of a file with one row. */
const written = (cell: Cell): string => csvText(COLUMN, [cell]).slice('value\r\n'.length, -'\r\n'.length);

describe('the CSV text of a list', () => {
  it('has a row of names, and each row with the cells of the columns', () => {
    const columns: Columns<{ readonly id: string; readonly amount: number; readonly note: string | null }> = [
      ['id', ({ id }) => id],
      ['amount', ({ amount }) => amount],
      ['note', ({ note }) => note],
    ];
    const rows = [
      { id: 'a', amount: -250, note: null },
      { id: 'b', amount: 0, note: '' },
    ];
    expect(csvText(columns, rows)).toBe('id,amount,note\r\na,-250,\r\nb,0,\r\n');
    expect(csvText(columns, [])).toBe('id,amount,note\r\n');
  });

  it.each([
    ['plain', 'plain'],
    ['Cabana 3, Saturday', '"Cabana 3, Saturday"'],
    ['the "good" one', '"the ""good"" one"'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
  ])('quotes %j where it must', (cell, expected) => {
    expect(written(cell)).toBe(expected);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1 305 555 0100', "'+1 305 555 0100"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("https://a.example","b")', '"\'=HYPERLINK(""https://a.example"",""b"")"'],
  ])('writes %j so that no spreadsheet runs it', (cell, expected) => {
    expect(written(cell)).toBe(expected);
  });

  it('is that of the server, for the same cells', () => {
    const cells: readonly Cell[] = ['a', '', null, -7, 1.5, '=a', '-a,b', '"', 'a\nb', '\t', ' =a', 'ä–ü', '@"a",\r\n'];
    expect(csvText(COLUMN, cells)).toBe(
      csvOf(
        ['value'],
        cells.map((cell) => [cell]),
      ),
    );
  });
});
