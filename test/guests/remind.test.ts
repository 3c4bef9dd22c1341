// The organizer reminds one guest: once in three hours, with the limits of other texts, and only who has to pay.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { reserveDailyUses } from '../../src/domain/keys/daily-use-queries.ts';
import { applyKeyword } from '../../src/domain/members/messages/apply-keyword.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { zoneAt } from '../support/zone-at.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

const HOUR = 3_600_000;

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

const remind = (share: string, person: Person): Promise<HttpResponse> =>
  fixture.world.call('POST', `/v1/public/shares/${share}/remind`, { key: person.token });
const remindersTo = async ({ phone }: Person): Promise<string[]> =>
  (await fixture.outbox(phone, 'reminder')).map(({ text }) => text);
const setReminded = (share: string, ago: string): Promise<unknown> =>
  fixture.world.db.query(`update shares set reminded_at = now() - interval '${ago}' where share_id = $1`, [share]);

/** Ada has invited Ben and left a seat open, where it is this hour. */
async function invite({ hour = 12, ...overrides }: { readonly hour?: number; readonly [name: string]: unknown } = {}) {
  const [ada, ben] = [await fixture.createPerson('Ada'), await fixture.createPerson('Ben')];
  const id = await fixture.checkout({ offering_external_id: await fixture.offering(zoneAt(hour)), ...overrides });
  const { db, ids } = fixture.world.context;
  const [seat] = await createSeats(db, { ids, now: Date.now() }, 1);
  const response = await fixture.party(id, ada, [{ phone: ben.phone, name: 'Ben' }, { user_id: seat }]);
  expect(response.status, response.text).toBe(200);
  const [own, share, open] = response.json.shares.map((one: { id: string }) => one.id) as [string, string, string];
  return { id, ada, ben, own, share, open };
}

describe('a reminder by the organizer', () => {
  it('is one text to the guest, however often and at once it is asked for', async () => {
    const { ada, ben, share } = await invite();
    const responses = await Promise.all(Array.from({ length: 5 }, () => remind(share, ada)));
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const { share_id, reminded_at, remind_again_at } = responses[0]?.json ?? {};
    expect(share_id).toBe(share);
    expect(Date.parse(remind_again_at) - Date.parse(reminded_at)).toBe(3 * HOUR);
    const texts = await remindersTo(ben);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toMatch(
      /^Your share of Cabana 3 at .+ is still open: \$33\.33, by .+ Ada and the group .+\/s\/\S+/,
    );
  });

  it('rests for three hours after a reminder, also after one by the service', async () => {
    const { ada, ben, share } = await invite();
    await setReminded(share, '2 hours 59 minutes');
    const resting = await remind(share, ada);
    expect([resting.status, await remindersTo(ben)]).toEqual([200, []]);
    expect(Date.parse(resting.json.remind_again_at) - Date.now()).toBeLessThan(60_000);
    await setReminded(share, '3 hours 1 second');
    await remind(share, ada);
    expect(await remindersTo(ben)).toHaveLength(1);
  });

  it('is refused for a paid share, the own share, an open seat, other members, and a checkout that is over', async () => {
    const { id, ada, ben, own, share, open } = await invite();
    expect(statusAndError(await remind(own, ada))).toEqual([409, 'conflict', 'own_share']);
    expect(statusAndError(await remind(open, ada))).toEqual([409, 'conflict', 'open_seat']);
    expect(statusAndError(await remind(share, ben)).slice(0, 2)).toEqual([403, 'not_organizer']);
    expect(statusAndError(await remind('shr_00000000000000000000000000', ada)).slice(0, 2)).toEqual([404, 'not_found']);
    await fixture.pay(await fixture.hold(share, ben));
    expect(statusAndError(await remind(share, ada))).toEqual([409, 'conflict', 'share_already_held']);
    const body = { members: [{ phone: (await fixture.createPerson()).phone }], split: 'equal' };
    const again = await fixture.party(id, ada, body.members);
    const next: string = again.json.shares[1].id;
    await fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, { key: fixture.key });
    expect(statusAndError(await remind(next, ada))).toEqual([409, 'conflict', 'checkout_not_collecting']);
    expect(await remindersTo(ben)).toEqual([]);
  });

  it('is refused after pay_by, before the checkout is swept', async () => {
    const { id, ada, share } = await invite();
    await fixture.world.db.query(
      `update checkouts set expires_at = now() - interval '1 second' where checkout_id = $1`,
      [id],
    );
    expect(statusAndError(await remind(share, ada))).toEqual([409, 'conflict', 'checkout_past_pay_by']);
  });

  it('waits for the morning in quiet hours, and is refused if the time to pay ends before', async () => {
    const { ada, share } = await invite({ hour: 2 });
    const { reminded_at } = (await remind(share, ada)).json;
    const waits = Date.parse(reminded_at) - Date.now();
    expect([waits > 5 * HOUR - 1_000, waits <= 6 * HOUR]).toEqual([true, true]);
    const [message] = await fixture.world.db.query<{ status: string; due: number; before: number }>(
      `select status, extract(epoch from due_at)::float8 * 1000 as due, extract(epoch from send_before)::float8 * 1000 as before from messages where kind = 'reminder' and subject like $1`,
      [`${share} %`],
    );
    expect([message?.status, new Date(message?.due ?? 0).toISOString()]).toEqual(['waiting', reminded_at]);
    expect(Math.round((message?.before ?? 0) / 60_000)).toBe(Math.floor(Date.parse(reminded_at) / 60_000) + 13 * 60);
    const late = await invite({ hour: 2, pay_by: new Date(Date.now() + 2 * HOUR).toISOString() });
    expect(statusAndError(await remind(late.share, late.ada))).toEqual([409, 'conflict', 'quiet_hours']);
  });

  it('is not sent when the guest has paid before it is due', async () => {
    const { ada, ben, share } = await invite();
    await remind(share, ada);
    await fixture.pay(await fixture.hold(share, ben));
    await notifyDueGuests(fixture.world.context.services, 100);
    expect((await fixture.outbox(ben.phone, 'reminder')).map(({ status }) => status)).toEqual(['dropped']);
  });

  it('is not sent to a phone that has stopped our texts, and the answer does not tell', async () => {
    const { ada, ben, share } = await invite();
    const { db, seal, services } = fixture.world.context;
    await applyKeyword(db, { seal, now: Date.now() }, ben.phone, 'STOP');
    expect((await remind(share, ada)).status).toBe(200);
    await sendDueMessages({ ...services, sender: sandboxSender }, 100);
    expect((await fixture.outbox(ben.phone, 'reminder')).map(({ status }) => status)).toEqual(['dropped']);
  });

  it('counts with the invites of the venue, and is 429 with a time when the day has no room', async () => {
    const { ada, ben, share } = await invite();
    const limit = { subject: `invites ${fixture.venueId}`, limit: 2_000, uses: 2_000, mayWait: true };
    await fixture.world.db.transaction((tx) => reserveDailyUses(tx, limit));
    const refused = await remind(share, ada);
    expect(statusAndError(refused).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(refused.json.error.message).toMatch(/^A venue's guests get 2000 invites and reminders .+ Try again at /);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await remindersTo(ben)).toEqual([]);
    await fixture.world.db.query('delete from daily_uses where subject = $1', [limit.subject]);
    await remind(share, ada);
    expect(await remindersTo(ben)).toHaveLength(1);
  });
});
