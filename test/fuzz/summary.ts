// What is said at the end of a run: whether anything was answered badly, left out or never taken, whether memory stayed flat, and what
// logs, books and the README's checkout say afterwards.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from '../support/violation.ts';
import { PAGES } from './ask-page.ts';
import { checkBooks, checkReadmeStory, type LogsRead, readLogs } from './final-checks.ts';
import { inWords, judgeMemory, type MemoryVerdict, type Sample } from './memory.ts';
import type { Options } from './options.ts';
import type { ProcessName, RunningService } from './processes.ts';
import type { FuzzTarget, Outcome } from './run.ts';

interface RunSummary {
  readonly ok: boolean;
  readonly seed: number;
  readonly requests: number;
  /** Fewer requests than were wanted: there were too many findings to go on. */
  readonly isStopped: boolean;
  readonly slowest: number;
  readonly memory: Readonly<Record<ProcessName, MemoryVerdict>>;
  readonly logs: LogsRead;
  readonly violations: readonly Violation[];
  readonly findings: number;
}

/** With fewer requests, chance alone may leave something out; or untaken, which takes the right request at the right time. */
const MIN_REQUESTS_FOR_COVERAGE = 2_000;
const MIN_REQUESTS_FOR_ACCEPTANCE = 5_000;
/** Some pages get one request in five hundred, and take one of ten of those. */
const MIN_REQUESTS_FOR_PAGES = 50_000;
/** Its books are in its memory, and every checkout adds to them: what it holds is told, and not judged. */
const GROWS_BY_DESIGN: readonly ProcessName[] = ['processor'];

export type Samples = Readonly<Record<ProcessName, readonly Sample[]>>;

export async function summarize(
  options: Options,
  service: RunningService,
  { context }: FuzzTarget,
  { findings, isStopped, tally }: Outcome,
  samples: Samples,
): Promise<boolean> {
  const violations: Violation[] = [];
  const found = (rule: string, subject: string, what: string): void => void violations.push({ rule, subject, what });
  const { requests, slowest } = tally.all;
  if (requests >= MIN_REQUESTS_FOR_COVERAGE)
    for (const label of tally.untried) found('nothing is left out', label, 'no request');
  if (requests >= MIN_REQUESTS_FOR_ACCEPTANCE)
    for (const label of tally.neverTaken)
      if (requests >= MIN_REQUESTS_FOR_PAGES || !PAGES.includes(label))
        found('everything takes some of its requests', label, 'it took none');
  await checkReadmeStory(context, service, found);
  await checkBooks(service, found);
  const memory = {
    serve: judgeMemory(samples.serve),
    worker: judgeMemory(samples.worker),
    processor: judgeMemory(samples.processor),
  };
  for (const [name, { isFlat }] of Object.entries(memory) as [ProcessName, MemoryVerdict][])
    if (isFlat === false && !GROWS_BY_DESIGN.includes(name)) found('memory is flat', name, inWords(name, memory[name]));
  for (const line of service.crashes) found('no process ends by itself', 'process', line);
  const logs = await readLogs(service, found);
  const ok = findings.length === 0 && violations.length === 0;
  const verdict: RunSummary = {
    ok,
    seed: options.seed,
    requests,
    isStopped,
    slowest: Math.round(slowest),
    memory,
    logs,
    violations,
    findings: findings.length,
  };
  writeFileSync(join(service.folder, 'verdict.json'), `${JSON.stringify(verdict, null, 2)}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify(verdict)}\n`);
  else process.stdout.write(`${tally.table()}\n\n${renderSummary(verdict, options)}\n`);
  return ok;
}

function renderSummary({ memory, logs, violations, ...rest }: RunSummary, options: Options): string {
  const { ok, seed, requests, isStopped, slowest, findings } = rest;
  return [
    ...Object.entries(logs.warnings).map(([msg, count]) => `warned ${count} times: ${msg}`),
    ...violations.map(({ rule, subject, what }) => `NOT HELD: ${rule}: ${subject}: ${what}`),
    ...(Object.entries(memory) as [ProcessName, MemoryVerdict][]).map(
      ([name, one]) => `${inWords(name, one)}${GROWS_BY_DESIGN.includes(name) ? ' (it keeps its books there)' : ''}`,
    ),
    `logs: ${logs.lines} lines, ${logs.requests} of them about a request, looked through for ${logs.secrets} secrets and every shape of one`,
    `${requests} requests of seed ${seed}, the slowest ${slowest} ms, ${findings} answered badly, ${violations.length} rules not held.`,
    ...(isStopped ? [`STOPPED after ${requests} of ${options.requests}: there were too many findings to go on.`] : []),
    ok ? 'Everything held.' : `FAILED: see .fuzz/${seed}/`,
  ].join('\n');
}
