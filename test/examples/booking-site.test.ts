// examples/booking-site, played through in a browser beside the real program: a group books, pays as guests, the embed on the
// site changes, the signed webhook arrives, and the site confirms the booking. With SCREENS=<folder> it takes pictures.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildSdk } from '../../sdk/build.js';
import { packageRoot } from '../../src/base/package-root.ts';
import { ALL_RULES, axeFindings, COLOR_RULES } from '../pages/axe.ts';
import { browserPath, closeContexts, MAX_WAIT_MS, openBrowser } from '../pages/browser.ts';
import { openOwnShare, payWith, signIn } from '../pages/browser-fixture.ts';
import { copyInitializedData } from '../support/initialized-data.ts';
import { type Program, startProgram } from '../support/run-program.ts';
import { waitFor } from '../support/wait-for.ts';

// Starts the whole program and drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const path = browserPath();
const screenshotFolder = process.env.SCREENS ?? null;

interface Site {
  readonly url: string;
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The process that this one has started. */
function childOf(parent: number): number {
  const rows = execFileSync('ps', ['-eo', 'ppid,pid'], { encoding: 'utf8' }).split('\n');
  const pairs = rows.map((row) => row.trim().split(/ +/).map(Number));
  return pairs.find(([ppid]) => ppid === parent)?.[1] ?? 0;
}

/** As `npm run example` does; without keys it takes those of the first start. */
function startSite(env: Readonly<Record<string, string>>): Omit<Site, 'url'> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(packageRoot, 'examples', 'booking-site', 'server.js')], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (part: Buffer) => (out += part));
  child.stderr.on('data', (part: Buffer) => (err += part));
  return { child, out: () => out, err: () => err };
}

describe.runIf(path !== null)('the booking site', () => {
  let folder: string;
  let program: Program;
  let site: Site;
  let browser: Browser;
  let env: Readonly<Record<string, string>>;
  const startReady = async (): Promise<Site> => {
    const started = startSite(env);
    const ready = await waitFor(
      'the site is ready',
      () => {
        if (started.child.exitCode !== null) throw new Error(started.err());
        return /ready at (\S+)/.exec(started.out());
      },
      { timeoutMs: 60_000 },
    );
    return { ...started, url: ready[1] ?? '' };
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'everyshare-site-'));
    await buildSdk();
    const { DATA_DIR } = await copyInitializedData(join(folder));
    program = await startProgram(['start'], { DATA_DIR });
    env = { DATA_DIR, EVERYSHARE_URL: program.url, PORT: String(await freePort()) };
    site = await startReady();
    browser = await openBrowser(path ?? '');
    if (screenshotFolder !== null) mkdirSync(screenshotFolder, { recursive: true });
  });
  afterAll(async () => {
    if (browser !== undefined) await closeContexts(browser);
    site?.child.kill('SIGTERM');
    await program?.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  const openPage = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-US' });
    context.setDefaultTimeout(MAX_WAIT_MS);
    return context.newPage();
  };
  const shows = (page: Page, text: string): Promise<void> =>
    page.getByText(text).filter({ visible: true }).first().waitFor();
  /** Accessible, not wider than a phone, and with pictures if wanted. */
  const check = async (page: Page, name: string): Promise<void> => {
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const findings = await axeFindings(page, colorScheme === 'light' ? ALL_RULES : COLOR_RULES);
      expect(findings, `${name} ${colorScheme}`).toEqual([]);
      for (const width of screenshotFolder === null ? [] : [390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        const file = join(screenshotFolder ?? '', `site-${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true });
      }
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'light' });
  };

  it('takes a booking, shows the group paying, and confirms it when the signed webhook arrives', async () => {
    const ada = await openPage();
    const errors: string[] = [];
    ada.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await ada.goto(site.url);
    await check(ada, 'home');
    const offer = ada.getByRole('article').filter({ hasText: 'Beach cabana' });
    await offer.getByLabel('Your name').fill('Ada <b>Lovelace</b>');
    await offer.getByLabel('How many are you?').fill('2');
    await offer.getByRole('button', { name: 'Book beach cabana' }).click();
    await shows(ada, 'Waiting for your group');
    await shows(ada, 'Ada <b>Lovelace</b>, 2 people');
    await shows(ada, 'Split $240.00 with your group');
    await check(ada, 'booked');

    const open = ada.getByRole('link', { name: /^Choose the group/ });
    const [hosted] = await Promise.all([ada.waitForEvent('popup'), open.click()]);
    await signIn(hosted, '+15550100101', 'Ada');
    await hosted.getByLabel('Open seats').fill('1');
    await hosted.getByRole('button', { name: 'See who pays what' }).click();
    await hosted.getByRole('button', { name: 'Send the invites' }).click();
    const link = await hosted.getByLabel('Link for the open seats', { exact: true }).inputValue();
    await shows(ada, '0 of 2 in');
    await openOwnShare(hosted);
    await payWith(hosted, 'Works');
    await shows(ada, '1 of 2 in');
    if (screenshotFolder !== null) await check(ada, 'paying');

    const ben = await openPage();
    await ben.goto(link);
    await signIn(ben, '+15550100102', 'Ben');
    await ben.getByRole('button', { name: 'Take a seat for $120.00' }).click();
    await payWith(ben, 'Works');
    // Without a reload by hand: the embed turns, and the page follows when the webhook has come.
    await shows(ada, 'It’s confirmed');
    await shows(ada, 'It’s booked. Everyone’s in.');
    await expect.poll(site.out, { timeout: 20_000 }).toMatch(/checkout\.completed: booking bk-\w+ is confirmed/);
    await check(ada, 'confirmed');
    expect(errors).toEqual([]);
  });

  it('refuses a webhook that is not signed, an unknown offer, and a group that is too large', async () => {
    const post = (to: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${site.url}${to}`, { method: 'POST', body, headers, redirect: 'manual' });
    const forged = JSON.stringify({ id: 'evt_1', type: 'checkout.completed', data: { object: {} } });
    const signature = { 'service-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
    expect((await post('/hooks/everyshare', forged)).status).toBe(400);
    expect((await post('/hooks/everyshare', forged, signature)).status).toBe(400);
    expect((await post('/book', 'offer=yacht&guests=2&name=Ada')).status).toBe(400);
    const crowded = await post('/book', 'offer=cabana&guests=7&name=Ada');
    expect([crowded.status, await crowded.text()]).toEqual([400, expect.stringContaining('is for 2 to 6 people')]);
    expect((await fetch(`${site.url}/bookings/bk-0`)).status).toBe(404);
  });

  it('ends when its events end, and applies what it missed when it runs again; its file is for its user alone', async () => {
    const form = { method: 'POST', body: 'offer=cabana&guests=2&name=Ada', redirect: 'manual' } as const;
    const path = (await fetch(`${site.url}/book`, form)).headers.get('location') ?? '';
    const file = join(env.DATA_DIR ?? '', 'booking-site.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const bookings = new Map<string, { readonly checkoutId: string }>(JSON.parse(readFileSync(file, 'utf8')));
    const { checkoutId } = bookings.get(path.split('/').at(-1) ?? '') ?? {};
    process.kill(childOf(site.child.pid ?? 0), 'SIGKILL');
    await waitFor('the site ends', () => site.child.exitCode !== null);
    expect([site.child.exitCode, site.err()]).toEqual([1, expect.stringContaining('everyshare listen ended')]);
    const { secret_key } = JSON.parse(readFileSync(join(env.DATA_DIR ?? '', 'sandbox-venue.json'), 'utf8'));
    const headers = { authorization: `Bearer ${secret_key}`, 'idempotency-key': 'missed' };
    const canceled = await fetch(`${program.url}/v1/checkouts/${checkoutId}/cancel`, { method: 'POST', headers });
    expect(canceled.status).toBe(200);
    site = await startReady();
    expect(await (await fetch(`${site.url}${path}.json`)).json()).toEqual({ status: 'released' });
  });

  it('says what to do when no Everyshare runs', async () => {
    const { child, err } = startSite({ DATA_DIR: folder, EVERYSHARE_URL: 'http://127.0.0.1:9', PORT: '0' });
    await waitFor('the site ends', () => child.exitCode !== null);
    expect(child.exitCode).toBe(1);
    expect(err()).toContain('no Everyshare answers at http://127.0.0.1:9: run "npm start" first');
  });
});
