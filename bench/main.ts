// `npm run bench`: measures the promises of speed, each as a ratio of two sides that take turns. --json prints one JSON
// document, --quick takes fewer and shorter rounds and ends within 50 s, --only NAME runs that one, --report writes a page with plots.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/base/package-root.ts';
import { activityIngest } from './activity-ingest.ts';
import { analyticsGrowth } from './analytics-growth.ts';
import type { Bench, Result } from './bench.ts';
import { coldStart } from './cold-start.ts';
import { completePartyOf8 } from './complete-party-of-8.ts';
import { createCheckout } from './create-checkout.ts';
import { createCheckoutBound } from './create-checkout-bound.ts';
import { deliverBesideGarbage, deliverBesideHanging } from './deliver-beside-bad.ts';
import { deliverEvents } from './deliver-events.ts';
import { makeEndings } from './endings.ts';
import { expire100k } from './expire-100k.ts';
import { fleetBatch } from './fleet-batch.ts';
import { guestPage } from './guest-page.ts';
import { hookIntake } from './hook-intake.ts';
import { idempotentReplay } from './idempotent-replay.ts';
import { listGrowth } from './list-growth.ts';
import { describeMachine, loadNow } from './machine.ts';
import { oneHotKey } from './one-hot-key.ts';
import { readCheckout } from './read-checkout.ts';
import { renderReport } from './report.ts';
import { runBench } from './rounds.ts';
import { openStage } from './stage.ts';
import { renderTable, verdictOf } from './table.ts';

const BENCHES: readonly Bench[] = [
  createCheckout,
  createCheckoutBound,
  readCheckout,
  listGrowth,
  idempotentReplay,
  oneHotKey,
  completePartyOf8,
  deliverEvents,
  deliverBesideHanging,
  deliverBesideGarbage,
  expire100k,
  analyticsGrowth,
  activityIngest,
  fleetBatch,
  hookIntake,
  coldStart,
  guestPage,
];

interface Wish {
  readonly json: boolean;
  readonly quick: boolean;
  readonly report: boolean;
  readonly benches: readonly Bench[];
}

function readWish(args: readonly string[]): Wish {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const names = BENCHES.map(({ name }) => name);
  const unknown = values.only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no bench "${unknown}". There are: ${names.join(', ')}`);
  const benches = BENCHES.filter(({ name, isExtra }) =>
    values.only.length === 0 ? !(values.quick && isExtra) : values.only.includes(name),
  );
  return { json: values.json, quick: values.quick, report: values.report, benches };
}

/** One line on a terminal, written over by the next. */
function tell(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${line}`);
}

async function main(args: readonly string[]): Promise<void> {
  let wish: Wish;
  try {
    wish = readWish(args);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return;
  }
  const endings = makeEndings();
  try {
    const loadBefore = loadNow();
    tell('building, and starting a database');
    const stage = await openStage(wish.quick, endings);
    const results: Result[] = [];
    for (const bench of wish.benches) {
      results.push(await runBench(bench, stage, tell));
      if (endings.begun()) return; // Stopped in the middle: there is nothing to tell.
    }
    const machine = await describeMachine(stage.db, loadBefore);
    tell('');
    process.stdout.write(
      wish.json
        ? `${JSON.stringify({ results, machine, quick: wish.quick }, null, 2)}\n`
        : renderTable(results, machine),
    );
    if (wish.report) {
      const folder = join(packageRoot, 'bench', 'report');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'index.html'), renderReport(results, machine, new Date()));
      process.stderr.write(`bench: wrote ${join(folder, 'index.html')}\n`);
    }
    if (results.some((result) => ['error', 'below floor'].includes(verdictOf(result)))) process.exitCode = 1;
  } catch (error) {
    if (!endings.begun()) process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await endings.run();
  }
}

await main(process.argv.slice(2));
