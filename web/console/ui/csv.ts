// Comma-separated values after RFC 4180, by the rules of src/base/csv.ts: a header row, CRLF, quotes where needed.
// A spreadsheet runs a cell that begins like a formula, and other people wrote some cells, so such text gets an
// apostrophe in front. Code of the browser imports nothing from src; test/accounts/csv-text.test.ts compares the two.

type Cell = string | number | null;

/** The name of each column, and its cell of a row. */
export type Columns<T> = readonly (readonly [name: string, cellOf: (row: T) => Cell])[];

const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function csvText<T>(columns: Columns<T>, rows: readonly T[]): string {
  const names = columns.map(([name]) => name);
  return [names, ...rows.map((row) => columns.map(([, cellOf]) => cellOf(row)))].map(line).join('');
}

const line = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
