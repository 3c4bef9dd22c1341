// `npm run bench:peers`: the same work through our program and through what people would otherwise use. A ratio of 1
// means as fast as the peer, and more is faster. Installs the peers at the first run. Takes the options of
// `npm run bench`, except --report.

import { makeCleanup } from '../cleanup.ts';
import { openFixture } from '../fixture.ts';
import { describeMachine, loadNow } from '../machine.ts';
import { readOptions } from '../options.ts';
import { runBench } from '../rounds.ts';
import { renderTable } from '../table.ts';
import { nodeIcalBench, rruleBench } from './calendars.ts';
import { graphileWorker, pgBoss } from './job-queues.ts';
import { limiterInMemory, limiterOnPostgres } from './limiters.ts';
import { installPeers } from './packages.ts';
import { toolCall, toolList } from './tool-server.ts';

const PEERS = [
  graphileWorker,
  pgBoss,
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
  installPeers();
  const fixture = await openFixture({ isQuick, shouldStartAll: false }, cleanup);
  const results = [];
  for (const bench of benches) {
    if (process.stderr.isTTY) process.stderr.write(`${bench.name}\n`);
    results.push(await runBench(bench, fixture, () => undefined));
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
