// Whole stories in a real browser, each guest in a context of their own, against real servers, a real worker and the
// sandbox processor.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { CARDS } from '../support/test-venue.ts';
import { browserPath } from './browser.ts';
import {
  type BrowserFixture,
  openBrowserFixture,
  openOwnShare,
  type Person,
  payWith,
  signIn,
} from './browser-fixture.ts';

// Drives a browser through whole stories.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();

describe.runIf(path !== null)('on the hosted pages', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: true });
  });
  afterEach(() => fixture.closePages());
  afterAll(() => fixture.close());

  const expectText = async (page: Page, text: string | RegExp): Promise<void> => {
    await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 60_000 });
  };
  const statusOf = async (id: string): Promise<string> => (await fixture.venue.read(id)).status;
  const waitForStatus = async (id: string, status: string): Promise<void> => {
    await expect.poll(() => statusOf(id), { timeout: 60_000, interval: 200 }).toBe(status);
  };
  const threeFriends = async (): Promise<[Person, Person, Person]> => [
    await fixture.createPerson('Ada'),
    await fixture.createPerson('Ben'),
    await fixture.createPerson('Cleo'),
  ];

  it('three friends on three phones sign in, are invited and pay, and the checkout completes', async () => {
    const checkout = await fixture.createCheckout({ amount: 10_001, party_size: 3 });
    const ada = await fixture.openPage(null);
    await ada.goto(checkout.url.replace(/^https?:\/\/[^/]+/, fixture.url));
    await signIn(ada, fixture.nextPhone(), 'Ada');
    const ben = fixture.nextPhone();
    await ada.getByLabel('Names and numbers').fill(`Ben ${ben}`);
    await ada.getByLabel('Open seats').fill('1');
    await expectText(ada, '3 in all · $33.33 each');
    await ada.getByRole('button', { name: 'See who pays what' }).click();
    await expectText(ada, '$33.35');
    await expectText(ada, 'The odd $0.02 is on you');
    await ada.getByRole('button', { name: 'Send the invites' }).click();
    await expectText(ada, '0 of 3 in');
    const link = await ada.getByLabel('Link for the open seats', { exact: true }).inputValue();

    const outbox = await fixture.world.call('GET', '/sandbox/outbox', { headers: { accept: 'application/json' } });
    const text: string = outbox.json.data.find(
      ({ to, kind }: Record<string, string>) => to === ben && kind === 'invite',
    ).text;
    const benPage = await fixture.openPage(null);
    await benPage.goto(/https?:\S+\/s\/\S+/.exec(text)?.[0] ?? '');
    await expectText(benPage, 'Ada invited you');
    await benPage.getByRole('button', { name: /Text a code to the number ending in/ }).click();
    await benPage.getByRole('textbox', { name: 'Code' }).fill('000000');
    await benPage.getByRole('button', { name: 'Sign in' }).click();
    // Ada has typed his name: he is not asked for it.
    await payWith(benPage, 'Works');
    await expectText(benPage, '$33.33 is held on Visa ···· 4242. Nothing is charged yet.');

    const cleo = await fixture.openPage(null);
    await cleo.goto(link);
    await signIn(cleo, fixture.nextPhone(), 'Cleo');
    await cleo.getByRole('button', { name: 'Take a seat for $33.33' }).click();
    await payWith(cleo, 'Works');
    await expectText(cleo, '2 of 3 in');

    await expectText(ada, '2 of 3 in');
    await openOwnShare(ada);
    await payWith(ada, 'Works');
    for (const page of [ada, benPage, cleo]) await expectText(page, 'It’s booked. Everyone’s in.');
    expect(await ada.getByRole('link', { name: 'Back to Harbor Club' }).getAttribute('href')).toContain(
      'https://harbor.example/',
    );
    const done = await fixture.venue.read(checkout.id);
    expect(done).toMatchObject({ status: 'completed', funded_amount: 10_001 });
    expect(done.shares.map(({ display_name }: { display_name: string }) => display_name)).toEqual([
      'Ada',
      'Ben',
      'Cleo',
    ]);
  });

  it('a declined card is reported beside the form, the input stays, and another card pays', async () => {
    const [ada, ben] = await threeFriends();
    const checkout = await fixture.createCheckout();
    const [, invite] = await fixture.chooseParty(checkout, [ada, ben]);
    const page = await fixture.openPage(ben);
    await page.goto(invite.url);
    // The card form of a real processor is an iframe: one that is taken out of the page and put back loads anew.
    await page.evaluate(`document.querySelector('form[data-pay]').append(document.createElement('iframe'));
      document.querySelector('form[data-pay] iframe').contentWindow.typed = 'a card';`);
    await payWith(page, 'No funds');
    await expectText(page, 'There is not enough money on this card');
    expect(await page.getByLabel('Card number').inputValue()).toBe('4000 0000 0000 9995');
    await expectText(page, 'Card problem');
    expect(await page.evaluate("document.querySelector('form[data-pay] iframe').contentWindow.typed")).toBe('a card');
    // The issuer advises not to try a card again that was reported lost.
    await page.getByLabel('Card number').fill('4000 0000 0000 9987');
    await page.getByRole('button', { name: /^Hold/ }).click();
    await expectText(page, 'Your bank does not accept this card for this payment. Nothing was held. Use another card.');
    await page.getByLabel('Card number').fill('4000 0000 0070 0130');
    await page.getByRole('button', { name: /^Hold/ }).click();
    await expectText(
      page,
      'Your bank did not recognize the card. Nothing was held. Check what you typed, or use another card.',
    );
    await payWith(page, 'Works');
    await expectText(page, '$120.00 is held on Visa ···· 4242. Nothing is charged yet.');
  });

  it('a 3-D Secure check leads to the bank and back, whether the guest approves or not', async () => {
    const [ada, ben] = await threeFriends();
    const [, invite] = await fixture.chooseParty(await fixture.createCheckout(), [ada, ben]);
    const page = await fixture.openPage(ben);
    await page.goto(invite.url);
    await payWith(page, '3-D Secure');
    await page.getByRole('button', { name: 'Fail' }).click();
    await expectText(page, 'Your bank declined this card');
    await payWith(page, '3-D Secure');
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectText(page, '$120.00 is held on Visa ···· 3184. Nothing is charged yet.');
    expect(page.url()).toBe(invite.url);
  });

  it('a guest drops out, the organizer splits again, and unchanged shares keep their hold', async () => {
    const [ada, ben, cleo] = await threeFriends();
    const checkout = await fixture.createCheckout({ amount: 9_000, party_size: 3 });
    const [, benInvite, cleoInvite] = await fixture.chooseParty(checkout, [ada, ben, cleo], {
      custom: { organizer: 4_000, [ben.id]: 2_000, [cleo.id]: 3_000 },
    });
    const benPage = await fixture.openPage(ben);
    await benPage.goto(benInvite.url);
    await payWith(benPage, 'Works');
    await expectText(benPage, '$20.00 is held');
    const cleoPage = await fixture.openPage(cleo);
    await cleoPage.goto(cleoInvite.url);
    const adaPage = await fixture.openPage(ada);
    await adaPage.goto(`${fixture.url}/c/${checkout.id}?edit=party`);
    await adaPage.getByRole('checkbox', { name: 'Cleo' }).uncheck();
    await adaPage.getByLabel('I set the amounts').check();
    await adaPage.getByRole('button', { name: 'See who pays what' }).click();
    await adaPage.getByLabel('Amount for You').fill('60');
    await expectText(adaPage, '$10.00 left to assign.');
    const refused = adaPage.waitForResponse((response) => response.status() === 303);
    await adaPage.getByRole('button', { name: 'Change the group' }).click();
    await refused;
    await adaPage.waitForLoadState();
    await expectText(adaPage, '$10.00 left to assign.');
    await adaPage.getByLabel('Amount for Ben').fill('20,00');
    await adaPage.getByLabel('Amount for You').fill('70');
    await expectText(adaPage, 'It adds up.');
    await adaPage.getByRole('button', { name: 'Change the group' }).click();
    await expectText(adaPage, '1 of 2 in');
    await expectText(cleoPage, 'You are no longer in this group');
    await expectText(benPage, '$20.00 is held');
    await openOwnShare(adaPage);
    await payWith(adaPage, 'Works');
    await waitForStatus(checkout.id, 'completed');
  });

  it('covering the remaining shares works on a slow connection while the page polls for changes', async () => {
    const [ada, ben, cleo] = await threeFriends();
    const dora = await fixture.createPerson('Dora');
    const checkout = await fixture.createCheckout({ amount: 8_000, party_size: 4 });
    await fixture.chooseParty(checkout, [ada, ben, cleo, dora]);
    const page = await fixture.openPage(ada);
    await page.goto(`${fixture.url}/c/${checkout.id}?cover=rest`);
    await page.route('**/hold', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await page.evaluate(`document.dispatchEvent(new CustomEvent('everyshare:look'))`);
      await route.continue();
    });
    await payWith(page, 'Works');
    await expectText(page, '3 of 4 in');
  });

  it('a guest can pay again on the open page after the hold is lost', async () => {
    const [ada, ben] = await threeFriends();
    const checkout = await fixture.createCheckout();
    const [, benInvite] = await fixture.chooseParty(checkout, [ada, ben]);
    await fixture.venue.pay(checkout.id, benInvite.id, CARDS.good);
    const page = await fixture.openPage(ben);
    await page.goto(benInvite.url);
    await expectText(page, '$120.00 is held');
    await fixture.venue.loseHold(benInvite.id);
    await expectText(page, 'Your hold was lost');
    await payWith(page, 'Works');
    await expectText(page, '$120.00 is held');
    expect(page.url()).toBe(benInvite.url);
  });

  it('covering goes on with the same card after the bank has asked on its own page, and each share is held once', async () => {
    const [ada, ben, cleo] = await threeFriends();
    const checkout = await fixture.createCheckout({ amount: 9_000, party_size: 3 });
    await fixture.chooseParty(checkout, [ada, ben, cleo]);
    const page = await fixture.openPage(ada);
    await page.goto(`${fixture.url}/c/${checkout.id}?cover=rest`);
    await payWith(page, '3-D Secure');
    await page.getByRole('button', { name: 'Approve' }).click();
    const sameCard = page.getByRole('button', { name: 'Hold $30.00 with the same card' });
    await sameCard.waitFor();
    await expectText(page, '1 of 3 in');
    await sameCard.click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await expectText(page, '2 of 3 in');
    const holds = await fixture.world.db.query('select 1 from holds where checkout_id = $1', [checkout.id]);
    expect(holds).toHaveLength(2);
  });

  it('a guest whose hold is not renewed gives another card on the open page and stays in', async () => {
    const [ada, ben] = await threeFriends();
    const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    const checkout = await fixture.createCheckout({ pay_by: inDays(20) });
    const [, benInvite] = await fixture.chooseParty(checkout, [ada, ben]);
    await fixture.venue.pay(checkout.id, benInvite.id, CARDS.renewalFails);
    const page = await fixture.openPage(ben);
    await page.goto(benInvite.url);
    await expectText(page, '$120.00 is held on Visa ···· 0049. Nothing is charged yet.');
    await fixture.venue.runTestHelper(checkout.id, 'advance', { to: inDays(6.1) });
    await expectText(page, 'Your bank did not extend your hold');
    await payWith(page, 'Declined');
    await expectText(page, 'Your bank declined this card.');
    await expectText(page, 'You’re still in: $120.00 is held until');
    await payWith(page, 'Works');
    await expectText(page, '$120.00 is held on Visa ···· 4242. Nothing is charged yet.');
    await expect.poll(() => fixture.venue.heldAtProcessor(checkout.id), { timeout: 60_000 }).toBe(12_000);
    expect(await statusOf(checkout.id)).toBe('collecting');
  });

  it('the organizer covers the remaining shares, and the others see who did', async () => {
    const [ada, ben, cleo] = await threeFriends();
    const checkout = await fixture.createCheckout({ amount: 9_000, party_size: 3 });
    const [, benInvite] = await fixture.chooseParty(checkout, [ada, ben, cleo]);
    const benPage = await fixture.openPage(ben);
    await benPage.goto(benInvite.url);
    const adaPage = await fixture.openPage(ada);
    await adaPage.goto(`${fixture.url}/c/${checkout.id}`);
    await adaPage.getByRole('link', { name: 'Cover all the rest ($60.00)' }).click();
    await adaPage.waitForURL(/cover=rest/);
    await payWith(adaPage, 'Works');
    await expectText(benPage, 'Ada covered your share.');
    await expectText(adaPage, '2 of 3 in');
    await adaPage.goto(`${fixture.url}/c/${checkout.id}`);
    await openOwnShare(adaPage);
    await payWith(adaPage, 'Works');
    await expectText(benPage, 'Ada covered your share of $30.00.');
    await waitForStatus(checkout.id, 'completed');
  });

  it('the deadline passes while a guest types: every guest is notified, and nothing stays held', async () => {
    const [ada, ben] = await threeFriends();
    const checkout = await fixture.createCheckout();
    const [, benInvite] = await fixture.chooseParty(checkout, [ada, ben]);
    const adaPage = await fixture.openPage(ada);
    await adaPage.goto(`${fixture.url}/c/${checkout.id}`);
    await openOwnShare(adaPage);
    await payWith(adaPage, 'Works');
    await expectText(adaPage, '$120.00 is held');
    const benPage = await fixture.openPage(ben);
    await benPage.goto(benInvite.url);
    // Ben pays before his page hears of the deadline: otherwise the page may take the button away first.
    let hasPaid = false;
    benPage.on('request', (request) => {
      hasPaid ||= request.method() === 'POST';
    });
    await benPage.route(benPage.url(), (route) => (hasPaid ? route.continue() : route.fulfill({ status: 304 })));
    await benPage.getByRole('button', { name: 'Works' }).click();
    await fixture.venue.runTestHelper(checkout.id, 'expire');
    await benPage.getByRole('button', { name: /^Hold / }).click();
    await expectText(benPage, 'Time is up');
    await expectText(adaPage, 'Your hold, released');
    const texts = async (person: Person): Promise<string[]> => {
      const outbox = await fixture.world.call('GET', '/sandbox/outbox', { headers: { accept: 'application/json' } });
      const messages = outbox.json.data.filter(
        ({ to, kind }: Record<string, string>) => to === person.phone && (kind === 'released' || kind === 'ended'),
      );
      return messages.map(({ text }: Record<string, string>) => text);
    };
    await expect
      .poll(async () => (await texts(ada)).join(), { timeout: 60_000 })
      .toContain('Your hold of $120.00 is released');
    await expect.poll(async () => (await texts(ben)).length, { timeout: 60_000 }).toBe(1);
  });

  it('two guests pay the last shares at the same moment, and the checkout completes once', async () => {
    const [ada, ben, cleo] = await threeFriends();
    const checkout = await fixture.createCheckout({ amount: 9_000, party_size: 3 });
    const invites = await fixture.chooseParty(checkout, [ada, ben, cleo]);
    const pages = await Promise.all(
      [ada, ben, cleo].map(async (person, index) => {
        const page = await fixture.openPage(person);
        await page.goto(invites[index].url);
        return page;
      }),
    );
    await openOwnShare(pages[0] as Page);
    await Promise.all(pages.map((page) => payWith(page, 'Works')));
    for (const page of pages) await expectText(page, 'It’s booked. Everyone’s in.');
    const events = await fixture.world.db.query<{ type: string }>(
      `select type from events where subject = $1 and type in ('checkout.funded', 'checkout.completed')`,
      [checkout.id],
    );
    expect(events.map(({ type }) => type).sort()).toEqual(['checkout.completed', 'checkout.funded']);
  });

  it('double taps, two tabs and a broken connection never make a second hold', async () => {
    const [ada, ben] = await threeFriends();
    const checkout = await fixture.createCheckout();
    const [, benInvite] = await fixture.chooseParty(checkout, [ada, ben]);
    const first = await fixture.openPage(ben);
    const second = await first.context().newPage();
    await first.goto(benInvite.url);
    await second.goto(benInvite.url);
    // The response to the confirmation is lost.
    await first.route('**/confirm', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await first.getByRole('button', { name: 'Works' }).click();
    await first.getByRole('button', { name: /^Hold / }).dblclick();
    await expectText(first, /The connection broke|is held/);
    await second.getByRole('button', { name: 'Works' }).click();
    await second
      .getByRole('button', { name: /^Hold / })
      .dblclick()
      .catch(() => undefined);
    await expectText(first, '$120.00 is held');
    await expectText(second, '$120.00 is held');
    const holds = await fixture.world.db.query('select 1 from holds where checkout_id = $1', [checkout.id]);
    expect(holds).toHaveLength(1);
  });

  it('the pages work without a script up to the card form', async () => {
    const checkout = await fixture.createCheckout({ amount: 6_000, party_size: 2 });
    const page = await fixture.openPage(null, { hasScript: false });
    await page.goto(`${fixture.url}/c/${checkout.id}`);
    await signIn(page, fixture.nextPhone(), 'Ada');
    await page.getByLabel('Open seats').fill('1');
    await page.getByRole('button', { name: 'See who pays what' }).click();
    await page.getByRole('button', { name: 'Send the invites' }).click();
    await expectText(page, '0 of 2 in');
    await openOwnShare(page);
    await page.locator('form noscript p').waitFor();
    await page.getByLabel('Card number').fill('4242424242424242');
    expect(await page.getByRole('button', { name: /^Hold / }).isVisible()).toBe(false);
    await page.getByLabel('Card number').press('Enter');
    expect(page.url()).not.toMatch(/4242/);
  });

  it('an organizer adds people from the contacts and seats by buttons, where the browser has contacts', async () => {
    const ada = await fixture.createPerson('Ada');
    const checkout = await fixture.createCheckout({ party_size: 6 });
    const page = await fixture.openPage(ada);
    await page.goto(`${fixture.url}/c/${checkout.id}`);
    await page.getByRole('button', { name: 'One seat fewer' }).click();
    expect(await page.getByLabel('Open seats').inputValue()).toBe('4');
    expect(await page.getByRole('button', { name: 'Contacts' }).isVisible()).toBe(false);
    const contacts = [
      { name: ['Ben, at work'], tel: [fixture.nextPhone(), '+1 555 010 0199'] },
      { name: ['Cleo'], tel: [fixture.nextPhone()] },
      { name: ['Dan'], tel: [] },
    ];
    await page.addInitScript(`navigator.contacts = { select: async () => (${JSON.stringify(contacts)}) };`);
    await page.goto(`${fixture.url}/c/${checkout.id}`);
    await page.getByRole('button', { name: 'Contacts' }).click();
    await page.getByRole('button', { name: 'Take Ben at work off the list' }).waitFor();
    await page.getByRole('button', { name: 'Take Cleo off the list' }).click();
    await page.getByRole('button', { name: 'Take Cleo off the list' }).waitFor({ state: 'detached' });
    await expectText(page, '6 in all · $40.00 each');
    await page.getByRole('button', { name: 'One seat more' }).click();
    await expectText(page, 'This booking is for up to 6 people. Leave some out.');
  });

  it('after a mistake, going back and a reload show pages, and what was typed is still there', async () => {
    const ada = await fixture.createPerson('Ada');
    const checkout = await fixture.createCheckout({ party_size: 3 });
    const page = await fixture.openPage(ada);
    await page.goto(`${fixture.url}/c/${checkout.id}`);
    await page.getByLabel('Names and numbers').fill('Ben 12');
    await page.getByRole('button', { name: 'See who pays what' }).click();
    await expectText(page, 'We can’t text “Ben 12”.');
    expect(new URL(page.url()).pathname).toBe(`/c/${checkout.id}`);
    expect(await page.getByLabel('Names and numbers').inputValue()).toBe('Ben 12');
    await page.getByLabel('Names and numbers').fill(`Ben ${fixture.nextPhone()}`);
    await page.getByRole('button', { name: 'See who pays what' }).click();
    await expectText(page, 'Who pays what');
    await page.reload();
    await expectText(page, 'Who pays what');
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByRole('button', { name: 'Take Ben off the list' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.goto(`${fixture.url}/c/${checkout.id}/party`);
    expect(new URL(page.url()).pathname).toBe(`/c/${checkout.id}`);
  });

  it('after paying in a large party the guest sees and hears the moment, at the top of the page', async () => {
    const [ada, ben] = await threeFriends();
    const { db, ids, clock } = fixture.world.context;
    const checkout = await fixture.createCheckout({ party_size: 20 });
    const seats = await createSeats(db, { ids, now: clock.now() }, 18);
    const [, invite] = await fixture.chooseParty(checkout, [ada, ben], 'equal', seats);
    const page = await fixture.openPage(ben);
    await page.goto(invite.url);
    const pay = page.locator('[data-pay-button]');
    await pay.waitFor();
    // The card form is on the first screen and a half, however many guests there are.
    expect((await pay.boundingBox())?.y).toBeLessThan(900);
    await payWith(page, 'Works');
    await page.getByRole('heading', { name: 'You’re in.', level: 1 }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('You’re in.');
    await expect.poll(() => page.evaluate('scrollY')).toBe(0);
    await expect
      .poll(() => page.locator('p[role=status].unseen').textContent())
      .toBe('You’re in. $12.00 is held on Visa\u00a0····\u00a04242. Nothing is charged yet.');
    await expect.poll(() => page.title()).toMatch(/^1 of 20 in/);
  });

  it('a guest can sign in and pay with the keyboard alone', async () => {
    const [ada, ben] = await threeFriends();
    const [, benInvite] = await fixture.chooseParty(await fixture.createCheckout(), [ada, ben]);
    const page = await fixture.openPage(null);
    // The card form's script comes late: what can be pressed before must not be lost.
    await page.route(/pay-sandbox/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    await page.goto(benInvite.url);
    const press = async (name: string): Promise<void> => {
      for (let steps = 0; steps < 60; steps++) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate<string>("document.activeElement?.textContent ?? ''");
        if (label.startsWith(name)) return page.keyboard.press('Enter');
      }
      throw new Error(`"${name}" cannot be reached by keyboard`);
    };
    await press('Text a code');
    // The field has the focus already.
    await page.locator('#code:focus').waitFor();
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Works' }).waitFor();
    await press('Works');
    await press('Hold');
    await expectText(page, '$120.00 is held');
  });
});
