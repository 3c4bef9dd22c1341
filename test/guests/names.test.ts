// The names of members in a party: the name that the organizer typed, else the member's own once the member has acted.
// test/walls/named-phones.test.ts proves that nothing else reveals them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { friendsOf } from '../../src/domain/members/friend-queries.ts';
import { setMemberName } from '../../src/domain/members/profile.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

/** Reserved numbers, whose code is 000000. */
let numbers = 0;
const unusedPhone = (): string => `+155501001${String(numbers++).padStart(2, '0')}`;

async function signIn(phone: string, name: string): Promise<Person> {
  const challenge = await fixture.world.call('POST', '/v1/public/sign_in', { body: { phone } });
  const response = await fixture.world.call('POST', '/v1/public/sign_in/verify', {
    body: { challenge_id: challenge.json.challenge_id, code: '000000', name },
  });
  expect(response.status, response.text).toBe(200);
  return { id: response.json.member.id, token: response.json.token, phone };
}

interface NamedShare {
  readonly display_name: string | null;
}
const asGuest = async (id: string, person: Person) =>
  (await fixture.view(id, person)).shares.map(({ display_name }: NamedShare) => display_name);
const asPartner = async (id: string) =>
  (await fixture.world.call('GET', `/v1/checkouts/${id}`, { key: fixture.key })).json.shares.map(
    ({ display_name }: NamedShare) => display_name,
  );

it('a name that is typed again for a guest who stays is the one that shows, and the share stays', async () => {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout();
  const phones = [unusedPhone(), unusedPhone()];
  const choose = async (names: readonly (string | undefined)[]) => {
    const members = phones.map((phone, index) => ({ phone, ...(names[index] && { name: names[index] }) }));
    return (await fixture.party(id, ada, members)).json.shares as (NamedShare & { readonly id: string })[];
  };
  const before = await choose(['Bne', 'Cleo']);
  const after = await choose(['Ben', undefined]);
  expect(after.map(({ display_name }) => display_name)).toEqual(['Ada', 'Ben', 'Cleo']);
  expect(after.map((share) => share.id)).toEqual(before.map((share) => share.id));
  expect(await asPartner(id)).toEqual(['Ada', 'Ben', 'Cleo']);
});

it('a phone that is named without a name has none until its owner acts on the invite, then the owner’s own', async () => {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout();
  const [first, second] = [unusedPhone(), unusedPhone()];
  await signIn(second, 'Cleo');
  const members = [{ phone: first }, { phone: second }];
  await fixture.party(id, ada, members);
  const none = ['Ada', null, null];
  expect([await asGuest(id, ada), await asPartner(id)]).toEqual([none, none]);
  const ben = await signIn(first, 'Benjamin');
  // Signing in for something else does not count.
  expect([await asGuest(id, ada), await asPartner(id)]).toEqual([none, none]);
  const own = await fixture.view(id, ben);
  expect(own.my_share_id).toBe(own.shares[1].id);
  const one = ['Ada', 'Benjamin', null];
  expect([await asGuest(id, ada), await asPartner(id)]).toEqual([one, one]);
  await setMemberName(fixture.world.db, ben.id, 'Ben');
  const repeated = await fixture.party(id, ada, members);
  expect(repeated.json.shares.map(({ display_name }: NamedShare) => display_name)).toEqual(['Ada', 'Ben', null]);
  expect(repeated.json.shares.map((share: { id: string }) => share.id)).toEqual(
    own.shares.map((share: { id: string }) => share.id),
  );
  const changed = await fixture.party(id, ada, members, {
    custom: { organizer: 4_000, [first]: 4_000, [second]: 2_000 },
  });
  expect(changed.json.shares.map(({ display_name }: NamedShare) => display_name)).toEqual(['Ada', 'Ben', null]);
  expect((await fixture.view(id, ben)).my_share_id).toBe(changed.json.shares[1].id);
});

it.each([
  ['pays', (_id: string, share: string, person: Person) => fixture.hold(share, person)],
  [
    'asks for a seat',
    (id: string, _share: string, person: Person) =>
      fixture.world.call('POST', `/v1/public/checkouts/${id}/seat`, { key: person.token, body: {} }),
  ],
])('a person who was named by phone and %s gets the share of the invite', async (_what, act) => {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout();
  const phone = unusedPhone();
  const { shares } = (await fixture.party(id, ada, [{ phone }])).json;
  const ben = await signIn(phone, 'Ben');
  const response = await act(id, shares[1].id, ben);
  expect(response.status, response.text).toBe(200);
  expect(await asPartner(id)).toEqual(['Ada', 'Ben']);
  expect((await fixture.view(id, ben)).my_share_id).toBe(shares[1].id);
});

it('an invite is accepted once by many concurrent reads, holds and seat requests of its owner', async () => {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout();
  const phone = unusedPhone();
  const { shares } = (await fixture.party(id, ada, [{ phone }, { phone: unusedPhone() }])).json;
  const ben = await signIn(phone, 'Ben');
  const seat = () => fixture.world.call('POST', `/v1/public/checkouts/${id}/seat`, { key: ben.token, body: {} });
  const read = () => fixture.world.call('GET', `/v1/public/checkouts/${id}`, { key: ben.token });
  const responses = await Promise.all([read(), seat(), read(), fixture.hold(shares[1].id, ben), seat(), read()]);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect((await read()).json.my_share_id).toBe(shares[1].id);
  expect(await asPartner(id)).toEqual(['Ada', 'Ben', null]);
  expect(await friendsOf(fixture.world.db, ben.id, 10)).toEqual([{ id: ada.id, displayName: 'Ada' }]);
});

it('the organizer’s own phone is the organizer, and no second share', async () => {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout();
  const custom = { [ada.phone]: 6_000, '+15550100190': 4_000 };
  const response = await fixture.party(id, ada, [{ phone: ada.phone }, { phone: '+15550100190' }], { custom });
  expect(response.status, response.text).toBe(200);
  expect(response.json.shares.map(({ amount }: { amount: number }) => amount)).toEqual([6_000, 4_000]);
});

it('a member who is named by id has no name until they act, unless the organizer knows them', async () => {
  const [ada, outsider, friend, colleague] = await Promise.all(
    ['Ada', 'Sam', 'Kim', 'Lee'].map((name) => fixture.createPerson(name)),
  );
  if (!ada || !outsider || !friend || !colleague) throw new Error('four people were created');
  const { db } = fixture.world;
  const earlier = await fixture.checkout();
  await fixture.party(earlier, ada, [{ user_id: friend.id }]);
  expect(await asGuest(earlier, ada)).toEqual(['Ada', null]);
  await fixture.view(earlier, friend);
  await db.transaction((tx) =>
    createChannel(tx, fixture.world.command(), { name: null, memberIds: [ada.id, colleague.id] }),
  );
  const id = await fixture.checkout();
  const named = [outsider, friend, colleague].map((person) => ({ user_id: person.id }));
  await fixture.party(id, ada, named);
  const before = ['Ada', null, 'Kim', 'Lee'];
  expect([await asGuest(id, ada), await asPartner(id)]).toEqual([before, before]);
  await fixture.view(id, outsider);
  expect(await asGuest(id, ada)).toEqual(['Ada', 'Sam', 'Kim', 'Lee']);
});

it('the name that the organizer typed is used, and stays when the party is changed by id', async () => {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout();
  const [first, second] = [unusedPhone(), unusedPhone()];
  await fixture.party(id, ada, [
    { phone: first, name: 'Ben' },
    { phone: second, name: 'Cleo' },
  ]);
  const rows = await fixture.world.db.query<{ member_id: string }>(
    'select member_id from shares where checkout_id = $1 order by position',
    [id],
  );
  const ids = rows.slice(1).map(({ member_id }) => ({ user_id: member_id }));
  await signIn(first, 'Benjamin');
  const split = { custom: { organizer: 5_000, [ids[0]?.user_id ?? '']: 3_000, [ids[1]?.user_id ?? '']: 2_000 } };
  const response = await fixture.party(id, ada, ids, split);
  expect(response.status, response.text).toBe(200);
  expect([await asGuest(id, ada), await asPartner(id)]).toEqual([
    ['Ada', 'Ben', 'Cleo'],
    ['Ada', 'Ben', 'Cleo'],
  ]);
});

describe('a name with a link or a long number', () => {
  const HOSTILE = ['evil.com', 'evil\u3002com', 'Ada 555 0100 42', '\u200b', '\ufdfa'.repeat(10)];

  it('is refused at sign-in, at its field, and the code stays good', async () => {
    const phone = unusedPhone();
    const { challenge_id } = (await fixture.world.call('POST', '/v1/public/sign_in', { body: { phone } })).json;
    const verify = (name: string) =>
      fixture.world.call('POST', '/v1/public/sign_in/verify', { body: { challenge_id, code: '000000', name } });
    for (const name of [...HOSTILE, ...HOSTILE]) {
      const response = await verify(name);
      expect(statusAndError(response), name).toEqual([422, 'invalid_value', '/name']);
      expect(response.json.errors[0].example_fix).toBe('Sam');
    }
    expect((await verify(' Ｓam\u200b \t Lee\u202e')).json.member.display_name).toBe('Sam Lee');
  });

  it('is refused in a party, at its field, and other names are stored as they look', async () => {
    const ada = await fixture.createPerson('Ada');
    const id = await fixture.checkout();
    const [first, second] = [unusedPhone(), unusedPhone()];
    for (const name of HOSTILE) {
      const response = await fixture.party(id, ada, [{ phone: first }, { phone: second, name }]);
      expect(statusAndError(response), name).toEqual([422, 'invalid_value', '/members/1/name']);
    }
    await fixture.party(id, ada, [{ phone: first, name: 'Ｂen\u200d' }, { phone: second }]);
    expect(await asPartner(id)).toEqual(['Ada', 'Ben', null]);
  });

  it('is refused for a member’s own name on the pages', async () => {
    const ada = await fixture.createPerson('Ada');
    for (const name of HOSTILE)
      await expect(setMemberName(fixture.world.db, ada.id, name)).rejects.toMatchObject({ detail: { field: '/name' } });
    expect(await setMemberName(fixture.world.db, ada.id, 'Ａda\u2060')).toBe('Ada');
  });
});
