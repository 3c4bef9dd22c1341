// Sessions, names, friends and group chats, and invites.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInvite } from '../../src/domain/checkouts/guests/invite-queries.ts';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { channelsOf, friendsOf } from '../../src/domain/members/friend-queries.ts';
import { setMemberName } from '../../src/domain/members/profile.ts';
import { beginSession, endSession, findSession } from '../../src/domain/members/sessions.ts';
import { type GuestFixture, openGuestFixture } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

const DAY = 86_400_000;

describe('a session', () => {
  it('is found by its token for 30 days or until it ends, and its token is stored nowhere', async () => {
    const { context, db } = fixture.world;
    const ada = await fixture.createPerson('Ada');
    const token = await beginSession(context.services, ada.id);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const now = Date.now();
    const found = await findSession(db, token, now);
    expect(found).toMatchObject({ memberId: ada.id, displayName: 'Ada' });
    expect((found?.expiresAt ?? 0) - now).toBeGreaterThan(29.9 * DAY);
    expect(await findSession(db, token, now + 30 * DAY + 60_000)).toBe(null);
    const rows = await db.query('select * from member_sessions');
    expect(JSON.stringify(rows)).not.toContain(token);
    const changed = `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`;
    for (const other of ['', 'x', changed, `${token}'`]) {
      expect(await findSession(db, other, now)).toBe(null);
    }
    await endSession(db, token);
    await endSession(db, token);
    expect(await findSession(db, token, now)).toBe(null);
  });
});

describe('a name', () => {
  it('has 1 to 80 characters and is trimmed', async () => {
    const { db } = fixture.world;
    const ada = await fixture.createPerson();
    expect(await setMemberName(db, ada.id, '  Ada Lovelace ')).toBe('Ada Lovelace');
    expect(await setMemberName(db, ada.id, '😀'.repeat(80))).toHaveLength(160);
    for (const [bad, code] of [
      ['   ', 'too_short'],
      ['x'.repeat(81), 'too_long'],
      ['a\ud800', 'invalid_format'],
      ['a\0b', 'invalid_format'],
    ] as const) {
      await expect(setMemberName(db, ada.id, bad)).rejects.toMatchObject({ code, detail: { field: '/name' } });
    }
  });
});

describe('the friends of a member', () => {
  it('are the members who acted in the same party, the latest first, beside the group chats', async () => {
    const { db } = fixture.world;
    const [ada, sam, kim] = [
      await fixture.createPerson('Ada'),
      await fixture.createPerson('Sam'),
      await fixture.createPerson(),
    ];
    const first = await fixture.checkout();
    await fixture.party(first, ada, [{ user_id: sam.id }, { phone: '+15550100111' }]);
    const second = await fixture.checkout();
    await fixture.party(second, ada, [{ user_id: kim.id }]);
    expect([await friendsOf(db, ada.id, 10), await friendsOf(db, sam.id, 10)]).toEqual([[], []]);
    await fixture.view(first, sam);
    await fixture.view(second, kim);
    expect(await friendsOf(db, ada.id, 10)).toEqual([
      { id: kim.id, displayName: null },
      { id: sam.id, displayName: 'Sam' },
    ]);
    expect(await friendsOf(db, ada.id, 1)).toHaveLength(1);
    expect(await friendsOf(db, sam.id, 10)).toEqual([{ id: ada.id, displayName: 'Ada' }]);
    const chat = await db.transaction((tx) =>
      createChannel(tx, fixture.world.command(), { name: 'Us', memberIds: [ada.id, sam.id] }),
    );
    expect(await channelsOf(db, sam.id, 10)).toEqual([
      {
        id: chat,
        name: 'Us',
        members: [
          { id: ada.id, displayName: 'Ada' },
          { id: sam.id, displayName: 'Sam' },
        ],
      },
    ]);
    expect(await channelsOf(db, kim.id, 10)).toEqual([]);
  });
});

describe('an invite', () => {
  it('leads to its share however often it is read', async () => {
    const { db } = fixture.world;
    const [ada, sam] = [await fixture.createPerson(), await fixture.createPerson()];
    const id = await fixture.checkout();
    const { shares } = (await fixture.party(id, ada, [{ user_id: sam.id }])).json;
    const token = String(shares[1].url).split('/s/')[1] ?? '';
    const hash = createHash('sha256').update(token).digest();
    for (let n = 0; n < 2; n++) {
      expect(await findInvite(db, hash)).toEqual({ venueId: fixture.venueId, shareId: shares[1].id, checkoutId: id });
    }
    expect(await findInvite(db, Buffer.alloc(32))).toBe(null);
  });
});
