// A group whose checkout ended without a charge is proposed again to its organizer, in the next checkout at the same venue.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPerson, type Person } from '../support/create-person.ts';
import { CARDS, openTestVenue, type TestVenue } from '../support/test-venue.ts';
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
}

/** Ada organizes for Ben, and for Cal by phone. Their checkout has expired. */
async function expiredGroup(overrides: object = {}): Promise<Group> {
  const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
  const { id } = await venue.create({ party_size: 4, cancel_url: CANCEL_URL, ...overrides });
  const { status, text, json } = await world.call('POST', `/v1/public/checkouts/${id}/party`, {
    key: ada.token,
    body: { members: [{ user_id: ben.id }, { phone: PHONE, name: 'Cal' }], split: 'equal' },
  });
  expect(status, text).toBe(200);
  // Ben acts on his invite, so the group shows his name.
  await world.call('POST', `/v1/public/shares/${json.shares[1].id}/hold`, { key: ben.token });
  await world.call('POST', `/v1/test_helpers/checkouts/${id}/expire`, { key: venue.key });
  expect((await venue.read(id)).status).toBe('expired');
  return { ada, ben, id };
}

it('the organizer is led to the partner’s cancel_url, and the next checkout has the same people in its form', async () => {
  const { ada, id } = await expiredGroup();
  const ended = await get(id, ada);
  expect(ended).toContain(`<a class="button" href="${CANCEL_URL}" rel="noreferrer">Try again with the same group</a>`);
  const next = await get((await venue.create({ party_size: 6 })).id, ada);
  expect(next).toContain('We filled in the people of your last group here. Change them as you like.');
  expect(next).toMatch(/name="member" value="[\w-]+" checked>.+<span>Ben<\/span>/);
  expect(next).toContain(`name="name" value="Cal"><input type="hidden" name="phone" value="${PHONE}"`);
  expect(next).toMatch(/name="seats"[^>]+value="3"/);
});

it('others, and an organizer whose partner gave no cancel_url, are led back to the venue', async () => {
  const { ada, ben, id } = await expiredGroup();
  expect(await get(id, ben)).not.toContain('Try again with the same group');
  const { ada: eve, id: without } = await expiredGroup({ cancel_url: undefined });
  expect(await get(without, eve)).not.toContain('Try again with the same group');
  // The group is proposed to its organizer alone.
  const next = (await venue.create()).id;
  expect(await get(next, ben)).not.toContain(PHONE);
  expect(await get(next, ada)).toContain(PHONE);
});

it('a smaller booking proposes as many people as it has places', async () => {
  const { ada, ben } = await expiredGroup();
  const next = await get((await venue.create({ party_size: 2 })).id, ada);
  expect(next).toContain(`name="member" value="${ben.id}" checked`);
  expect(next).not.toContain(PHONE);
  expect(next).toMatch(/name="seats"[^>]+value="0"/);
});

it('proposes nothing after a group that paid, at another venue, and after 30 days', async () => {
  const { ada, ben, id } = await expiredGroup();
  const other = await openTestVenue(world);
  expect(await get((await other.create()).id, ada)).not.toContain(PHONE);
  const next = (await venue.create()).id;
  await world.db.query(`update checkouts set created_at = created_at - interval '31 days' where checkout_id = $1`, [
    id,
  ]);
  expect(await get(next, ada)).not.toContain(PHONE);
  await world.db.query(`update checkouts set created_at = created_at + interval '31 days' where checkout_id = $1`, [
    id,
  ]);
  expect(await get(next, ada)).toContain(PHONE);
  const paid = await venue.create({ party_size: 2 });
  const party = await world.call('POST', `/v1/public/checkouts/${paid.id}/party`, {
    key: ada.token,
    body: { members: [{ user_id: ben.id }], split: 'equal' },
  });
  await venue.payAll({ id: paid.id, shares: party.json.shares }, [CARDS.good, CARDS.good]);
  expect(await get(next, ada)).not.toContain(PHONE);
});
