// `npm run bench`: measures the promises of speed, each as a ratio of two sides that take turns. --json prints one JSON
// document, --quick takes few and short rounds of the promises alone and ends within 50 s, --only NAME runs that one, --report writes a page with plots.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/base/package-root.ts';
import type { Result } from './bench.ts';
import { makeEndings } from './endings.ts';
import { describeMachine, loadNow } from './machine.ts';
import { renderReport } from './report.ts';
import { runBench } from './rounds.ts';
import { openStage } from './stage.ts';
import { renderTable, verdictOf } from './table.ts';
import { readWish, type Wish } from './wish.ts';

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
    const stage = await openStage({ quick: wish.quick, together: wish.quick && wish.isWhole }, endings);
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
        : renderTable(results, machine, wish.quick),
    );
    if (wish.report) {
      const folder = join(packageRoot, 'bench', 'report');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'index.html'), renderReport(results, machine, new Date(), wish.quick));
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
