// The summary of a run: findings, addresses that got no request or accepted none, memory, logs, records and the
// README's checkout.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from '../support/violation.ts';
import { checkMemory, describeMemory, type MemoryResult, type Sample } from './check-memory.ts';
import { checkLogs, checkReadmeCheckout, checkRecords, type LogFigures } from './final-checks.ts';
import type { Options } from './options.ts';
import { PAGES } from './page-requests.ts';
import type { ProcessName, RunningService } from './processes.ts';
import type { FuzzTarget, Outcome } from './run.ts';

interface RunSummary {
  readonly ok: boolean;
  readonly seed: number;
  readonly requests: number;
  /** The run ended early because of too many findings. */
  readonly isStopped: boolean;
  readonly slowest: number;
  readonly memory: Readonly<Record<ProcessName, MemoryResult>>;
  readonly logs: LogFigures;
  readonly violations: readonly Violation[];
  readonly findings: number;
}

/** With fewer requests, an address may get no request by chance, or no request that it can accept. */
const MIN_REQUESTS_FOR_COVERAGE = 2_000;
const MIN_REQUESTS_FOR_ACCEPTANCE = 5_000;
/** Some pages get one request in five hundred, and accept one of ten of those. */
const MIN_REQUESTS_FOR_PAGES = 50_000;
/** The processor holds its records in memory, and every checkout adds to them: its memory is reported, not checked. */
const GROWS_BY_DESIGN: readonly ProcessName[] = ['processor'];

export type Samples = Readonly<Record<ProcessName, readonly Sample[]>>;

export async function summarize(
  options: Options,
  service: RunningService,
  { context }: FuzzTarget,
  { findings, isStopped, coverage }: Outcome,
  samples: Samples,
): Promise<boolean> {
  const violations: Violation[] = [];
  const found = (rule: string, subject: string, what: string): void => void violations.push({ rule, subject, what });
  const { requests, slowest } = coverage.all;
  if (requests >= MIN_REQUESTS_FOR_COVERAGE && !options.hooksOnly)
    for (const label of coverage.untriedLabels) found('every address gets requests', label, 'no request');
  if (requests >= MIN_REQUESTS_FOR_ACCEPTANCE && !options.hooksOnly)
    for (const label of coverage.neverAccepted)
      if (requests >= MIN_REQUESTS_FOR_PAGES || !PAGES.includes(label))
        found('every address accepts some requests', label, 'it accepted none');
  await checkReadmeCheckout(context, service, found);
  await checkRecords(service, found);
  const memory = {
    serve: checkMemory(samples.serve),
    worker: checkMemory(samples.worker),
    processor: checkMemory(samples.processor),
  };
  for (const [name, { isFlat }] of Object.entries(memory) as [ProcessName, MemoryResult][])
    if (isFlat === false && !GROWS_BY_DESIGN.includes(name))
      found('memory is flat', name, describeMemory(name, memory[name]));
  for (const line of service.crashes) found('no process ends by itself', 'process', line);
  const logs = await checkLogs(service, found);
  const ok = findings.length === 0 && violations.length === 0;
  const summary: RunSummary = {
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
  writeFileSync(join(service.folder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else process.stdout.write(`${coverage.table()}\n\n${renderSummary(summary, options)}\n`);
  return ok;
}

function renderSummary({ memory, logs, violations, ...rest }: RunSummary, options: Options): string {
  const { ok, seed, requests, isStopped, slowest, findings } = rest;
  return [
    ...Object.entries(logs.warnings).map(([msg, count]) => `${count} warnings: ${msg}`),
    ...violations.map(({ rule, subject, what }) => `VIOLATION: ${rule}: ${subject}: ${what}`),
    ...(Object.entries(memory) as [ProcessName, MemoryResult][]).map(
      ([name, one]) =>
        `${describeMemory(name, one)}${GROWS_BY_DESIGN.includes(name) ? ' (its records are in memory)' : ''}`,
    ),
    `logs: ${logs.lines} lines, ${logs.requests} of them about a request, searched for ${logs.secrets} secrets and every shape of one`,
    `${requests} requests of seed ${seed}, the slowest ${slowest} ms, ${findings} bad responses, ${violations.length} violations.`,
    ...(isStopped ? [`STOPPED after ${requests} of ${options.requests}: there were too many findings.`] : []),
    ok ? 'No failures.' : `FAILED: see .fuzz/${seed}/`,
  ].join('\n');
}
