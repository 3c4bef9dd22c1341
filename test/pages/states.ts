// The states that a hosted page can be in, each with the way to get there. No worker runs: a state stays as it is.

import type { Page } from 'playwright-core';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { CARDS, type Seen } from '../support/test-venue.ts';
import { type Look, type Person, payWith, type Town } from './browser-fixture.ts';

export interface State {
  readonly name: string;
  /** What it says, so that no other page passes for it. */
  readonly says: string;
  open(town: Town, look: Look): Promise<Page>;
  /** Done after the page was loaded anew: what only a script shows. */
  then?(page: Page): Promise<void>;
}

async function at(town: Town, person: Person | null, url: string, look: Look): Promise<Page> {
  const page = await town.phoneOf(person, look);
  await page.goto(new URL(url, town.url).href);
  return page;
}

interface Friends {
  readonly ada: Person;
  readonly ben: Person;
  readonly cleo: Person;
  readonly checkout: Seen;
  readonly invites: readonly Seen[];
}

/** Ada has chosen herself, Ben and Cleo. */
async function friends(town: Town, more: Readonly<Record<string, unknown>> = {}): Promise<Friends> {
  const [ada, ben, cleo] = [await town.person('Ada'), await town.person('Ben'), await town.person('Cleo')];
  const checkout = await town.create({ party_size: 3, ...more });
  return { ada, ben, cleo, checkout, invites: await town.party(checkout, [ada, ben, cleo]) };
}

const pay = (town: Town, { checkout, invites }: Friends, place: number, card: string = CARDS.good): Promise<unknown> =>
  town.shop.pay(checkout.id, invites[place].id, card);

const pageOf = ({ checkout }: Friends): string => `/c/${checkout.id}`;

async function choosing(town: Town, look: Look, ada: Person): Promise<Page> {
  return at(town, ada, (await town.create({ amount: 24_001 })).url, look);
}

async function seats(town: Town, taken: number): Promise<Friends> {
  const [ada, ben, cleo] = [await town.person('Ada'), await town.person('Ben'), await town.person('Cleo')];
  const checkout = await town.create({ party_size: 4 });
  const { db, ids, clock } = town.world.context;
  const free = await createSeats(db, { ids, now: clock.now() }, 2 - taken);
  return { ada, ben, cleo, checkout, invites: await town.party(checkout, [ada, ben], 'equal', free) };
}

async function known(town: Town): Promise<Person> {
  const { ada, ben, cleo } = await friends(town);
  const { world } = town;
  const memberIds = [ada.id, ben.id, cleo.id];
  await world.db.transaction((tx) => createChannel(tx, world.command(), { name: 'Sailing crew', memberIds }));
  return ada;
}

/** Somebody has given their number, and the next page is there. */
async function texted(town: Town, look: Look): Promise<Page> {
  const page = await at(town, null, (await town.create()).url, look);
  await page.getByLabel('Phone number').fill(town.phone());
  await page.getByRole('button', { name: 'Text me a code' }).click();
  await page.getByText('We texted six digits').waitFor();
  await page.waitForLoadState();
  return page;
}

const beforeTheParty: readonly State[] = [
  {
    name: 'sign-in',
    says: 'You are about to split this',
    open: async (town, look) => at(town, null, (await town.create()).url, look),
  },
  {
    name: 'sign-in-wrong-phone',
    says: 'This is not a phone number',
    open: async (town, look) => at(town, null, (await town.create()).url, look),
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
    async open(town, look) {
      const ada = await town.person('Ada');
      await town.world.db.query('update members set display_name = null where member_id = $1', [ada.id]);
      return at(town, ada, (await town.create()).url, look);
    },
  },
  { name: 'choosing', says: 'Sailing crew', open: async (town, look) => choosing(town, look, await known(town)) },
  {
    name: 'choosing-wrong',
    says: 'This is not a phone number',
    open: async (town, look) => choosing(town, look, await town.person('Ada')),
    async then(page) {
      await page.getByLabel('Phone', { exact: true }).nth(0).fill('555');
      await page.getByLabel('Name', { exact: true }).nth(0).fill('Ben');
      await page.getByRole('button', { name: 'See who pays what' }).click();
    },
  },
  {
    name: 'split-equal',
    says: 'The odd $0.01 is on you',
    open: async (town, look) => choosing(town, look, await known(town)),
    async then(page) {
      await page.getByLabel('Sailing crew').check();
      await page.getByLabel('Open seats').fill('2');
      await page.getByRole('button', { name: 'See who pays what' }).click();
    },
  },
  {
    name: 'split-custom',
    says: '$30.00 left to assign.',
    open: async (town, look) => choosing(town, look, await known(town)),
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
    async open(town, look) {
      const group = await friends(town);
      await pay(town, group, 0);
      return at(town, null, group.invites[1].url, look);
    },
  },
  {
    name: 'invited',
    says: 'We place a hold now.',
    async open(town, look) {
      const group = await friends(town);
      await pay(town, group, 0);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'organizer-waiting',
    says: 'Link for the open seats',
    async open(town, look) {
      const group = await seats(town, 0);
      await pay(town, group, 0);
      return at(town, group.ada, pageOf(group), look);
    },
  },
  {
    name: 'held',
    says: '$80.00 is held. You’re in.',
    async open(town, look) {
      const group = await friends(town);
      await pay(town, group, 1);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'declined',
    says: 'Your card was declined',
    async open(town, look) {
      const group = await friends(town);
      await pay(town, group, 1, CARDS.declined);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'declined-just-now',
    says: 'Your bank declined this card.',
    async open(town, look) {
      const group = await friends(town);
      return at(town, group.ben, group.invites[1].url, look);
    },
    async then(page) {
      await payWith(page, 'Declined');
      await page.getByText('Your bank declined this card.').waitFor();
    },
  },
  {
    name: 'card-missing',
    says: 'Test cards only',
    async open(town, look) {
      const group = await friends(town);
      return at(town, group.ben, group.invites[1].url, look);
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
    async open(town, look) {
      const group = await friends(town);
      return at(town, group.ben, group.invites[1].url, look);
    },
    async then(page) {
      await payWith(page, '3-D Secure');
      await page.getByRole('button', { name: 'Approve' }).waitFor();
    },
  },
  {
    name: 'covered',
    says: 'Ada covered your share.',
    async open(town, look) {
      const group = await friends(town);
      const told = await town.world.call('POST', `/v1/public/shares/${group.invites[1].id}/hold`, {
        key: group.ada.token,
      });
      if (told.status !== 200) throw new Error(told.text);
      await pay(town, group, 1);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'cover-one',
    says: 'Cover the share of Ben',
    async open(town, look) {
      const group = await friends(town);
      return at(town, group.ada, `${pageOf(group)}?cover=${group.invites[1].id}`, look);
    },
  },
  {
    name: 'cover-rest',
    says: 'Cover 2 shares',
    async open(town, look) {
      const group = await friends(town);
      return at(town, group.ada, `${pageOf(group)}?cover=rest`, look);
    },
  },
  {
    name: 'hold-lost',
    says: 'Your hold was lost',
    async open(town, look) {
      const group = await friends(town);
      await pay(town, group, 1);
      await town.shop.loseHold(group.invites[1].id);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'dropped',
    says: 'You are no longer in this group',
    async open(town, look) {
      const group = await friends(town);
      await town.party(group.checkout, [group.ada, group.cleo]);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'wrong-person',
    says: 'This link is for Ben',
    async open(town, look) {
      const group = await friends(town);
      return at(town, await town.person('Dora'), group.invites[1].url, look);
    },
  },
  {
    name: 'seat-free',
    says: 'Ada has kept a seat for you.',
    async open(town, look) {
      const group = await seats(town, 0);
      return at(town, group.cleo, pageOf(group), look);
    },
  },
  {
    name: 'no-seat',
    says: 'No seat is free',
    async open(town, look) {
      const group = await friends(town);
      return at(town, await town.person('Dora'), pageOf(group), look);
    },
  },
  {
    name: 'offline',
    says: 'No connection.',
    async open(town, look) {
      const group = await friends(town);
      return at(town, group.ben, group.invites[1].url, look);
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
    async open(town, look) {
      const group = await friends(town);
      for (const place of [0, 1, 2])
        await pay(town, group, place, place === 2 ? CARDS.captureFailsForAWhile : CARDS.good);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'completed',
    says: 'Your card was charged $80.00',
    async open(town, look) {
      const group = await friends(town);
      for (const place of [0, 1, 2]) await pay(town, group, place);
      await town.world.work();
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'expired',
    says: 'Time is up',
    async open(town, look) {
      const group = await friends(town);
      await pay(town, group, 1);
      await town.shop.drive(group.checkout.id, 'expire');
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'canceled',
    says: 'This booking was canceled',
    async open(town, look) {
      const group = await friends(town);
      await pay(town, group, 1);
      await town.shop.post(`/v1/checkouts/${group.checkout.id}/cancel`);
      return at(town, group.ben, group.invites[1].url, look);
    },
  },
  {
    name: 'already-paid',
    says: 'This booking is paid.',
    async open(town, look) {
      const group = await friends(town);
      for (const place of [0, 1, 2]) await pay(town, group, place);
      await town.world.work();
      return at(town, null, group.invites[1].url, look);
    },
  },
  {
    name: 'not-found',
    says: 'This link is not complete',
    open: (town, look) => at(town, null, '/s/this-is-no-invite', look),
  },
];

const outbox: State = {
  name: 'outbox',
  says: 'Text messages',
  async open(town, look) {
    await friends(town);
    return at(town, null, '/sandbox/outbox', look);
  },
};

export const STATES: readonly State[] = [...beforeTheParty, ...collecting, ...ended, outbox];
