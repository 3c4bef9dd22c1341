// A fixture for the tests of the hosted pages: a whole Everyshare with its worker, a venue, members, and a browser in
// which each member has a context of their own.

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { sandboxMailSender } from '../../src/domain/mail/send.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { sandboxSender } from '../../src/domain/members/messages/send.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { readServicesOf } from '../../src/run/context.ts';
import { type RunningWorker, startWorker } from '../../src/worker/worker.ts';
import { inFuture, type Json, ORIGIN, TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { closeContexts, MAX_WAIT_MS, openBrowser } from './browser.ts';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly token: string;
}

/** How the browser presents itself; a phone in light mode by default. */
export interface BrowserOptions {
  readonly width?: number;
  readonly isDark?: boolean;
  readonly hasScript?: boolean;
  readonly language?: string;
}

export class BrowserFixture {
  readonly world: TestWorld;
  readonly venue: TestVenue;
  readonly browser: Browser;
  readonly #worker: RunningWorker | null;
  #phones = 0;

  constructor(world: TestWorld, venue: TestVenue, browser: Browser, worker: RunningWorker | null) {
    this.world = world;
    this.venue = venue;
    this.browser = browser;
    this.#worker = worker;
  }

  get url(): string {
    return this.world.urls[0] ?? '';
  }

  /** The first 200 are reserved phone numbers, whose sign-in code is 000000. */
  nextPhone(): string {
    const number = this.#phones++;
    return `${number < 200 ? '+1555010' : '+1212555'}${String(number).padStart(4, '0')}`;
  }

  async createPerson(name: string): Promise<Person> {
    const phone = this.nextPhone();
    const { world } = this;
    const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }));
    return { id, name, phone, token: await world.context.tokens.sign(id) };
  }

  /** A page in a browser context of its own, signed in as the person unless null. */
  async openPage(person: Person | null, options: BrowserOptions = {}): Promise<Page> {
    const context = await this.#newContext(options);
    if (person !== null) await this.beginSession(context, person);
    return context.newPage();
  }

  /** Signs the person in, without the pages. */
  async beginSession(context: BrowserContext, person: Person): Promise<void> {
    const value = await beginSession(this.world.context, person.id);
    await context.addCookies([{ name: 'everyshare_session', value, url: this.url, httpOnly: true, sameSite: 'Lax' }]);
  }

  /** After each test. */
  closePages(): Promise<void> {
    return closeContexts(this.browser);
  }

  async #newContext({
    width = 390,
    isDark = false,
    hasScript = true,
    language = 'en-US',
  }: BrowserOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      viewport: { width, height: width < 600 ? 844 : 900 },
      deviceScaleFactor: 1,
      colorScheme: isDark ? 'dark' : 'light',
      javaScriptEnabled: hasScript,
      locale: language,
      timezoneId: 'America/New_York',
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(MAX_WAIT_MS);
    return context;
  }

  createCheckout(overrides: Readonly<Record<string, unknown>> = {}): Promise<Json> {
    return this.venue.create({
      amount: 24_000,
      party_size: 6,
      description: 'Sunset sail for six',
      starts_at: inFuture(96 * 3_600_000),
      ends_at: inFuture(99 * 3_600_000),
      location: 'Pier 4, Boston',
      pay_by: inFuture(28 * 3_600_000),
      cancel_url: `${ORIGIN}/cart`,
      ...overrides,
    });
  }

  /** Chooses the party through the API, and returns the share of each person, the organizer first. */
  async chooseParty(
    checkout: Json,
    people: readonly Person[],
    split: unknown = 'equal',
    seats: readonly string[] = [],
  ): Promise<readonly Json[]> {
    const [organizer] = people;
    const members = [...people.map(({ id }) => ({ user_id: id })), ...seats.map((id) => ({ user_id: id }))];
    const response = await this.world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, {
      key: organizer?.token ?? '',
      body: { members, split },
    });
    if (response.status !== 200) throw new Error(response.text);
    return response.json.shares;
  }

  async close(): Promise<void> {
    await this.closePages();
    await this.#worker?.close();
    await this.world.close();
  }
}

export async function openBrowserFixture(
  executablePath: string,
  options: { readonly worker: boolean; readonly hidesProcessor?: boolean },
): Promise<BrowserFixture> {
  const world = await openTestWorld({ hidesProcessor: options.hidesProcessor === true });
  const { venue } = await world.venue({ name: 'Harbor Club', origins: [ORIGIN] });
  const { key } = await world.key(venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 });
  const { db, log, clock, services } = world.context;
  const worker = options.worker
    ? startWorker({
        db,
        log,
        clock,
        outbound: services.outbound,
        payments: services,
        hooks: world.context,
        reads: readServicesOf(world.context),
        deliveries: services,
        sender: sandboxSender,
        mailSender: sandboxMailSender,
        retention: world.context.retention,
        ledgerCheckHours: 24,
        countReconcile: () => undefined,
      })
    : null;
  const browser = await openBrowser(executablePath);
  return new BrowserFixture(world, new TestVenue(world, venue.id, key, 'test'), browser, worker);
}

/** Signs in on the current page by typing the phone number and the code. */
export async function signIn(page: Page, phone: string, name: string | null = null): Promise<void> {
  const changeNumber = page.getByText('Use another number');
  if (await changeNumber.isVisible()) await changeNumber.click();
  await page.getByLabel('Phone number').fill(phone);
  await page.getByRole('button', { name: 'Text me a code' }).click();
  await page.getByRole('textbox', { name: 'Code' }).fill('000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  if (name !== null) {
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
}

/** The organizer goes from the page of the group to the card form of the own share. */
export async function openOwnShare(page: Page): Promise<void> {
  await page
    .locator('#own-share')
    .getByRole('link', { name: /^Hold / })
    .click();
}

export async function payWith(page: Page, card: 'Works' | 'Declined' | 'No funds' | '3-D Secure'): Promise<void> {
  // The buttons do nothing before the script has loaded.
  await page.locator('[data-pay-button][type="submit"]').waitFor();
  await page.getByRole('button', { name: card }).click();
  await page.getByRole('button', { name: /^Hold / }).click();
}
