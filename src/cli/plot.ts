// Figures by the day as a picture of characters: a row of bars, as high as the terminal is not wide, with its scale at the left
// and its days below. Days that do not fit side by side are put together. No colour, nothing but text.

const EIGHTHS = ' ▁▂▃▄▅▆▇█';
const SCALE = 8;

export interface Point {
  readonly date: string;
  readonly value: number;
}

/** At most `width` columns and `height` lines, besides the title and the days. */
export function drawBars(title: string, points: readonly Point[], width = 78, height = 6): string {
  const room = width - SCALE - 2;
  const each = Math.max(1, Math.ceil(points.length / room));
  const bars: number[] = [];
  for (let at = 0; at < points.length; at += each) {
    bars.push(points.slice(at, at + each).reduce((sum, { value }) => sum + value, 0));
  }
  const most = Math.max(...bars, 0);
  const lines: string[] = [];
  for (let line = height; line > 0; line--) {
    const label = line === height ? String(most) : line === 1 ? '0' : '';
    const cells = bars.map((value) => cellOf(most === 0 ? 0 : (value / most) * height - (line - 1)));
    lines.push(`${label.padStart(SCALE)} ┤${cells.join('')}`.trimEnd());
  }
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const unit = each === 1 ? 'a day' : `${each} days a bar`;
  const first = points[0]?.date ?? '';
  const last = points.at(-1)?.date ?? '';
  const gap = ' '.repeat(Math.max(1, bars.length - first.length - last.length));
  const days = bars.length < first.length + last.length + 1 ? `${first} to ${last}` : `${first}${gap}${last}`;
  return [`${title}: ${total} (${unit})`, ...lines, `${' '.repeat(SCALE + 2)}${days}`].join('\n');
}

/** How full one cell is; whatever is above nothing is seen. */
function cellOf(share: number): string {
  if (share <= 0) return ' ';
  return EIGHTHS[Math.min(8, Math.max(1, Math.round(share * 8)))] ?? ' ';
}
