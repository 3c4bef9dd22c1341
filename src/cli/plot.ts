// Draws daily figures as a bar chart of characters, with its scale on the left and its dates below. Days that do not fit
// side by side share a bar. Plain text without colour.

const BLOCKS = ' ▁▂▃▄▅▆▇█';
const LABEL_WIDTH = 8;

export interface Point {
  readonly date: string;
  readonly value: number;
}

/** At most `width` columns and `height` lines, besides the title and the days. */
export function drawBars(title: string, points: readonly Point[], width = 78, height = 6): string {
  const columns = width - LABEL_WIDTH - 2;
  const pointsPerBar = Math.max(1, Math.ceil(points.length / columns));
  const bars: number[] = [];
  for (let at = 0; at < points.length; at += pointsPerBar) {
    bars.push(points.slice(at, at + pointsPerBar).reduce((sum, { value }) => sum + value, 0));
  }
  const highest = Math.max(...bars, 0);
  const lines: string[] = [];
  for (let line = height; line > 0; line--) {
    const label = line === height ? String(highest) : line === 1 ? '0' : '';
    const cells = bars.map((value) => cellOf(highest === 0 ? 0 : (value / highest) * height - (line - 1)));
    lines.push(`${label.padStart(LABEL_WIDTH)} ┤${cells.join('')}`.trimEnd());
  }
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const unit = pointsPerBar === 1 ? 'a day' : `${pointsPerBar} days a bar`;
  const first = points[0]?.date ?? '';
  const last = points.at(-1)?.date ?? '';
  const gap = ' '.repeat(Math.max(1, bars.length - first.length - last.length));
  const days = bars.length < first.length + last.length + 1 ? `${first} to ${last}` : `${first}${gap}${last}`;
  return [`${title}: ${total} (${unit})`, ...lines, `${' '.repeat(LABEL_WIDTH + 2)}${days}`].join('\n');
}

/** The block character for a cell's share; any share above zero is visible. */
function cellOf(share: number): string {
  if (share <= 0) return ' ';
  return BLOCKS[Math.min(8, Math.max(1, Math.round(share * 8)))] ?? ' ';
}
