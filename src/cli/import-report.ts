// What came of an import: the counts, the objects that failed and why, for a person, for a program, and as JSON lines in
// a file of their own.

import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { refused } from './cli-error.ts';
import type { Failure, Kind } from './import-chunk.ts';
import type { Counts, Progress } from './import-progress.ts';
import type { Answer } from './shape.ts';
import { block, table } from './table.ts';

/** How many failures a program is told. */
export const MOST_TOLD = 100;
const MOST_ON_SCREEN = 20;
const LONGEST_CELL = 40;

export interface Outcome {
  readonly kind: Kind;
  readonly venue: { readonly id: string; readonly name: string };
  readonly mode: string;
  readonly from: string;
  readonly counts: Readonly<Counts>;
  readonly resumedAt: number | null;
  readonly failures: readonly Failure[];
  readonly dryRun: boolean;
  readonly reportFile: string | null;
}

export function answerTo(outcome: Outcome): Answer {
  const { kind, counts } = outcome;
  const json = {
    type: kind.name,
    venue_id: outcome.venue.id,
    mode: outcome.mode,
    dry_run: outcome.dryRun,
    ...counts,
    resumed_at: outcome.resumedAt,
    errors: outcome.failures.slice(0, MOST_TOLD),
  };
  const answer = { json, text: told(outcome) };
  if (counts.failed === 0) return answer;
  return {
    ...answer,
    fault: `${counts.failed} of ${counts.total} ${kind.name} failed: mend them and import them again.`,
  };
}

function told(outcome: Outcome): string {
  const { kind, venue, mode, from, counts, resumedAt, dryRun, reportFile } = outcome;
  const lines: [string, string][] = [
    [kind.name, `${counts.total} of ${from}`],
    ['venue', `${venue.id} (${venue.name}), ${mode}`],
  ];
  if (resumedAt !== null) lines.push(['went on', `from object ${resumedAt}, where the last run ended`]);
  if (dryRun) lines.push(['valid', String(counts.total - counts.failed)]);
  else {
    for (const name of ['created', 'updated', 'unchanged'] as const) lines.push([name, String(counts[name])]);
  }
  lines.push(['failed', String(counts.failed)]);
  if (reportFile !== null) lines.push(['report', reportFile]);
  const parts = [block(lines), ...failuresTold(outcome)];
  if (dryRun) parts.push('Nothing was written: this was a dry run.');
  return parts.join('\n\n');
}

function failuresTold({ failures, counts, reportFile }: Outcome): string[] {
  if (counts.failed === 0) return [];
  const rows = failures
    .slice(0, MOST_ON_SCREEN)
    .flatMap(({ index, external_id, errors }) =>
      errors.map(({ field, code, message }) => [
        String(index),
        shortened(external_id ?? '-'),
        shortened(field === '' ? '(whole)' : field),
        code,
        message,
      ]),
    );
  const parts = [table(['OBJECT', 'EXTERNAL ID', 'FIELD', 'CODE', 'PROBLEM'], rows)];
  const more = counts.failed - MOST_ON_SCREEN;
  if (more > 0) {
    const where = reportFile === null ? '"--report FILE" keeps all of them' : `all of them are in ${reportFile}`;
    parts.push(`${more} more failed: ${where}.`);
  }
  return parts;
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > LONGEST_CELL ? `${letters.slice(0, LONGEST_CELL - 1).join('')}…` : text;
}

/** One line for each failed object. What a run that crashed had written beyond its last commit is cut off again. */
export class ReportFile {
  readonly file: string;
  readonly #fd: number;
  #bytes = 0;

  constructor(file: string, kept: Progress | null) {
    this.file = file;
    const goesOn = kept?.report?.file === file;
    try {
      this.#fd = openSync(file, goesOn ? 'a+' : 'w');
    } catch (error) {
      throw refused(`--report: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
    }
    if (goesOn) {
      this.#bytes = Math.min(kept.report.bytes, fstatSync(this.#fd).size);
      ftruncateSync(this.#fd, this.#bytes);
    } else if (kept !== null) {
      this.add(kept.failures);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(failures: readonly Failure[]): void {
    for (const failure of failures) this.#bytes += writeSync(this.#fd, `${JSON.stringify(failure)}\n`);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
