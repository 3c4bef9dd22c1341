// A guest says no or gives up a held place, and the organizer removes a guest: the seat opens, holds are released at the
// processor, the right people are notified once, and races have one outcome.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
import { declinedNames } from '../../src/domain/checkouts/party/leave-queries.ts';
import { countSharedCalls } from '../../src/domain/keys/queries.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { stripeClient } from '../support/test-processor.ts';
import { type HttpResponse, PROCESSOR_KEYS } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({});
});
afterAll(() => fixture.world.close());

const decline = (share: string, person: Person): Promise<HttpResponse> =>
  fixture.world.call('POST', `/v1/public/shares/${share}/decline`, { key: person.token });
const remove = (share: string, person: Person): Promise<HttpResponse> =>
  fixture.world.call('POST', `/v1/public/shares/${share}/remove`, { key: person.token });
const declineByLink = (url: string): Promise<HttpResponse> =>
  fixture.world.call('POST', '/v1/public/invites/decline', { body: { token: url.split('/s/')[1] } });
const takeSeat = (id: string, person: Person): Promise<HttpResponse> =>
  fixture.world.call('POST', `/v1/public/checkouts/${id}/seat`, { key: person.token, body: {} });

/** A zone in which it is this hour now. */
function zoneWhereItIs(hour: number): string {
  const offset = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

/** Ada organizes, Ben and Cal are invited; it is this hour at the venue. */
async function collecting(hour = 12) {
  const [ada, ben, cal] = [
    await fixture.createPerson('Ada'),
    await fixture.createPerson('Ben'),
    await fixture.createPerson('Cal'),
  ];
  const offering_external_id = await fixture.offering(zoneWhereItIs(hour));
  const id = await fixture.checkout({ amount: 12_000, party_size: 3, offering_external_id });
  const response = await fixture.party(id, ada, [{ user_id: ben.id }, { user_id: cal.id }]);
  expect(response.status, response.text).toBe(200);
  const shares = response.json.shares as { id: string; url: string }[];
  const of = (index: number): string => shares[index]?.id ?? '';
  const pay = async (index: number, person: Person) => fixture.pay(await fixture.hold(of(index), person));
  return { ada, ben, cal, id, of, pay, link: (index: number) => shares[index]?.url ?? '' };
}

async function notify(): Promise<void> {
  const { services } = fixture.world.context;
  await runUntilIdle('notifying guests', () => notifyDueGuests(services, 100));
  await runUntilIdle('sending messages', () => sendDueMessages({ ...services, sender: sandboxSender }, 100));
}
/** The texts to a person since the invite, the oldest first. */
async function texts({ phone }: Person): Promise<string[]> {
  const sent = (await fixture.outbox(phone)).filter(({ kind, status }) => kind !== 'invite' && status === 'sent');
  return sent.map(({ text }) => text).reverse();
}
const sharesOf = (response: HttpResponse) =>
  response.json.shares.map((s: Record<string, unknown>) => [s.display_name, s.amount, s.status, s.is_open_seat]);
const holdsOf = async (share: string): Promise<string[]> => {
  const rows = await fixture.world.db.query<{ status: string }>(
    'select status from holds where share_id = $1 order by created_at',
    [share],
  );
  return rows.map(({ status }) => status);
};
/** How many cards are held for the checkout, by the processor's own books. */
async function cardsHeld(id: string): Promise<number> {
  const stripe = stripeClient(fixture.world.processor.port, PROCESSOR_KEYS.test.secret);
  const rows = await fixture.world.db.query<{ intent: string }>(
    'select intent_id as "intent" from holds where checkout_id = $1 and intent_id is not null',
    [id],
  );
  const intents = await Promise.all(rows.map(({ intent }) => stripe.paymentIntents.retrieve(intent)));
  return intents.filter(({ status }) => status === 'requires_capture').length;
}
const eventsOf = async (id: string): Promise<string[]> => {
  const rows = await fixture.world.db.query<{ type: string }>(
    'select type from events where subject = $1 order by sequence',
    [id],
  );
  return rows.map(({ type }) => type);
};

describe('a guest who says no', () => {
  it('frees the seat at the same price, and the partner gets one event with the new shares', async () => {
    const { ada, ben, id, of } = await collecting();
    const before = await eventsOf(id);
    const response = await decline(of(1), ben);
    expect(response.status, response.text).toBe(200);
    expect(response.json).toMatchObject({ status: 'collecting', my_share_id: null });
    expect(sharesOf(response)).toEqual([
      ['Ada', 4_000, 'invited', false],
      [null, 4_000, 'invited', true],
      [null, 4_000, 'invited', false],
    ]);
    expect((await eventsOf(id)).slice(before.length)).toEqual(['checkout.collecting']);
    expect((await fixture.view(id, ada)).shares).toHaveLength(3);
  });

  it('tells the organizer once, and drops what was still to be sent to the guest', async () => {
    const { ada, ben, id, of } = await collecting();
    await decline(of(1), ben);
    // The worker has sent nothing yet.
    await notify();
    await notify();
    expect(await texts(ada)).toEqual([
      expect.stringContaining("Ben can't come to Cabana 3 at Harbor Club. The seat is open for someone else: "),
    ]);
    expect((await texts(ada))[0]).toContain(`/c/${id}\n`);
    expect(await texts(ben)).toEqual([]);
    expect((await fixture.outbox(ben.phone)).map(({ kind, status }) => [kind, status])).toEqual([
      ['invite', 'dropped'],
    ]);
    await fixture.advance(id, Date.now() + 25 * 3_600_000);
    await notify();
    expect(await texts(ben)).toEqual([]);
  });

  it('can take the seat again while it is free, and the organizer is not bothered with a change of mind', async () => {
    const { ada, ben, id, of } = await collecting();
    await decline(of(1), ben);
    const back = await takeSeat(id, ben);
    expect(sharesOf(back)[1]).toEqual(['Ben', 4_000, 'invited', false]);
    expect(back.json.my_share_id).not.toBe(of(1));
    await notify();
    expect(await texts(ada)).toEqual([]);
    expect((await fixture.hold(of(1), ben)).status).toBe(404);
    await fixture.pay(await fixture.hold(back.json.my_share_id, ben));
    expect((await fixture.view(id, ben)).shares[1]).toMatchObject({ status: 'held' });
  });

  it('needs only the link of the invite as long as no card is held', async () => {
    const { ada, ben, id, link, of, pay } = await collecting();
    const declined = await declineByLink(link(1));
    expect([declined.status, declined.json]).toEqual([
      200,
      { object: 'declined_invite', checkout_id: id, share_id: of(1) },
    ]);
    expect((await fixture.view(id, ada)).shares[1]).toMatchObject({ is_open_seat: true });
    const again = await declineByLink(link(1));
    expect([again.status, again.json]).toEqual([200, declined.json]);
    expect((await fixture.view(id, ada)).shares).toHaveLength(3);
    expect((await declineByLink('https://x/s/not-a-token')).status).toBe(404);
    await pay(0, ada);
    expect(statusAndError(await declineByLink(link(0)))).toEqual([409, 'conflict', 'own_share']);
    expect((await fixture.view(id, ben)).my_share_id).toBeNull();
  });

  it('must sign in to release a card', async () => {
    const { cal, id, link, of, pay } = await collecting();
    await pay(2, cal);
    expect(statusAndError(await declineByLink(link(2)))).toEqual([409, 'conflict', 'share_already_held']);
    expect([await holdsOf(of(2)), await cardsHeld(id)]).toEqual([['held'], 1]);
  });

  it('is the share’s own guest: other members are refused, and the organizer’s own share stays', async () => {
    const { ada, ben, cal, of } = await collecting();
    expect(statusAndError(await decline(of(1), cal))).toEqual([403, 'share_not_yours', undefined]);
    expect(statusAndError(await decline(of(1), ada))).toEqual([403, 'share_not_yours', undefined]);
    expect(statusAndError(await decline(of(0), ada))).toEqual([409, 'conflict', 'own_share']);
    expect(statusAndError(await decline('shr_00000000000000000000000000', ben))).toEqual([404, 'not_found', undefined]);
    expect((await decline(of(1), ben)).status).toBe(200);
    // A retry is safe; a share that another guest declined is not found.
    expect((await decline(of(1), ben)).json.my_share_id).toBeNull();
    expect((await decline(of(1), cal)).status).toBe(404);
  });

  it('who was invited by phone declines signed in as well, under the name that they have', async () => {
    const { ada, cal } = await collecting();
    const id = await fixture.checkout({ offering_external_id: await fixture.offering(zoneWhereItIs(12)) });
    const shares = (await fixture.party(id, ada, [{ phone: cal.phone }])).json.shares as { id: string }[];
    expect((await decline(shares[1]?.id ?? '', cal)).status).toBe(200);
    await notify();
    expect(await texts(ada)).toEqual([expect.stringContaining("Cal can't come to Cabana 3")]);
  });

  it('by phone stays among those who said no when the organizer names a person by id: it tells not whose phone it is', async () => {
    const { ada, ben, cal } = await collecting();
    const id = await fixture.checkout({ offering_external_id: await fixture.offering(zoneWhereItIs(12)) });
    const [, byPhone] = (await fixture.party(id, ada, [{ phone: cal.phone, name: 'C' }, { user_id: ben.id }])).json
      .shares as { id: string; url: string }[];
    expect((await declineByLink(byPhone?.url ?? '')).status).toBe(200);
    const names = () => declinedNames(fixture.world.db, fixture.venueId, id);
    expect(await names()).toEqual(['C']);
    const again = await fixture.party(id, ada, [{ user_id: cal.id }, { user_id: ben.id }]);
    expect([again.status, await names()]).toEqual([200, ['C']]);
    await fixture.pay(await fixture.hold(again.json.shares[1].id, cal));
    expect(await names()).toEqual([]);
  });

  it('at night wakes no organizer: the text waits for the morning', async () => {
    const { ada, ben, id, of } = await collecting(2);
    await decline(of(1), ben);
    await notify();
    expect(await texts(ada)).toEqual([]);
    await fixture.advance(id, Date.now() + 7 * 3_600_000);
    await notify();
    expect(await texts(ada)).toEqual([expect.stringContaining("Ben can't come")]);
  });
});

describe('a held guest who gives up the place', () => {
  it('has the hold released at the processor and is notified, as is the organizer', async () => {
    const { ada, ben, id, of, pay } = await collecting();
    await pay(1, ben);
    expect(await cardsHeld(id)).toBe(1);
    const response = await decline(of(1), ben);
    expect([response.status, sharesOf(response)[1], response.json.funded_amount]).toEqual([
      200,
      [null, 4_000, 'invited', true],
      0,
    ]);
    await fixture.world.work();
    expect([await holdsOf(of(1)), await cardsHeld(id)]).toEqual([['released'], 0]);
    await notify();
    expect(await texts(ada)).toEqual([expect.stringContaining("Ben can't come to Cabana 3 at Harbor Club any more.")]);
    expect(await texts(ben)).toEqual([
      expect.stringMatching(/no longer in for Cabana 3 .+ Your hold of \$40\.00 is released and nothing was charged/),
    ]);
  });

  it('cannot once the checkout is funded: everyone has paid', async () => {
    const { ada, ben, cal, id, of, pay } = await collecting();
    await pay(0, ada);
    await pay(1, ben);
    await pay(2, cal);
    const refused = await decline(of(1), ben);
    expect(statusAndError(refused)).toEqual([409, 'conflict', 'checkout_not_collecting']);
    expect(refused.json.error.message).toMatch(/Everyone has paid.+cancellation policy/);
    expect(statusAndError(await remove(of(1), ada))).toEqual([409, 'conflict', 'checkout_not_collecting']);
    expect(await fixture.view(id, ben)).toMatchObject({ status: 'completed', my_share_id: of(1) });
  });

  it('cannot after pay_by, when the hold is released anyway', async () => {
    const { ben, id, of, pay } = await collecting();
    await pay(1, ben);
    await fixture.advance(id, Date.now() + 4 * 86_400_000);
    expect(statusAndError(await decline(of(1), ben))).toEqual([409, 'conflict', 'checkout_past_pay_by']);
  });

  it('whose share the organizer covered releases the organizer’s hold, and the organizer gets one text about both', async () => {
    const { ada, ben, id, of, pay } = await collecting();
    await pay(1, ada);
    expect((await fixture.view(id, ben)).shares[1]).toMatchObject({ status: 'held', covered_by: 'Ada' });
    expect((await decline(of(1), ben)).status).toBe(200);
    await fixture.world.work();
    expect([await holdsOf(of(1)), await cardsHeld(id)]).toEqual([['released'], 0]);
    await notify();
    expect(await texts(ada)).toEqual([
      expect.stringMatching(/^Ben can't come .+ Your hold of \$40\.00 for that share is released/),
    ]);
    expect(await texts(ben)).toEqual([]);
  });

  it('with an open card form cannot be held by a card that is confirmed afterwards', async () => {
    const { ben, id, of } = await collecting();
    const form = await fixture.hold(of(1), ben);
    await decline(of(1), ben);
    await fixture.confirm(form);
    await fixture.pollHolds();
    expect([await holdsOf(of(1)), await cardsHeld(id)]).toEqual([['released'], 0]);
  });
});

describe('an organizer who removes a guest', () => {
  it('opens the seat, and tells a guest who had acted on the invite, but not one who had not', async () => {
    const { ada, ben, cal, id, of } = await collecting();
    await fixture.view(id, ben);
    for (const index of [1, 2]) expect((await remove(of(index), ada)).status).toBe(200);
    expect((await remove(of(1), ada)).json.my_share_id).toBe(of(0));
    expect(sharesOf(await remove(of(2), ada)).slice(1)).toEqual([
      [null, 4_000, 'invited', true],
      [null, 4_000, 'invited', true],
    ]);
    await notify();
    expect(await texts(ben)).toEqual([
      expect.stringContaining('Ada took you out of the group for Cabana 3 at Harbor Club. You have nothing to pay.'),
    ]);
    expect([await texts(cal), await texts(ada)]).toEqual([[], []]);
  });

  it('releases the guest’s hold and tells the guest', async () => {
    const { ada, ben, id, of, pay } = await collecting();
    await pay(1, ben);
    expect((await remove(of(1), ada)).status).toBe(200);
    await fixture.world.work();
    expect([await holdsOf(of(1)), await cardsHeld(id)]).toEqual([['released'], 0]);
    await notify();
    expect(await texts(ben)).toEqual([
      expect.stringContaining('Ada changed who pays for Cabana 3 at Harbor Club. Your hold of $40.00 is released'),
    ]);
  });

  it('is the organizer: a guest is refused, and an open seat has no guest', async () => {
    const { ada, ben, id, of } = await collecting();
    expect(statusAndError(await remove(of(2), ben))).toEqual([403, 'not_organizer', undefined]);
    expect(statusAndError(await remove(of(0), ada))).toEqual([409, 'conflict', 'own_share']);
    await remove(of(1), ada);
    expect((await remove(of(1), ben)).status).toBe(404);
    const seat = (await fixture.view(id, ada)).shares[1].id as string;
    expect(statusAndError(await remove(seat, ada))).toEqual([409, 'conflict', 'open_seat']);
  });
});

describe('leaving beside other changes', { tags: ['slow'] }, () => {
  it('twice at once opens one seat', async () => {
    const { ada, ben, id, of, pay } = await collecting();
    await pay(1, ben);
    const responses = await Promise.all([1, 2, 3, 4].map(() => decline(of(1), ben)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await fixture.view(id, ada)).shares).toHaveLength(3);
    expect((await eventsOf(id)).filter((type) => type === 'checkout.collecting')).toHaveLength(2);
  });

  it('beside the last hold, either all are charged or the seat is open and that card is released', async () => {
    for (let round = 0; round < 6; round++) {
      const { ada, ben, cal, id, of, pay } = await collecting();
      await pay(0, ada);
      await pay(1, ben);
      await fixture.confirm(await fixture.hold(of(2), cal));
      // The delay lets either side win.
      const leaving = new Promise((resolve) => setTimeout(resolve, round * 8)).then(() => decline(of(1), ben));
      const [left] = await Promise.all([leaving, fixture.pollHolds()]);
      await fixture.world.work();
      const { status, shares } = await fixture.view(id, ada);
      if (left.status === 200)
        expect([status, shares[1].is_open_seat, await cardsHeld(id)]).toEqual(['collecting', true, 2]);
      else expect([left.status, status, await cardsHeld(id)]).toEqual([409, 'completed', 0]);
    }
  });

  it('beside a cancel leaves no card held and no share counted twice', async () => {
    for (let round = 0; round < 4; round++) {
      const { ada, ben, id, of, pay } = await collecting();
      await pay(1, ben);
      const [left, canceled] = await Promise.all([
        decline(of(1), ben),
        fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, { key: fixture.key }),
      ]);
      expect(canceled.status).toBe(200);
      expect([200, 409]).toContain(left.status);
      await fixture.world.work();
      expect([(await fixture.view(id, ada)).status, await cardsHeld(id)]).toEqual(['canceled', 0]);
    }
  });
});

it('a guest leaves five times an hour, and keeps neither the others nor the organizer from it', async () => {
  const { ada, ben, cal, id, of } = await collecting();
  await countSharedCalls(fixture.world.db, 5, [{ subject: `leave ${id} ${ben.id}`, calls: 5 }]);
  expect(statusAndError(await decline(of(1), ben))).toEqual([429, 'rate_limited', undefined]);
  expect((await decline(of(2), cal)).status).toBe(200);
  expect((await remove(of(1), ada)).status).toBe(200);
});

it('a guest who comes and goes costs the organizer one text', async () => {
  const { ada, ben, id, of } = await collecting();
  await decline(of(1), ben);
  await notify();
  for (let times = 0; times < 2; times++) {
    const seat = (await takeSeat(id, ben)).json.my_share_id as string;
    await decline(seat, ben);
    await notify();
  }
  expect(await texts(ada)).toHaveLength(1);
});

it('the link of an invite alone drops no guest whose card form is open', async () => {
  const { ben, of, link } = await collecting();
  expect((await fixture.hold(of(1), ben)).status).toBe(200);
  expect(statusAndError(await declineByLink(link(1)))).toEqual([409, 'conflict', 'share_already_held']);
  expect((await decline(of(1), ben)).status).toBe(200);
});

it('whom the organizer removed does not take the seat back, and reads what became of the hold', async () => {
  const { ada, ben, id, of, pay } = await collecting();
  await pay(1, ben);
  await remove(of(1), ada);
  expect(statusAndError(await takeSeat(id, ben))).toEqual([409, 'conflict', 'removed']);
  const cookie = `everyshare_session=${await beginSession(fixture.world.context, ben.id)}`;
  const { text } = await fixture.world.call('GET', `/c/${id}`, { headers: { cookie } });
  expect(text).not.toContain('has kept a seat for you');
  expect(text).toContain('Your hold, released');
});
