// The names of members in a party: the name that the organizer typed, else the member's own.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { setMemberName } from '../../src/domain/members/profile.ts';
import { type GuestFixture, openGuestFixture, type Person } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

/** Reserved numbers, whose code is 000000. */
let numbers = 0;
const unusedPhone = (): string => `+1555010010${numbers++}`;

async function signIn(phone: string, name?: string): Promise<{ id: string; display_name: string | null }> {
  const challenge = await fixture.world.call('POST', '/v1/public/sign_in', { body: { phone } });
  const response = await fixture.world.call('POST', '/v1/public/sign_in/verify', {
    body: { challenge_id: challenge.json.challenge_id, code: '000000', ...(name === undefined ? {} : { name }) },
  });
  expect(response.status, response.text).toBe(200);
  return response.json.member;
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

it('a member who is invited without a name appears with the own name, to the party and to the partner', async () => {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout();
  const [first, second] = [unusedPhone(), unusedPhone()];
  await fixture.party(id, ada, [{ phone: first }, { phone: second }]);
  expect(await asGuest(id, ada)).toEqual(['Ada', null, null]);
  await signIn(first, 'Benjamin');
  expect([await asGuest(id, ada), await asPartner(id)]).toEqual([
    ['Ada', 'Benjamin', null],
    ['Ada', 'Benjamin', null],
  ]);
  const member = await signIn(second);
  await setMemberName(fixture.world.db, member.id, 'Cleo');
  expect([await asGuest(id, ada), await asPartner(id)]).toEqual([
    ['Ada', 'Benjamin', 'Cleo'],
    ['Ada', 'Benjamin', 'Cleo'],
  ]);
  const repeated = await fixture.party(id, ada, [{ phone: first }, { phone: second }]);
  expect(repeated.json.shares.map(({ display_name }: NamedShare) => display_name)).toEqual(['Ada', 'Benjamin', 'Cleo']);
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
