// Open seats of a party, which a guest claims by a link, and shares that another member covers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharesPaidBy } from '../../src/domain/checkouts/guests/guest-queries.ts';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { friendsOf } from '../../src/domain/members/friend-queries.ts';
import { type HttpResponse, PROCESSOR_KEYS } from '../support/test-world.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

const seats = (count: number): Promise<readonly string[]> =>
  fixture.world.db.transaction((tx) => createSeats(tx, { ids: fixture.world.context.ids, now: Date.now() }, count));
const claimSeat = (id: string, person: Person, share?: string) =>
  fixture.world.call('POST', `/v1/public/checkouts/${id}/seat`, {
    key: person.token,
    body: share === undefined ? {} : { share_id: share },
  });
const named = (ids: readonly string[]) => ids.map((user_id) => ({ user_id }));

async function partyOf(count: number, overrides: Record<string, unknown> = {}) {
  const ada = await fixture.createPerson('Ada');
  const id = await fixture.checkout(overrides);
  const places = await seats(count);
  const response = await fixture.party(id, ada, named(places));
  expect(response.status, response.text).toBe(200);
  return { ada, id, places, shares: response.json.shares as { id: string; url: string }[] };
}

describe('an open seat', () => {
  it('is shown as open, and becomes the share of the member who claims it, once', async () => {
    const { ada, id, shares } = await partyOf(2);
    const before = await fixture.view(id, ada);
    expect(before.shares.map((s: Record<string, unknown>) => [s.display_name, s.is_open_seat])).toEqual([
      ['Ada', false],
      [null, true],
      [null, true],
    ]);
    const sam = await fixture.createPerson('Sam');
    const response = await claimSeat(id, sam, shares[2]?.id);
    expect(response.status, response.text).toBe(200);
    expect(response.json.my_share_id).toBe(shares[2]?.id);
    expect(response.json.shares[2]).toMatchObject({ display_name: 'Sam', is_open_seat: false, covered_by: null });
    // A second claim, also of another seat, returns the same share.
    for (const share of [shares[2]?.id, shares[1]?.id, undefined]) {
      expect((await claimSeat(id, sam, share)).json.my_share_id).toBe(shares[2]?.id);
    }
    expect(await friendsOf(fixture.world.db, sam.id, 5)).toEqual([{ id: ada.id, displayName: 'Ada' }]);
    const kim = await fixture.createPerson();
    expect(statusAndError(await claimSeat(id, kim, shares[2]?.id))).toEqual([409, 'conflict', 'seat_taken']);
    expect(statusAndError(await claimSeat(id, kim, shares[0]?.id))).toEqual([409, 'conflict', 'seat_taken']);
    expect((await claimSeat(id, kim)).json.my_share_id).toBe(shares[1]?.id);
    expect(statusAndError(await claimSeat(id, await fixture.createPerson()))).toEqual([
      409,
      'conflict',
      'no_free_seat',
    ]);
    expect((await claimSeat(id, await fixture.createPerson(), 'shr_00000000000000000000000000')).status).toBe(404);
    expect((await claimSeat('chk_00000000000000000000000000', kim)).status).toBe(404);
  });

  it('goes to one of many concurrent claims, and no member gets two', async () => {
    const { id } = await partyOf(3);
    const people = await Promise.all(Array.from({ length: 10 }, () => fixture.createPerson()));
    const claims = await Promise.all([...people, ...people].map((person) => claimSeat(id, person)));
    const accepted = claims.filter(({ status }) => status === 200);
    const byPerson = new Map(accepted.map(({ json }) => [json.my_share_id, true]));
    expect(byPerson.size).toBe(3);
    expect(accepted.length).toBe(6);
    const rest = claims.filter(({ status }) => status !== 200);
    expect(new Set(rest.map((response) => statusAndError(response)[2]))).toEqual(new Set(['no_free_seat']));
  });

  it('is paid and completed like any other share, and stays when the party changes', async () => {
    const { ada, id, places, shares } = await partyOf(2);
    const sam = await fixture.createPerson('Sam');
    await claimSeat(id, sam, shares[1]?.id);
    await fixture.pay(await fixture.hold(shares[1]?.id ?? '', sam));
    const repeated = await fixture.party(id, ada, [{ user_id: sam.id }, ...named(places.slice(1))]);
    expect(repeated.json.shares.map(({ id }: { id: string }) => id)).toEqual(shares.map(({ id }) => id));
    expect(repeated.json.checkout.shares[1]).toMatchObject({ status: 'held', display_name: 'Sam' });
    const kim = await fixture.createPerson('Kim');
    await claimSeat(id, kim);
    await fixture.pay(await fixture.hold(shares[2]?.id ?? '', kim));
    await fixture.pay(await fixture.hold(shares[0]?.id ?? '', ada));
    expect(await fixture.view(id, kim)).toMatchObject({ status: 'completed', my_share_id: shares[2]?.id });
    expect(statusAndError(await claimSeat(id, await fixture.createPerson()))).toEqual([
      409,
      'conflict',
      'checkout_not_collecting',
    ]);
    expect((await claimSeat(id, kim)).status).toBe(200);
  });

  it('is not free while the organizer pays for it; an abandoned card form is released after 15 minutes', async () => {
    const { ada, id, shares } = await partyOf(1);
    const share = shares[1]?.id ?? '';
    const holdResponse = await fixture.hold(share, ada);
    const sam = await fixture.createPerson();
    expect(statusAndError(await claimSeat(id, sam, share))).toEqual([409, 'conflict', 'seat_taken']);
    await fixture.world.db.query(
      `update holds set created_at = (created_at at time zone 'UTC' - interval '16 minutes') at time zone 'UTC' where share_id = $1`,
      [share],
    );
    expect((await claimSeat(id, sam, share)).json.my_share_id).toBe(share);
    await fixture.pollHolds();
    expect(await fixture.confirm(holdResponse)).toBe(400);
    await fixture.pay(await fixture.hold(share, sam));
    expect((await fixture.view(id, sam)).shares[1]).toMatchObject({ status: 'held', covered_by: null });
  });

  it('cannot be claimed after pay_by', async () => {
    const { id } = await partyOf(1);
    await fixture.advance(id, Date.now() + 5 * 86_400_000);
    expect(statusAndError(await claimSeat(id, await fixture.createPerson()))).toEqual([
      409,
      'conflict',
      'checkout_past_pay_by',
    ]);
  });
});

describe('a share that another member pays', () => {
  async function threeOf() {
    const [ada, sam, kim] = [
      await fixture.createPerson('Ada'),
      await fixture.createPerson('Sam'),
      await fixture.createPerson('Kim'),
    ];
    const id = await fixture.checkout();
    const shares = (await fixture.party(id, ada, named([sam.id, kim.id]))).json.shares as { id: string }[];
    const covered = async () => (await fixture.view(id, ada)).shares.map((s: Record<string, unknown>) => s.covered_by);
    return { ada, sam, kim, id, of: (place: number) => shares[place]?.id ?? '', covered };
  }
  const holdsOf = (share: string) =>
    fixture.world.db.query<{ status: string; payer: string; intent: string }>(
      'select status, payer_id as payer, intent_id as intent from holds where share_id = $1 order by created_at, hold_id',
      [share],
    );

  const intentAtProcessor = async (intent: string): Promise<string> => {
    const headers = { authorization: `Bearer ${PROCESSOR_KEYS.test.secret}` };
    const response = await fetch(`${fixture.world.processor.url}/v1/payment_intents/${intent}`, { headers });
    return ((await response.json()) as { status: string }).status;
  };

  it('shows its payer once it is held; a hold belongs to the member who requested it', async () => {
    const { ada, sam, kim, id, of, covered } = await threeOf();
    const first = await fixture.hold(of(1), sam);
    expect((await fixture.hold(of(1), sam)).json).toEqual(first.json);
    const second = await fixture.hold(of(1), ada);
    expect(second.json.client_secret).not.toBe(first.json.client_secret);
    expect((await fixture.hold(of(1), ada)).json).toEqual(second.json);
    // The first secret is useless once the second one is returned.
    expect(await fixture.confirm(first)).toBe(400);
    expect(await covered()).toEqual([null, null, null]);
    await fixture.pay(second);
    expect(await covered()).toEqual([null, 'Ada', null]);
    await fixture.hold(of(2), ada);
    await fixture.pay(await fixture.hold(of(2), kim));
    await fixture.pay(await fixture.hold(of(0), ada));
    expect((await fixture.view(id, sam)).status).toBe('completed');
    expect(await covered()).toEqual([null, 'Ada', null]);
    expect((await holdsOf(of(1))).map(({ status, payer }) => [status, payer])).toEqual([
      ['released', sam.id],
      ['captured', ada.id],
    ]);
  });

  it('shows its payer also when it was released or paid back, and each member sees what their card was held for', async () => {
    const { ada, sam, kim, id, of, covered } = await threeOf();
    const paid = async () =>
      Promise.all([ada, sam, kim].map((person) => sharesPaidBy(fixture.world.db, fixture.venueId, id, person.id)));
    const share = (place: number, status: string) => ({
      shareId: of(place),
      amount: place === 0 ? 3_334 : 3_333,
      status,
      refundedAmount: 0,
      failedRefundAmount: 0,
      card: { brand: 'visa', last4: '4242' },
    });
    await fixture.pay(await fixture.hold(of(1), ada));
    await fixture.pay(await fixture.hold(of(2), kim));
    expect(await paid()).toEqual([[share(1, 'held')], [], [share(2, 'held')]]);
    await fixture.world.call('POST', `/v1/test_helpers/checkouts/${id}/expire`, { key: fixture.key });
    await fixture.world.work();
    expect(await covered()).toEqual([null, 'Ada', null]);
    expect(await paid()).toEqual([[share(1, 'released')], [], [share(2, 'released')]]);
  });

  it('shows its payer when it was refunded', async () => {
    const { ada, sam, kim, id, of, covered } = await threeOf();
    for (const [place, person] of [
      [0, ada],
      [1, ada],
      [2, kim],
    ] as const)
      await fixture.pay(await fixture.hold(of(place), person));
    const statuses = async (person: Person) =>
      (await sharesPaidBy(fixture.world.db, fixture.venueId, id, person.id)).map(({ status }) => status);
    expect([await statuses(ada), await statuses(sam), await statuses(kim)]).toEqual([
      ['captured', 'captured'],
      [],
      ['captured'],
    ]);
    await fixture.world.call('POST', `/v1/checkouts/${id}/refund`, { key: fixture.key, body: {} });
    await fixture.world.work();
    expect(await covered()).toEqual([null, 'Ada', null]);
    expect([await statuses(ada), await statuses(sam), await statuses(kim)]).toEqual([
      ['refunded', 'refunded'],
      [],
      ['refunded'],
    ]);
  });

  it('stays with a payer who has confirmed, even if no poll has seen it yet', async () => {
    const { ada, sam, of, covered } = await threeOf();
    expect(await fixture.confirm(await fixture.hold(of(1), sam))).toBe(200);
    expect(statusAndError(await fixture.hold(of(1), ada))).toEqual([409, 'conflict', 'share_already_held']);
    expect(await covered()).toEqual([null, null, null]);
    expect((await holdsOf(of(1))).map(({ status, payer }) => [status, payer])).toEqual([['held', sam.id]]);
  });

  it('stays with its payer while the processor does not say whether it is held', async () => {
    const { ada, sam, of } = await threeOf();
    const first = await fixture.hold(of(1), sam);
    const { faults } = fixture.world.processor.api;
    faults.set({ rules: [{ id: 'down', on: '*', kind: 'error_500' }] });
    expect((await fixture.hold(of(1), ada)).status).toBe(503);
    faults.clear();
    expect(await fixture.confirm(first)).toBe(200);
    expect(statusAndError(await fixture.hold(of(1), ada))).toEqual([409, 'conflict', 'share_already_held']);
  });

  it('returns a secret to every concurrent request, and one of the secrets is usable', async () => {
    for (let round = 0; round < 2; round++) {
      const { ada, sam, of } = await threeOf();
      const holdResponse = await Promise.all([ada, sam, ada, sam].map((person) => fixture.hold(of(1), person)));
      expect(holdResponse.map(({ status, text }) => [status, text.slice(0, 20)])).toEqual(
        holdResponse.map(() => [200, '{"client_secret":"pi']),
      );
      const open = (await holdsOf(of(1))).filter(({ status }) => status === 'open');
      const good = holdResponse.filter(({ json }) =>
        String(json.client_secret).startsWith(`${open[0]?.intent}_secret_`),
      );
      expect(open).toHaveLength(1);
      expect(await fixture.confirm(good[0] as HttpResponse)).toBe(200);
    }
  });

  it('holds one card at most, even if a payer confirms while another requests', { tags: ['slow'] }, async () => {
    for (let round = 0; round < 12; round++) {
      const { ada, sam, of, covered } = await threeOf();
      const first = await fixture.hold(of(1), sam);
      const [confirmed, holdResponse] = await Promise.all([fixture.confirm(first), fixture.hold(of(1), ada)]);
      if (holdResponse.status === 200) await fixture.confirm(holdResponse);
      await fixture.pollHolds();
      const holds = await holdsOf(of(1));
      const held = holds.filter(({ status }) => status === 'held');
      expect(held.length).toBe(1);
      const isSams = held[0]?.payer === sam.id;
      expect(holdResponse.status).toBe(isSams ? 409 : 200);
      expect((await covered())[1]).toBe(isSams ? null : 'Ada');
      expect(holds.every(({ status }) => status === 'held' || status === 'released')).toBe(true);
      const atProcessor = await Promise.all(holds.map(({ intent }) => intentAtProcessor(intent)));
      expect(atProcessor).toEqual(holds.map(({ status }) => (status === 'held' ? 'requires_capture' : 'canceled')));
      if (isSams) expect(confirmed).toBe(200);
    }
  });
});
