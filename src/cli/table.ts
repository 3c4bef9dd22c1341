// Text output: tables with aligned columns, and blocks of names and values. Characters that could move the cursor or
// change the writing direction are removed from cells, because partners and guests wrote some of them.

const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns of a terminal a text takes, near enough: a wide character takes two. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The text without characters that could move the cursor or change the writing direction. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, '\ufffd');
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Rows under their headings, two spaces between columns, nothing behind the last one. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return aligned([headings, ...rows]);
}

/** Lines of the same parts, such as a name and its value. */
export function block(lines: readonly (readonly string[])[]): string {
  return aligned(lines);
}

function aligned(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of clean) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  return clean
    .map((row) =>
      row
        .map((cell, column) => padded(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `2026-11-15T15:31:36.500000Z` to the second, as a person reads it. */
export function formatTimestamp(time: string | null): string {
  return time === null ? '-' : time.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
