// The HTML report: one self-contained page with light and dark colours, for small and large screens. It shows the
// table, and for each bench a plot of both sides by round (with medians, floor and goal) and a plot of the ratios.

import type { Result } from './bench.ts';
import type { Machine } from './machine.ts';
import { type Line, plot } from './plot.ts';
import { median } from './rounds.ts';
import { figure, machineLine, QUICK_NOTE, ratingOf } from './table.ts';

const STYLE = `
:root { color-scheme: light dark; --page: #fbfaf8; --card: #fff; --ink: #1d2430; --soft: #5b6472; --rule: #d9dbe0;
  --ours: #0b63c5; --base: #8a5a00; --floor: #b3261e; --goal: #1a7338; }
@media (prefers-color-scheme: dark) { :root { --page: #12161c; --card: #1a2029; --ink: #e8eaee; --soft: #a3abb8; --rule: #343c48;
  --ours: #7db7ff; --base: #e3b261; --floor: #ff8a80; --goal: #77d292; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; } h2 { font-size: 1.15rem; margin: 0; }
p { margin: 0.35rem 0; } .soft { color: var(--soft); font-size: 0.9rem; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 1rem; margin: 1rem 0; }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; margin-top: 0.5rem; }
figure { margin: 0; flex: 1 1 20rem; min-width: 0; } figcaption { color: var(--soft); font-size: 0.9rem; }
svg { display: block; width: 100%; height: auto; max-width: 36rem; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--rule); } .ours { --c: var(--ours); } .base { --c: var(--base); } .floor { --c: var(--floor); } .goal { --c: var(--goal); }
svg .dot { fill: var(--c); fill-opacity: 0.75; } svg .line { stroke: var(--c); stroke-width: 1.5; } svg text.tag { fill: var(--c); }
svg .floor.line, svg .goal.line { stroke-dasharray: 5 4; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } .bad { color: var(--floor); font-weight: 600; } .good { color: var(--goal); font-weight: 600; }
`;

export function renderReport(results: readonly Result[], machine: Machine, at: Date, isQuick: boolean): string {
  return page(
    'Everyshare: speed',
    `<p>Every figure is a ratio of two sides that alternate in one run on one machine: the median of its rounds. Larger is better, except for sizes.</p>
<p class="soft">${escapeHtml(at.toISOString().slice(0, 16).replace('T', ' '))} UTC · ${escapeHtml(machineLine(machine))}</p>
${isQuick ? `<p><strong>${escapeHtml(QUICK_NOTE)}</strong></p>\n` : ''}${table(results)}
${results.map(card).join('\n')}`,
  );
}

/** A whole page with the style of the reports. */
export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
}

function table(results: readonly Result[]): string {
  const head = ['bench', 'ratio', 'floor', 'goal', 'result', 'spread', 'rounds', 'ours', 'against', 'unit', 'took'];
  const rows = results.map((result) => {
    const cells = [
      escapeHtml(result.name),
      result.ratio.toFixed(3),
      String(result.floor),
      String(result.goal),
      renderRating(result),
      `${Math.round(result.spread * 100)} %`,
      String(result.rounds),
      figure(median(result.measured.map(({ ours }) => ours))),
      figure(median(result.measured.map(({ base }) => base))),
      escapeHtml(result.unit),
      `${Math.round(result.seconds)} s`,
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<div class="card scroll" role="region" aria-label="All benches" tabindex="0"><table><thead><tr>${head.map((title) => `<th scope="col">${title}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function renderRating(result: Result): string {
  const text = ratingOf(result);
  const kind = text === 'goal reached' ? 'good' : text === 'ok' ? '' : 'bad';
  return `<span class="${kind}">${text}</span>`;
}

function card(result: Result): string {
  const { sides, measured } = result;
  const remarks = [
    `<p><strong>${result.ratio.toFixed(3)}</strong> · ${renderRating(result)}: ${escapeHtml(sides.ours)} against ${escapeHtml(sides.base)}</p>`,
    result.note === undefined ? '' : `<p class="soft">${escapeHtml(result.note)}</p>`,
    result.error === undefined ? '' : `<p class="bad">${escapeHtml(result.error)}</p>`,
  ];
  const plots = measured.length === 0 ? '' : `<div class="plots">${sidesPlot(result)}${ratioPlot(result)}</div>`;
  return `<section class="card"><h2>${escapeHtml(result.name)}</h2>${remarks.join('')}${plots}</section>`;
}

function sidesPlot({ name, measured, unit, better, floor, goal, isSize }: Result): string {
  const ours = measured.map((round) => round.ours);
  const base = measured.map((round) => round.base);
  // The figure of our side that gives this ratio, given the median of the other side.
  const figureFor = (ratio: number): number =>
    isSize === true ? ratio : better === 'more' ? median(base) * ratio : median(base) / ratio;
  const lines: Line[] = [
    { kind: 'base', at: median(base), tag: `against ${figure(median(base))}` },
    { kind: 'ours', at: median(ours), tag: `ours ${figure(median(ours))}` },
    { kind: 'floor', at: figureFor(floor), tag: 'floor' },
    { kind: 'goal', at: figureFor(goal), tag: 'goal' },
  ];
  const dots = [
    { kind: 'ours', values: ours },
    { kind: 'base', values: base },
  ] as const;
  const more = better === 'more' ? 'more is better' : 'less is better';
  return drawFigure(
    `${name}: ${unit} of both sides by round`,
    `${unit} by round, ${more}; medians, floor and goal as lines`,
    plot(dots, lines),
  );
}

function ratioPlot({ name, measured, floor, goal }: Result): string {
  const ratios = measured.map(({ ratio }) => ratio);
  const lines: Line[] = [
    { kind: 'ours', at: median(ratios), tag: `median ${figure(median(ratios))}` },
    { kind: 'floor', at: floor, tag: `floor ${floor}` },
    { kind: 'goal', at: goal, tag: `goal ${goal}` },
  ];
  return drawFigure(`${name}: ratio by round`, 'Ratio by round', plot([{ kind: 'ours', values: ratios }], lines));
}

export function drawFigure(
  title: string,
  caption: string,
  inside: { readonly width: number; readonly height: number; readonly svg: string },
): string {
  const { width, height, svg } = inside;
  return `<figure><figcaption>${escapeHtml(caption)}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">${svg}</svg></figure>`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
