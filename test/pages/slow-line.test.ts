// A guest on a slow line: 400 ms to the server and 400 kbit/s, from opening the link to "You're in". The test says that it
// works; `npm run slow-line` prints how long each step takes (docs/performance.md).

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture, payWith } from './browser-fixture.ts';

// Drives a browser on a slow line.
vi.setConfig({ testTimeout: 180_000 });

const path = browserPath();
const LATENCY_MS = 400;
const BYTES_PER_SECOND = 400_000 / 8;

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
}

describe.runIf(path !== null)('on a line of 400 ms and 400 kbit/s', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: true });
  });
  afterAll(() => fixture.close());

  it('a guest opens the link, signs in, pays and is in', async () => {
    const [ada, ben] = [await fixture.createPerson('Ada'), await fixture.createPerson('Ben')];
    const checkout = await fixture.createCheckout({ party_size: 8 });
    const [, invite] = await fixture.chooseParty(checkout, [ada, ben]);
    const page = await fixture.openPage(null);
    await slowDown(page);
    let bytes = 0;
    page.on('response', async (response) => {
      bytes +=
        (
          await response
            .request()
            .sizes()
            .catch(() => null)
        )?.responseBodySize ?? 0;
    });
    const times: [string, number][] = [];
    const step = async (name: string, run: () => Promise<unknown>): Promise<void> => {
      const beganAt = performance.now();
      await run();
      times.push([name, performance.now() - beganAt]);
    };
    await step('the invite: text and button', async () => {
      await page.goto(invite.url, { waitUntil: 'commit' });
      await page.getByRole('button', { name: /^Text a code/ }).waitFor();
    });
    const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";
    const painted = await waitFor('the first paint', () => page.evaluate<number | null>(paint));
    await step('the page for the code', async () => {
      await page.getByRole('button', { name: /^Text a code/ }).click();
      await page.getByRole('textbox', { name: 'Code' }).waitFor();
    });
    await step('signed in: share, promise and card form', async () => {
      await page.getByRole('textbox', { name: 'Code' }).fill('000000');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('[data-pay-button][type="submit"]').waitFor({ timeout: 60_000 });
    });
    await step('paid: “You’re in.”', async () => {
      await payWith(page, 'Works');
      await page.getByRole('heading', { name: 'You’re in.' }).waitFor({ timeout: 60_000 });
    });
    const sum = times.reduce((total, [, ms]) => total + ms, 0);
    for (const [name, ms] of [...times, ['in all', sum] as const])
      process.stdout.write(`${(ms / 1000).toFixed(1)} s  ${name}\n`);
    process.stdout.write(
      `${(painted / 1000).toFixed(1)} s  the first paint of the invite, by the browser's own clock\n`,
    );
    process.stdout.write(`${(bytes / 1024).toFixed(0)} KB came over the line\n`);
    expect((await fixture.venue.read(checkout.id)).funded_amount).toBe(12_000);
  });
});
