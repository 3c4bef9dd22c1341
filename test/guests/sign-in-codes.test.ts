// The owner of a phone can sign in with a fresh code, also while other callers ask for codes to the same phone.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reserveDailyUses } from '../../src/domain/keys/daily-use-queries.ts';
import { hashOfPhone } from '../../src/domain/members/phone.ts';
import { submitForm } from '../support/submit-form.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { type GuestFixture, openGuestFixture, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => fixture.world.close());

let numbers = 0;
const newPhone = (): string => `+1214555${String(numbers++).padStart(4, '0')}`;

/** Each call comes from an address of its own. */
let callers = 0;
const call = (path: string, body: unknown): Promise<HttpResponse> => {
  const number = callers++;
  const headers = { 'x-forwarded-for': `198.51.${number >> 8}.${number & 255}` };
  return fixture.world.call('POST', path, { body, headers });
};
const begin = (phone: string) => call('/v1/public/sign_in', { phone });
const verify = (challenge_id: string, code: string) => call('/v1/public/sign_in/verify', { challenge_id, code });

interface Challenge {
  readonly id: string;
  readonly code: string;
}

async function codeOf(id: string): Promise<string> {
  const [row] = await fixture.world.db.query<{ message_id: string; body: Buffer }>(
    "select message_id, body from messages where kind = 'code' and subject = $1",
    [id],
  );
  if (row === undefined) throw new Error(`challenge ${id} has no message`);
  const text = fixture.world.context.seal.open(row.body, `message ${row.message_id}`);
  return /^(\d{6}) /.exec(text)?.[1] ?? '';
}

async function challenge(phone: string): Promise<Challenge> {
  const { status, json, text } = await begin(phone);
  expect(status, text).toBe(200);
  return { id: json.challenge_id, code: await codeOf(json.challenge_id) };
}

const wrongFor = ({ code }: Challenge): string => (code === '123456' ? '654321' : '123456');

describe('the owner of a fresh, unspent code signs in', () => {
  it('when other callers have used up the codes of the hour', async () => {
    const phone = newPhone();
    const owner = await challenge(phone);
    const others = await Promise.all(Array.from({ length: 12 }, () => begin(phone)));
    expect(others.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(statusAndError(await begin(phone)).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect((await verify(owner.id, owner.code)).status).toBe(200);
  });

  it('when other callers have used up the codes of the day', async () => {
    const phone = newPhone();
    const owner = await challenge(phone);
    const subject = `codes ${hashOfPhone(fixture.world.context.seal, phone).toString('hex')}`;
    await fixture.world.db.transaction((tx) => reserveDailyUses(tx, { subject, limit: 10, uses: 9, mayWait: false }));
    const refused = await begin(phone);
    expect(refused.status).toBe(429);
    expect(refused.json.error.message).toContain('one that was sent in the last ten minutes still works');
    expect((await verify(owner.id, owner.code)).status).toBe(200);
  });

  it('while others ask and guess at the same moment', { tags: ['slow'] }, async () => {
    for (let round = 0; round < 5; round++) {
      const phone = newPhone();
      const other = await challenge(phone);
      const owner = await challenge(phone);
      const [signedIn] = await Promise.all([
        verify(owner.id, owner.code),
        ...Array.from({ length: 6 }, () => begin(phone)),
        ...Array.from({ length: 12 }, () => verify(other.id, wrongFor(other))),
      ]);
      expect(signedIn?.status, signedIn?.text).toBe(200);
    }
  });

  it('on the page that asks for the code, which says that the code still works', async () => {
    const phone = newPhone();
    const id = await fixture.checkout();
    const post = (path: string, fields: Record<string, string>, cookie = '') =>
      fixture.world.call('POST', `/c/${id}/${path}`, {
        body: new URLSearchParams(fields).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: fixture.world.urls[0] ?? '',
          'x-forwarded-for': '203.0.113.7',
          cookie,
        },
      });
    const asked = await post('sign-in', { phone });
    expect(asked.status).toBe(303);
    const cookie = (asked.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const [row] = await fixture.world.db.query<{ id: string }>(
      'select challenge_id as id from sign_in_challenges where phone_hash = $1',
      [hashOfPhone(fixture.world.context.seal, phone)],
    );
    for (let n = 0; n < 4; n++) expect((await begin(phone)).status).toBe(200);
    const headers = { origin: fixture.world.urls[0] ?? '', 'x-forwarded-for': '203.0.113.7', cookie };
    const again = await submitForm(fixture.world, `/c/${id}/sign-in`, { again: 'yes' }, headers);
    expect(again.text).toContain('A code from the last ten minutes still works');
    expect(again.text).toContain('name="code"');
    const signedIn = await post('code', { code: await codeOf(row?.id ?? '') }, cookie);
    expect([signedIn.status, signedIn.headers.get('set-cookie')?.includes('everyshare_session=')]).toEqual([303, true]);
  });
});

describe('a challenge', () => {
  it('has tries of its own: guesses at another one of the same phone do not spend them', async () => {
    const phone = newPhone();
    const [owner, other] = [await challenge(phone), await challenge(phone)];
    for (let n = 0; n < 5; n++) {
      expect(statusAndError(await verify(other.id, wrongFor(other)))).toEqual([422, 'invalid_value', '/code']);
    }
    expect(statusAndError(await verify(other.id, other.code))).toEqual([422, 'invalid_value', '/challenge_id']);
    for (let n = 0; n < 4; n++) expect(statusAndError(await verify(owner.id, wrongFor(owner)))[2]).toBe('/code');
    expect((await verify(owner.id, owner.code)).status).toBe(200);
  });

  it('has a code of its own, which opens no other challenge of the phone', async () => {
    const phone = newPhone();
    let [owner, other] = [await challenge(phone), await challenge(phone)];
    // One pair in a million has equal codes.
    if (owner.code === other.code) [owner, other] = [await challenge(phone), await challenge(phone)];
    expect(statusAndError(await verify(other.id, owner.code))).toEqual([422, 'invalid_value', '/code']);
    expect((await verify(owner.id, owner.code)).status).toBe(200);
    expect((await verify(other.id, other.code)).status).toBe(200);
  });

  it('keeps its code when a later one is asked for, and all of them work once', async () => {
    const phone = newPhone();
    const challenges: Challenge[] = [];
    for (let n = 0; n < 5; n++) challenges.push(await challenge(phone));
    const members = new Set<string>();
    for (const { id, code } of challenges) {
      const response = await verify(id, code);
      expect(response.status).toBe(200);
      members.add(response.json.member.id);
      expect(statusAndError(await verify(id, code))).toEqual([422, 'invalid_value', '/challenge_id']);
    }
    expect(members.size).toBe(1);
  });
});
