// A real Chromium for the tests of the pages: the machine's own, wherever it usually is; on Debian as root it is installed.
// Without one, CI fails; elsewhere one line says how to get it.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const FOLDERS = [
  ...(process.env.PATH ?? '').split(':'),
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
];
const ELSEWHERE = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function find(): string | null {
  const wanted = process.env.CHROMIUM_PATH;
  if (wanted !== undefined) return wanted;
  const paths = [...FOLDERS.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...ELSEWHERE];
  return paths.find((path) => existsSync(path)) ?? null;
}

const APT = '/usr/bin/apt-get';

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return;
  process.stderr.write('No Chromium here: installing the package "chromium" for the tests of the pages.\n');
  const env = {
    ...process.env,
    DEBIAN_FRONTEND: 'noninteractive',
    PATH: `${process.env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin`,
  };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    execFileSync(APT, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

/** Null, outside CI alone: there is none, and it was said. */
export function browserPath(): string | null {
  const there = find();
  if (there !== null) return there;
  install();
  const installed = find();
  if (installed !== null) return installed;
  const remedy = 'Install Chromium or Chrome, or name one by CHROMIUM_PATH, to run the tests of the pages.';
  if (process.env.CI !== undefined) throw new Error(`There is no browser. ${remedy}`);
  process.stderr.write(`The tests of the pages were not run: there is no browser. ${remedy}\n`);
  return null;
}

export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
