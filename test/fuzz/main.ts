// Fuzz: `npm run fuzz -- --requests N --seed S`. The real service in processes of its own, a world with something in every state,
// and requests of every kind, several at a time; every answer is judged (judge.ts), and afterwards memory, logs, books and the
// README's own checkout. What was answered badly is printed whole, with the line that sends it again alone.

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
import type { Sample } from './memory.ts';
import { type Options, readOptions } from './options.ts';
import { type Memory, type ProcessName, type RunningService, startProcesses } from './processes.ts';
import { asRecord, inWords } from './report.ts';
import { type Finding, type FuzzTarget, runFuzz } from './run.ts';
import { summarize } from './summary.ts';

/** Requests for one fixture. */
const GENERATION = 1_500;

function say({ json }: Options, line: string): void {
  if (!json) process.stderr.write(`fuzz: ${line}\n`);
}

function openHouse(service: RunningService): AppContext {
  const db = openDb({ url: service.databaseUrl, connections: 4, pooled: false, applicationName: 'everyshare-fuzz' });
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: recordSessionTokens(systemRandom),
    log: makeLog('silent', 'fuzz'),
    sealKey: service.sealKey,
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

async function fuzz(options: Options, service: RunningService, place: FuzzTarget): Promise<boolean> {
  const { seed, lanes } = options;
  const samples: Record<ProcessName, Sample[]> = { serve: [], worker: [], processor: [] };
  const began = Date.now();
  const tell = (finding: Finding): void => {
    appendFileSync(join(service.folder, 'findings.jsonl'), `${JSON.stringify(asRecord(finding))}\n`);
    if (!options.json) process.stdout.write(`${inWords(finding)}\n\n`);
  };
  const outcome = await runFuzz(place, {
    seed,
    lanes,
    boundMs: options.boundSeconds * 1_000,
    from: 0,
    requests: options.requests,
    generation: Math.min(GENERATION, Math.max(100, Math.ceil(options.requests / 12))),
    onFinding: tell,
    onPause: async (done) => {
      const memory = await service.memory();
      const used = (Object.entries(memory) as [ProcessName, Memory][]).map(([name, one]) => {
        samples[name].push({ ...one, requests: done });
        return `${name} ${(one.heap / 2 ** 20).toFixed(1)}`;
      });
      const perSecond = Math.round((done / (Date.now() - began)) * 1_000);
      say(options, `${done} of ${options.requests}, ${perSecond} a second, in use: ${used.join(', ')} MB`);
    },
  });
  say(options, 'the books, the logs, the README’s checkout');
  return summarize(options, service, place, outcome, samples);
}

/** One request alone, in a fixture of its own, with what came of it. */
async function replay(options: Options, number: number, place: FuzzTarget): Promise<boolean> {
  const { seed, boundSeconds } = options;
  const course = { seed, from: number, requests: 1, lanes: 1, generation: 1, boundMs: boundSeconds * 1_000 };
  const { findings, tally } = await runFuzz(place, course);
  process.stdout.write(
    findings.length > 0 ? `${findings.map(inWords).join('\n')}\n` : `${tally.table()}\nAnswered well.\n`,
  );
  return findings.length === 0;
}

async function run(options: Options): Promise<number> {
  const name = options.replay === null ? String(options.seed) : `replay-${options.seed}-${options.replay}`;
  say(options, `seed ${options.seed}: building and starting`);
  const service = await startProcesses(options.seed, join(packageRoot, '.fuzz', name));
  const receiver = await startHttpsReceiver((_request, response) => response.end('ok'));
  process.env[LOG_FOLDER_VARIABLE] = service.secrets;
  const context = openHouse(service);
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
  const place: FuzzTarget = {
    base,
    context,
    operatorToken,
    processorEventSecrets,
    receiver: `https://127.0.0.1:${receiver.port}`,
  };
  try {
    const ok =
      options.replay === null ? await fuzz(options, service, place) : await replay(options, options.replay, place);
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
