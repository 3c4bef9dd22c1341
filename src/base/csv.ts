// Comma-separated values after RFC 4180: a header row, CRLF, quotes where needed. A spreadsheet runs a cell that begins like
// a formula, and other people wrote some cells, so such text gets an apostrophe in front.

export type Cell = string | number | null;

const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function csvOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return csvLines([names, ...rows]);
}

/** Rows alone, for a file that is written in slices. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
