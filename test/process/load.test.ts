// How the built program is loaded: what V8 made of it is kept for the next start, and nothing that happens to what is kept
// changes what the program does.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

let folder: string;
let dist: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everyshare-load-'));
  dist = join(folder, 'dist');
  for (const name of ['bin', 'dist']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(join(packageRoot, 'bin', 'load.js'), join(folder, 'bin', 'load.js'));
  const main = ["import { load } from '../bin/load.js';", "load(new URL('./main-A.cjs', import.meta.url));"];
  writeFileSync(join(dist, 'main.js'), main.join('\n'));
  program('');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Says what it got, and then does this. */
const program = (more: string): void =>
  writeFileSync(
    join(dist, 'main-A.cjs'),
    `(function (require, __filename) { const { sep } = require('node:path'); const say = (words) => console.log(words.join(' '));
     say(['got', ...process.argv.slice(2)]); ${more} })`,
  );

const environment = { PATH: process.env.PATH ?? '' };
const run = (words: readonly string[] = ['version'], env: Record<string, string> = {}): string =>
  execFileSync(process.execPath, [join(dist, 'main.js'), ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...env },
  }).trim();
const kept = (): string[] => readdirSync(dist).filter((name) => name.includes('.cache'));
const place = (): string => join(dist, kept()[0] ?? '');

it('a program does what it does, and what V8 made of it is kept by version and role, and used the next time', () => {
  expect([run(), kept()]).toEqual(['got version', [`main-A.cjs.${process.version}-${process.arch}-command.cache`]]);
  const before = statSync(place());
  expect(run(['help', 'me'])).toBe('got help me');
  // Used, and so not made anew.
  expect(statSync(place()).ino).toBe(before.ino);
  program('process.emit("everyshare:ready"); setTimeout(() => undefined, 1_000);');
  run(['serve']);
  expect(kept()).toHaveLength(2);
});

it.each<[string, (bytes: Buffer) => Buffer]>([
  ['empty', () => Buffer.alloc(0)],
  ['cut short', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['changed in one place', (bytes) => Buffer.from(bytes.map((byte, at) => (at === 100 ? byte ^ 1 : byte)))],
  [
    'of another program, with a sum that is right',
    () => {
      const other = Buffer.from('nothing that V8 ever wrote'.repeat(9));
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc32(other));
      return Buffer.concat([sum, other]);
    },
  ],
])('what was kept and is %s is made anew, and the program does what it does', (_, damaged) => {
  run();
  const whole = readFileSync(place());
  writeFileSync(place(), damaged(whole));
  expect(run()).toBe('got version');
  const bytes = readFileSync(place());
  expect(bytes.length).toBeGreaterThan(200);
  expect(bytes.readUInt32BE(0)).toBe(crc32(bytes.subarray(4)));
});

it('where nothing can be written, and with flags of one’s own, a program does what it does without it', () => {
  program(`require('node:fs').rmSync(__filename.slice(0, __filename.lastIndexOf(sep)), { recursive: true });`);
  expect(run()).toBe('got version');
  mkdirSync(dist);
  writeFileSync(
    join(dist, 'main.js'),
    "import { load } from '../bin/load.js';\nload(new URL('./main-A.cjs', import.meta.url));",
  );
  program('');
  expect([run(['version'], { NODE_OPTIONS: '--expose-gc' }), kept()]).toEqual(['got version', []]);
});

it('what cannot be kept for another reason is told, and ends nobody', () => {
  const name = `main-A.cjs.${process.version}-${process.arch}-command.cache`;
  mkdirSync(join(dist, name));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, 'main.js'), 'version'], {
    encoding: 'utf8',
    env: environment,
  });
  expect([status, stdout.trim()]).toEqual([0, 'got version']);
  expect(stderr).toMatch(/^everyshare: the next start will be slower, .* could not be written: EISDIR/);
  expect(kept()).toEqual([name]);
});

it('a program that runs for long keeps it once it says that it is ready: it may be killed', async () => {
  program('setInterval(() => undefined, 1_000); process.emit("everyshare:ready");');
  const child = spawn(process.execPath, [join(dist, 'main.js'), 'worker'], { env: environment, stdio: 'ignore' });
  await expect.poll(kept, { timeout: 60_000 }).toEqual([`main-A.cjs.${process.version}-${process.arch}-worker.cache`]);
  child.kill('SIGKILL');
});

it('a server that ends before it is ready keeps nothing: too little is known of what a start needs', () => {
  run(['serve']);
  expect(kept()).toEqual([]);
});

it('an error on the way is told as ever', () => {
  program('throw new Error("it did not go well");');
  const failed = (() => {
    try {
      return run();
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  })();
  expect(failed).toMatch(/main-A\.cjs:2[\s\S]*it did not go well/);
});
