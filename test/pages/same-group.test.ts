// A group whose checkout ended without a charge is proposed again to its organizer, in the next checkout at the same venue.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createPerson, type Person } from '../support/create-person.ts';
import { submitForm } from '../support/submit-form.ts';
import { CARDS, DAY, inFuture, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const CANCEL_URL = 'https://harbor.example/book-again';
const PHONE = '+12165552001';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

const get = async (id: string, { headers }: Person): Promise<string> =>
  (await world.call('GET', `/c/${id}`, { headers })).text;

interface Group {
  readonly ada: Person;
  readonly ben: Person;
  readonly id: string;
  readonly shares: Json;
}

const BY_EXPIRY = { end: 'expire' as 'expire' | 'cancel', seats: 0 };

/** Ada organizes for Ben, for Cal by phone, and for open seats. Ben has acted on his invite, and the checkout has ended. */
async function endedGroup(overrides: object = {}, { end, seats } = BY_EXPIRY): Promise<Group> {
  const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
  const { id } = await venue.create({ party_size: 6, cancel_url: CANCEL_URL, ...overrides });
  const { ids, clock } = world.context;
  const open = await createSeats(world.db, { ids, now: clock.now() }, seats);
  const members = [{ user_id: ben.id }, { phone: PHONE, name: 'Cal' }, ...open.map((user_id) => ({ user_id }))];
  const shares = await chooseParty(id, ada, members);
  await world.call('POST', `/v1/public/shares/${shares[1].id}/hold`, { key: ben.token });
  await endCheckout(id, end);
  return { ada, ben, id, shares };
}

async function chooseParty(id: string, { token }: Person, members: readonly object[]): Promise<Json> {
  const body = { members, split: 'equal' };
  const { status, text, json } = await world.call('POST', `/v1/public/checkouts/${id}/party`, { key: token, body });
  expect(status, text).toBe(200);
  return json.shares;
}

async function endCheckout(id: string, end: 'expire' | 'cancel'): Promise<void> {
  const path = end === 'expire' ? `/v1/test_helpers/checkouts/${id}/expire` : `/v1/checkouts/${id}/cancel`;
  const { status, text } = await world.call('POST', path, { key: venue.key });
  expect(status, text).toBe(200);
}

/** The people and open seats that the form of a new checkout proposes. */
async function proposed(person: Person, at = venue, overrides: object = {}) {
  const { id } = await at.create({ party_size: 6, ...overrides });
  const page = await get(id, person);
  const pills = [...page.matchAll(/name="member" value="([\w-]+)" checked>.+?<span>(.+?)<\/span>/g)];
  const seats = Number(/name="seats"[^>]+value="(\d+)"/.exec(page)?.[1]);
  return { id, page, seats, ids: pills.map(([, memberId = '']) => memberId), names: pills.map(([, , name]) => name) };
}

const NONE: readonly string[] = [];

it.each(['expire', 'cancel'] as const)(
  'the organizer of a group is led to cancel_url, and the next checkout proposes the same people: %s',
  async (end) => {
    const { ada, ben, id } = await endedGroup({}, { end, seats: 1 });
    expect(await get(id, ada)).toContain(
      `<a class="button" href="${CANCEL_URL}" rel="noreferrer">Try again with the same group</a>`,
    );
    expect(await get(id, ben)).not.toContain('Try again with the same group');
    const next = await proposed(ada);
    expect(next.page).toContain('These are the people of your last group.');
    expect(next.names).toEqual(['Ben', 'Cal']);
    expect(next.seats).toBe(1);
    expect(next.page, 'no number is shown again').not.toContain(PHONE.slice(-7));
    expect((await proposed(ben)).names, 'the group is proposed to its organizer alone').toEqual(NONE);
  },
);

it('the proposed people are invited as before: by the phone that was typed, under the typed name', async () => {
  const { ada } = await endedGroup();
  const next = await proposed(ada);
  const invitesByText = async (): Promise<number> => {
    await world.work();
    const { json } = await world.call('GET', '/sandbox/outbox', { headers: { accept: 'application/json' } });
    return json.data.filter(({ to, kind }: Json) => to === PHONE && kind === 'invite').length;
  };
  const before = await invitesByText();
  const fields = new URLSearchParams(next.ids.map((id): [string, string] => ['member', id]));
  for (const [name, value] of [
    ['seats', '0'],
    ['split', 'equal'],
    ['seen', seenOf(next.page)],
    ['do', 'send'],
  ] as const)
    fields.set(name, value);
  const sent = await world.call('POST', `/c/${next.id}/party`, {
    body: fields.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...ada.headers },
  });
  expect(sent.status).toBe(303);
  const { shares } = (await world.call('GET', `/v1/public/checkouts/${next.id}`, { key: ada.token })).json;
  expect(shares.map((share: Json) => share.display_name)).toEqual(['Ada', 'Ben', 'Cal']);
  expect(await invitesByText()).toBe(before + 1);
});

const seenOf = (page: string): string => /name="seen" value="([^"]+)"/.exec(page)?.[1] ?? '';

it('a guest who was named by phone and has signed in keeps the typed name', async () => {
  const ada = await createPerson(world, 'Ada');
  const cal = await createPerson(world, null);
  const { id } = await venue.create({ party_size: 3, cancel_url: CANCEL_URL });
  const [, share] = await chooseParty(id, ada, [{ phone: cal.phone, name: 'Cal' }]);
  await world.call('POST', `/v1/public/shares/${share.id}/hold`, { key: cal.token });
  await endCheckout(id, 'expire');
  const next = await proposed(ada);
  expect(next.names).toEqual(['Cal']);
  const fields = { member: next.ids[0] ?? '', seats: '0', split: 'equal', seen: seenOf(next.page), do: 'send' };
  await submitForm(world, `/c/${next.id}/party`, fields, ada.headers);
  const { shares } = (await world.call('GET', `/v1/public/checkouts/${next.id}`, { key: ada.token })).json;
  expect(shares.map((one: Json) => one.display_name)).toEqual(['Ada', 'Cal']);
});

it('people who said no or were removed are not proposed, and a group without people is no group to try again with', async () => {
  const ada = await createPerson(world, 'Ada');
  const ben = await createPerson(world, 'Ben');
  const { id } = await venue.create({ party_size: 3, cancel_url: CANCEL_URL });
  const shares = await chooseParty(id, ada, [{ user_id: ben.id }, { phone: PHONE, name: 'Cal' }]);
  await world.call('POST', `/v1/public/shares/${shares[1].id}/decline`, { key: ben.token });
  await world.call('POST', `/v1/public/shares/${shares[2].id}/remove`, { key: ada.token });
  await endCheckout(id, 'expire');
  expect((await proposed(ada)).names).toEqual(NONE);
  expect(await get(id, ada)).not.toContain('Try again with the same group');
});

it('without a cancel_url the organizer is led back to the venue', async () => {
  const { ada, id } = await endedGroup({ cancel_url: undefined });
  expect(await get(id, ada)).not.toContain('Try again with the same group');
});

it('a smaller booking proposes everyone, and its organizer leaves some out', async () => {
  const { ada } = await endedGroup({}, { end: 'expire', seats: 2 });
  const next = await proposed(ada, venue, { party_size: 2 });
  expect(next.names).toEqual(['Ben', 'Cal']);
  expect(next.seats).toBe(0);
});

it('proposes nothing after a group that paid, at another venue, and 30 days after pay_by', async () => {
  const { ada, ben, id } = await endedGroup({ pay_by: inFuture(60 * DAY) });
  expect((await proposed(ada)).names, 'it counts from pay_by').toEqual(['Ben', 'Cal']);
  expect((await proposed(ada, await openTestVenue(world))).names).toEqual(NONE);
  const passed = (days: number): Promise<unknown> =>
    world.db.query(`update checkouts set expires_at = now() - $2 * interval '1 day' where checkout_id = $1`, [
      id,
      days,
    ]);
  await passed(29);
  expect((await proposed(ada)).names).toEqual(['Ben', 'Cal']);
  await passed(31);
  expect((await proposed(ada)).names).toEqual(NONE);
  await passed(1);
  const paid = await venue.create({ party_size: 2 });
  const shares = await chooseParty(paid.id, ada, [{ user_id: ben.id }]);
  await venue.payAll({ id: paid.id, shares }, [CARDS.good, CARDS.good]);
  expect((await proposed(ada)).names).toEqual(NONE);
  expect(await get(id, ada)).not.toContain('Try again with the same group');
});

it('a person who is no longer proposed is not replaced by an open seat unseen', async () => {
  const { ada, ben } = await endedGroup();
  const [first, second] = [await proposed(ada), await proposed(ada)];
  await chooseParty(first.id, ada, []);
  const fields = { member: ben.id, seats: '0', split: 'equal', seen: seenOf(second.page), do: 'send' };
  // Ben took his seat, so he is a friend; the guest named by phone is known by the last group alone.
  const gone = second.ids.find((one) => one !== ben.id) ?? '';
  const { text } = await submitForm(world, `/c/${second.id}/party`, { ...fields, member: gone }, ada.headers);
  expect(text).toContain('The group has changed while you were choosing.');
});
