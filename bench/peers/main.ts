// `npm run bench:peers`: the same work through our program and through what people would otherwise use. A ratio of 1
// means as fast as the peer, and more is faster. Installs the peers at the first run. Takes the options of
// `npm run bench`, except --report.

import { makeCleanup } from '../cleanup.ts';
import { openFixture } from '../fixture.ts';
import { describeMachine, loadNow } from '../machine.ts';
import { readOptions } from '../options.ts';
import { runBench } from '../rounds.ts';
import { renderTable, resultLine } from '../table.ts';
import { nodeIcalBench, rruleBench } from './calendars.ts';
import { jobBenches } from './job-queues.ts';
import { limiterInMemory, limiterOnPostgres } from './limiters.ts';
import { medusaCreate, medusaCreateEmpty, medusaRead } from './medusa.ts';
import { installPackages, MEDUSA_FOLDER, PEERS_FOLDER } from './packages.ts';
import { toolCall, toolList } from './tool-server.ts';

const MEDUSA = [medusaCreate, medusaCreateEmpty, medusaRead];
const PEERS = [
  ...MEDUSA,
  ...jobBenches,
  limiterOnPostgres,
  limiterInMemory,
  toolList,
  toolCall,
  rruleBench,
  nodeIcalBench,
];

const cleanup = makeCleanup();
try {
  const { json, quick: isQuick, benches } = readOptions(process.argv.slice(2), PEERS);
  const loadBefore = loadNow();
  for (const folder of new Set(benches.map((bench) => (MEDUSA.includes(bench) ? MEDUSA_FOLDER : PEERS_FOLDER))))
    installPackages(folder);
  const fixture = await openFixture({ isQuick, shouldStartAll: false }, cleanup);
  const results = [];
  for (const bench of benches) {
    const result = await runBench(bench, fixture, () => undefined);
    if (cleanup.hasStarted()) break; // Interrupted: the results are incomplete.
    results.push(result);
    process.stderr.write(`${resultLine(result)}\n`);
  }
  const machine = await describeMachine(fixture.db, loadBefore);
  process.stdout.write(
    json
      ? `${JSON.stringify({ results, machine, quick: isQuick }, null, 2)}\n`
      : renderTable(results, machine, isQuick),
  );
  if (results.some(({ error }) => error !== undefined)) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}
