// The time from the spawn of our server to its first 200, with the database running and migrated, against that of a
// bare Fastify.

import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture, StartedServer } from './fixture.ts';

export const coldStart: Bench = {
  name: 'cold-start',
  floor: 0.5,
  goal: 0.8,
  unit: 'ms',
  better: 'less',
  note: 'GET /readyz, which queries the database. Both have been started before: files are in the page cache, and ours has its stored V8 code (the first start after a build does not). Our card processor is already running. The bare side loads Fastify from node_modules.',
  rounds: { full: 11, quick: 3 },
  sides: { ours: 'our server', base: 'bare Fastify' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const timed = async (start: () => Promise<StartedServer>): Promise<number> => {
    const started = await start();
    await started.stop();
    return started.startMs;
  };
  const ours = (): Promise<number> => timed(() => fixture.startServer());
  const base = (): Promise<number> => timed(() => fixture.startBareRoute('/readyz', '{"status":"ready"}'));
  await ours();
  await base();
  return { ours, base, close: async () => undefined };
}
