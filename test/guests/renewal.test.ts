// A guest's bank refuses to renew a hold that would lapse before pay_by. The hold counts until it lapses; meanwhile the
// guest is asked for another card, whose hold replaces it. At no time is a share held by neither, or charged by both.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { CARDS } from '../support/test-venue.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { DECLINED, type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({});
});
afterAll(() => fixture.world.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Party {
  readonly id: string;
  readonly start: number;
  readonly organizer: Person;
  readonly guest: Person;
  readonly organizerShare: string;
  readonly guestShare: string;
}

/** Two shares of 50.00; the guest's hold ends after seven days, and its renewal was refused on the last day. */
async function withRefusedRenewal(): Promise<Party> {
  const start = Date.now();
  const [organizer, guest] = [await fixture.createPerson('Ada'), await fixture.createPerson('Sam')];
  // A zone in which it is day: by night the text to the guest would wait for the morning.
  const offset = 12 - new Date(start).getUTCHours();
  const offering = await fixture.offering(`Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`);
  const payBy = new Date(start + 20 * DAY).toISOString();
  const id = await fixture.checkout({ party_size: 2, pay_by: payBy, offering_external_id: offering });
  const chosen = await fixture.party(id, organizer, [{ user_id: guest.id }]);
  const [organizerShare, guestShare] = chosen.json.shares.map((share: { id: string }) => share.id);
  await fixture.pay(await fixture.hold(guestShare, guest), CARDS.renewalFails);
  expect(await guestView({ id, guest, guestShare })).toMatchObject({ status: 'held', renew_by: null });
  expect(statusAndError(await fixture.hold(guestShare, guest))).toEqual([409, 'conflict', 'share_already_held']);
  await fixture.advance(id, start + 6 * DAY + 2 * HOUR);
  await notifyAndSend();
  await fixture.world.work();
  return { id, start, organizer, guest, organizerShare, guestShare };
}

async function guestView({ id, guest, guestShare }: Pick<Party, 'id' | 'guest' | 'guestShare'>) {
  const { shares } = await fixture.view(id, guest);
  return shares.find((share: { id: string }) => share.id === guestShare);
}

/** The holds of the guest's share, oldest first, without the refused renewal. */
const holdsOf = ({ guestShare }: Party): Promise<{ status: string; renews: boolean }[]> =>
  fixture.world.db.query(
    `select status, renews is not null as renews from holds where share_id = $1 and status <> 'voided' order by created_at`,
    [guestShare],
  );

async function notifyAndSend(): Promise<void> {
  const { services } = fixture.world.context;
  await runUntilIdle('notifying guests', () => notifyDueGuests(services, 100));
  await runUntilIdle('sending messages', () => sendDueMessages({ ...services, sender: sandboxSender }, 100));
}

const finish = async (): Promise<void> => {
  await fixture.pollHolds();
  await fixture.world.work();
};

describe('a guest whose hold was not renewed', () => {
  it('cannot test cards on the form: five declines close it, as any other', async () => {
    const party = await withRefusedRenewal();
    const held = await fixture.hold(party.guestShare, party.guest);
    for (let attempts = 0; attempts < 5; attempts++) {
      expect((await fixture.hold(party.guestShare, party.guest)).status).toBe(200);
      expect(await fixture.pay(held, DECLINED)).toBe(402);
    }
    const sixth = await fixture.hold(party.guestShare, party.guest);
    expect(statusAndError(sixth).slice(0, 2)).toEqual([429, 'rate_limited']);
  });

  it('sees until when the hold lasts, and is asked for another card by text', async () => {
    const party = await withRefusedRenewal();
    const share = await guestView(party);
    expect(share.status).toBe('held');
    expect(Math.abs(Date.parse(share.renew_by) - party.start - 7 * DAY)).toBeLessThan(HOUR);
    expect((await fixture.view(party.id, party.organizer)).funded_amount).toBe(5_000);
    await notifyAndSend();
    await notifyAndSend();
    const sent = await fixture.outbox(party.guest.phone, 'lost');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.text).toMatch(/^Your bank did not extend your hold of \$50\.00 for Cabana 3 .* give a card again/);
    expect(await fixture.outbox(party.organizer.phone, 'lost')).toEqual([]);
  });

  it('gives another card, whose hold replaces the first', async () => {
    const party = await withRefusedRenewal();
    const tabs = await Promise.all([1, 2].map(() => fixture.hold(party.guestShare, party.guest)));
    expect(tabs.map(({ status }) => status)).toEqual([200, 200]);
    expect(tabs[0]?.json.client_secret).toBe(tabs[1]?.json.client_secret);
    expect(await holdsOf(party)).toEqual([
      { status: 'held', renews: false },
      { status: 'open', renews: true },
    ]);
    await fixture.pay(await fixture.hold(party.guestShare, party.guest));
    await finish();
    expect(await holdsOf(party)).toEqual([
      { status: 'released', renews: false },
      { status: 'held', renews: false },
    ]);
    expect(await guestView(party)).toMatchObject({ status: 'held', renew_by: null });
    const again = await fixture.hold(party.guestShare, party.guest);
    expect(statusAndError(again)).toEqual([409, 'conflict', 'share_already_held']);
    await fixture.pay(await fixture.hold(party.organizerShare, party.organizer));
    await finish();
    expect((await fixture.view(party.id, party.guest)).status).toBe('completed');
    expect((await holdsOf(party)).map(({ status }) => status)).toEqual(['released', 'captured']);
  });

  it('keeps the first hold when the other card is declined or never given', async () => {
    const party = await withRefusedRenewal();
    expect(await fixture.pay(await fixture.hold(party.guestShare, party.guest), DECLINED)).toBe(402);
    await finish();
    expect(await guestView(party)).toMatchObject({ status: 'held', renew_by: expect.any(String) });
    expect((await holdsOf(party)).map(({ status }) => status)).toEqual(['held', 'open']);
    await fixture.pay(await fixture.hold(party.organizerShare, party.organizer));
    await finish();
    expect((await fixture.view(party.id, party.guest)).status).toBe('completed');
    expect((await holdsOf(party)).map(({ status }) => status)).toEqual(['captured', 'released']);
  });

  it('can still pay with the same form after the first hold has lapsed', async () => {
    const party = await withRefusedRenewal();
    const form = await fixture.hold(party.guestShare, party.guest);
    await fixture.advance(party.id, party.start + 7 * DAY + HOUR);
    await fixture.world.work();
    expect(await guestView(party)).toMatchObject({ status: 'failed', renew_by: null });
    expect((await fixture.hold(party.guestShare, party.guest)).json.client_secret).toBe(form.json.client_secret);
    await fixture.pay(form);
    await finish();
    expect(await guestView(party)).toMatchObject({ status: 'held', renew_by: null });
    expect(await holdsOf(party)).toEqual([
      { status: 'released', renews: false },
      { status: 'held', renews: false },
    ]);
  });

  it('is charged once, by the first hold, when the party completes before the other card is seen', async () => {
    const party = await withRefusedRenewal();
    expect(await fixture.confirm(await fixture.hold(party.guestShare, party.guest))).toBe(200);
    const last = await fixture.hold(party.organizerShare, party.organizer);
    await fixture.confirm(last);
    // The worker sees the organizer's card first, and captures.
    await fixture.world.db.query(`update holds set due_at = to_timestamp(0) where share_id = $1 and status = 'open'`, [
      party.organizerShare,
    ]);
    await fixture.world.work();
    await finish();
    expect((await fixture.view(party.id, party.guest)).status).toBe('completed');
    expect((await holdsOf(party)).map(({ status }) => status)).toEqual(['captured', 'released']);
  });

  it('may have the organizer give the card, and no secret passes to a second payer', async () => {
    const party = await withRefusedRenewal();
    const own = await fixture.hold(party.guestShare, party.guest);
    const covering = await fixture.hold(party.guestShare, party.organizer);
    expect(covering.status, covering.text).toBe(200);
    expect(covering.json.client_secret).not.toBe(own.json.client_secret);
    expect(await fixture.confirm(own)).toBe(400);
    await fixture.pay(covering);
    await finish();
    expect(await guestView(party)).toMatchObject({ status: 'held', renew_by: null, covered_by: 'Ada' });
    expect((await holdsOf(party)).map(({ status }) => status)).toEqual(['released', 'released', 'held']);
  });
});
