// The list of known bugs agrees with the repository: each bug can be planted, and the tests that it names exist.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { MUTANTS } from './list.ts';

describe('a known bug can be planted, and its tests exist', () => {
  it.each(MUTANTS.map((mutant) => [`${mutant.area}: ${mutant.bug}`, mutant] as const))('%s', (_, mutant) => {
    const { file, from, to, places = 1, tests } = mutant;
    expect(readFileSync(join(packageRoot, file), 'utf8').split(from).length - 1).toBe(places);
    expect(to).not.toBe(from);
    for (const test of tests === 'simulation' ? [] : tests)
      expect(existsSync(join(packageRoot, test)), test).toBe(true);
  });
});

it('every known bug has its own name, and every area has at least one', () => {
  expect(new Set(MUTANTS.map(({ area, bug }) => `${area}: ${bug}`)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
  expect([...new Set(MUTANTS.map(({ area }) => area))].sort()).toEqual([
    'analytics',
    'catalogue',
    'events',
    'guests',
    'hooks',
    'idempotency',
    'limits',
    'logs',
    'money',
    'tools',
    'walls',
  ]);
});
