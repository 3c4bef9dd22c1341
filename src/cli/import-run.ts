// One run of an import: reads objects, judges them, commits them chunk by chunk and remembers after each how far it came.
// What is committed is never lost, and running again does nothing twice: the same object again is "unchanged".

import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { type CliError, lineFor, refused } from './cli-error.ts';
import { type Failure, type Item, itemFrom, judged, type Kind } from './import-chunk.ts';
import {
  type Counts,
  changed,
  checkSame,
  type Progress,
  readProgress,
  removeProgress,
  type Stamp,
  writeProgress,
} from './import-progress.ts';
import { MOST_TOLD, type Outcome, ReportFile } from './import-report.ts';
import { BrokenStream, JsonSplitter, piecesOf } from './json-stream.ts';
import type { ProgressBar } from './progress-bar.ts';

export interface Job {
  readonly kind: Kind;
  readonly label: string;
  read(): AsyncIterable<Buffer>;
  /** Null: a stream, whose length nobody knows. */
  readonly source: Stamp | null;
  readonly dryRun: boolean;
  readonly restart: boolean;
  /** Null: nothing is remembered. */
  readonly progressFile: string | null;
  readonly reportFile: string | null;
}

export interface Means {
  readonly db: Db;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly bar: ProgressBar;
}

export async function runImport(job: Job, means: Means): Promise<Outcome> {
  const { venue, mode } = means.caller;
  const identity = { type: job.kind.name, venue_id: venue.id, mode, source: job.source };
  const kept = keptFor(job, identity);
  if (kept !== null) means.bar.say(`Going on from object ${kept.next}, where the last run ended.`);
  const report = job.reportFile === null ? null : new ReportFile(resolve(job.reportFile), kept);
  try {
    const run = new Run(job, means, kept, report);
    await run.all();
    return {
      kind: job.kind,
      venue,
      mode,
      from: job.label,
      counts: run.counts,
      resumedAt: kept?.next ?? null,
      failures: run.failures,
      dryRun: job.dryRun,
      reportFile: job.reportFile,
    };
  } finally {
    means.bar.end();
    report?.close();
  }
}

/** What an earlier run left, when this one is to go on from there. */
function keptFor(
  { progressFile, restart }: Job,
  identity: Pick<Progress, 'type' | 'venue_id' | 'mode' | 'source'>,
): Progress | null {
  if (progressFile === null) return null;
  const kept = readProgress(progressFile);
  if (kept === null || kept.next === 0 || restart) return null;
  checkSame(progressFile, kept, identity);
  return kept;
}

class Run {
  readonly counts: Counts;
  readonly failures: Failure[];
  readonly #job: Job;
  readonly #means: Means;
  readonly #kept: Progress | null;
  readonly #report: ReportFile | null;
  readonly #splitter: JsonSplitter;
  readonly #digest = createHash('sha256');
  readonly #seen = new Map<string, number>();
  #waiting: Item[] = [];

  constructor(job: Job, means: Means, kept: Progress | null, report: ReportFile | null) {
    this.#job = job;
    this.#means = means;
    this.#kept = kept;
    this.#report = report;
    this.#splitter = new JsonSplitter(job.kind.name);
    this.counts = { ...(kept?.counts ?? { total: 0, created: 0, updated: 0, unchanged: 0, failed: 0 }) };
    this.failures = [...(kept?.failures ?? [])];
  }

  async all(): Promise<void> {
    // Said before the first object is written, rather than after: that nothing can be remembered.
    if (this.#kept === null) this.#remember(null);
    try {
      await this.#read();
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      throw await this.#stopAt(error);
    }
    await this.#flush();
    if (this.#job.progressFile !== null && !this.#job.dryRun) removeProgress(this.#job.progressFile);
  }

  async #read(): Promise<void> {
    const { kind, source } = this.#job;
    const skipped = this.#kept?.next ?? 0;
    let index = 0;
    for await (const piece of piecesOf(this.#job.read(), this.#splitter)) {
      const item = itemFrom(piece, index);
      if (index >= skipped) this.#waiting.push(item);
      else this.#note(item);
      this.#digest.update(piece.bytes).update('\n');
      index += 1;
      if (index === skipped) this.#checkSkipped();
      if (index > skipped && index % kind.chunk === 0) await this.#flush();
      this.#means.bar.show(
        index,
        Math.max(0, index - skipped),
        source === null ? null : this.#splitter.taken / Math.max(1, source.size),
      );
    }
    if (index < skipped) throw changed(skipped);
  }

  /** An object that an earlier run imported: its id is taken. */
  #note({ index, externalId, candidate }: Item): void {
    const failed = this.failures.some((failure) => failure.index === index);
    if (externalId !== null && candidate !== null && !failed && !this.#seen.has(externalId)) {
      this.#seen.set(externalId, index);
    }
  }

  #checkSkipped(): void {
    if (this.#digest.copy().digest('hex') !== this.#kept?.digest) throw changed(this.#kept?.next ?? 0);
  }

  /** Writes what waits in one transaction, and remembers that it is done. */
  async #flush(): Promise<void> {
    const { kind, dryRun } = this.#job;
    const { db, clock, caller } = this.#means;
    const items = this.#waiting;
    if (items.length === 0) return;
    this.#waiting = [];
    const now = { ...caller, now: clock.now() };
    const { good, failures } = judged(kind, now, items, this.#seen);
    if (good.length > 0 && !dryRun) {
      const results = await this.#told(() => db.transaction((tx) => kind.write(tx, now, good)));
      for (const result of results) this.counts[result] += 1;
    }
    this.counts.total += items.length;
    this.counts.failed += failures.length;
    this.failures.push(...failures.slice(0, Math.max(0, MOST_TOLD - this.failures.length)));
    this.#report?.add(failures);
    this.#remember(null);
  }

  #remember(broken: Progress['broken']): void {
    const { kind, progressFile, dryRun, source } = this.#job;
    if (progressFile === null || dryRun) return;
    const { venue, mode } = this.#means.caller;
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

  /** Commits what came before the place where the file is not JSON, and says where that is. */
  async #stopAt({ message, index, byte }: BrokenStream): Promise<CliError> {
    if (index < (this.#kept?.next ?? 0)) return changed(this.#kept?.next ?? 0);
    await this.#flush();
    this.#remember({ index, byte });
    const place = `${this.#job.label} is not right at object ${index} (byte ${byte}): ${message}`;
    return refused(`${place}. ${this.#doneSoFar('mend it and run the same command again')}`);
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw refused(`${lineFor(error, [])} ${this.#doneSoFar('run the same command again')}`);
    }
  }

  #doneSoFar(remedy: string): string {
    const { total, created, updated, unchanged, failed } = this.counts;
    if (this.#job.dryRun) return `The ${total} objects before it were looked at, ${failed} of them failed.`;
    const counts = `created ${created}, updated ${updated}, unchanged ${unchanged}, failed ${failed}`;
    const goesOn = this.#job.progressFile === null ? 'what is in already counts as unchanged' : 'it goes on from there';
    return `${total} objects are done (${counts}): ${remedy}, and ${goesOn}.`;
  }
}
