// Guests sign in with a phone, view a checkout, choose the party and pay a share; and what each step refuses.

import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { type GuestFixture, ORIGIN, openGuestFixture, type Person, statusAndError } from '../guests/guest-fixture.ts';
import type { HttpResponse, TestWorld } from '../support/test-world.ts';

let fixture: GuestFixture;
let world: TestWorld;
let key: string;
let publishable: string;

beforeAll(async () => {
  fixture = await openGuestFixture();
  ({ world, key, publishable } = fixture);
});
afterAll(() => world.close());

const createPerson = (name?: string): Promise<Person> => fixture.createPerson(name);
const checkout = (overrides?: Record<string, unknown>): Promise<string> => fixture.checkout(overrides);
const hold = (share: string, person: Person): Promise<HttpResponse> => fixture.hold(share, person);
const pay = (response: HttpResponse, card?: string): Promise<number> => fixture.pay(response, card);
/** Any body, so that a test can send a wrong one. */
const party = (id: string, person: Person, body: unknown): Promise<HttpResponse> =>
  world.call('POST', `/v1/public/checkouts/${id}/party`, { key: person.token, body });

describe('signing in', () => {
  const begin = (phone: string) => world.call('POST', '/v1/public/sign_in', { body: { phone } });
  const verify = (challenge_id: string, code: string, name?: string) =>
    world.call('POST', '/v1/public/sign_in/verify', {
      body: { challenge_id, code, ...(name === undefined ? {} : { name }) },
    });

  it('accepts the code of the text message once, and returns a token that can be verified with the published keys', async () => {
    const { json } = await begin('+15550100007');
    expect(json.expires_in).toBe(600);
    const response = await verify(json.challenge_id, '000000', 'Ada');
    expect(response.json).toMatchObject({ expires_in: 3_600, member: { display_name: 'Ada' } });
    const jwks = (await world.call('GET', '/.well-known/jwks.json')).json;
    expect(JSON.stringify(jwks)).not.toContain('"d"');
    const { payload, protectedHeader } = await jwtVerify(response.json.token, createLocalJWKSet(jwks), {
      issuer: world.urls[0] as string,
      audience: 'everyshare-guest',
      algorithms: ['EdDSA'],
    });
    expect([payload.sub, protectedHeader.alg]).toEqual([response.json.member.id, 'EdDSA']);
    expect(statusAndError(await verify(json.challenge_id, '000000'))).toEqual([422, 'invalid_value', '/challenge_id']);
    const repeated = await verify((await begin('+15550100007')).json.challenge_id, '000000');
    expect(repeated.json.member).toEqual(response.json.member);
  });

  it('sends a code that only the outbox shows, and refuses a wrong one at its field', async () => {
    const phone = '+12155559999';
    const { json } = await begin(phone);
    const outbox = await world.call('GET', '/sandbox/outbox', { headers: { accept: 'application/json' } });
    const code = /^(\d{6}) /.exec(outbox.json.data.find(({ to }: { to: string }) => to === phone).text)?.[1] ?? '';
    const wrong = code === '123456' ? '654321' : '123456';
    expect(statusAndError(await verify(json.challenge_id, wrong))).toEqual([422, 'invalid_value', '/code']);
    expect((await verify(json.challenge_id, code)).status).toBe(200);
    expect(world.logs.join('')).not.toContain(phone);
    expect(world.logs.join('')).not.toContain(code);
  });

  it('checks at most five of fifty concurrent guesses', async () => {
    const { json } = await begin('+12155559998');
    const guesses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => verify(json.challenge_id, String(n).padStart(6, '9'))),
    );
    expect(guesses.filter(({ json }) => json.error.field === '/code')).toHaveLength(5);
    expect(guesses.filter(({ json }) => json.error.field === '/challenge_id')).toHaveLength(45);
  });

  it('sends at most five codes an hour to a phone', async () => {
    for (let n = 0; n < 5; n++) expect((await begin('+12155559997')).status).toBe(200);
    const sixth = await begin('+12155559997');
    expect(statusAndError(sixth).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });
});

describe('the view', () => {
  it('is shown to a publishable key from a registered origin and to any member, without the partner’s fields', async () => {
    const id = await checkout({ metadata: { table: '9' } });
    const path = `/v1/public/checkouts/${id}`;
    const response = await world.call('GET', path, { key: publishable, headers: { origin: ORIGIN } });
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(Object.keys(response.json)).not.toContain('my_share_id');
    for (const hidden of ['fee_amount', 'net_amount', 'metadata', 'external_booking_id'])
      expect(response.json).not.toHaveProperty(hidden);
    const member = await createPerson();
    expect((await world.call('GET', path, { key: member.token })).json).toEqual({
      ...response.json,
      my_share_id: null,
    });
    const foreign = await world.call('GET', path, { key: publishable, headers: { origin: 'https://evil.example' } });
    expect(statusAndError(foreign).slice(0, 2)).toEqual([403, 'origin_not_allowed']);
    expect(foreign.headers.get('access-control-allow-origin')).toBe(null);
    expect(statusAndError(await world.call('GET', path, { key })).slice(0, 2)).toEqual([403, 'wrong_key_kind']);
    const unknown = `/v1/public/checkouts/${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    expect((await world.call('GET', unknown, { key: member.token })).status).toBe(404);
  });

  it('answers a preflight only for a registered origin, and never on routes for secret keys', async () => {
    const path = `/v1/public/checkouts/${await checkout()}`;
    const good = await world.call('OPTIONS', path, { headers: { origin: ORIGIN } });
    expect([good.status, good.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
    const bad = await world.call('OPTIONS', path, { headers: { origin: 'https://evil.example' } });
    expect([bad.status, bad.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const secret = await world.call('OPTIONS', '/v1/checkouts', { headers: { origin: ORIGIN } });
    expect([secret.status, secret.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });

  it('answers 404 for every malformed id', async () => {
    const { token } = await createPerson();
    for (const id of ['%00', 'chk_%00', '%FF', 'chk_', 'x'.repeat(99), `chk_${'0'.repeat(25)}%00`]) {
      const calls = [
        ['GET', `/v1/public/checkouts/${id}`, undefined],
        ['OPTIONS', `/v1/public/checkouts/${id}`, undefined],
        ['POST', `/v1/public/checkouts/${id}/party`, { members: [{ phone: '+15550100001' }], split: 'equal' }],
        ['POST', `/v1/public/checkouts/${id}/seat`, {}],
        ['POST', `/v1/public/shares/${id.replace('chk_', 'shr_')}/hold`, undefined],
      ] as const;
      for (const [method, path, body] of calls) {
        const headers = { origin: ORIGIN, 'access-control-request-method': 'GET' };
        const { status } = await world.call(method, path, {
          key: token,
          headers,
          ...(body === undefined ? {} : { body }),
        });
        expect([method, path, status < 500], String(status)).toEqual([method, path, true]);
        if (method !== 'OPTIONS' && id !== '%FF') expect([path, status]).toEqual([path, 404]);
      }
    }
  });

  it('refuses a token that was changed, is from another issuer, or has no signature', async () => {
    const path = `/v1/public/checkouts/${await checkout()}`;
    const { token } = await createPerson();
    const [head, body, signature] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const bad of [`${head}.${body}.${signature?.slice(0, -4)}AAAA`, `${none}.${body}.`, `${none}.${body}.AAAA`]) {
      expect((await world.call('GET', path, { key: bad })).status).toBe(401);
    }
  });
});

describe('the party', () => {
  it('is chosen by its first organizer, split to the cent, with an invite for each member', async () => {
    const [ada, sam] = [await createPerson('Ada'), await createPerson('Sam')];
    const id = await checkout({ amount: 10_001, party_size: 3 });
    const friend = { phone: '+12155554001', name: 'Kim' };
    const response = await party(id, ada, { members: [{ user_id: sam.id }, friend], split: 'equal' });
    expect(response.status, response.text).toBe(200);
    expect(response.json.shares.map((s: Record<string, unknown>) => [s.display_name, s.amount])).toEqual([
      ['Ada', 3_335],
      // Sam is no friend of Ada's: the name appears once Sam has acted.
      [null, 3_333],
      ['Kim', 3_333],
    ]);
    expect(response.json.checkout).toMatchObject({ status: 'collecting', my_share_id: response.json.shares[0].id });
    const tokens = response.json.shares.map(({ url }: { url: string }) => /\/s\/([A-Za-z0-9]{24})$/.exec(url)?.[1]);
    expect(new Set(tokens).size).toBe(3);
    expect(JSON.stringify(response.json.checkout)).not.toContain('215555');
    expect(
      statusAndError(await party(id, sam, { members: [{ user_id: ada.id }], split: 'equal' })).slice(0, 2),
    ).toEqual([403, 'not_organizer']);
    expect(
      statusAndError(await world.call('POST', `/v1/public/checkouts/${id}/party`, { key: publishable, body: {} }))[1],
    ).toBe('wrong_key_kind');
  });

  it('accepts amounts by user id, phone or organizer, and refuses invalid ones at their field', async () => {
    const [ada, sam] = [await createPerson(), await createPerson()];
    const id = await checkout();
    const members = [{ user_id: sam.id }, { phone: '+12155554002' }];
    const custom = (amounts: Record<string, number>) => party(id, ada, { members, split: { custom: amounts } });
    const good = { organizer: 5_000, [sam.id]: 3_000, '+12155554002': 2_000 };
    expect(statusAndError(await custom({ ...good, organizer: 4_999 }))).toEqual([422, 'not_allowed', '/split/custom']);
    expect(statusAndError(await custom({ ...good, unknown: 0 }))).toEqual([
      422,
      'unknown_field',
      '/split/custom/unknown',
    ]);
    expect(statusAndError(await custom({ organizer: 5_000, [sam.id]: 5_000 }))).toEqual([
      422,
      'missing_field',
      '/split/custom/+12155554002',
    ]);
    expect(statusAndError(await custom({ organizer: 9_970, [sam.id]: 30, '+12155554002': 0 }))).toEqual([
      422,
      'out_of_range',
      `/split/custom/${sam.id}`,
    ]);
    expect(statusAndError(await custom({ ...good, [ada.id]: 0 }))[1]).toBe('not_unique');
    const response = await custom(good);
    expect(response.json.shares.map(({ amount }: { amount: number }) => amount)).toEqual([5_000, 3_000, 2_000]);
  });

  it('refuses unknown members and channels, a member named twice, a channel without the organizer, and too many', async () => {
    const [ada, sam] = [await createPerson(), await createPerson()];
    const id = await checkout({ party_size: 2 });
    const unknownId = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';
    const chat = await world.db.transaction((tx) =>
      createChannel(tx, world.command(), { name: null, memberIds: [sam.id] }),
    );
    const chooseParty = (members: unknown[]) => party(id, ada, { members, split: 'equal' });
    expect(statusAndError(await chooseParty([{ user_id: unknownId }]))).toEqual([
      422,
      'invalid_value',
      '/members/0/user_id',
    ]);
    expect(statusAndError(await chooseParty([{ channel_id: unknownId }]))).toEqual([
      422,
      'invalid_value',
      '/members/0/channel_id',
    ]);
    expect(statusAndError(await chooseParty([{ channel_id: chat }]))).toEqual([
      422,
      'not_allowed',
      '/members/0/channel_id',
    ]);
    for (const [twice, field] of [
      [[{ phone: '+12155554003' }, { phone: '+12155554003' }], '/members/1/phone'],
      [[{ user_id: sam.id }, { user_id: sam.id }], '/members/1/user_id'],
    ] as const) {
      expect(statusAndError(await chooseParty([...twice]))).toEqual([422, 'not_unique', field]);
    }
    expect(statusAndError(await chooseParty([{ user_id: sam.id }, { phone: '+12155554003' }]))).toEqual([
      422,
      'too_many_items',
      '/members',
    ]);
    const ours = await world.db.transaction((tx) =>
      createChannel(tx, world.command(), { name: 'Us', memberIds: [ada.id, sam.id] }),
    );
    expect((await chooseParty([{ channel_id: ours }])).json.shares).toHaveLength(2);
  });

  it('keeps unchanged shares and their holds when it is chosen again; after the end it is a conflict', async () => {
    const [ada, sam, kim] = [await createPerson(), await createPerson(), await createPerson()];
    const id = await checkout();
    const split = (sams: number, kims: number) => ({
      members: [{ user_id: sam.id }, { user_id: kim.id }],
      split: { custom: { organizer: 10_000 - sams - kims, [sam.id]: sams, [kim.id]: kims } },
    });
    const first = (await party(id, ada, split(3_000, 2_000))).json.shares;
    await pay(await hold(first[1].id, sam));
    const second = (await party(id, ada, split(3_000, 1_000))).json;
    expect(second.shares[1].id).toBe(first[1].id);
    expect(second.checkout.shares.map(({ status }: { status: string }) => status)).toEqual([
      'invited',
      'held',
      'invited',
    ]);
    await world.call('POST', `/v1/test_helpers/checkouts/${id}/advance`, {
      key,
      body: { to: new Date(Date.now() + 4 * 86_400_000).toISOString() },
    });
    expect(statusAndError(await party(id, ada, split(3_000, 1_000)))).toEqual([
      409,
      'conflict',
      'checkout_past_pay_by',
    ]);
    expect(statusAndError(await hold(second.shares[0].id, ada))).toEqual([409, 'conflict', 'checkout_past_pay_by']);
    const canceled = await checkout();
    await world.call('POST', `/v1/checkouts/${canceled}/cancel`, { key });
    expect(statusAndError(await party(canceled, ada, split(3_000, 1_000)))).toEqual([
      409,
      'conflict',
      'checkout_not_open',
    ]);
  });
});

describe('a share', () => {
  it('is held by its member or by the organizer, and the last of three holds completes the checkout', async () => {
    const [ada, sam, kim] = [await createPerson('Ada'), await createPerson('Sam'), await createPerson('Kim')];
    const id = await checkout({ party_size: 3 });
    const { shares } = (await party(id, ada, { members: [{ user_id: sam.id }, { user_id: kim.id }], split: 'equal' }))
      .json;
    expect(statusAndError(await hold(shares[0].id, sam)).slice(0, 2)).toEqual([403, 'share_not_yours']);
    const holdResponse = await hold(shares[1].id, sam);
    expect((await hold(shares[1].id, sam)).json).toEqual(holdResponse.json);
    expect(await pay(holdResponse, '4000000000000002')).toBe(402);
    const failed = await world.call('GET', `/v1/checkouts/${id}`, { key });
    expect(failed.json.shares[1].status).toBe('failed');
    expect(await pay(await hold(shares[1].id, sam))).toBe(200);
    expect(statusAndError(await hold(shares[1].id, sam))).toEqual([409, 'conflict', 'share_already_held']);
    await pay(await hold(shares[2].id, ada));
    await pay(await hold(shares[0].id, ada));
    const view = await world.call('GET', `/v1/public/checkouts/${id}`, { key: kim.token });
    expect(view.json).toMatchObject({ status: 'completed', funded_amount: 10_000, my_share_id: shares[2].id });
    expect(statusAndError(await hold(shares[2].id, kim))).toEqual([409, 'conflict', 'checkout_not_collecting']);
    expect((await hold('shr_00000000000000000000000000', kim)).status).toBe(404);
  });

  it('of zero is held at once, without a card', async () => {
    const [ada, sam] = [await createPerson(), await createPerson()];
    const id = await checkout();
    const body = { members: [{ user_id: sam.id }], split: { custom: { organizer: 10_000, [sam.id]: 0 } } };
    const response = await party(id, ada, body);
    expect(response.json.checkout.shares[1]).toMatchObject({ amount: 0, status: 'held' });
  });
});

describe('the rate limit of a member', () => {
  it('is 120 writes an hour', async () => {
    const member = await createPerson();
    const response = await hold('shr_00000000000000000000000000', member);
    expect([response.headers.get('x-ratelimit-limit'), response.headers.get('x-ratelimit-remaining')]).toEqual([
      '120',
      '119',
    ]);
  });
});
