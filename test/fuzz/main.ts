// Fuzz: `npm run fuzz -- --requests N --seed S`. Starts the real service in separate processes, creates a fixture with
// objects in every state, and sends requests of every kind, several at a time. It checks every response
// (check-response.ts), and at the end memory, logs, records and the README's checkout. It prints each bad response with
// the command that repeats its request.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config.ts';
import { openDb } from '../../src/base/db.ts';
import { makeLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { type AppContext, makeContext, readSchemas } from '../../src/run/context.ts';
import { LOG_FOLDER_VARIABLE, recordSealed, recordSecret, recordSessionTokens } from '../support/record-logs.ts';
import { startHttpsReceiver } from '../support/test-receivers.ts';
import type { Sample } from './check-memory.ts';
import { type Options, readOptions } from './options.ts';
import { type Memory, type ProcessName, type RunningService, startProcesses } from './processes.ts';
import { findingRecord, formatFinding } from './report.ts';
import { type Finding, type FuzzTarget, runFuzz } from './run.ts';
import { summarize } from './summary.ts';

/** Requests for one fixture. */
const REQUESTS_PER_FIXTURE = 1_500;

function log({ json }: Options, line: string): void {
  if (!json) process.stderr.write(`fuzz: ${line}\n`);
}

function openContext(service: RunningService): AppContext {
  const db = openDb({ url: service.databaseUrl, connections: 4, pooled: false, applicationName: 'everyshare-fuzz' });
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: recordSessionTokens(systemRandom),
    log: makeLog('silent', 'fuzz'),
    sealKeys: [service.sealKey],
    operatorToken: service.operatorToken,
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
  });
  context.address.base = service.base;
  recordSealed(context.seal);
  const { processorSecrets, processorEventSecrets, sealKey, operatorToken, databaseUrl } = service;
  const secrets = [
    ...Object.values(processorSecrets),
    ...Object.values(processorEventSecrets),
    sealKey.toString('base64'),
  ];
  for (const secret of [...secrets, operatorToken, new URL(databaseUrl).password])
    recordSecret('a secret of the run', secret);
  return context;
}

async function fuzz(options: Options, service: RunningService, target: FuzzTarget): Promise<boolean> {
  const { seed, concurrency } = options;
  const samples: Record<ProcessName, Sample[]> = { serve: [], worker: [], processor: [] };
  const startedAt = Date.now();
  const report = (finding: Finding): void => {
    appendFileSync(join(service.folder, 'findings.jsonl'), `${JSON.stringify(findingRecord(finding))}\n`);
    if (!options.json) process.stdout.write(`${formatFinding(finding)}\n\n`);
  };
  const outcome = await runFuzz(target, {
    seed,
    concurrency,
    timeoutMs: options.timeoutSeconds * 1_000,
    from: 0,
    requests: options.requests,
    hooksOnly: options.hooksOnly,
    requestsPerFixture: Math.min(REQUESTS_PER_FIXTURE, Math.max(100, Math.ceil(options.requests / 12))),
    onFinding: report,
    onPause: async (done) => {
      const memory = await service.memory();
      const used = (Object.entries(memory) as [ProcessName, Memory][]).map(([name, use]) => {
        samples[name].push({ ...use, requests: done });
        return `${name} ${(use.heap / 2 ** 20).toFixed(1)}`;
      });
      const perSecond = Math.round((done / (Date.now() - startedAt)) * 1_000);
      log(options, `${done} of ${options.requests}, ${perSecond} a second, in use: ${used.join(', ')} MB`);
    },
  });
  log(options, 'checking the records, the logs and the README’s checkout');
  return summarize(options, service, target, outcome, samples);
}

/** Sends one request of an earlier run in a new fixture, and prints its response. */
async function replay(options: Options, number: number, target: FuzzTarget): Promise<boolean> {
  const { seed, timeoutSeconds, hooksOnly } = options;
  const timeoutMs = timeoutSeconds * 1_000;
  const single = { seed, hooksOnly, from: number, requests: 1, concurrency: 1, requestsPerFixture: 1, timeoutMs };
  const { findings, coverage } = await runFuzz(target, single);
  process.stdout.write(
    findings.length > 0 ? `${findings.map(formatFinding).join('\n')}\n` : `${coverage.table()}\nNo faults.\n`,
  );
  return findings.length === 0;
}

async function run(options: Options): Promise<number> {
  const name = options.replay === null ? String(options.seed) : `replay-${options.seed}-${options.replay}`;
  log(options, `seed ${options.seed}: building and starting`);
  const service = await startProcesses(options.seed, join(packageRoot, '.fuzz', name));
  const receiver = await startHttpsReceiver((_request, response) => response.end('ok'));
  process.env[LOG_FOLDER_VARIABLE] = service.secrets;
  const context = openContext(service);
  let leaving: Promise<void> | null = null;
  const leave = (): Promise<void> => {
    leaving ??= context.db
      .close()
      .catch(() => undefined)
      .then(() => receiver.close())
      .then(() => service.close());
    return leaving;
  };
  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
    process.on(signal, () => void leave().finally(() => process.exit(code)));
  }
  const { base, operatorToken, processorEventSecrets } = service;
  const target: FuzzTarget = {
    base,
    context,
    operatorToken,
    processorEventSecrets,
    receiver: `https://127.0.0.1:${receiver.port}`,
  };
  try {
    const ok =
      options.replay === null ? await fuzz(options, service, target) : await replay(options, options.replay, target);
    return ok ? 0 : 1;
  } finally {
    await leave();
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  process.exitCode = options === null ? 0 : await run(options);
} catch (error) {
  process.stderr.write(`fuzz: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
