// How the built program is loaded: V8's compile cache is stored for the next start. A missing or damaged cache never
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
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';

// Starts the whole program.
vi.setConfig({ testTimeout: 120_000 });

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
  writeProgram('');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a program that prints its arguments and then runs this code. */
const writeProgram = (code: string): void =>
  writeFileSync(
    join(dist, 'main-A.cjs'),
    `(function (require, __filename) { const { sep } = require('node:path'); const say = (words) => console.log(words.join(' '));
     say(['got', ...process.argv.slice(2)]); ${code} })`,
  );

const environment = { PATH: process.env.PATH ?? '' };
const run = (args: readonly string[] = ['version'], env: Record<string, string> = {}): string =>
  execFileSync(process.execPath, [join(dist, 'main.js'), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...env },
  }).trim();
const cacheFiles = (): string[] => readdirSync(dist).filter((name) => name.includes('.cache'));
const cachePath = (): string => join(dist, cacheFiles()[0] ?? '');

it('the first run stores a compile cache by version and role, and the next run uses it', () => {
  expect([run(), cacheFiles()]).toEqual([
    'got version',
    [`main-A.cjs.${process.version}-${process.arch}-command.cache`],
  ]);
  const before = statSync(cachePath());
  expect(run(['help', 'me'])).toBe('got help me');
  // The same file: the cache was used and not written again.
  expect(statSync(cachePath()).ino).toBe(before.ino);
  writeProgram('process.emit("everyshare:ready"); setTimeout(() => undefined, 1_000);');
  run(['serve']);
  expect(cacheFiles()).toHaveLength(2);
});

it.each<[string, (bytes: Buffer) => Buffer]>([
  ['empty', () => Buffer.alloc(0)],
  ['cut short', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['changed in one byte', (bytes) => Buffer.from(bytes.map((byte, index) => (index === 100 ? byte ^ 1 : byte)))],
  [
    'of another program, with a valid checksum',
    () => {
      const foreign = Buffer.from('nothing that V8 ever wrote'.repeat(9));
      const checksum = Buffer.alloc(4);
      checksum.writeUInt32BE(crc32(foreign));
      return Buffer.concat([checksum, foreign]);
    },
  ],
])('a cache that is %s is written again, and the program runs', (_, damage) => {
  run();
  const original = readFileSync(cachePath());
  writeFileSync(cachePath(), damage(original));
  expect(run()).toBe('got version');
  const bytes = readFileSync(cachePath());
  expect(bytes.length).toBeGreaterThan(200);
  expect(bytes.readUInt32BE(0)).toBe(crc32(bytes.subarray(4)));
});

it('the program runs without a cache in a folder that cannot be written, and with Node.js options', () => {
  writeProgram(`require('node:fs').rmSync(__filename.slice(0, __filename.lastIndexOf(sep)), { recursive: true });`);
  expect(run()).toBe('got version');
  mkdirSync(dist);
  writeFileSync(
    join(dist, 'main.js'),
    "import { load } from '../bin/load.js';\nload(new URL('./main-A.cjs', import.meta.url));",
  );
  writeProgram('');
  expect([run(['version'], { NODE_OPTIONS: '--expose-gc' }), cacheFiles()]).toEqual(['got version', []]);
});

it('another error while storing the cache is printed, and the program goes on', () => {
  const name = `main-A.cjs.${process.version}-${process.arch}-command.cache`;
  mkdirSync(join(dist, name));
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, 'main.js'), 'version'], {
    encoding: 'utf8',
    env: environment,
  });
  expect([status, stdout.trim()]).toEqual([0, 'got version']);
  expect(stderr).toMatch(/^everyshare: the next start will be slower, .* could not be written: EISDIR/);
  expect(cacheFiles()).toEqual([name]);
});

it('a long-running program stores the cache when it is ready, because it may be killed', async () => {
  writeProgram('setInterval(() => undefined, 1_000); process.emit("everyshare:ready");');
  const child = spawn(process.execPath, [join(dist, 'main.js'), 'worker'], { env: environment, stdio: 'ignore' });
  await expect
    .poll(cacheFiles, { timeout: 60_000 })
    .toEqual([`main-A.cjs.${process.version}-${process.arch}-worker.cache`]);
  child.kill('SIGKILL');
});

it('a server that exits before it is ready stores no cache, because its start is incomplete', () => {
  run(['serve']);
  expect(cacheFiles()).toEqual([]);
});

it('an error of the program is printed with its position', () => {
  writeProgram('throw new Error("it did not go well");');
  const stderr = (() => {
    try {
      return run();
    } catch (error) {
      return (error as { stderr: string }).stderr;
    }
  })();
  expect(stderr).toMatch(/main-A\.cjs:2[\s\S]*it did not go well/);
});
