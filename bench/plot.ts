// Draws one plot as SVG: a dot for each round, and labelled horizontal lines. The page's style sets colours by class.

import { figure } from './table.ts';

type Kind = 'ours' | 'base' | 'floor' | 'goal';

export interface Dots {
  readonly kind: Kind;
  readonly values: readonly number[];
}

export interface Line {
  readonly kind: Kind;
  readonly at: number;
  readonly tag: string;
}

const WIDTH = 380;
const HEIGHT = 220;
const LEFT = 46;
const RIGHT = 248;
const TOP = 10;
const BOTTOM = 194;
const TAG_GAP = 13;
/** With more rounds, only every second one is numbered. */
const MAX_ROUND_LABELS = 9;

export function plot(
  dots: readonly Dots[],
  lines: readonly Line[],
): { readonly width: number; readonly height: number; readonly svg: string } {
  const values = [...dots.flatMap((one) => one.values), ...lines.map(({ at }) => at)];
  const top = niceTop(Math.max(...values));
  const y = (value: number): number => BOTTOM - (value / top) * (BOTTOM - TOP);
  const rounds = Math.max(...dots.map((one) => one.values.length));
  const x = (round: number): number => LEFT + ((round + 0.5) / rounds) * (RIGHT - LEFT);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const at = y(part * top).toFixed(1);
    return `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${at}" y2="${at}"/><text x="${LEFT - 5}" y="${at}" dy="4" text-anchor="end">${short(part * top)}</text>`;
  });
  const ticks = Array.from({ length: rounds }, (_, round) =>
    rounds > MAX_ROUND_LABELS && round % 2 === 1
      ? ''
      : `<text x="${x(round).toFixed(1)}" y="${BOTTOM + 15}" text-anchor="middle">${round + 1}</text>`,
  );
  const horizontals = lines.map(
    ({ kind, at }) =>
      `<line class="line ${kind}" x1="${LEFT}" x2="${RIGHT}" y1="${y(at).toFixed(1)}" y2="${y(at).toFixed(1)}"/>`,
  );
  const points = dots.flatMap(({ kind, values: series }) =>
    series.map(
      (value, round) =>
        `<circle class="dot ${kind}" cx="${x(round).toFixed(1)}" cy="${y(value).toFixed(1)}" r="4"><title>${figure(value)}</title></circle>`,
    ),
  );
  return {
    width: WIDTH,
    height: HEIGHT,
    svg: [...grid, ...ticks, ...horizontals, ...points, ...tags(lines, y)].join(''),
  };
}

/** The labels of the lines at the right edge, moved apart where they would overlap. */
function tags(lines: readonly Line[], y: (value: number) => number): string[] {
  const placed = lines.map((line) => ({ line, at: y(line.at) })).sort((a, b) => a.at - b.at);
  for (const [index, tag] of placed.entries()) tag.at = Math.max(tag.at, (placed[index - 1]?.at ?? 0) + TAG_GAP);
  let limit = BOTTOM + TAG_GAP;
  for (const tag of [...placed].reverse()) {
    tag.at = Math.min(tag.at, limit);
    limit = tag.at - TAG_GAP;
  }
  return placed.map(
    ({ line, at }) => `<text class="tag ${line.kind}" x="${RIGHT + 5}" y="${at.toFixed(1)}" dy="4">${line.tag}</text>`,
  );
}

/** Rounds up to 1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6 or 8 times a power of ten, so that quarters of it have short labels. */
function niceTop(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(largest, 1e-6)));
  return power * ([1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((step) => step * power >= largest) ?? 10);
}

function short(value: number): string {
  if (value >= 1000) return `${Number((value / 1000).toFixed(1))}k`;
  return String(Number(value.toPrecision(2)));
}
