// Comma-separated values as RFC 4180 has them: a row of names, CRLF, quotes where they are needed. Spreadsheets read a cell
// that begins like a formula as one, and some cells were written by strangers: such a text gets an apostrophe in front.

export type Cell = string | number | null;

const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return csvLines([names, ...rows]);
}

/** Of a file that is put together in slices. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(written).join(',')}\r\n`).join('');
}

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
