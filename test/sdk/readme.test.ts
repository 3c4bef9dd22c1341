// The examples of the SDK's README run, as one program, with the built package against a real server; and the smoke test
// of the package passes.

import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildSdk } from '../../sdk/build.js';
import { packageRoot } from '../../src/base/package-root.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { readmeProgram } from './readme-program.ts';

let world: TestWorld;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  world = await openTestWorld();
  await buildSdk();
  folder = mkdtempSync(join(tmpdir(), 'everyshare-readme-'));
  const { venue } = await world.venue({ origins: ['https://example.com'] });
  const { key } = await world.key(venue.id);
  env = { EVERYSHARE_API_KEY: key, EVERYSHARE_URL: world.urls[0] ?? '' };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world.close();
});

async function run(cwd: string, ...args: string[]): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 60_000 };
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch((error: ExecFileException) => {
    throw new Error(`${error.stderr}`);
  });
  return stdout;
}

it('the examples of the README run', { timeout: 60_000 }, async () => {
  mkdirSync(join(folder, 'node_modules/@everyshare'), { recursive: true });
  symlinkSync(join(packageRoot, 'sdk'), join(folder, 'node_modules/@everyshare/sdk'));
  writeFileSync(join(folder, 'readme.mts'), readmeProgram());
  const tsx = pathToFileURL(join(packageRoot, 'node_modules/tsx/dist/esm/index.mjs')).href;
  const lines = (await run(folder, '--import', tsx, 'readme.mts')).trim().split('\n');
  expect(lines[0]).toMatch(/^send the organizer to http.+\/c\/chk_/);
  expect(lines).toContain('204');
  expect(lines).toContain('confirm bk-8842');
  expect(lines.some((line) => /^422 \w+ req_/.test(line))).toBe(true);
  expect(lines.some((line) => /^checkout\.created chk_/.test(line))).toBe(true);
  expect(lines.at(-2)).toMatch(/\/s\/\w+/);
});

it('the smoke test passes', { timeout: 60_000 }, async () => {
  expect(await run(packageRoot, 'sdk/smoke.mjs')).toBe(`the SDK works under Node ${process.version}\n`);
});

it('the README names every resource and method of the client', () => {
  const text = readFileSync(join(packageRoot, 'sdk/README.md'), 'utf8');
  const generated = readFileSync(join(packageRoot, 'sdk/src/resources.gen.ts'), 'utf8');
  const methods = [...generated.matchAll(/^ {2}(\w+)\(.*\): (?:ApiPromise|PagePromise|EventStream)/gm)].map(
    ([, name]) => name,
  );
  const guests = ['chooseParty', 'takeSeat', 'mailReceipt', 'decline', 'remove', 'remind', 'verify'];
  const named = methods.filter((name) => !guests.includes(name ?? ''));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
});
