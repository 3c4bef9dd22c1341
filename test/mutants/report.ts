// The report of a run, for people (report.md) and for programs (report.json), in .mutants. It is written again after
// each bug, so that an interrupted run leaves its results.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';
import type { MutantResult } from './run-mutant.ts';

export const FOLDER = join(packageRoot, '.mutants');

export interface Summary {
  readonly chosen: number;
  readonly planted: number;
  readonly killed: number;
  readonly survived: number;
  readonly broken: number;
  /** Why no bug was planted; null: the tests pass without a bug. */
  readonly failsAnyway: string | null;
}

export function summarize(chosen: number, results: readonly MutantResult[], failsAnyway: string | null): Summary {
  const count = (kind: MutantResult['outcome']['kind']): number =>
    results.filter(({ outcome }) => outcome.kind === kind).length;
  return {
    chosen,
    planted: results.length,
    killed: count('caught'),
    survived: count('survived'),
    broken: count('broken'),
    failsAnyway,
  };
}

export function isClean({ chosen, killed, failsAnyway }: Summary): boolean {
  return failsAnyway === null && chosen > 0 && killed === chosen;
}

export function summarySentence({ killed, chosen, survived, broken, failsAnyway }: Summary): string {
  if (failsAnyway !== null) return `Without any bug planted this fails: ${failsAnyway}`;
  return `${killed} of ${chosen} were caught, ${survived} survived, ${broken} broken.`;
}

const LABELS = { caught: 'killed', survived: 'SURVIVED', broken: 'BROKEN' } as const;

export function describeResult({ mutant, outcome, seconds }: MutantResult): string {
  const details =
    outcome.kind === 'caught'
      ? [`${outcome.where}: ${outcome.by}`, outcome.says]
      : [outcome.kind === 'broken' ? outcome.why : mutant.file];
  const heading = `${LABELS[outcome.kind].padEnd(8)}  ${mutant.area}: ${mutant.bug} (${seconds} s)`;
  return [heading, ...details.join('\n').split('\n')].join('\n          ');
}

export function writeReport(name: string, summary: Summary, results: readonly MutantResult[]): void {
  mkdirSync(FOLDER, { recursive: true });
  const entries = results.map(({ mutant, outcome, seconds }) => {
    const { area, bug, file, tests } = mutant;
    return { area, bug, file, tests, label: LABELS[outcome.kind], ...outcome, seconds };
  });
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify({ ...summary, results: entries }, null, 2)}\n`);
  writeFileSync(join(FOLDER, `${name}.md`), markdownReport(summary, results));
}

function markdownReport(summary: Summary, results: readonly MutantResult[]): string {
  const rows = results.map(({ mutant, outcome, seconds }) => {
    const [by, says] =
      outcome.kind === 'caught'
        ? [`${outcome.where}: ${outcome.by}`, outcome.says]
        : ['', outcome.kind === 'broken' ? outcome.why : ''];
    const cells = [mutant.area, mutant.bug, LABELS[outcome.kind], by, says, String(seconds)];
    return `| ${cells.map(tableCell).join(' | ')} |`;
  });
  return [
    '# Planted bugs',
    '',
    summarySentence(summary),
    '',
    '| area | bug | outcome | caught by | what it said first | seconds |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function tableCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
}
