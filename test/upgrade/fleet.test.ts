// What `npm run upgrade` forgives a process: only that PostgreSQL took too long to open a connection, and not in silence.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { waitFor } from '../support/wait-for.ts';
import { Fleet } from './fleet.ts';

let folder: string;
let fleet: Fleet;
beforeEach(() => {
  folder = makeScratchFolder('everyshare-fleet-');
  fleet = new Fleet(folder, {});
});
afterEach(() => {
  fleet.killAll();
  rmSync(folder, { recursive: true, force: true });
});

/** A program in the place of ours: what it does at its first start, its second, and so on. The last one is repeated. */
function program(...starts: readonly string[]): string {
  const home = join(folder, 'program');
  mkdirSync(join(home, 'dist'), { recursive: true });
  const source = `
    const { appendFileSync, readFileSync } = require('node:fs');
    const count = ${JSON.stringify(join(home, 'count'))};
    appendFileSync(count, 'x');
    const starts = [${starts.map((start) => `() => { ${start} }`).join(', ')}];
    starts[Math.min(readFileSync(count, 'utf8').length, starts.length) - 1]();`;
  writeFileSync(join(home, 'dist', 'main.js'), source);
  return home;
}
const fail = (line: string): string => `console.error(${JSON.stringify(line)}); process.exitCode = 1;`;
const SLOW = fail('everyshare: DATABASE_URL: the database at x cannot be used (timeout expired)');
// The handler comes first: a test stops the program as soon as it says that it is ready.
const READY = `process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log('everyshare worker is ready');`;

it('reports a start that is repeated because a connection took too long, and does not count it as a failure', async () => {
  const worker = await fleet.start('worker-1', program(SLOW, READY), 'worker');
  expect(fleet.slowStarts).toEqual([expect.stringContaining('start 1 of worker-1')]);
  await worker.stop();
  expect(fleet.failures).toEqual([]);
});

it('counts as a failure a start that fails for another reason, also after one that waited for a connection', async () => {
  await fleet.start('worker-1', program(SLOW, fail('everyshare: relation "x" does not exist'), READY), 'worker');
  expect(fleet.slowStarts).toHaveLength(1);
  expect(fleet.failures).toEqual([expect.stringMatching(/^start 2 of worker-1: .*relation "x" does not exist/s)]);
});

it('counts as a failure a process that ends by itself while it should run', async () => {
  const pid = join(folder, 'pid');
  const writePid = `require('node:fs').writeFileSync(${JSON.stringify(pid)}, String(process.pid));`;
  await fleet.start('worker-1', program(`${writePid} ${READY}`), 'worker');
  process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
  await waitFor('the end is noticed', () => fleet.failures.length > 0);
  expect(fleet.failures).toEqual(['worker-1 ended by itself (SIGKILL)']);
});
