// The list of known bugs stays true to the tree: each can be planted, and the tests that must notice it are there.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { MUTANTS } from './list.ts';

describe('a known bug', () => {
  it.each(MUTANTS.map((mutant) => [`${mutant.area}: ${mutant.bug}`, mutant] as const))('%s', (_, mutant) => {
    const { file, from, to, places = 1, tests } = mutant;
    expect(readFileSync(join(packageRoot, file), 'utf8').split(from).length - 1).toBe(places);
    expect(to).not.toBe(from);
    for (const test of tests === 'simulation' ? [] : tests)
      expect(existsSync(join(packageRoot, test)), test).toBe(true);
  });
});

it('no two known bugs have one name, and every area has some', () => {
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
