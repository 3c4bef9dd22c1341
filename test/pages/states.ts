// The states that a hosted page can be in, each with the way to get there. No worker runs: a state stays as it is.

import type { Page } from 'playwright-core';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { CARDS, type Json } from '../support/test-venue.ts';
import { type BrowserFixture, type BrowserOptions, type Person, payWith } from './browser-fixture.ts';

export interface State {
  readonly name: string;
  /** What it says, so that no other page passes for it. */
  readonly says: string;
  open(fixture: BrowserFixture, look: BrowserOptions): Promise<Page>;
  /** Done after the page was loaded anew: what only a script shows. */
  then?(page: Page): Promise<void>;
}

async function at(fixture: BrowserFixture, person: Person | null, url: string, look: BrowserOptions): Promise<Page> {
  const page = await fixture.openPage(person, look);
  await page.goto(new URL(url, fixture.url).href);
  return page;
}

interface Friends {
  readonly ada: Person;
  readonly ben: Person;
  readonly cleo: Person;
  readonly checkout: Json;
  readonly invites: readonly Json[];
}

/** Ada has chosen herself, Ben and Cleo. */
async function friends(fixture: BrowserFixture, more: Readonly<Record<string, unknown>> = {}): Promise<Friends> {
  const [ada, ben, cleo] = [
    await fixture.createPerson('Ada'),
    await fixture.createPerson('Ben'),
    await fixture.createPerson('Cleo'),
  ];
  const checkout = await fixture.create({ party_size: 3, ...more });
  return { ada, ben, cleo, checkout, invites: await fixture.party(checkout, [ada, ben, cleo]) };
}

const pay = (
  fixture: BrowserFixture,
  { checkout, invites }: Friends,
  place: number,
  card: string = CARDS.good,
): Promise<unknown> => fixture.venue.pay(checkout.id, invites[place].id, card);

const pageOf = ({ checkout }: Friends): string => `/c/${checkout.id}`;

async function choosing(fixture: BrowserFixture, look: BrowserOptions, ada: Person): Promise<Page> {
  return at(fixture, ada, (await fixture.create({ amount: 24_001 })).url, look);
}

async function seats(fixture: BrowserFixture, taken: number): Promise<Friends> {
  const [ada, ben, cleo] = [
    await fixture.createPerson('Ada'),
    await fixture.createPerson('Ben'),
    await fixture.createPerson('Cleo'),
  ];
  const checkout = await fixture.create({ party_size: 4 });
  const { db, ids, clock } = fixture.world.context;
  const free = await createSeats(db, { ids, now: clock.now() }, 2 - taken);
  return { ada, ben, cleo, checkout, invites: await fixture.party(checkout, [ada, ben], 'equal', free) };
}

async function known(fixture: BrowserFixture): Promise<Person> {
  const { ada, ben, cleo } = await friends(fixture);
  const { world } = fixture;
  const memberIds = [ada.id, ben.id, cleo.id];
  await world.db.transaction((tx) => createChannel(tx, world.command(), { name: 'Sailing crew', memberIds }));
  return ada;
}

/** Somebody has given their number, and the next page is there. */
async function texted(fixture: BrowserFixture, look: BrowserOptions): Promise<Page> {
  const page = await at(fixture, null, (await fixture.create()).url, look);
  await page.getByLabel('Phone number').fill(fixture.phone());
  await page.getByRole('button', { name: 'Text me a code' }).click();
  await page.getByText('We texted six digits').waitFor();
  await page.waitForLoadState();
  return page;
}

const beforeTheParty: readonly State[] = [
  {
    name: 'sign-in',
    says: 'You are about to split this',
    open: async (fixture, look) => at(fixture, null, (await fixture.create()).url, look),
  },
  {
    name: 'sign-in-wrong-phone',
    says: 'This is not a phone number',
    open: async (fixture, look) => at(fixture, null, (await fixture.create()).url, look),
    async then(page) {
      await page.getByLabel('Phone number').fill('12');
      await page.getByRole('button', { name: 'Text me a code' }).click();
    },
  },
  {
    name: 'code',
    says: 'We texted six digits',
    open: texted,
  },
  {
    name: 'code-wrong',
    says: 'That is not the code.',
    open: texted,
    async then(page) {
      await page.getByRole('textbox', { name: 'Code' }).fill('999999');
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  },
  {
    name: 'name',
    says: 'What should the group call you?',
    async open(fixture, look) {
      const ada = await fixture.createPerson('Ada');
      await fixture.world.db.query('update members set display_name = null where member_id = $1', [ada.id]);
      return at(fixture, ada, (await fixture.create()).url, look);
    },
  },
  {
    name: 'choosing',
    says: 'Sailing crew',
    open: async (fixture, look) => choosing(fixture, look, await known(fixture)),
  },
  {
    name: 'choosing-wrong',
    says: 'This is not a phone number',
    open: async (fixture, look) => choosing(fixture, look, await fixture.createPerson('Ada')),
    async then(page) {
      await page.getByLabel('Phone', { exact: true }).nth(0).fill('555');
      await page.getByLabel('Name', { exact: true }).nth(0).fill('Ben');
      await page.getByRole('button', { name: 'See who pays what' }).click();
    },
  },
  {
    name: 'split-equal',
    says: 'The odd $0.01 is on you',
    open: async (fixture, look) => choosing(fixture, look, await known(fixture)),
    async then(page) {
      await page.getByLabel('Sailing crew').check();
      await page.getByLabel('Open seats').fill('2');
      await page.getByRole('button', { name: 'See who pays what' }).click();
    },
  },
  {
    name: 'split-custom',
    says: '$30.00 left to assign.',
    open: async (fixture, look) => choosing(fixture, look, await known(fixture)),
    async then(page) {
      await page.getByLabel('Sailing crew').check();
      await page.getByLabel('I set the amounts').check();
      await page.getByRole('button', { name: 'See who pays what' }).click();
      await page.getByLabel('Amount for Ben').fill('50');
      const refused = page.waitForResponse((response) => response.status() === 422);
      await page.getByRole('button', { name: 'Send the invites' }).click();
      await refused;
    },
  },
];

const collecting: readonly State[] = [
  {
    name: 'invite-stranger',
    says: 'Ada invited you.',
    async open(fixture, look) {
      const group = await friends(fixture);
      await pay(fixture, group, 0);
      return at(fixture, null, group.invites[1].url, look);
    },
  },
  {
    name: 'invited',
    says: 'We place a hold now.',
    async open(fixture, look) {
      const group = await friends(fixture);
      await pay(fixture, group, 0);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'organizer-waiting',
    says: 'Link for the open seats',
    async open(fixture, look) {
      const group = await seats(fixture, 0);
      await pay(fixture, group, 0);
      return at(fixture, group.ada, pageOf(group), look);
    },
  },
  {
    name: 'held',
    says: '$80.00 is held. You’re in.',
    async open(fixture, look) {
      const group = await friends(fixture);
      await pay(fixture, group, 1);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'declined',
    says: 'Your card was declined',
    async open(fixture, look) {
      const group = await friends(fixture);
      await pay(fixture, group, 1, CARDS.declined);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'declined-just-now',
    says: 'Your bank declined this card.',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
    async then(page) {
      await payWith(page, 'Declined');
      await page.getByText('Your bank declined this card.').waitFor();
    },
  },
  {
    name: 'card-missing',
    says: 'Test cards only',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
    async then(page) {
      await page.getByLabel('Card number').fill('4111 1111 1111 1111');
      await page.getByRole('button', { name: /^Hold / }).click();
      await page.getByText('Test cards only').waitFor();
    },
  },
  {
    name: 'bank-asks',
    says: 'Approve this payment',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
    async then(page) {
      await payWith(page, '3-D Secure');
      await page.getByRole('button', { name: 'Approve' }).waitFor();
    },
  },
  {
    name: 'covered',
    says: 'Ada covered your share.',
    async open(fixture, look) {
      const group = await friends(fixture);
      const response = await fixture.world.call('POST', `/v1/public/shares/${group.invites[1].id}/hold`, {
        key: group.ada.token,
      });
      if (response.status !== 200) throw new Error(response.text);
      await pay(fixture, group, 1);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'cover-one',
    says: 'Cover the share of Ben',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, group.ada, `${pageOf(group)}?cover=${group.invites[1].id}`, look);
    },
  },
  {
    name: 'cover-rest',
    says: 'Cover 2 shares',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, group.ada, `${pageOf(group)}?cover=rest`, look);
    },
  },
  {
    name: 'hold-lost',
    says: 'Your hold was lost',
    async open(fixture, look) {
      const group = await friends(fixture);
      await pay(fixture, group, 1);
      await fixture.venue.loseHold(group.invites[1].id);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'dropped',
    says: 'You are no longer in this group',
    async open(fixture, look) {
      const group = await friends(fixture);
      await fixture.party(group.checkout, [group.ada, group.cleo]);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'wrong-person',
    says: 'This link is for Ben',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, await fixture.createPerson('Dora'), group.invites[1].url, look);
    },
  },
  {
    name: 'seat-free',
    says: 'Ada has kept a seat for you.',
    async open(fixture, look) {
      const group = await seats(fixture, 0);
      return at(fixture, group.cleo, pageOf(group), look);
    },
  },
  {
    name: 'no-seat',
    says: 'No seat is free',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, await fixture.createPerson('Dora'), pageOf(group), look);
    },
  },
  {
    name: 'offline',
    says: 'No connection.',
    async open(fixture, look) {
      const group = await friends(fixture);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
    async then(page) {
      await page.context().setOffline(true);
      await page.evaluate(`document.dispatchEvent(new CustomEvent('everyshare:look'))`);
      await page.getByText('No connection').waitFor();
    },
  },
];

const ended: readonly State[] = [
  {
    name: 'funded',
    says: 'All cards are being charged now.',
    async open(fixture, look) {
      const group = await friends(fixture);
      for (const place of [0, 1, 2])
        await pay(fixture, group, place, place === 2 ? CARDS.captureFailsForAWhile : CARDS.good);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'completed',
    says: 'Your card was charged $80.00',
    async open(fixture, look) {
      const group = await friends(fixture);
      for (const place of [0, 1, 2]) await pay(fixture, group, place);
      await fixture.world.work();
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'expired',
    says: 'Time is up',
    async open(fixture, look) {
      const group = await friends(fixture);
      await pay(fixture, group, 1);
      await fixture.venue.runTestHelper(group.checkout.id, 'expire');
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'canceled',
    says: 'This booking was canceled',
    async open(fixture, look) {
      const group = await friends(fixture);
      await pay(fixture, group, 1);
      await fixture.venue.post(`/v1/checkouts/${group.checkout.id}/cancel`);
      return at(fixture, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'already-paid',
    says: 'This booking is paid.',
    async open(fixture, look) {
      const group = await friends(fixture);
      for (const place of [0, 1, 2]) await pay(fixture, group, place);
      await fixture.world.work();
      return at(fixture, null, group.invites[1].url, look);
    },
  },
  {
    name: 'not-found',
    says: 'This link is not complete',
    open: (fixture, look) => at(fixture, null, '/s/this-is-no-invite', look),
  },
];

const outbox: State = {
  name: 'outbox',
  says: 'Text messages',
  async open(fixture, look) {
    await friends(fixture);
    return at(fixture, null, '/sandbox/outbox', look);
  },
};

export const STATES: readonly State[] = [...beforeTheParty, ...collecting, ...ended, outbox];
