// Open pages change without reloading: by their stream of server-sent events, and by polling where there is no stream.

import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CARDS, type Json } from '../support/test-venue.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture, type Person, payWith } from './browser-fixture.ts';

// Drives a browser, and waits for pages that poll.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();
/** Below the pace at which a page with a stream polls, which is a minute. */
const BEFORE_THE_NEXT_POLL = { timeout: 45_000 };

/** A proxy whose connections the test can cut. */
async function openProxy(target: string): Promise<{ readonly url: string; cut(): void; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const { port } = new URL(target);
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const address = server.address() as { readonly port: number };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

describe.runIf(path !== null)('an open page', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: false });
  });
  afterEach(() => fixture.closePages());
  afterAll(() => fixture.close());

  interface Group {
    readonly checkout: Json;
    readonly shares: readonly Json[];
    readonly ada: Person;
    readonly ben: Person;
  }
  const createGroup = async (): Promise<Group> => {
    const [ada, ben, cleo] = [
      await fixture.createPerson('Ada'),
      await fixture.createPerson('Ben'),
      await fixture.createPerson('Cleo'),
    ];
    const checkout = await fixture.createCheckout({ party_size: 3 });
    return { checkout, ada, ben, shares: await fixture.chooseParty(checkout, [ada, ben, cleo]) };
  };
  const pay = ({ checkout, shares }: Group, index: number): Promise<unknown> =>
    fixture.venue.pay(checkout.id, shares[index]?.id ?? '', CARDS.good);
  const shows = (page: Page, text: string, options = BEFORE_THE_NEXT_POLL): Promise<void> =>
    page.getByText(text).filter({ visible: true }).first().waitFor(options);
  /** Each time the page reads itself. */
  const readsOf = (page: Page): string[] => {
    const reads: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') reads.push(request.url());
    });
    return reads;
  };

  it('shows the payment of another guest when its stream tells it, without a poll, and its title counts', async () => {
    const group = await createGroup();
    const page = await fixture.openPage(group.ben);
    const reads = readsOf(page);
    await page.goto(`${fixture.url}/c/${group.checkout.id}`);
    // The first message of the stream lets the page look for what happened while it loaded.
    await expect.poll(() => reads.length, BEFORE_THE_NEXT_POLL).toBe(1);
    await shows(page, '0 of 3 in');
    await pay(group, 0);
    await shows(page, '1 of 3 in');
    await expect.poll(() => page.title()).toMatch(/^1 of 3 in · /);
    await pay(group, 2);
    await shows(page, '2 of 3 in');
    expect(reads.length).toBeLessThanOrEqual(5);
  });

  it('closes its stream when the checkout has ended, and while the tab is hidden', async () => {
    const group = await createGroup();
    const page = await fixture.openPage(group.ben);
    const open = new Set<unknown>();
    page.on('request', (request) => request.url().endsWith('/changes') && open.add(request));
    page.on('requestfinished', (request) => open.delete(request));
    page.on('requestfailed', (request) => open.delete(request));
    await page.goto(`${fixture.url}/c/${group.checkout.id}`);
    await expect.poll(() => open.size).toBe(1);
    const setHidden = (isHidden: boolean): Promise<void> =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await setHidden(true);
    await expect.poll(() => open.size).toBe(0);
    await setHidden(false);
    await expect.poll(() => open.size).toBe(1);
    await fixture.venue.post(`/v1/checkouts/${group.checkout.id}/cancel`);
    await shows(page, 'This booking was canceled');
    await expect.poll(() => open.size).toBe(0);
  });

  it('polls when there is no EventSource, when the stream is refused, and when a proxy keeps it back', async () => {
    const group = await createGroup();
    const pages = await Promise.all([0, 1, 2].map(() => fixture.openPage(group.ben)));
    const [without, refused, keptBack] = pages;
    await without?.addInitScript('delete window.EventSource');
    await refused?.route('**/changes', (route) => route.abort());
    // Never answered, like a proxy that waits for the end of the answer.
    await keptBack?.route('**/changes', () => undefined);
    for (const page of pages) await page.goto(`${fixture.url}/c/${group.checkout.id}`);
    await pay(group, 0);
    for (const page of pages) await shows(page, '1 of 3 in');
  });

  it('goes on when its stream is cut', async () => {
    const group = await createGroup();
    const proxy = await openProxy(fixture.url);
    try {
      const page = await fixture.openPage(group.ben);
      const reads = readsOf(page);
      let streams = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/changes')) streams++;
      });
      await page.goto(`${proxy.url}/c/${group.checkout.id}`);
      await expect.poll(() => reads.length, BEFORE_THE_NEXT_POLL).toBe(1);
      proxy.cut();
      await pay(group, 0);
      await shows(page, '1 of 3 in');
      // The browser opens another stream by itself.
      await expect.poll(() => streams, BEFORE_THE_NEXT_POLL).toBeGreaterThanOrEqual(2);
      await pay(group, 2);
      await shows(page, '2 of 3 in');
    } finally {
      await proxy.close();
    }
  });

  it('keeps open what a guest reads, and the focus, when another guest pays', async () => {
    const group = await createGroup();
    const page = await fixture.openPage(group.ben);
    await page.goto(group.shares[1]?.url);
    const about = page.locator('summary', { hasText: 'What is a hold?' });
    await about.click();
    await page.locator('summary', { hasText: 'Who’s in' }).press('Enter');
    const openRows = (): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('.folds details')].map(({ open }) => open)`);
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    await pay(group, 0);
    await shows(page, '1 of 3 in');
    expect(await openRows()).toEqual([true, true]);
    expect(await focused()).toContain('Who’s in');
    await about.click();
    await pay(group, 2);
    await shows(page, '2 of 3 in');
    expect(await openRows()).toEqual([true, false]);
    expect(await focused()).toBe('What is a hold?');
  });

  it('of an organizer who has covered a share begins at its heading, and a later change leaves the focus alone', async () => {
    const group = await createGroup();
    const page = await fixture.openPage(group.ada);
    await page.goto(`${fixture.url}/c/${group.checkout.id}?cover=${group.shares[1]?.id}`);
    await payWith(page, 'Works');
    await shows(page, '1 of 3 in');
    const heading = await page.getByRole('heading', { level: 1 }).textContent();
    const focused = (): Promise<unknown> =>
      page.evaluate('[document.activeElement.textContent, document.activeElement.tagName]');
    await expect.poll(focused).toEqual([heading, 'H1']);
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await page.locator('#edit-party').focus();
    await pay(group, 2);
    await shows(page, '2 of 3 in');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('edit-party');
  });
});
