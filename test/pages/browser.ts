// Finds a Chromium for the tests of the pages in the usual places. Before a run test/support/browser-setup.ts installs one
// on Debian as root. Without a browser CI fails; elsewhere the tests are skipped, and one line says how to install it.

import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

/** The headless shell first: a page in a new context takes a third of the processor time of a whole browser. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const FOLDERS = [
  ...(process.env.PATH ?? '').split(':'),
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
];
const MACOS_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function findBrowser(): string | null {
  const configured = process.env.CHROMIUM_PATH;
  if (configured !== undefined) return configured;
  const paths = [...NAMES.flatMap((name) => FOLDERS.map((folder) => join(folder, name))), ...MACOS_PATHS];
  return paths.find((path) => existsSync(path)) ?? null;
}

const APT = '/usr/bin/apt-get';
/** A smaller download than the package "chromium". */
const PACKAGE = 'chromium-headless-shell';

/** Called once for a run, before the tests: two installations at once fail, because the second finds APT's lists locked. */
export function installBrowser(): void {
  if (findBrowser() !== null || process.getuid?.() !== 0 || !existsSync(APT)) return;
  process.stderr.write(`No Chromium here: installing the package "${PACKAGE}" for the tests of the pages.\n`);
  const env = {
    ...process.env,
    DEBIAN_FRONTEND: 'noninteractive',
    PATH: `${process.env.PATH}:/usr/sbin:/usr/bin:/sbin:/bin`,
  };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', PACKAGE],
  ]) {
    execFileSync(APT, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

/** Null, only outside CI: there is no browser, and stderr says so. */
export function browserPath(): string | null {
  const found = findBrowser();
  if (found !== null) return found;
  const remedy = 'Install Chromium or Chrome, or name one by CHROMIUM_PATH, to run the tests of the pages.';
  if (process.env.CI !== undefined) throw new Error(`There is no browser. ${remedy}`);
  process.stderr.write(`The tests of the pages were not run: there is no browser. ${remedy}\n`);
  return null;
}

/**
 * The lists of the address bar are pages: each new context starts a process for them, which takes a second of processor
 * time, more than the page under test.
 */
const ADDRESS_BAR_PAGES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** Chromium obeys the last list alone, so these of Playwright's own (version 1.65) stand here again. */
const DISABLED_BY_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** For one step in a browser. Playwright's 30 seconds are too few on a busy machine, and no promise depends on them. */
export const MAX_WAIT_MS = 100_000;

let running: Browser | null = null;

/**
 * The browser of this worker. Its files share one, because each start takes a second of processor time; a file closes
 * what it opened (`closeContexts`), and the browser ends with the worker.
 */
export async function openBrowser(executablePath: string): Promise<Browser> {
  if (running?.isConnected() !== true) running = await launch(executablePath);
  return running;
}

/** An open page looks for changes every few seconds, and takes time from the tests that follow. */
export async function closeContexts(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
  for (const storage of playwrightStorages) storage.disable();
}

/**
 * While one is enabled, Node tracks asynchronous calls, and each promise of the worker takes three times as long. The next
 * call of Playwright enables it again.
 */
const playwrightStorages: AsyncLocalStorage<unknown>[] = [];

class PlaywrightStorage extends AsyncLocalStorage<unknown> {
  constructor() {
    super();
    playwrightStorages.push(this);
  }
}

function loadPlaywright(): typeof import('playwright-core') {
  const replaceable: { AsyncLocalStorage: typeof AsyncLocalStorage } = asyncHooks;
  replaceable.AsyncLocalStorage = PlaywrightStorage as typeof AsyncLocalStorage;
  try {
    return createRequire(import.meta.url)('playwright-core');
  } finally {
    replaceable.AsyncLocalStorage = AsyncLocalStorage;
  }
}

function launch(executablePath: string): Promise<Browser> {
  const disabled = [...DISABLED_BY_PLAYWRIGHT, ...ADDRESS_BAR_PAGES].join(',');
  return loadPlaywright().chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage', `--disable-features=${disabled}`],
  });
}
