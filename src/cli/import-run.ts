// One run of an import: reads objects, validates them, commits them chunk by chunk and saves its progress after each
// chunk. A committed object is never lost, and running the command again is safe: the same object counts as "unchanged".

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { type CliError, commandError, errorLine } from './cli-error.ts';
import { type Failure, type ImportItem, type ImportKind, parseItem, validateItems } from './import-chunk.ts';
import {
  checkSameImport,
  type FileStamp,
  fileChanged,
  type ImportCounts,
  type Progress,
  readProgress,
  removeProgress,
  writeProgress,
} from './import-progress.ts';
import { type ImportOutcome, MAX_FAILURES_LISTED, ReportFile } from './import-report.ts';
import { JsonSplitter, JsonStreamError, splitJson } from './json-stream.ts';
import type { ProgressBar } from './progress-bar.ts';

export interface ImportJob {
  readonly kind: ImportKind;
  readonly label: string;
  read(): AsyncIterable<Buffer>;
  /** Null: a stream, whose length is unknown. */
  readonly source: FileStamp | null;
  readonly dryRun: boolean;
  readonly restart: boolean;
  /** Null: no progress is saved. */
  readonly progressFile: string | null;
  readonly reportFile: string | null;
}

export interface ImportContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly bar: ProgressBar;
}

export async function runImport(job: ImportJob, context: ImportContext): Promise<ImportOutcome> {
  const { venue, mode } = context.caller;
  const identity = { type: job.kind.name, venue_id: venue.id, mode, source: job.source };
  const saved = progressToResume(job, identity);
  if (saved !== null) context.bar.printLine(`Resuming at object ${saved.next}, where the last run stopped.`);
  const report = job.reportFile === null ? null : new ReportFile(resolve(job.reportFile), saved);
  try {
    const run = new ImportRun(job, context, saved, report);
    await run.all();
    return {
      kind: job.kind,
      venue,
      mode,
      from: job.label,
      counts: run.counts,
      resumedAt: saved?.next ?? null,
      failures: run.failures,
      dryRun: job.dryRun,
      reportFile: job.reportFile,
    };
  } finally {
    context.bar.end();
    report?.close();
  }
}

/** The progress of an earlier run, if this run resumes it. */
function progressToResume(
  { progressFile, restart }: ImportJob,
  identity: Pick<Progress, 'type' | 'venue_id' | 'mode' | 'source'>,
): Progress | null {
  if (progressFile === null) return null;
  const saved = readProgress(progressFile);
  if (saved === null || saved.next === 0 || restart) return null;
  checkSameImport(progressFile, saved, identity);
  return saved;
}

class ImportRun {
  readonly counts: ImportCounts;
  readonly failures: Failure[];
  readonly #job: ImportJob;
  readonly #context: ImportContext;
  readonly #saved: Progress | null;
  readonly #report: ReportFile | null;
  readonly #splitter: JsonSplitter;
  readonly #digest = createHash('sha256');
  readonly #firstIndexById = new Map<string, number>();
  #pending: ImportItem[] = [];

  constructor(job: ImportJob, context: ImportContext, saved: Progress | null, report: ReportFile | null) {
    this.#job = job;
    this.#context = context;
    this.#saved = saved;
    this.#report = report;
    this.#splitter = new JsonSplitter(job.kind.name);
    this.counts = { ...(saved?.counts ?? { total: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }) };
    this.failures = [...(saved?.failures ?? [])];
  }

  async all(): Promise<void> {
    // A progress file that cannot be written must stop the import before the first object is written.
    if (this.#saved === null) this.#saveProgress(null);
    try {
      await this.#read();
    } catch (error) {
      if (!(error instanceof JsonStreamError)) throw error;
      throw await this.#stopAt(error);
    }
    await this.#flush();
    if (this.#job.progressFile !== null && !this.#job.dryRun) removeProgress(this.#job.progressFile);
  }

  async #read(): Promise<void> {
    const { kind, source } = this.#job;
    const skipped = this.#saved?.next ?? 0;
    const example = this.#context.caller.contract.sample(kind.schema);
    let index = 0;
    for await (const text of splitJson(this.#job.read(), this.#splitter)) {
      const item = parseItem(text, index, example);
      if (index >= skipped) this.#pending.push(item);
      else this.#recordSkipped(item);
      this.#digest.update(text.bytes).update('\n');
      index += 1;
      if (index === skipped) this.#checkSkipped();
      if (index > skipped && index % kind.chunkSize === 0) await this.#flush();
      this.#context.bar.show(
        index,
        Math.max(0, index - skipped),
        source === null ? null : this.#splitter.bytesRead / Math.max(1, source.size),
      );
    }
    if (index < skipped) throw fileChanged(skipped);
  }

  /** An earlier run imported this object, so its id must not be imported again. */
  #recordSkipped({ index, externalId, candidate }: ImportItem): void {
    const hasFailed = this.failures.some((failure) => failure.index === index);
    if (externalId !== null && candidate !== null && !hasFailed && !this.#firstIndexById.has(externalId)) {
      this.#firstIndexById.set(externalId, index);
    }
  }

  #checkSkipped(): void {
    if (this.#digest.copy().digest('hex') !== this.#saved?.digest) throw fileChanged(this.#saved?.next ?? 0);
  }

  /** Writes the pending objects in one transaction, then saves the progress. */
  async #flush(): Promise<void> {
    const { kind, dryRun } = this.#job;
    const { db, clock, caller } = this.#context;
    const items = this.#pending;
    if (items.length === 0) return;
    this.#pending = [];
    const now = { ...caller, now: clock.now() };
    const { valid, failures } = validateItems(kind, now, items, this.#firstIndexById);
    if (valid.length > 0) {
      const results = await this.#withSummary(() =>
        dryRun ? kind.preview(db, now, valid) : db.transaction((tx) => kind.write(tx, now, valid)),
      );
      for (const result of results) this.counts[result] += 1;
    }
    this.counts.total += items.length;
    this.counts.failed += failures.length;
    this.failures.push(...failures.slice(0, Math.max(0, MAX_FAILURES_LISTED - this.failures.length)));
    this.#report?.add(failures);
    this.#saveProgress(null);
  }

  #saveProgress(broken: Progress['broken']): void {
    const { kind, progressFile, dryRun, source } = this.#job;
    if (progressFile === null || dryRun) return;
    const { venue, mode } = this.#context.caller;
    const report = this.#report === null ? null : { file: this.#report.file, bytes: this.#report.bytes };
    writeProgress(progressFile, {
      everyshare_import: 1,
      type: kind.name,
      venue_id: venue.id,
      mode,
      source,
      next: this.counts.total,
      digest: this.#digest.copy().digest('hex'),
      broken,
      counts: this.counts,
      failures: this.failures,
      report,
    });
  }

  /** Commits the objects before the place where the file is not JSON, and returns the error that names the place. */
  async #stopAt({ message, index, offset }: JsonStreamError): Promise<CliError> {
    if (index < (this.#saved?.next ?? 0)) return fileChanged(this.#saved?.next ?? 0);
    await this.#flush();
    this.#saveProgress({ index, byte: offset });
    const place = `${this.#job.label} is not valid at object ${index} (byte ${offset}): ${message}`;
    return commandError(`${place}. ${this.#summary('fix it and run the same command again')}`);
  }

  async #withSummary<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw commandError(`${errorLine(error, [])} ${this.#summary('run the same command again')}`);
    }
  }

  #summary(remedy: string): string {
    const { total, created, updated, unchanged, failed } = this.counts;
    if (this.#job.dryRun) return `The ${total} objects before it were checked, ${failed} of them failed.`;
    const counts = `created ${created}, updated ${updated}, unchanged ${unchanged}, failed ${failed}`;
    const next = this.#job.progressFile === null ? 'imported objects count as unchanged' : 'it resumes there';
    return `${total} objects are done (${counts}): ${remedy}, and ${next}.`;
  }
}
