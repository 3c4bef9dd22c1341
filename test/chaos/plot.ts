// The run as one self-contained page, light and dark: a lane for each process with its kills, stops and faults, and under
// them what clients got done and what went wrong, second by second.

import type { Mark } from './client.ts';
import type { RunSummary } from './summary.ts';
import type { Happening } from './timeline.ts';

const LANES = ['api-1', 'api-2', 'worker-1', 'worker-2', 'processor', 'postgres', 'receivers'];
const WIDTH = 1100;
const LEFT = 92;
const RIGHT = 1086;
const LANE = 26;
const CHART = 84;

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
  /** When the clients began, in milliseconds since 1970. */
  readonly began: number;
  readonly ended: number;
  readonly happenings: readonly Happening[];
  readonly seconds: readonly Readonly<Record<Mark, number>>[];
}

export function renderPage(story: PlotData, verdict: RunSummary): string {
  const isGood = verdict.violations.length === 0;
  const shown = verdict.violations.slice(0, 50);
  const list = shown.map(({ rule, subject, what }) => `<li>${safe(`${rule}: ${subject}: ${what}`)}</li>`).join('');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Everyshare: chaos, seed ${story.seed}</title><style>${STYLE}</style></head>
<body><main>
<h1>Everyshare: chaos, seed ${story.seed}</h1>
<p class="${isGood ? 'good' : 'bad'}">${isGood ? 'No violation.' : `${verdict.violations.length} violations.`}</p>
${verdict.lines.map((line) => `<p class="soft">${safe(line)}</p>`).join('\n')}
<div class="card">${drawing(story)}</div>
<p class="soft">Red: down, and a line where it was killed (-9) or a backend was. Amber: stopped, and a line for SIGTERM
or a restart. Violet: faults of the processor or moods of the receivers, and a line where connections were cut. Dashed: from here on it is quiet.</p>
${isGood ? '' : `<div class="card"><ul>${list}</ul></div>`}
</main></body></html>
`;
}

function drawing(story: PlotData): string {
  const end = Math.max(story.ended, story.began + 1_000);
  const x = (at: number): number => {
    const part = (Math.min(Math.max(at, story.began), end) - story.began) / (end - story.began);
    return LEFT + part * (RIGHT - LEFT);
  };
  const lanes = LANES.map((name, place) => lane(story, name, 8 + place * LANE, x));
  const top = 20 + LANES.length * LANE;
  const charts = (['created', 'completed', 'error'] as const).map((mark, place) =>
    chart(story, mark, top + place * (CHART + 18), x),
  );
  const bottom = top + 3 * (CHART + 18);
  const quiet = story.happenings.find(({ what }) => what === 'quiet')?.at ?? end;
  const line = `<line class="quiet" x1="${x(quiet).toFixed(1)}" x2="${x(quiet).toFixed(1)}" y1="4" y2="${bottom}"><title>quiet from here on</title></line>`;
  return `<svg viewBox="0 0 ${WIDTH} ${bottom + 20}" role="img" aria-label="What happened to each process over time, and what clients got done">${lanes.join('')}${charts.join('')}${line}${axis(story, end, bottom, x)}</svg>`;
}

type Place = (at: number) => number;

function lane({ happenings, began, ended }: PlotData, name: string, y: number, x: Place): string {
  const own = happenings.filter(({ who }) => who === name);
  const parts: string[] = [`<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${name}</text>`];
  const bar = (kind: string, from: number, to: number, title: string): void => {
    if (to < began) return;
    const width = Math.max(1, x(to) - x(from));
    parts.push(
      `<rect class="${kind}" x="${x(from).toFixed(1)}" y="${y + 3}" width="${width.toFixed(1)}" height="${LANE - 10}"><title>${safe(title)}</title></rect>`,
    );
  };
  const spans: [string, Happening['what'][], Happening['what'][]][] = [
    ['up', ['ready'], ['exit']],
    ['down', ['exit'], ['ready']],
    ['stopped', ['stop'], ['continue', 'exit']],
    ['faulty', ['faults'], ['faults over', 'exit']],
  ];
  for (const [kind, opens, closes] of spans) {
    let from: Happening | null = null;
    for (const one of own) {
      if (from !== null && closes.includes(one.what)) {
        bar(kind, from.at, one.at, titleOf(name, kind, from, one.at));
        from = null;
      }
      if (from === null && opens.includes(one.what)) from = one;
    }
    if (from !== null) bar(kind, from.at, ended, titleOf(name, kind, from, ended));
  }
  const marks: Partial<Record<Happening['what'], string>> = {
    kill: 'kill',
    'kill backend': 'kill',
    term: 'term',
    restart: 'term',
    cut: 'cut',
  };
  for (const { at, what, detail = '' } of own) {
    const kind = marks[what];
    if (kind === undefined || at < began) continue;
    const when = ((at - began) / 1000).toFixed(1);
    parts.push(
      `<line class="${kind}" x1="${x(at).toFixed(1)}" x2="${x(at).toFixed(1)}" y1="${y}" y2="${y + LANE - 4}"><title>${safe(`${name}: ${what} ${detail} at ${when} s`)}</title></line>`,
    );
  }
  return parts.join('');
}

function titleOf(name: string, kind: string, from: Happening, to: number): string {
  const mood = name === 'receivers' ? ` (${from.detail ?? ''})` : '';
  return `${name} ${kind}${mood} for ${((to - from.at) / 1000).toFixed(1)} s`;
}

const TITLES = { created: 'creates acknowledged', completed: 'checkouts seen completed', error: 'calls that failed' };

function chart({ seconds, began }: PlotData, mark: 'created' | 'completed' | 'error', y: number, x: Place): string {
  const most = Math.max(1, ...seconds.map((row) => row[mark]));
  const floor = y + CHART;
  const bars = seconds.map((row, second) => {
    const height = (row[mark] / most) * (CHART - 16);
    const left = x(began + second * 1000);
    const width = Math.max(0.8, x(began + (second + 1) * 1000) - left - 0.6);
    return height === 0
      ? ''
      : `<rect class="${mark}" x="${left.toFixed(1)}" y="${(floor - height).toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"><title>${row[mark]} in second ${second}</title></rect>`;
  });
  return `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${floor}" y2="${floor}"/><text x="${LEFT - 8}" y="${y + 26}" text-anchor="end">${most} /s</text><text x="${LEFT}" y="${y + 10}">${TITLES[mark]} each second</text>${bars.join('')}`;
}

function axis({ began }: PlotData, end: number, y: number, x: Place): string {
  const seconds = (end - began) / 1000;
  const step = [5, 10, 30, 60, 120, 300, 600].find((one) => seconds / one <= 14) ?? 1_200;
  const ticks: string[] = [];
  for (let at = 0; at <= seconds; at += step) {
    const place = x(began + at * 1000).toFixed(1);
    ticks.push(`<text x="${place}" y="${y + 12}" text-anchor="middle">${at} s</text>`);
  }
  return ticks.join('');
}

function safe(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
