// Renders the run as one self-contained page with light and dark colours: a row for each process with its kills, stops
// and faults, and below them charts of the clients' results and errors by second.

import type { Counter } from './client.ts';
import type { RunSummary } from './summary.ts';
import type { TimelineEvent } from './timeline.ts';

const ROWS = ['api-1', 'api-2', 'worker-1', 'worker-2', 'processor', 'postgres', 'receivers'];
const WIDTH = 1100;
const LEFT = 92;
const RIGHT = 1086;
const ROW_HEIGHT = 26;
const CHART_HEIGHT = 84;

const STYLE = `
:root { color-scheme: light dark; --page: #fbfaf8; --card: #fff; --ink: #1d2430; --soft: #5b6472; --rule: #d9dbe0;
  --ours: #0b63c5; --base: #8a5a00; --floor: #b3261e; --goal: #1a7338; --odd: #6b3fa0; }
@media (prefers-color-scheme: dark) { :root { --page: #12161c; --card: #1a2029; --ink: #e8eaee; --soft: #a3abb8; --rule: #343c48;
  --ours: #7db7ff; --base: #e3b261; --floor: #ff8a80; --goal: #77d292; --odd: #c6a4f5; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; } h1 { font-size: 1.5rem; margin: 0.5rem 0; } p { margin: 0.35rem 0; }
.soft { color: var(--soft); font-size: 0.9rem; } .bad { color: var(--floor); font-weight: 600; } .good { color: var(--goal); font-weight: 600; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 1rem; margin: 1rem 0; overflow-x: auto; }
svg { display: block; width: 100%; min-width: 46rem; height: auto; } svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--rule); } .up { fill: var(--goal); fill-opacity: 0.35; } .down { fill: var(--floor); fill-opacity: 0.55; }
.stopped { fill: var(--base); fill-opacity: 0.75; } .faulty { fill: var(--odd); fill-opacity: 0.45; }
.kill { stroke: var(--floor); stroke-width: 2; } .term { stroke: var(--base); stroke-width: 2; } .cut { stroke: var(--odd); stroke-width: 2; }
.created { fill: var(--ours); } .completed { fill: var(--goal); } .error { fill: var(--floor); }
.quiet { stroke: var(--soft); stroke-dasharray: 4 4; }
ul { margin: 0.35rem 0; padding-left: 1.2rem; }
`;

export interface PlotData {
  readonly seed: number;
  /** When the load began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly ended: number;
  readonly timeline: readonly TimelineEvent[];
  readonly countsBySecond: readonly Readonly<Record<Counter, number>>[];
}

export function renderPage(data: PlotData, summary: RunSummary): string {
  const isGood = summary.violations.length === 0;
  const shown = summary.violations.slice(0, 50);
  const list = shown
    .map(({ rule, subject, what }) => `<li>${escapeHtml(`${rule}: ${subject}: ${what}`)}</li>`)
    .join('');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Everyshare: chaos, seed ${data.seed}</title><style>${STYLE}</style></head>
<body><main>
<h1>Everyshare: chaos, seed ${data.seed}</h1>
<p class="${isGood ? 'good' : 'bad'}">${isGood ? 'No violation.' : `${summary.violations.length} violations.`}</p>
${summary.lines.map((line) => `<p class="soft">${escapeHtml(line)}</p>`).join('\n')}
<div class="card">${renderTimeline(data)}</div>
<p class="soft">Red: down, with a line where the process or a backend was killed (SIGKILL). Amber: stopped, with a line for SIGTERM
or a restart. Violet: faults of the processor or the receivers, with a line where connections were cut or accounts paid out. Dashed: the end of the nemesis.</p>
${isGood ? '' : `<div class="card"><ul>${list}</ul></div>`}
</main></body></html>
`;
}

function renderTimeline(data: PlotData): string {
  const end = Math.max(data.ended, data.startedAt + 1_000);
  const x = (at: number): number => {
    const part = (Math.min(Math.max(at, data.startedAt), end) - data.startedAt) / (end - data.startedAt);
    return LEFT + part * (RIGHT - LEFT);
  };
  const concurrency = ROWS.map((name, index) => renderRow(data, name, 8 + index * ROW_HEIGHT, x));
  const top = 20 + ROWS.length * ROW_HEIGHT;
  const charts = (['created', 'completed', 'error'] as const).map((mark, index) =>
    renderChart(data, mark, top + index * (CHART_HEIGHT + 18), x),
  );
  const bottom = top + 3 * (CHART_HEIGHT + 18);
  const healedAt = data.timeline.find(({ what }) => what === 'healed')?.at ?? end;
  const line = `<line class="quiet" x1="${x(healedAt).toFixed(1)}" x2="${x(healedAt).toFixed(1)}" y1="4" y2="${bottom}"><title>end of the nemesis</title></line>`;
  return `<svg viewBox="0 0 ${WIDTH} ${bottom + 20}" role="img" aria-label="The state of each process over time, and the clients' results">${concurrency.join('')}${charts.join('')}${line}${renderAxis(data, end, bottom, x)}</svg>`;
}

type ToX = (at: number) => number;

function renderRow({ timeline, startedAt, ended }: PlotData, name: string, y: number, x: ToX): string {
  const own = timeline.filter(({ who }) => who === name);
  const parts: string[] = [`<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${name}</text>`];
  const bar = (kind: string, from: number, to: number, title: string): void => {
    if (to < startedAt) return;
    const width = Math.max(1, x(to) - x(from));
    parts.push(
      `<rect class="${kind}" x="${x(from).toFixed(1)}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW_HEIGHT - 10}"><title>${escapeHtml(title)}</title></rect>`,
    );
  };
  const spans: [string, TimelineEvent['what'][], TimelineEvent['what'][]][] = [
    ['up', ['ready'], ['exit']],
    ['down', ['exit'], ['ready']],
    ['stopped', ['stop'], ['continue', 'exit']],
    ['faulty', ['faults'], ['faults over', 'exit']],
  ];
  for (const [kind, opens, closes] of spans) {
    let from: TimelineEvent | null = null;
    for (const event of own) {
      if (from !== null && closes.includes(event.what)) {
        bar(kind, from.at, event.at, titleOf(name, kind, from, event.at));
        from = null;
      }
      if (from === null && opens.includes(event.what)) from = event;
    }
    if (from !== null) bar(kind, from.at, ended, titleOf(name, kind, from, ended));
  }
  const marks: Partial<Record<TimelineEvent['what'], string>> = {
    kill: 'kill',
    'kill backend': 'kill',
    failover: 'kill',
    leader: 'term',
    term: 'term',
    restart: 'term',
    cut: 'cut',
    'pay out': 'cut',
  };
  for (const { at, what, detail = '' } of own) {
    const kind = marks[what];
    if (kind === undefined || at < startedAt) continue;
    const when = ((at - startedAt) / 1000).toFixed(1);
    parts.push(
      `<line class="${kind}" x1="${x(at).toFixed(1)}" x2="${x(at).toFixed(1)}" y1="${y}" y2="${y + ROW_HEIGHT - 4}"><title>${escapeHtml(`${name}: ${what} ${detail} at ${when} s`)}</title></line>`,
    );
  }
  return parts.join('');
}

function titleOf(name: string, kind: string, from: TimelineEvent, to: number): string {
  const fault = name === 'receivers' ? ` (${from.detail ?? ''})` : '';
  return `${name} ${kind}${fault} for ${((to - from.at) / 1000).toFixed(1)} s`;
}

const TITLES = { created: 'creates acknowledged', completed: 'checkouts seen completed', error: 'calls that failed' };

function renderChart(
  { countsBySecond: seconds, startedAt }: PlotData,
  mark: 'created' | 'completed' | 'error',
  y: number,
  x: ToX,
): string {
  const max = Math.max(1, ...seconds.map((row) => row[mark]));
  const floor = y + CHART_HEIGHT;
  const bars = seconds.map((row, second) => {
    const height = (row[mark] / max) * (CHART_HEIGHT - 16);
    const left = x(startedAt + second * 1000);
    const width = Math.max(0.8, x(startedAt + (second + 1) * 1000) - left - 0.6);
    return height === 0
      ? ''
      : `<rect class="${mark}" x="${left.toFixed(1)}" y="${(floor - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${row[mark]} in second ${second}</title></rect>`;
  });
  return `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${floor}" y2="${floor}"/><text x="${LEFT - 8}" y="${y + 26}" text-anchor="end">${max} /s</text><text x="${LEFT}" y="${y + 10}">${TITLES[mark]} each second</text>${bars.join('')}`;
}

function renderAxis({ startedAt }: PlotData, end: number, y: number, x: ToX): string {
  const seconds = (end - startedAt) / 1000;
  const step = [5, 10, 30, 60, 120, 300, 600].find((candidate) => seconds / candidate <= 14) ?? 1_200;
  const ticks: string[] = [];
  for (let at = 0; at <= seconds; at += step) {
    const index = x(startedAt + at * 1000).toFixed(1);
    ticks.push(`<text x="${index}" y="${y + 12}" text-anchor="middle">${at} s</text>`);
  }
  return ticks.join('');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
