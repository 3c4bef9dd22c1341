// Renders the results as a text table.

import type { Result } from './bench.ts';
import type { Machine } from './machine.ts';
import { median } from './rounds.ts';

const HEAD = ['name', 'ratio', 'floor', 'goal', 'result', 'spread', 'rounds', 'ours', 'against', 'unit', 'took'];
const LEFT_ALIGNED_COLUMNS = new Set([0, 4, 9]);

export function ratingOf(result: Result): 'error' | 'below floor' | 'ok' | 'goal reached' {
  if (result.error !== undefined) return 'error';
  const reaches = (limit: number): boolean => (result.isSize === true ? result.ratio <= limit : result.ratio >= limit);
  if (!reaches(result.floor)) return 'below floor';
  return reaches(result.goal) ? 'goal reached' : 'ok';
}

/** A figure with three significant digits, or a whole number from 100 on: 0.420, 187, 12,345. */
export function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

export function machineLine(machine: Machine): string {
  const { cpu, cores, memory_gb, platform, node, postgres, load_before } = machine;
  return `${cpu}, ${cores} cores, ${memory_gb} GB, ${platform}, Node ${node}, PostgreSQL ${postgres}, load before the run ${load_before}`;
}

export const QUICK_NOTE =
  'A quick run: one to three short rounds, and little data. It shows that nothing broke, not how fast it is.';

/** The ratios of the rounds differ by more than half of their median. */
function isNoisy({ spread }: Result): boolean {
  return spread > 0.5;
}

/** A row as soon as it is known: a run of all takes more than an hour, and one that is cut off has measured something. */
export function resultLine(result: Result): string {
  const { name, ratio, floor, goal, seconds, error } = result;
  const rating = error === undefined ? ratingOf(result) : `error: ${error}`;
  return `bench: ${name} ${ratio.toFixed(3)} (floor ${floor}, goal ${goal}): ${rating}, ${Math.round(seconds)} s`;
}

export function renderTable(results: readonly Result[], machine: Machine, isQuick: boolean): string {
  const rows = results.map((result) => [
    result.name,
    result.ratio.toFixed(3),
    String(result.floor),
    String(result.goal),
    ratingOf(result),
    `${Math.round(result.spread * 100)} %`,
    String(result.rounds),
    figure(median(result.measured.map(({ ours }) => ours))),
    figure(median(result.measured.map(({ base }) => base))),
    result.unit,
    `${Math.round(result.seconds)} s`,
  ]);
  const widths = HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        LEFT_ALIGNED_COLUMNS.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const remarks = results.flatMap(({ name, sides, note, error }) => [
    `${name}: ${sides.ours} against ${sides.base}.${note === undefined ? '' : ` ${note}`}`,
    ...(error === undefined ? [] : [`  error: ${error}`]),
  ]);
  if (isQuick) remarks.push(QUICK_NOTE);
  const noisy = results.filter(isNoisy).map(({ name }) => name);
  if (noisy.length > 0)
    remarks.push(`The rounds of ${noisy.join(', ')} differ by more than half: measure again on a quiet machine.`);
  return [line(HEAD), ...rows.map(line), '', ...remarks, '', machineLine(machine), ''].join('\n');
}
