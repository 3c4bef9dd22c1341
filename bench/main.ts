// `npm run bench`: measures the promises of speed, each as a ratio of two sides that alternate. --json prints one JSON
// document; --quick runs only the promises, with few and short rounds, and ends within 50 s; --only NAME runs one
// bench; --report writes a page with plots.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/base/package-root.ts';
import type { Result } from './bench.ts';
import { makeCleanup } from './cleanup.ts';
import { openFixture } from './fixture.ts';
import { describeMachine, loadNow } from './machine.ts';
import { type Options, readOptions } from './options.ts';
import { renderReport } from './report.ts';
import { runBench } from './rounds.ts';
import { ratingOf, renderTable, resultLine } from './table.ts';

/** Shows one line on a terminal; the next line replaces it. */
function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${line}`);
}

async function main(args: readonly string[]): Promise<void> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return;
  }
  const cleanup = makeCleanup();
  try {
    const loadBefore = loadNow();
    showProgress('building, and starting a database');
    const { quick: isQuick, isEveryBench } = options;
    const fixture = await openFixture({ isQuick, shouldStartAll: isQuick && isEveryBench }, cleanup);
    const results: Result[] = [];
    for (const bench of options.benches) {
      const result = await runBench(bench, fixture, showProgress);
      if (cleanup.hasStarted()) return; // Interrupted: the results are incomplete.
      results.push(result);
      showProgress('');
      process.stderr.write(`${resultLine(result)}\n`);
    }
    const machine = await describeMachine(fixture.db, loadBefore);
    showProgress('');
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ results, machine, quick: isQuick }, null, 2)}\n`
        : renderTable(results, machine, isQuick),
    );
    if (options.report) {
      const folder = join(packageRoot, 'bench', 'report');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'index.html'), renderReport(results, machine, new Date(), isQuick));
      process.stderr.write(`bench: wrote ${join(folder, 'index.html')}\n`);
    }
    if (results.some((result) => ['error', 'below floor'].includes(ratingOf(result)))) process.exitCode = 1;
  } catch (error) {
    if (!cleanup.hasStarted())
      process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

await main(process.argv.slice(2));
