// The states of the hosted pages, each with the steps that lead to it. No worker runs, so a state does not change.

import type { Page } from 'playwright-core';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { addFriends } from '../../src/domain/members/queries.ts';
import { ONBOARDING_TOKEN_MS, onboardingUrls, sealOnboarding } from '../../src/domain/payments/onboarding-token.ts';
import { onboardingLink } from '../../src/domain/payments/payout-account.ts';
import { CARDS, type Json } from '../support/test-venue.ts';
import { type BrowserFixture, type Person, payWith } from './browser-fixture.ts';

export interface PageState {
  readonly name: string;
  /** A text that only this state shows. */
  readonly text: string;
  /** Leads the page to the state. The page has no session, and shows nothing yet. */
  open(fixture: BrowserFixture, page: Page): Promise<void>;
  /** The page belongs to the sandbox's bank, and is not for paper. */
  readonly isOfTheBank?: true;
  /** Steps on the open page, for a state that only the script or an answer shows. */
  then?(page: Page): Promise<void>;
}

async function openAt(fixture: BrowserFixture, page: Page, person: Person | null, url: string): Promise<void> {
  if (person !== null) await fixture.beginSession(page.context(), person);
  await page.goto(new URL(url, fixture.url).href);
}

interface Group {
  readonly ada: Person;
  readonly ben: Person;
  readonly cleo: Person;
  readonly checkout: Json;
  readonly invites: readonly Json[];
}

/** Ada knows Ben and Cleo from an earlier party, so that a new one shows their names at once. */
async function createFriends(fixture: BrowserFixture): Promise<Pick<Group, 'ada' | 'ben' | 'cleo'>> {
  const [ada, ben, cleo] = [
    await fixture.createPerson('Ada'),
    await fixture.createPerson('Ben'),
    await fixture.createPerson('Cleo'),
  ];
  await addFriends(fixture.world.db, ada.id, [ben.id, cleo.id], Date.now());
  return { ada, ben, cleo };
}

/** Ada has chosen a party of herself, Ben and Cleo. */
async function createGroup(fixture: BrowserFixture, overrides: Readonly<Record<string, unknown>> = {}): Promise<Group> {
  const { ada, ben, cleo } = await createFriends(fixture);
  const checkout = await fixture.createCheckout({ party_size: 3, ...overrides });
  return { ada, ben, cleo, checkout, invites: await fixture.chooseParty(checkout, [ada, ben, cleo]) };
}

const pay = (
  fixture: BrowserFixture,
  { checkout, invites }: Group,
  index: number,
  card: string = CARDS.good,
): Promise<unknown> => fixture.venue.pay(checkout.id, invites[index].id, card);

/** Ada, Ben and Cleo have paid, and the checkout is completed. */
async function completedGroup(fixture: BrowserFixture): Promise<Group> {
  const group = await createGroup(fixture);
  for (const index of [0, 1, 2]) await pay(fixture, group, index);
  await fixture.world.work();
  return group;
}

/** Its refunds fail half a minute after they were made. */
const REFUND_FAILS = '4000000000005126';

const pageOf = ({ checkout }: Group): string => `/c/${checkout.id}`;

async function openChooseParty(fixture: BrowserFixture, page: Page, ada: Person): Promise<void> {
  await openAt(fixture, page, ada, (await fixture.createCheckout({ amount: 24_001 })).url);
}

/** Ben's bank has refused to renew his hold, a day before it lapses. */
async function withRefusedRenewal(fixture: BrowserFixture): Promise<Group> {
  const day = 24 * 3_600_000;
  const inDays = (days: number): string => new Date(Date.now() + days * day).toISOString();
  const group = await createGroup(fixture, { pay_by: inDays(20) });
  await pay(fixture, group, 1, CARDS.renewalFails);
  await fixture.venue.runTestHelper(group.checkout.id, 'advance', { to: inDays(6.1) });
  await fixture.world.work();
  return group;
}

async function groupWithSeats(fixture: BrowserFixture, taken: number): Promise<Group> {
  const { ada, ben, cleo } = await createFriends(fixture);
  const checkout = await fixture.createCheckout({ party_size: 4 });
  const { db, ids, clock } = fixture.world.context;
  const seatIds = await createSeats(db, { ids, now: clock.now() }, 2 - taken);
  return { ada, ben, cleo, checkout, invites: await fixture.chooseParty(checkout, [ada, ben], 'equal', seatIds) };
}

async function organizerWithChannel(fixture: BrowserFixture): Promise<Person> {
  const { ada, ben, cleo } = await createGroup(fixture);
  const { world } = fixture;
  const memberIds = [ada.id, ben.id, cleo.id];
  await world.db.transaction((tx) => createChannel(tx, world.command(), { name: 'Sailing crew', memberIds }));
  return ada;
}

/** A guest has entered a phone number, and the page asks for the code. */
async function openCodePage(fixture: BrowserFixture, page: Page): Promise<void> {
  await openAt(fixture, page, null, (await fixture.createCheckout()).url);
  await page.getByLabel('Phone number').fill(fixture.nextPhone());
  await page.getByRole('button', { name: 'Text me a code' }).click();
  await page.getByText('We texted six digits').waitFor();
  await page.waitForLoadState();
}

const beforeTheParty: readonly PageState[] = [
  {
    name: 'sign-in',
    text: 'You are about to split this',
    open: async (fixture, page) => openAt(fixture, page, null, (await fixture.createCheckout()).url),
  },
  {
    name: 'sign-in-wrong-phone',
    text: 'We can’t text this number',
    open: async (fixture, page) => openAt(fixture, page, null, (await fixture.createCheckout()).url),
    async then(page) {
      await page.getByLabel('Phone number').fill('12');
      await page.getByRole('button', { name: 'Text me a code' }).click();
    },
  },
  {
    name: 'code',
    text: 'We texted six digits',
    open: openCodePage,
  },
  {
    name: 'code-wrong',
    text: 'That is not the code.',
    open: openCodePage,
    async then(page) {
      await page.getByRole('textbox', { name: 'Code' }).fill('999999');
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  },
  {
    name: 'name',
    text: 'What should the group call you?',
    async open(fixture, page) {
      const ada = await fixture.createPerson('Ada');
      await fixture.world.db.query('update members set display_name = null where member_id = $1', [ada.id]);
      return openAt(fixture, page, ada, (await fixture.createCheckout()).url);
    },
  },
  {
    name: 'choosing',
    text: 'Sailing crew',
    open: async (fixture, page) => openChooseParty(fixture, page, await organizerWithChannel(fixture)),
  },
  {
    name: 'choosing-wrong',
    text: 'We can’t text “Cleo 555”',
    open: async (fixture, page) => openChooseParty(fixture, page, await organizerWithChannel(fixture)),
    async then(page) {
      await page.getByRole('checkbox', { name: 'Ben' }).first().check();
      await page.getByLabel('Names and numbers').fill('Priya +1 617 555 0142\nCleo 555; Jonah (212) 555-0187');
      await page.getByRole('button', { name: 'See who pays what' }).click();
    },
  },
  {
    name: 'split-equal',
    text: 'The odd $0.01 is on you',
    open: async (fixture, page) => openChooseParty(fixture, page, await organizerWithChannel(fixture)),
    async then(page) {
      await page.getByLabel('Sailing crew').check();
      await page.getByLabel('Open seats').fill('2');
      await page.getByRole('button', { name: 'See who pays what' }).click();
    },
  },
  {
    name: 'split-custom',
    text: '$30.00 left to assign.',
    open: async (fixture, page) => openChooseParty(fixture, page, await organizerWithChannel(fixture)),
    async then(page) {
      await page.getByLabel('Sailing crew').check();
      await page.getByLabel('Open seats').fill('0');
      await page.getByLabel('I set the amounts').check();
      await page.getByRole('button', { name: 'See who pays what' }).click();
      await page.getByLabel('Amount for Ben').fill('50');
      const refused = page.waitForResponse((response) => response.status() === 303);
      await page.getByRole('button', { name: 'Send the invites' }).click();
      await refused;
    },
  },
];

const collecting: readonly PageState[] = [
  {
    name: 'invite-stranger',
    text: 'Ada invited you.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 0);
      return openAt(fixture, page, null, group.invites[1].url);
    },
  },
  {
    name: 'held-elsewhere',
    text: 'Nothing is charged yet.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      return openAt(fixture, page, null, group.invites[1].url);
    },
  },
  {
    name: 'cookies-blocked',
    text: 'Your browser blocks the cookie',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, null, `${pageOf(group)}?sent=${Math.floor(Date.now() / 1000)}`);
    },
  },
  {
    name: 'invited',
    text: 'We place a hold now.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 0);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'organizer-waiting',
    text: 'Your link is ready.',
    async open(fixture, page) {
      const group = await groupWithSeats(fixture, 0);
      await pay(fixture, group, 0);
      return openAt(fixture, page, group.ada, pageOf(group));
    },
  },
  {
    name: 'organizer-qr-code',
    text: 'Scan to join',
    async open(fixture, page) {
      const group = await groupWithSeats(fixture, 0);
      return openAt(fixture, page, group.ada, pageOf(group));
    },
    async then(page) {
      await page.locator('.qr > summary').click();
      await page.getByText('What they get').click();
      await page.locator('.link-card img').evaluate('(image) => image.decode()');
    },
  },
  {
    name: 'organizer-reminded',
    text: 'Again in 3 hours',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      const { db } = fixture.world;
      await db.query(`update messages set status = 'sent', due_at = null, sent_at = now() - interval '4 minutes'`);
      await pay(fixture, group, 0);
      await db.query(`update shares set reminded_at = now() - interval '1 second' where share_id = $1`, [
        group.invites[2].id,
      ]);
      await fixture.world.call('GET', `/v1/public/checkouts/${group.checkout.id}`, { key: group.ben.token });
      return openAt(fixture, page, group.ada, pageOf(group));
    },
  },
  {
    name: 'organizer-undelivered',
    text: 'Could not be delivered',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      const { db } = fixture.world;
      await db.query(
        `update messages set status = case subject when $1 then 'failed' else 'sent' end, due_at = null,
           last_error = 'refused', sent_at = now() - interval '3 minutes' where kind = 'invite' and subject = any($2)`,
        [group.invites[1].id, group.invites.map(({ id }) => id)],
      );
      return openAt(fixture, page, group.ada, pageOf(group));
    },
  },
  {
    name: 'organizer-pays-own',
    text: 'We place a hold now.',
    async open(fixture, page) {
      const group = await groupWithSeats(fixture, 0);
      return openAt(fixture, page, group.ada, `${pageOf(group)}?pay=own`);
    },
  },
  {
    name: 'landing',
    text: 'Ada has kept a seat for you.',
    async open(fixture, page) {
      const group = await groupWithSeats(fixture, 0);
      await pay(fixture, group, 0);
      return openAt(fixture, page, null, pageOf(group));
    },
  },
  {
    name: 'many',
    text: 'We place a hold now.',
    async open(fixture, page) {
      const { ada, ben, cleo } = await createFriends(fixture);
      const checkout = await fixture.createCheckout({ party_size: 20 });
      const { db, ids, clock } = fixture.world.context;
      const seatIds = await createSeats(db, { ids, now: clock.now() }, 17);
      const invites = await fixture.chooseParty(checkout, [ada, ben, cleo], 'equal', seatIds);
      await fixture.venue.pay(checkout.id, invites[0].id, CARDS.good);
      return openAt(fixture, page, ben, invites[1].url);
    },
  },
  {
    name: 'held',
    text: '$80.00 is held on Visa ···· 4242. Nothing is charged yet.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'leaving',
    text: 'You can’t come?',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, null, `${group.invites[1].url}?leave=own`);
    },
  },
  {
    name: 'leaving-held',
    text: 'Give up your place?',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      return openAt(fixture, page, group.ben, `${pageOf(group)}?leave=own`);
    },
  },
  {
    name: 'left-without-sign-in',
    text: 'You said you can’t come.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, null, `${group.invites[1].url}?leave=own`);
    },
    async then(page) {
      await page.getByRole('button', { name: 'Yes, I can’t come' }).click();
    },
  },
  {
    name: 'left-held',
    text: 'Your hold, released',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
    async then(page) {
      await page.getByRole('link', { name: 'I can’t come any more' }).click();
      await page.getByRole('button', { name: 'Release my hold and leave' }).click();
    },
  },
  {
    name: 'left-no-seat',
    text: 'Every seat is taken now.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      const decline = `/v1/public/shares/${group.invites[1].id}/decline`;
      await fixture.world.call('POST', decline, { key: group.ben.token });
      const dan = await fixture.createPerson('Dan');
      await fixture.world.call('POST', `/v1/public/checkouts/${group.checkout.id}/seat`, { key: dan.token, body: {} });
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'organizer-guest-left',
    text: 'Can’t come',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 2);
      const decline = `/v1/public/shares/${group.invites[1].id}/decline`;
      await fixture.world.call('POST', decline, { key: group.ben.token });
      return openAt(fixture, page, group.ada, pageOf(group));
    },
  },
  {
    name: 'removing-held',
    text: 'Remove Ben?',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      return openAt(fixture, page, group.ada, `${pageOf(group)}?remove=${group.invites[1].id}`);
    },
  },
  {
    name: 'declined',
    text: 'Nothing was held. Try another card',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1, CARDS.declined);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'declined-just-now',
    text: 'Your bank declined this card.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
    async then(page) {
      await payWith(page, 'Declined');
      await page.getByText('Your bank declined this card.').waitFor();
    },
  },
  {
    name: 'card-missing',
    text: 'Test cards only',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
    async then(page) {
      await page.getByLabel('Card number').fill('4111 1111 1111 1111');
      await page.getByRole('button', { name: /^Hold / }).click();
      await page.getByText('Test cards only').waitFor();
    },
  },
  {
    name: 'bank-asks',
    isOfTheBank: true,
    text: 'Approve this payment',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
    async then(page) {
      await payWith(page, '3-D Secure');
      await page.getByRole('button', { name: 'Approve' }).waitFor();
    },
  },
  {
    name: 'covered',
    text: 'Ada covered your share.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      const response = await fixture.world.call('POST', `/v1/public/shares/${group.invites[1].id}/hold`, {
        key: group.ada.token,
      });
      if (response.status !== 200) throw new Error(response.text);
      await pay(fixture, group, 1);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'cover-one',
    text: 'Cover the share of Ben',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, group.ada, `${pageOf(group)}?cover=${group.invites[1].id}`);
    },
  },
  {
    name: 'cover-rest',
    text: 'Cover 2 shares',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, group.ada, `${pageOf(group)}?cover=rest`);
    },
  },
  {
    name: 'hold-lost',
    text: 'Your hold was lost',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      await fixture.venue.loseHold(group.invites[1].id);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'hold-not-renewed',
    text: 'Your bank did not extend your hold',
    async open(fixture, page) {
      const group = await withRefusedRenewal(fixture);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'organizer-hold-not-renewed',
    text: 'must give a card again',
    async open(fixture, page) {
      const group = await withRefusedRenewal(fixture);
      return openAt(fixture, page, group.ada, pageOf(group));
    },
  },
  {
    name: 'dropped',
    text: 'You are no longer in this group',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await fixture.chooseParty(group.checkout, [group.ada, group.cleo]);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'wrong-person',
    text: 'This link is for Ben',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, await fixture.createPerson('Dora'), group.invites[1].url);
    },
  },
  {
    name: 'seat-free',
    text: 'Ada has kept a seat for you.',
    async open(fixture, page) {
      const group = await groupWithSeats(fixture, 0);
      return openAt(fixture, page, group.cleo, pageOf(group));
    },
  },
  {
    name: 'no-seat',
    text: 'No seat is free',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, await fixture.createPerson('Dora'), pageOf(group));
    },
  },
  {
    name: 'offline',
    text: 'No connection.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
    async then(page) {
      await page.context().setOffline(true);
      await page.evaluate(`document.dispatchEvent(new CustomEvent('everyshare:look'))`);
      await page.getByText('No connection').waitFor();
    },
  },
];

const ended: readonly PageState[] = [
  {
    name: 'funded',
    text: 'All cards are being charged now.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      for (const index of [0, 1, 2])
        await pay(fixture, group, index, index === 2 ? CARDS.captureFailsForAWhile : CARDS.good);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'completed',
    text: 'Your receipt',
    async open(fixture, page) {
      const group = await completedGroup(fixture);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'refunded',
    text: 'Your $80.00 is on its way back.',
    async open(fixture, page) {
      const group = await completedGroup(fixture);
      await fixture.venue.post(`/v1/checkouts/${group.checkout.id}/refund`, {});
      await fixture.world.work();
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'refunded-in-part',
    text: '$20.00 of your $80.00 is on its way back.',
    async open(fixture, page) {
      const group = await completedGroup(fixture);
      await fixture.venue.post(`/v1/checkouts/${group.checkout.id}/refund`, { amount: 6_000 });
      await fixture.world.work();
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'expired',
    text: 'Time is up',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      await fixture.venue.runTestHelper(group.checkout.id, 'expire');
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'expired-organizer',
    text: 'Try again with the same group',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await fixture.venue.runTestHelper(group.checkout.id, 'expire');
      return openAt(fixture, page, group.ada, group.checkout.url);
    },
  },
  {
    name: 'same-group',
    text: 'These are the people of your last group.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await fixture.venue.runTestHelper(group.checkout.id, 'expire');
      return openAt(fixture, page, group.ada, (await fixture.createCheckout()).url);
    },
  },
  {
    name: 'canceled',
    text: 'This booking was canceled',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      await pay(fixture, group, 1);
      await fixture.venue.post(`/v1/checkouts/${group.checkout.id}/cancel`);
      return openAt(fixture, page, group.ben, group.invites[1].url);
    },
  },
  {
    name: 'canceled-return-failed',
    text: 'has not reached you yet.',
    async open(fixture, page) {
      const group = await createGroup(fixture);
      for (const [index, card] of [REFUND_FAILS, CARDS.good, CARDS.captureFailsForGood].entries())
        await pay(fixture, group, index, card);
      await fixture.world.work();
      await fixture.venue.finishDueWork(group.checkout.id);
      fixture.world.processorClock.aheadMs += 31_000;
      await fixture.venue.finishDueWork(group.checkout.id);
      return openAt(fixture, page, group.ada, group.invites[0].url);
    },
  },
  {
    name: 'already-paid',
    text: 'This booking is paid',
    async open(fixture, page) {
      const group = await completedGroup(fixture);
      return openAt(fixture, page, null, group.invites[1].url);
    },
  },
  {
    name: 'not-found',
    text: 'This link is not complete',
    open: (fixture, page) => openAt(fixture, page, null, '/s/this-is-no-invite'),
  },
];

const payouts: PageState = {
  name: 'payouts',
  text: 'Something is still missing',
  async open(fixture, page) {
    const { context } = fixture.world;
    const { venueId } = fixture.venue;
    const contact = { email: 'pay@harbor.example', country: 'US' };
    const expiresAt = Date.now() + ONBOARDING_TOKEN_MS;
    const token = sealOnboarding(context.seal, { venueId, mode: 'live', returnUrl: null, expiresAt });
    const urls = onboardingUrls(fixture.url, token);
    await onboardingLink(context.services, venueId, 'live', { contact, ...urls });
    return openAt(fixture, page, null, urls.returnUrl);
  },
};

const outbox: PageState = {
  name: 'outbox',
  text: 'Text messages',
  async open(fixture, page) {
    await createGroup(fixture);
    return openAt(fixture, page, null, '/sandbox/outbox');
  },
};

export const STATES: readonly PageState[] = [...beforeTheParty, ...collecting, ...ended, payouts, outbox];
