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
import { type AppContext, makeContext } from '../../src/run/context.ts';
import { FOLDER, keepDrawn, keepSealed, keepSecret } from '../support/record-logs.ts';
import { startReceiver } from '../support/test-receivers.ts';
import type { Sample } from './memory.ts';
import { type Options, readOptions } from './options.ts';
import { type Memory, openStage, type Stage, type Watched } from './processes.ts';
import { asRecord, inWords } from './report.ts';
import { type Finding, type Place, runFuzz } from './run.ts';
import { conclude } from './summary.ts';

/** Requests for one town. */
const GENERATION = 1_500;

function say({ json }: Options, line: string): void {
  if (!json) process.stderr.write(`fuzz: ${line}\n`);
}

function openHouse(stage: Stage): AppContext {
  const db = openDb({ url: stage.databaseUrl, connections: 4, pooled: false, applicationName: 'everyshare-fuzz' });
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: keepDrawn(systemRandom),
    log: makeLog('silent', 'fuzz'),
    sealKey: stage.sealKey,
    operatorToken: stage.operatorToken,
    schemaFolder: join(packageRoot, 'schemas', 'v1'),
  });
  context.address.base = stage.base;
  keepSealed(context.seal);
  const { processorSecrets, noticeSecrets, sealKey, operatorToken, databaseUrl } = stage;
  const secrets = [...Object.values(processorSecrets), ...Object.values(noticeSecrets), sealKey.toString('base64')];
  for (const secret of [...secrets, operatorToken, new URL(databaseUrl).password])
    keepSecret('a secret of the run', secret);
  return context;
}

async function fuzz(options: Options, stage: Stage, place: Place): Promise<boolean> {
  const { seed, lanes } = options;
  const samples: Record<Watched, Sample[]> = { serve: [], worker: [], processor: [] };
  const began = Date.now();
  const tell = (finding: Finding): void => {
    appendFileSync(join(stage.folder, 'findings.jsonl'), `${JSON.stringify(asRecord(finding))}\n`);
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
      const memory = await stage.memory();
      const used = (Object.entries(memory) as [Watched, Memory][]).map(([name, one]) => {
        samples[name].push({ ...one, requests: done });
        return `${name} ${(one.heap / 2 ** 20).toFixed(1)}`;
      });
      const perSecond = Math.round((done / (Date.now() - began)) * 1_000);
      say(options, `${done} of ${options.requests}, ${perSecond} a second, in use: ${used.join(', ')} MB`);
    },
  });
  say(options, 'the books, the logs, the README’s checkout');
  return conclude(options, stage, place, outcome, samples);
}

/** One request alone, in a town of its own, with what came of it. */
async function replay(options: Options, number: number, place: Place): Promise<boolean> {
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
  const stage = await openStage(options.seed, join(packageRoot, '.fuzz', name));
  const receiver = await startReceiver((_request, response) => response.end('ok'));
  process.env[FOLDER] = stage.secrets;
  const context = openHouse(stage);
  let leaving: Promise<void> | null = null;
  const leave = (): Promise<void> => {
    leaving ??= context.db
      .close()
      .catch(() => undefined)
      .then(() => receiver.close())
      .then(() => stage.close());
    return leaving;
  };
  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
    process.on(signal, () => void leave().finally(() => process.exit(code)));
  }
  const { base, operatorToken, noticeSecrets } = stage;
  const place: Place = {
    base,
    house: context,
    operatorToken,
    noticeSecrets,
    receiver: `https://127.0.0.1:${receiver.port}`,
  };
  try {
    const ok =
      options.replay === null ? await fuzz(options, stage, place) : await replay(options, options.replay, place);
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
