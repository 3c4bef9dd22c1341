// A short storm in every run of the suite, so that `npm run chaos` is never found broken on the day it is needed, and the
// coarsest mistakes do not wait for that day. The long one is `npm run chaos -- --minutes 30`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

const SEED = '20261';

it('keeps every promise while its processes are killed for twelve seconds', { timeout: 180_000 }, async () => {
  const words = ['--minutes', '0.2', '--seed', SEED, '--lanes', '3', '--every', '2', '--patience', '2', '--json'];
  const child = spawn(process.execPath, ['--import', 'tsx', join('test', 'chaos', 'main.ts'), ...words], {
    cwd: packageRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(out, err).not.toBe('');
  const verdict = JSON.parse(out) as { violations: unknown[]; figures: { acknowledged: number; kills: number } };
  expect(verdict.violations).toEqual([]);
  expect(code, err).toBe(0);
  expect(verdict.figures.acknowledged).toBeGreaterThan(0);
  expect(verdict.figures.kills).toBeGreaterThan(0);
  const page = readFileSync(join(packageRoot, '.chaos', SEED, 'timeline.html'), 'utf8');
  expect(page).toContain('<svg');
  expect(existsSync(join(packageRoot, '.chaos', SEED, 'violations.json'))).toBe(false);
});
