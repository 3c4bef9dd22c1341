// What counts as a catch, and what only looks like one.

import { describe, expect, it } from 'vitest';
import { isSuspicious, type ProcessResult, readSimulation, readTests } from './outcome.ts';

interface File {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly tests?: readonly (readonly [name: string, status: string, says?: string])[];
}

function ran(files: readonly File[] | null, more: Partial<ProcessResult> = {}): ProcessResult {
  const testResults = files?.map(({ name, status, message = '', tests = [] }) => ({
    name: `/tmp/test/x/tree/test/${name}`,
    status,
    message,
    assertionResults: tests.map(([fullName, is, says]) => ({
      fullName,
      status: is,
      failureMessages: says === undefined ? [] : [says],
    })),
  }));
  const report = testResults === undefined ? null : JSON.stringify({ testResults });
  return { code: 1, tookTooLong: false, output: '', report, ...more };
}

const failing: File = {
  name: 'checkouts/e.test.ts',
  status: 'failed',
  tests: [
    ['money is kept', 'passed'],
    ['money is moved', 'failed', '\nAssertionError: expected 1 to be 2\n    at somewhere'],
  ],
};

describe('of tests that were run with a bug', () => {
  it('the one that failed is named with the first line of what it said, not a file that was given up because of it', () => {
    const givenUp = ['a', 'b', 'c'].map((name) => ({ name: `checkouts/${name}.test.ts`, status: 'passed' }));
    expect(readTests(ran([...givenUp, failing]))).toEqual({
      kind: 'caught',
      where: 'test/checkouts/e.test.ts',
      by: 'money is moved',
      says: 'AssertionError: expected 1 to be 2',
    });
  });

  it('one that failed counts also beside a file that could not begin', () => {
    const unbegun = { name: 'checkouts/a.test.ts', status: 'failed', message: 'SyntaxError' };
    expect(readTests(ran([unbegun, failing])).kind).toBe('caught');
  });

  it('a file that could not begin, or whose beforeAll failed, catches nothing', () => {
    const unbegun = { name: 'checkouts/a.test.ts', status: 'failed', message: 'SyntaxError: no\nat x' };
    expect(readTests(ran([unbegun]))).toEqual({
      kind: 'broken',
      why: 'test/checkouts/a.test.ts could not begin: SyntaxError: no',
    });
    expect(readTests(ran([{ ...unbegun, tests: [['money is kept', 'skipped']] }])).kind).toBe('broken');
  });

  it('those that ran out of time, crashed, or ended badly without a failure catch nothing', () => {
    expect(readTests(ran([failing], { tookTooLong: true, code: null })).kind).toBe('broken');
    expect(readTests(ran(null, { code: null, output: 'Killed' })).kind).toBe('broken');
    expect(readTests(ran([{ name: 'a.test.ts', status: 'passed' }])).kind).toBe('broken');
  });

  it('a secret in a log is a catch; nothing at all is a survivor', () => {
    const output = 'one\nlogs: 7 lines hold what no log may hold:\ntwo';
    expect(readTests(ran([], { output }))).toMatchObject({ kind: 'caught', where: 'test/logs/setup.ts' });
    expect(readTests(ran([], { code: 0 }))).toEqual({ kind: 'survived' });
  });
});

describe('of the simulation', () => {
  it('the first seed and its violation are named', () => {
    const output = '\nseed 12: a gap\ntrace\n\nseed 9: other\nFAILED: 12, 9. Replay one with: npm run sim -- --seed 12';
    expect(readSimulation(ran(null, { output }))).toEqual({
      kind: 'caught',
      where: 'simulation',
      by: 'seed 12',
      says: 'a gap',
    });
  });

  it('a crash that names no seed catches nothing', () => {
    const output = 'Error: no PostgreSQL\nFAILED: -1. Replay one with: npm run sim -- --seed -1';
    expect(readSimulation(ran(null, { output })).kind).toBe('broken');
    expect(readSimulation(ran(null, { tookTooLong: true, code: null })).kind).toBe('broken');
    expect(readSimulation(ran(null, { code: 0 })).kind).toBe('survived');
  });
});

it('what a busy machine says too must be seen again', () => {
  const caught = (says: string) => ({ kind: 'caught', where: 'test/a.test.ts', by: 'it holds', says }) as const;
  for (const says of [
    'Error: Test timed out in 240000ms.',
    'Error: Hook timed out in 240000ms.',
    'connect ECONNREFUSED 127.0.0.1:80',
    'Error: Connection terminated unexpectedly',
  ]) {
    expect(isSuspicious(caught(says)), says).toBe(true);
  }
  expect(isSuspicious(caught('AssertionError: expected 1 to be 2'))).toBe(false);
  expect(isSuspicious({ kind: 'survived' })).toBe(false);
});
