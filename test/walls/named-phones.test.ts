// An organizer names phones and ids of people whom they do not know. No response, event, page, list or statement depends
// on whether a member has the phone, and none shows the member's name or id, until that member acts on the invite.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { channelsOf, friendsOf } from '../../src/domain/members/friend-queries.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { type GuestFixture, ORIGIN, openGuestFixture, type Person } from '../guests/guest-fixture.ts';
import { callTool } from '../mcp/json-rpc-client.ts';
import type { HttpResponse } from '../support/test-world.ts';

// Reads everything that shows a party of 50.
vi.setConfig({ testTimeout: 60_000 });

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({});
});
afterAll(() => fixture.world.close());

/** Reserved numbers, which a sandbox accepts. */
let numbers = 0;
const unusedPhone = (): string => `+15550100${String(numbers++).padStart(3, '0')}`;

async function createMemberWith(phone: string, name: string): Promise<Person> {
  const { world } = fixture;
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }));
  return { id, phone, token: await world.context.tokens.sign(id) };
}

const cookieOf = async ({ id }: Person) => ({
  cookie: `everyshare_session=${await beginSession(fixture.world.context, id)}`,
});

/** Everything that an organizer, another guest of the party, the partner or an agent can read about a checkout. */
async function readEverything(id: string, people: readonly Person[], chosen: HttpResponse): Promise<string[]> {
  const { world, key, publishable } = fixture;
  const texts = [chosen.text, JSON.stringify(await fixture.view(id, people[0] as Person))];
  const asPartner = [`/v1/checkouts/${id}`, '/v1/checkouts', '/v1/events?limit=100'];
  for (const path of asPartner) texts.push((await world.call('GET', path, { key })).text);
  const options = { key: publishable, headers: { origin: ORIGIN } };
  texts.push((await world.call('GET', `/v1/public/checkouts/${id}`, options)).text);
  for (const [tool, input] of [
    ['get_checkout', { id }],
    ['list_bookings', {}],
  ] as const)
    texts.push(JSON.stringify(await callTool(world, key, tool, input)));
  const invites: string[] = chosen.json.shares
    .filter((_: unknown, index: number) => index < 8 || index > 44)
    .map(({ url }: { url: string }) => new URL(url).pathname);
  for (const person of people) {
    const headers = await cookieOf(person);
    for (const path of [`/c/${id}`, `/c/${id}?edit=party`, `/c/${id}?cover=rest`, ...invites])
      texts.push((await world.call('GET', path, { headers })).text);
    texts.push(JSON.stringify([await friendsOf(world.db, person.id, 100), await channelsOf(world.db, person.id, 100)]));
  }
  for (const path of invites) texts.push((await world.call('GET', path)).text);
  return texts;
}

/** What differs between two parties without any difference between their people. */
const shapeOf = (text: string): string =>
  text
    .replaceAll(/(chk|shr|evt)_[0-9a-z]{26}/g, '$1')
    .replaceAll(/\/s\/[A-Za-z0-9]{24}/g, '/s/token')
    .replaceAll(/bk-\d+/g, 'bk')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');

describe('many phones on one checkout, with shares of 0 among them', () => {
  it('become no names and no ids, in no response, event, tool, page or list of friends', async () => {
    const { world } = fixture;
    const attacker = await fixture.createPerson('Mallory');
    const accomplice = await fixture.createPerson('Trudy');
    const id = await fixture.checkout({ party_size: 50 });
    const phones = Array.from({ length: 47 }, unusedPhone);
    const victims = await Promise.all(
      phones.slice(0, 24).map((phone, n) => createMemberWith(phone, `Victim-${n}-of-24`)),
    );
    const outsider = await createMemberWith(unusedPhone(), 'Victim-by-id');
    const [seat = ''] = await createSeats(world.db, { ids: world.context.ids, now: Date.now() }, 1);
    const members = [...phones.map((phone) => ({ phone })), { user_id: outsider.id }, { user_id: seat }];
    const free = phones.map((phone, n) => [phone, n % 2 === 0 ? 0 : 100]);
    const paid = free.reduce((sum, [, amount]) => sum + Number(amount), 0);
    const custom = { organizer: 10_000 - paid - 200, [outsider.id]: 100, [seat]: 100, ...Object.fromEntries(free) };
    const chosen = await fixture.party(id, attacker, members, { custom });
    expect(chosen.status, chosen.text).toBe(200);
    // An accomplice in the party learns no more than the organizer.
    const claim = { key: accomplice.token, body: {} };
    expect((await world.call('POST', `/v1/public/checkouts/${id}/seat`, claim)).status).toBe(200);
    const texts = await readEverything(id, [attacker, accomplice], chosen);
    expect(texts.length).toBeGreaterThan(50);
    for (const text of texts) {
      expect(text).not.toContain('Victim-');
      for (const victim of victims) expect(text).not.toContain(victim.id);
    }
    const names = chosen.json.shares.map(({ display_name }: { display_name: string | null }) => display_name);
    expect(names).toEqual(['Mallory', ...members.map(() => null)]);
    // The first victim opens the invite, signed in: now, and only now, the party has that name.
    const headers = await cookieOf(victims[0] as Person);
    const page = new URL(chosen.json.shares[1].url).pathname;
    expect((await world.call('GET', page, { headers })).status).toBe(200);
    const after = (await fixture.view(id, attacker)).shares;
    expect(after.map((share: { display_name: string | null }) => share.display_name)).toEqual([
      'Mallory',
      'Victim-0-of-24',
      ...members.slice(2).map(() => null),
      'Trudy',
    ]);
    const friends = await friendsOf(world.db, attacker.id, 100);
    expect(friends.map(({ displayName }) => displayName)).toEqual(['Victim-0-of-24', 'Trudy']);
  });

  it('get the same responses, pages and statements, known or unknown', async () => {
    const { world } = fixture;
    const [known, unknown] = [Array.from({ length: 3 }, unusedPhone), Array.from({ length: 3 }, unusedPhone)];
    for (const phone of known) await createMemberWith(phone, 'Victim');
    async function attack(phones: readonly string[]) {
      const attacker = await fixture.createPerson('Mallory');
      const id = await fixture.checkout();
      world.statements.length = 0;
      const chosen = await fixture.party(
        id,
        attacker,
        phones.map((phone) => ({ phone })),
      );
      const statements = [...world.statements];
      expect(chosen.status, chosen.text).toBe(200);
      const headers = await cookieOf(attacker);
      const edit = (await world.call('GET', `/c/${id}?edit=party`, { headers })).text;
      const memberIds = [...edit.matchAll(/name="member" value="([0-9a-f-]{36})"/g)].map(
        ([, memberId]) => memberId ?? '',
      );
      return { chosen, statements, edit, memberIds };
    }
    const [first, second] = [await attack(known), await attack(unknown)];
    expect(shapeOf(first.chosen.text)).toBe(shapeOf(second.chosen.text));
    expect(first.statements).toEqual(second.statements);
    expect(first.statements.length).toBeGreaterThan(10);
    expect([first.memberIds.length, second.memberIds.length]).toEqual([3, 3]);
    const withoutIds = ({ edit }: { edit: string }) =>
      shapeOf(edit)
        .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
        .replaceAll(/name="seen" value="[^"]*"/g, 'seen');
    expect(withoutIds(first)).toBe(withoutIds(second));
  });
});

describe('a phone and an id', () => {
  it('are not compared: a request that names both does not say whether they are the same person', async () => {
    const attacker = await fixture.createPerson('Mallory');
    const victim = await createMemberWith(unusedPhone(), 'Victim');
    const outcomes = [];
    for (const phone of [victim.phone, unusedPhone()]) {
      const id = await fixture.checkout();
      const both = await fixture.party(id, attacker, [{ user_id: victim.id }, { phone }]);
      // Nor when one of them follows the other, nor as the key of an amount.
      const next = await fixture.checkout();
      const byPhone = (await fixture.party(next, attacker, [{ phone }])).json.shares[1].id;
      const custom = { organizer: 5_000, [victim.id]: 5_000 };
      const byKey = await fixture.party(next, attacker, [{ phone }], { custom });
      const byId = (await fixture.party(next, attacker, [{ user_id: victim.id }])).json.shares[1].id;
      outcomes.push([both.status, both.json.shares.length, byKey.status, byKey.json.error.field, byPhone === byId]);
    }
    expect(outcomes).toEqual([
      [200, 3, 422, `/split/custom/${victim.id}`, false],
      [200, 3, 422, `/split/custom/${victim.id}`, false],
    ]);
  });

  it('that the same person has give that person one share; the other stays the organizer’s to change', async () => {
    const ada = await fixture.createPerson('Ada');
    const sam = await createMemberWith(unusedPhone(), 'Sam');
    const id = await fixture.checkout();
    const { shares } = (await fixture.party(id, ada, [{ phone: sam.phone }, { user_id: sam.id }])).json;
    for (let n = 0; n < 2; n++) expect((await fixture.view(id, sam)).my_share_id).toBe(shares[2].id);
    expect((await fixture.hold(shares[1].id, sam)).status).toBe(403);
    const again = (await fixture.party(id, ada, [{ user_id: sam.id }])).json.shares;
    expect(again.map((share: { display_name: string | null }) => share.display_name)).toEqual(['Ada', 'Sam']);
  });

  it('of the placeholder belong to one party: another organizer cannot use it', async () => {
    const { world } = fixture;
    const [ada, mallory] = [await fixture.createPerson('Ada'), await fixture.createPerson('Mallory')];
    const id = await fixture.checkout();
    await fixture.party(id, ada, [{ phone: unusedPhone() }]);
    const [row] = await world.db.query<{ id: string }>(
      'select member_id as id from shares where checkout_id = $1 and not is_organizer',
      [id],
    );
    const members = [{ user_id: row?.id }];
    expect((await fixture.party(await fixture.checkout(), mallory, members)).status).toBe(422);
    expect((await fixture.party(id, ada, members)).status).toBe(200);
  });
});

describe('an invite', () => {
  it('shows the last digits of a phone only if the organizer typed the phone', async () => {
    const { world } = fixture;
    const ada = await fixture.createPerson('Ada');
    const [byId, claimer] = [
      await createMemberWith(unusedPhone(), 'Sam'),
      await createMemberWith(unusedPhone(), 'Kim'),
    ];
    const [seat = ''] = await createSeats(world.db, { ids: world.context.ids, now: Date.now() }, 1);
    const id = await fixture.checkout();
    const members = [{ user_id: byId.id }, { user_id: seat }, { phone: unusedPhone() }];
    const { shares } = (await fixture.party(id, ada, members)).json;
    await world.call('POST', `/v1/public/checkouts/${id}/seat`, { key: claimer.token, body: {} });
    const shown = [];
    for (const { url } of shares.slice(1)) {
      const path = new URL(url).pathname;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const invite = await world.call('GET', path);
      const sent = await world.call('POST', `${path}/sign-in`, { body: 'invited=yes', headers });
      const cookie = (sent.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
      const code = await world.call('GET', path, { headers: { cookie } });
      expect(code.text).toContain('six digits');
      shown.push(
        [invite, code].map(({ text }) => /the number (?:ending in \d\d|of this invite)/.exec(text)?.[0].slice(0, 20)),
      );
    }
    const hidden = 'the number of this i';
    const ending = 'the number ending in';
    expect(shown).toEqual([
      [hidden, hidden],
      [hidden, hidden],
      [ending, ending],
    ]);
  });
});

describe('signing in', () => {
  it('answers alike for a known and an unknown phone until the code is verified', async () => {
    const { world } = fixture;
    const known = await createMemberWith(unusedPhone(), 'Victim');
    const answers = [];
    for (const phone of [known.phone, unusedPhone()]) {
      world.statements.length = 0;
      const begun = await world.call('POST', '/v1/public/sign_in', { body: { phone } });
      const { challenge_id } = begun.json;
      const wrong = await world.call('POST', '/v1/public/sign_in/verify', { body: { challenge_id, code: '999999' } });
      const statements = [...world.statements];
      answers.push([begun.status, Object.keys(begun.json), wrong.status, wrong.json.error.message, statements]);
      expect(begun.text + wrong.text).not.toContain('Victim');
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});
