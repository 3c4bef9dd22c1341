// npm run sim -- --seeds N [--from N] [--jobs N] [--seed S] [--choose]: runs many seeds of the simulation on its own
// PostgreSQL, with one process for each core (at least two), or one seed with its whole trace. Exits with 1 if an
// invariant did not hold. With --choose it prints the seeds for test-seeds.ts.

import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '../../sandbox/postgres/embedded.ts';
import { migrate } from '../../src/base/migrate.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { schemaFolders } from '../../src/base/schema-files.ts';
import { createDatabase } from '../support/create-database.ts';
import { chooseSeeds } from './choose-seeds.ts';
import { SimulationEnvironment } from './environment.ts';
import { type Outcome, runSeed } from './run.ts';
import { FIRST_SEEDS, REQUIRED_TRANSITIONS } from './test-seeds.ts';

interface SeedRange {
  /** Databases for seeds at the same time: while one waits for PostgreSQL, another runs. */
  readonly urls: readonly string[];
  readonly from: number;
  readonly seeds: number;
  readonly step: number;
}

type SeedResult =
  | { readonly done: number; readonly transitions: readonly string[] }
  | { readonly failed: Pick<Outcome, 'seed' | 'violation' | 'trace'> };

const LAST_LINES = 60;
const DATABASE_SUFFIXES = ['a', 'b'];

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function runRange(range: SeedRange): Promise<void> {
  let next = range.from;
  const runNext = async (url: string): Promise<void> => {
    const environment = await SimulationEnvironment.open(url);
    while (next < range.from + range.seeds * range.step) {
      const seed = next;
      next += range.step;
      const { violation, trace, transitions } = await runSeed(environment, seed);
      const result: SeedResult =
        violation === null ? { done: seed, transitions } : { failed: { seed, violation, trace } };
      process.send?.(result);
    }
    await environment.close();
  };
  await Promise.all(range.urls.map(runNext));
  process.disconnect();
}

async function withPostgres<T>(work: (server: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'everyshare-sim-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  try {
    await migrate(await createDatabase(postgres.url, 'everyshare_template', null), schemaFolders(packageRoot));
    return await work(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function runOne(server: string, seed: number): Promise<number> {
  const environment = await SimulationEnvironment.open(await createDatabase(server, 'sim_one', 'everyshare_template'));
  const { trace, hash, violation, statuses } = await runSeed(environment, seed);
  await environment.close();
  print(trace.join('\n'));
  print(`seed ${seed}: ${statuses.join(', ')}; ${violation === null ? 'everything held' : violation}; hash ${hash}`);
  return violation === null ? 0 : 1;
}

function printChoice(reached: ReadonlyMap<number, readonly string[]>): void {
  const inOrder = new Map([...reached].sort(([a], [b]) => a - b));
  const { rareSeeds, counts } = chooseSeeds(inOrder, REQUIRED_TRANSITIONS, FIRST_SEEDS);
  for (const [name, count] of [...counts].sort((a, b) => b[1] - a[1])) print(`${String(count).padStart(6)}  ${name}`);
  print(`\nFor test/sim/test-seeds.ts, beside seeds 1 to ${FIRST_SEEDS}:\n[${rareSeeds.join(', ')}]`);
}

async function runMany(
  server: string,
  { from, seeds, jobs, isChoosing }: { from: number; seeds: number; jobs: number; isChoosing: boolean },
): Promise<number> {
  const startedAt = Date.now();
  let done = 0;
  const failed: number[] = [];
  const reached = new Map<number, readonly string[]>();
  const show = (): void => {
    const perSecond = (done / ((Date.now() - startedAt) / 1000)).toFixed(1);
    const progress = `${done} of ${seeds} seeds, ${failed.length} failed, ${perSecond}/s`;
    if (process.stderr.isTTY) process.stderr.write(`\r${progress} `);
    else if (done % 1000 === 0) print(progress);
  };
  await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      const urls: string[] = [];
      for (const runNext of DATABASE_SUFFIXES) {
        urls.push(await createDatabase(server, `sim_${job}_${runNext}`, 'everyshare_template'));
      }
      const range: SeedRange = { urls, from: from + job, seeds: Math.ceil((seeds - job) / jobs), step: jobs };
      const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(range)]);
      child.on('message', (result: SeedResult) => {
        done++;
        if ('failed' in result) {
          failed.push(result.failed.seed);
          print(
            `\nseed ${result.failed.seed}: ${result.failed.violation}\n${result.failed.trace.slice(-LAST_LINES).join('\n')}`,
          );
        } else reached.set(result.done, result.transitions);
        if (done % 50 === 0) show();
      });
      await new Promise<void>((resolve) => {
        child.on('exit', (code) => {
          if (code !== 0) failed.push(-1);
          resolve();
        });
      });
    }),
  );
  show();
  const seconds = (Date.now() - startedAt) / 1000;
  print(
    `\n${done} of ${seeds} seeds from ${from} in ${seconds.toFixed(1)} s (${(done / seconds).toFixed(1)}/s), ${jobs} processes.`,
  );
  if (failed.length === 0 && done === seeds) {
    print('Everything held.');
    if (isChoosing) printChoice(reached);
    return 0;
  }
  print(`FAILED: ${failed.join(', ')}. Replay one with: npm run sim -- --seed ${failed[0]}`);
  return 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '2000' },
      seed: { type: 'string' },
      from: { type: 'string', default: '1' },
      choose: { type: 'boolean', default: false },
      jobs: { type: 'string', default: String(Math.max(2, availableParallelism())) },
    },
  });
  process.exitCode = await withPostgres((server) =>
    values.seed === undefined
      ? runMany(server, {
          from: Number(values.from),
          seeds: Number(values.seeds),
          jobs: Number(values.jobs),
          isChoosing: values.choose,
        })
      : runOne(server, Number(values.seed)),
  );
}

if (process.send === undefined) await main();
else await runRange(JSON.parse(process.argv[2] ?? '{}') as SeedRange);
