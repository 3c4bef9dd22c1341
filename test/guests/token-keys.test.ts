// The keys that sign members' tokens can be replaced while servers run, and a sign-out ends a member's tokens on every
// server.

import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginSession, endSession } from '../../src/domain/members/sessions.ts';
import { retireTokenKey, rotateTokenKey } from '../../src/domain/members/token-keys.ts';
import { makeTokens, type Tokens } from '../../src/domain/members/tokens.ts';
import { commandContext } from '../../src/run/context.ts';
import { type GuestFixture, openGuestFixture } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

const MINUTE = 60_000;
const OPERATOR = { name: 'operator', via: 'cli', address: null, requestId: null } as const;

/** A server of its own, with its own keys in memory, on a clock that the test sets. */
function server(clock: { at: number }): Tokens {
  const { context } = fixture.world;
  const issuer = () => context.address.base;
  return makeTokens({ ...context, clock: { now: () => clock.at }, issuer, memberIssuer: null });
}

const kidOf = (token: string): string => decodeProtectedHeader(token).kid ?? '';

it('a new token key is published at once, signs after a minute, and old tokens stay valid until their end', async () => {
  const { context, db } = fixture.world;
  const clock = { at: Date.now() + 10 * MINUTE };
  const [one, two] = [server(clock), server(clock)];
  const { id: memberId } = await fixture.createPerson('Ada');
  const command = () => ({ ...commandContext(context, OPERATOR), now: clock.at });
  const before = await one.sign(memberId);
  await two.verify(before);
  const rotated = await db.transaction((tx) => rotateTokenKey(tx, command()));
  clock.at += MINUTE / 2 + 1;
  expect((await two.jwks()).keys.map(({ kid }) => kid)).toEqual([rotated?.id, kidOf(before)]);
  expect(kidOf(await one.sign(memberId))).toBe(kidOf(before));
  clock.at += MINUTE;
  const after = await one.sign(memberId);
  expect(kidOf(after)).toBe(rotated?.id);
  expect([await two.verify(before), await two.verify(after)]).toEqual([memberId, memberId]);
});

it('a retired token key is refused by every server within a minute, and not retired while its tokens are valid', async () => {
  const { context, db } = fixture.world;
  const clock = { at: Date.now() + 120 * MINUTE };
  const [one, two] = [server(clock), server(clock)];
  const { id: memberId } = await fixture.createPerson('Ada');
  const command = () => ({ ...commandContext(context, OPERATOR), now: clock.at });
  const retire = (id: string, isForced = false) => db.transaction((tx) => retireTokenKey(tx, command(), id, isForced));
  const token = await one.sign(memberId);
  const old = kidOf(token);
  expect(await retire(old)).toEqual({ outcome: 'in_use' });
  await db.transaction((tx) => rotateTokenKey(tx, command()));
  clock.at += 5 * MINUTE;
  expect(await two.verify(token)).toBe(memberId);
  expect(await retire(old)).toMatchObject({ outcome: 'tokens_valid' });
  expect(await retire('0190b3c4-0000-7000-8000-00000000abcd')).toEqual({ outcome: 'unknown' });
  expect(await retire(old, true)).toEqual({ outcome: 'retired' });
  clock.at += MINUTE;
  expect([await one.verify(token), await two.verify(token)]).toEqual([null, null]);
  expect(await one.verify(await two.sign(memberId))).toBe(memberId);
  const [entry] = await db.query(
    'select action, subject, actor, detail from installation_audit order by audit_id desc',
  );
  expect(entry).toEqual({ action: 'token_key.retire', subject: old, actor: 'operator', detail: { forced: true } });
});

it('a token key can be retired without force an hour after its successor signs', async () => {
  const { context, db } = fixture.world;
  const clock = { at: Date.now() + 600 * MINUTE };
  const { id: memberId } = await fixture.createPerson('Ada');
  const old = kidOf(await server(clock).sign(memberId));
  const command = () => ({ ...commandContext(context, OPERATOR), now: clock.at });
  await db.transaction((tx) => rotateTokenKey(tx, command()));
  clock.at += 62 * MINUTE;
  expect(await db.transaction((tx) => retireTokenKey(tx, command(), old, false))).toEqual({ outcome: 'retired' });
});

it('a sign-out ends the member’s tokens for the next request on every server, and no one else’s', async () => {
  const { world } = fixture;
  const clock = { at: Date.now() };
  const other = server(clock);
  const id = await fixture.checkout();
  const [ada, sam] = [await fixture.createPerson('Ada'), await fixture.createPerson('Sam')];
  const seen = async (token: string) => (await world.call('GET', `/v1/public/checkouts/${id}`, { key: token })).status;
  expect([await seen(ada.token), await other.verify(ada.token)]).toEqual([200, ada.id]);
  const session = await beginSession(world.context.services, ada.id);
  await endSession(world.db, session);
  expect([await seen(ada.token), await other.verify(ada.token)]).toEqual([401, null]);
  expect(await seen(sam.token)).toBe(200);
  const again = await world.context.tokens.sign(ada.id);
  expect([await seen(again), await other.verify(again)]).toEqual([200, ada.id]);
  // An ended session ends nothing more.
  await endSession(world.db, session);
  expect(await seen(again)).toBe(200);
});
