// From the spawn of the process to its first 200, the database running and migrated: against the start of a bare Fastify.

import type { Bench, Prepared } from './bench.ts';
import type { Stage, Started } from './stage.ts';

export const coldStart: Bench = {
  name: 'cold-start',
  floor: 0.33,
  goal: 0.7,
  unit: 'ms',
  better: 'less',
  note: 'GET /readyz, which asks the database. Both have been started before: files are in the page cache, and ours has what V8 kept of it (the first start after a build has not); ours finds its card processor running; the bare side loads Fastify from node_modules.',
  rounds: { full: 11, quick: 3 },
  sides: { ours: 'our server', base: 'bare Fastify' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const timed = async (start: () => Promise<Started>): Promise<number> => {
    const started = await start();
    await started.stop();
    return started.milliseconds;
  };
  const ours = (): Promise<number> => timed(() => stage.startOurs());
  const base = (): Promise<number> => timed(() => stage.startBare('/readyz', '{"status":"ready"}'));
  await ours();
  await base();
  return { ours, base, close: async () => undefined };
}
