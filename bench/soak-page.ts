// The page of a soak: each series by minute, with its straight line's drift and what it says.

import type { Machine } from './machine.ts';
import { plot } from './plot.ts';
import { drawFigure, escapeHtml, page } from './report.ts';
import { figure, machineLine } from './table.ts';
import { type Trend, trendOf } from './trend.ts';

export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
}

export interface SeriesTrend extends Series {
  readonly trend: Trend;
}

/** Minutes that warm up: caches, pools and the first growth of the heap. */
export function warmUpMinutes(minutes: number): number {
  return Math.max(1, Math.floor(minutes / 5));
}

export function trendsOf(series: readonly Series[]): SeriesTrend[] {
  return series.map((one) => ({ ...one, trend: trendOf(one.values.slice(warmUpMinutes(one.values.length))) }));
}

export function trendLine({ name, unit, trend }: SeriesTrend): string {
  const percent = (part: number): string => (Number.isFinite(part) ? `${(part * 100).toFixed(1)} %` : 'any');
  return `${name}: ${trend.result}, ${figure(trend.mean)} ${unit} on average, drift ${percent(trend.drift)} ± ${percent(trend.bound)} over the run`;
}

export function renderSoak(
  trends: readonly SeriesTrend[],
  machine: Machine,
  at: Date,
  remarks: readonly string[],
): string {
  const figures = trends.map((one) => {
    const line = { kind: 'base', at: one.trend.mean, tag: `mean ${figure(one.trend.mean)}` } as const;
    const caption = `${one.name}, ${one.unit} by minute: ${one.trend.result}`;
    return `<section class="card"><h2>${escapeHtml(one.name)}</h2><p>${escapeHtml(trendLine(one))}</p><div class="plots">${drawFigure(caption, caption, plot([{ kind: 'ours', values: one.values }], [line]))}</div></section>`;
  });
  const lines = remarks.map((remark) => `<p>${escapeHtml(remark)}</p>`);
  const about = `<p class="soft">${escapeHtml(at.toISOString().slice(0, 16).replace('T', ' '))} UTC · ${escapeHtml(machineLine(machine))}</p>`;
  return page('Everyshare: soak', [about, ...lines, ...figures].join('\n'));
}
