// A window of the console that is left open reads less and less often, and Home stops asking for steps that are done.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestVenue } from '../support/test-venue.ts';
import { ConsoleBrowser, executable, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('an open window', () => {
  let console_: ConsoleBrowser;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
  });
  afterAll(() => console_.close());

  /** Counts the calls of a page by their address, and lets its time pass in steps, each after the answers to the one before. */
  async function watch(page: Page) {
    const counts = new Map<string, number>();
    let open = 0;
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
      open += 1;
    });
    page.on('requestfinished', () => (open -= 1));
    page.on('requestfailed', () => (open -= 1));
    await page.clock.install();
    return {
      counts,
      pass: async (seconds: number): Promise<void> => {
        for (let second = 0; second < seconds; second++) {
          await page.clock.runFor(1_000);
          if (open > 0) await expect.poll(() => open).toBe(0);
        }
      },
    };
  }

  const STEPS = '/console/api/first_steps';

  it('asks for the first steps every two seconds, and every fifteen after ten minutes without a change', async () => {
    const venue = await openTestVenue(console_.world);
    const { page } = await console_.signedIn(venue.venueId);
    const { counts, pass } = await watch(page);
    await page.goto(screenUrl(venue.venueId, '/first-steps'));
    await page.getByText('Waiting for your first request…').waitFor();
    const readsIn = async (seconds: number): Promise<number> => {
      const before = counts.get(STEPS) ?? 0;
      await pass(seconds);
      return (counts.get(STEPS) ?? 0) - before;
    };
    expect(await readsIn(12)).toBeGreaterThanOrEqual(5);
    await page.clock.fastForward(10 * 60_000);
    await pass(2);
    expect(await readsIn(30)).toBeLessThanOrEqual(2);
  });

  it('on Home asks for the first steps once when guests have paid, and goes on with the overview', async () => {
    const venue = await openTestVenue(console_.world);
    const { id } = await venue.create();
    await venue.post(`/v1/test_helpers/checkouts/${id}/complete`, {});
    const { page } = await console_.signedIn(venue.venueId);
    const { counts, pass } = await watch(page);
    await page.goto(screenUrl(venue.venueId));
    await page.getByText('Needs attention').waitFor();
    await pass(40);
    expect(counts.get(STEPS)).toBe(1);
    expect(counts.get('/console/api/home')).toBeGreaterThanOrEqual(2);
  });
});
