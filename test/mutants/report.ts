// The report of a run, for people (report.md) and for programs (report.json), in .mutants; written anew after each verdict, so
// that a run which is ended leaves what it had.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.ts';
import type { Verdict } from './judge.ts';

export const FOLDER = join(packageRoot, '.mutants');

export interface Summary {
  readonly chosen: number;
  readonly planted: number;
  readonly killed: number;
  readonly survived: number;
  readonly broken: number;
  /** Why no bug was planted at all; null: the tests pass without any. */
  readonly failsAnyway: string | null;
}

export function summaryOf(chosen: number, verdicts: readonly Verdict[], failsAnyway: string | null): Summary {
  const count = (kind: Verdict['outcome']['kind']): number =>
    verdicts.filter(({ outcome }) => outcome.kind === kind).length;
  return {
    chosen,
    planted: verdicts.length,
    killed: count('caught'),
    survived: count('survived'),
    broken: count('broken'),
    failsAnyway,
  };
}

export function isClean({ chosen, killed, failsAnyway }: Summary): boolean {
  return failsAnyway === null && chosen > 0 && killed === chosen;
}

export function inWords({ killed, chosen, survived, broken, failsAnyway }: Summary): string {
  if (failsAnyway !== null) return `Without any bug planted this fails: ${failsAnyway}`;
  return `${killed} of ${chosen} were caught, ${survived} survived, ${broken} broken.`;
}

const WORD = { caught: 'killed', survived: 'SURVIVED', broken: 'BROKEN' } as const;

export function lineOf({ mutant, outcome, seconds }: Verdict): string {
  const more =
    outcome.kind === 'caught'
      ? [`${outcome.where}: ${outcome.by}`, outcome.says]
      : [outcome.kind === 'broken' ? outcome.why : mutant.file];
  const head = `${WORD[outcome.kind].padEnd(8)}  ${mutant.area}: ${mutant.bug} (${seconds} s)`;
  return [head, ...more.join('\n').split('\n')].join('\n          ');
}

export function writeReport(name: string, summary: Summary, verdicts: readonly Verdict[]): void {
  mkdirSync(FOLDER, { recursive: true });
  const found = verdicts.map(({ mutant, outcome, seconds }) => {
    const { area, bug, file, tests } = mutant;
    return { area, bug, file, tests, verdict: WORD[outcome.kind], ...outcome, seconds };
  });
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify({ ...summary, verdicts: found }, null, 2)}\n`);
  writeFileSync(join(FOLDER, `${name}.md`), page(summary, verdicts));
}

function page(summary: Summary, verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ mutant, outcome, seconds }) => {
    const [by, says] =
      outcome.kind === 'caught'
        ? [`${outcome.where}: ${outcome.by}`, outcome.says]
        : ['', outcome.kind === 'broken' ? outcome.why : ''];
    const cells = [mutant.area, mutant.bug, WORD[outcome.kind], by, says, String(seconds)];
    return `| ${cells.map(inCell).join(' | ')} |`;
  });
  return [
    '# Planted bugs',
    '',
    inWords(summary),
    '',
    '| area | bug | verdict | caught by | what it said first | seconds |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
}
