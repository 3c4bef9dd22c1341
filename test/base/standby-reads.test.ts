// Reads from a standby, with databases that answer as the test wants. test/process/standby-reads.test.ts has real ones.

import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemMonotonicClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db.ts';
import { makeLog } from '../../src/base/log.ts';
import { readFromStandby } from '../../src/base/standby-reads.ts';

const MAX_WAIT_MS = 10;

const databaseOf = (query: () => Promise<object[]>): Db => ({ priority: { query } }) as unknown as Db;

it('an answer of the standby that arrives while the server is busy is in time', async () => {
  const standby = databaseOf(() => {
    // The answer arrives while the process does something else for longer than the standby is given.
    queueMicrotask(() => {
      const end = performance.now() + 5 * MAX_WAIT_MS;
      while (performance.now() < end);
    });
    return stat('/').then(() => [{ replayed: true }]);
  });
  const reads = readFromStandby({
    primary: databaseOf(async () => [{ position: '0/1' }]),
    standby,
    elapsed: systemMonotonicClock,
    log: makeLog('silent', 'test'),
    maxWaitMs: MAX_WAIT_MS,
  });
  // From here the next thing that the process looks at are timers, not answers.
  await nextTurn();
  expect(await reads.read(async (db) => db === standby)).toBe(true);
});
