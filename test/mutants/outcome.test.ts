// Which output of a run counts as a caught bug, and which does not.

import { describe, expect, it } from 'vitest';
import { needsConfirmation, type ProcessResult, readSimulationResult, readVitestResult } from './outcome.ts';

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly tests?: readonly (readonly [name: string, status: string, says?: string])[];
}

function processResult(files: readonly TestFile[] | null, overrides: Partial<ProcessResult> = {}): ProcessResult {
  const testResults = files?.map(({ name, status, message = '', tests = [] }) => ({
    name: `/tmp/test/x/tree/test/${name}`,
    status,
    message,
    assertionResults: tests.map(([fullName, testStatus, says]) => ({
      fullName,
      status: testStatus,
      failureMessages: says === undefined ? [] : [says],
    })),
  }));
  const report = testResults === undefined ? null : JSON.stringify({ testResults });
  return { code: 1, tookTooLong: false, output: '', report, ...overrides };
}

const failing: TestFile = {
  name: 'checkouts/e.test.ts',
  status: 'failed',
  tests: [
    ['money is safe', 'passed'],
    ['money is moved', 'failed', '\nAssertionError: expected 1 to be 2\n    at somewhere'],
  ],
};

describe('the outcome of a vitest run', () => {
  it('names the failed test and the first line of its message, not a file that was skipped because of it', () => {
    const skipped = ['a', 'b', 'c'].map((name) => ({ name: `checkouts/${name}.test.ts`, status: 'passed' }));
    expect(readVitestResult(processResult([...skipped, failing]))).toEqual({
      kind: 'caught',
      where: 'test/checkouts/e.test.ts',
      by: 'money is moved',
      says: 'AssertionError: expected 1 to be 2',
    });
  });

  it('is caught when a test failed, also beside a file that could not start', () => {
    const notStarted = { name: 'checkouts/a.test.ts', status: 'failed', message: 'SyntaxError' };
    expect(readVitestResult(processResult([notStarted, failing])).kind).toBe('caught');
  });

  it('is broken when a file could not start, or its beforeAll failed', () => {
    const notStarted = { name: 'checkouts/a.test.ts', status: 'failed', message: 'SyntaxError: no\nat x' };
    expect(readVitestResult(processResult([notStarted]))).toEqual({
      kind: 'broken',
      why: 'test/checkouts/a.test.ts could not begin: SyntaxError: no',
    });
    expect(readVitestResult(processResult([{ ...notStarted, tests: [['money is safe', 'skipped']] }])).kind).toBe(
      'broken',
    );
  });

  it('is broken when the run took too long, crashed, or exited with an error without a failed test', () => {
    expect(readVitestResult(processResult([failing], { tookTooLong: true, code: null })).kind).toBe('broken');
    expect(readVitestResult(processResult(null, { code: null, output: 'Killed' })).kind).toBe('broken');
    expect(readVitestResult(processResult([{ name: 'a.test.ts', status: 'passed' }])).kind).toBe('broken');
  });

  it('is caught when a log holds a secret, and survived when everything passed', () => {
    const output = 'one\nlogs: 7 lines hold what no log may hold:\ntwo';
    expect(readVitestResult(processResult([], { output }))).toMatchObject({
      kind: 'caught',
      where: 'test/logs/setup.ts',
    });
    expect(readVitestResult(processResult([], { code: 0 }))).toEqual({ kind: 'survived' });
  });
});

describe('the outcome of a simulation', () => {
  it('names the first seed and its violation', () => {
    const output = '\nseed 12: a gap\ntrace\n\nseed 9: other\nFAILED: 12, 9. Replay one with: npm run sim -- --seed 12';
    expect(readSimulationResult(processResult(null, { output }))).toEqual({
      kind: 'caught',
      where: 'simulation',
      by: 'seed 12',
      says: 'a gap',
    });
  });

  it('is broken when a crash names no seed', () => {
    const output = 'Error: no PostgreSQL\nFAILED: -1. Replay one with: npm run sim -- --seed -1';
    expect(readSimulationResult(processResult(null, { output })).kind).toBe('broken');
    expect(readSimulationResult(processResult(null, { tookTooLong: true, code: null })).kind).toBe('broken');
    expect(readSimulationResult(processResult(null, { code: 0 })).kind).toBe('survived');
  });
});

it('a failure that a busy machine can cause needs confirmation', () => {
  const caught = (says: string) => ({ kind: 'caught', where: 'test/a.test.ts', by: 'it holds', says }) as const;
  for (const says of [
    'Error: Test timed out in 240000ms.',
    'Error: Hook timed out in 240000ms.',
    'connect ECONNREFUSED 127.0.0.1:80',
    'Error: Connection terminated unexpectedly',
  ]) {
    expect(needsConfirmation(caught(says)), says).toBe(true);
  }
  expect(needsConfirmation(caught('AssertionError: expected 1 to be 2'))).toBe(false);
  expect(needsConfirmation({ kind: 'survived' })).toBe(false);
});
