// The report of an import: the counts, and the objects that failed with their problems. It is written as text for a
// person, as one JSON document for a program, and as JSON lines in the file of --report.

import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { commandError } from './cli-error.ts';
import type { CommandResult } from './command-definition.ts';
import type { Failure, ImportKind } from './import-chunk.ts';
import type { ImportCounts, Progress } from './import-progress.ts';
import { block, table } from './table.ts';

/** How many failures the JSON document and the progress file contain. */
export const MAX_FAILURES_LISTED = 100;
const MAX_FAILURES_ON_SCREEN = 20;
const MAX_CELL_LENGTH = 40;

export interface ImportOutcome {
  readonly kind: ImportKind;
  readonly venue: { readonly id: string; readonly name: string };
  readonly mode: string;
  readonly from: string;
  readonly counts: Readonly<ImportCounts>;
  readonly resumedAt: number | null;
  readonly failures: readonly Failure[];
  readonly dryRun: boolean;
  readonly reportFile: string | null;
}

export function importResult(outcome: ImportOutcome): CommandResult {
  const { kind, counts } = outcome;
  const json = {
    type: kind.name,
    venue_id: outcome.venue.id,
    mode: outcome.mode,
    dry_run: outcome.dryRun,
    ...counts,
    resumed_at: outcome.resumedAt,
    errors: outcome.failures.slice(0, MAX_FAILURES_LISTED),
  };
  const result = { json, text: asText(outcome) };
  if (counts.failed === 0) return result;
  return {
    ...result,
    failure: `${counts.failed} of ${counts.total} ${kind.name} failed: fix them and import them again.`,
  };
}

/** What a dry run calls the outcomes, since nothing has happened. */
const WOULD_BE = { created: 'to create', updated: 'to update', unchanged: 'unchanged' } as const;

function asText(outcome: ImportOutcome): string {
  const { kind, venue, mode, from, counts, resumedAt, dryRun, reportFile } = outcome;
  const lines: [string, string][] = [
    [kind.name, `${counts.total} of ${from}`],
    ['venue', `${venue.id} (${venue.name}), ${mode}`],
  ];
  if (resumedAt !== null) lines.push(['resumed', `at object ${resumedAt}, where the last run stopped`]);
  for (const name of ['created', 'updated', 'unchanged'] as const)
    lines.push([dryRun ? WOULD_BE[name] : name, String(counts[name])]);
  lines.push(['failed', String(counts.failed)]);
  if (reportFile !== null) lines.push(['report', reportFile]);
  const parts = [block(lines), ...failureTable(outcome)];
  if (dryRun) parts.push('Nothing was written: this was a dry run.');
  return parts.join('\n\n');
}

function failureTable({ failures, counts, reportFile }: ImportOutcome): string[] {
  if (counts.failed === 0) return [];
  const rows = failures
    .slice(0, MAX_FAILURES_ON_SCREEN)
    .flatMap(({ index, external_id, errors }) =>
      errors.map(({ field, code, message }) => [
        String(index),
        shorten(external_id ?? '-'),
        shorten(field === '' ? '(whole)' : field),
        code,
        message,
      ]),
    );
  const parts = [table(['OBJECT', 'EXTERNAL ID', 'FIELD', 'CODE', 'PROBLEM'], rows)];
  const more = counts.failed - MAX_FAILURES_ON_SCREEN;
  if (more > 0) {
    const where = reportFile === null ? '"--report FILE" writes all of them' : `all of them are in ${reportFile}`;
    parts.push(`${more} more failed: ${where}.`);
  }
  return parts;
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > MAX_CELL_LENGTH ? `${characters.slice(0, MAX_CELL_LENGTH - 1).join('')}…` : text;
}

/** One line for each failed object. A resumed run first removes the lines that a crashed run wrote after its last commit. */
export class ReportFile {
  readonly file: string;
  readonly #fd: number;
  #bytes = 0;

  constructor(file: string, saved: Progress | null) {
    this.file = file;
    const isResumed = saved?.report?.file === file;
    try {
      this.#fd = openSync(file, isResumed ? 'a+' : 'w');
    } catch (error) {
      throw commandError(`--report: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
    }
    if (isResumed) {
      this.#bytes = Math.min(saved.report.bytes, fstatSync(this.#fd).size);
      ftruncateSync(this.#fd, this.#bytes);
    } else if (saved !== null) {
      this.add(saved.failures);
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
