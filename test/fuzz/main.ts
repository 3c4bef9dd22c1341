// Fuzz: `npm run fuzz -- --requests N --seed S`. The real service in processes of its own, a world with something in every state,
// and requests of every kind, several at a time; every answer is judged (judge.ts), and afterwards memory, logs, books and the
// README's own checkout. What was answered badly is printed whole, with the line that sends it again alone.

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config.ts';
import { openDb } from '../../src/base/db.ts';
import { makeLog } from '../../src/base/log.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { systemRandom } from '../../src/base/random.ts';
import { type House, makeHouse } from '../../src/run/house.ts';
import type { Violation } from '../chaos/violation.ts';
import { startReceiver } from '../outbound/receiver.ts';
import { checkBooks, checkReadmeStory, readLogs } from './afterwards.ts';
import { judgeMemory } from './memory.ts';
import { type Options, readOptions } from './options.ts';
import { asRecord, inWords } from './report.ts';
import { type Finding, type Outcome, type Place, runFuzz } from './run.ts';
import { type Memory, openStage, type Stage } from './stage.ts';

/** Requests for one town. */
const GENERATION = 1_500;

function say({ json }: Options, line: string): void {
  if (!json) process.stderr.write(`fuzz: ${line}\n`);
}

function openHouse(stage: Stage): House {
  const db = openDb({ url: stage.databaseUrl, connections: 4, pooled: false, applicationName: 'everyshare-fuzz' });
  const house = makeHouse({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'fuzz'),
    sealKey: stage.sealKey,
    operatorToken: stage.operatorToken,
    schemaFolder: join(packageRoot, 'schemas', 'v1'),
  });
  house.address.base = stage.base;
  return house;
}

async function fuzz(options: Options, stage: Stage, place: Place): Promise<boolean> {
  const { seed, lanes } = options;
  const samples: Memory[] = [];
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
      samples.push(await stage.memory());
      const perSecond = Math.round((done / (Date.now() - began)) * 1_000);
      const { heap = 0 } = samples.at(-1) ?? {};
      say(options, `${done} of ${options.requests}, ${perSecond} a second, ${Math.round(heap / 2 ** 20)} MB in use`);
    },
  });
  return conclude(options, stage, place, outcome, samples);
}

async function conclude(
  options: Options,
  stage: Stage,
  { house }: Place,
  { findings, tally }: Outcome,
  samples: readonly Memory[],
): Promise<boolean> {
  const violations: Violation[] = [];
  const found = (rule: string, subject: string, what: string): void => void violations.push({ rule, subject, what });
  say(options, 'the books, the logs, the README’s checkout');
  await checkReadmeStory(house, stage, found);
  await checkBooks(stage, found);
  const memory = judgeMemory(samples);
  if (!memory.isFlat) found('memory is flat', 'serve', `${memory.before} MB became ${memory.after} MB`);
  for (const line of stage.fallen) found('no process ends by itself', 'process', line);
  for (const label of tally.untried)
    if (options.requests >= 200) found('no operation is left out', label, 'no request');
  const warnings = readLogs(stage, [], found);
  const ok = findings.length === 0 && violations.length === 0;
  const { requests, slowest } = tally.all;
  const verdict = {
    ok,
    seed: options.seed,
    requests,
    slowest: Math.round(slowest),
    memory,
    warnings,
    violations,
    findings: findings.length,
  };
  writeFileSync(join(stage.folder, 'verdict.json'), `${JSON.stringify(verdict, null, 2)}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify(verdict)}\n`);
  else process.stdout.write(`${tally.table()}\n\n${told(verdict)}\n`);
  return ok;
}

interface Verdict {
  readonly ok: boolean;
  readonly seed: number;
  readonly requests: number;
  readonly slowest: number;
  readonly memory: ReturnType<typeof judgeMemory>;
  readonly warnings: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
  readonly findings: number;
}

function told({ ok, seed, requests, slowest, memory, warnings, violations, findings }: Verdict): string {
  return [
    ...Object.entries(warnings).map(([msg, count]) => `warned ${count} times: ${msg}`),
    ...violations.map(({ rule, subject, what }) => `NOT HELD: ${rule}: ${subject}: ${what}`),
    `memory after collection: ${memory.before} MB, then ${memory.after} MB (${memory.samples} samples; the process is ${memory.rss} MB large)`,
    `${requests} requests of seed ${seed}, the slowest ${slowest} ms, ${findings} answered badly, ${violations.length} rules not held.`,
    ok ? 'Everything held.' : `FAILED: see .fuzz/${seed}/`,
  ].join('\n');
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
  const house = openHouse(stage);
  let leaving: Promise<void> | null = null;
  const leave = (): Promise<void> => {
    leaving ??= house.db
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
  const place: Place = { base, house, operatorToken, noticeSecrets, receiver: `https://127.0.0.1:${receiver.port}` };
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
