// Open seats: places in a party for whoever opens the link, and who is seen to have paid for whom.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { paidBy } from '../../src/domain/checkouts/party/invite-queries.ts';
import { friendsOf } from '../../src/domain/members/friend-queries.ts';
import { type HttpResponse, PROCESSOR_KEYS } from '../world.ts';
import { openTown, type Person, shown, type Town } from './town.ts';

let town: Town;
beforeAll(async () => {
  town = await openTown();
});
afterAll(() => town.world.close());

const seats = (count: number): Promise<readonly string[]> =>
  town.world.db.transaction((tx) => createSeats(tx, { ids: town.world.context.ids, now: Date.now() }, count));
const take = (id: string, who: Person, share?: string) =>
  town.world.call('POST', `/v1/public/checkouts/${id}/seat`, {
    key: who.token,
    body: share === undefined ? {} : { share_id: share },
  });
const named = (ids: readonly string[]) => ids.map((user_id) => ({ user_id }));

async function partyOf(count: number, more: Record<string, unknown> = {}) {
  const ada = await town.person('Ada');
  const id = await town.checkout(more);
  const places = await seats(count);
  const told = await town.party(id, ada, named(places));
  expect(told.status, told.text).toBe(200);
  return { ada, id, places, shares: told.json.shares as { id: string; url: string }[] };
}

describe('an open seat', () => {
  it('is shown as one, and becomes the share of whoever takes it, once', async () => {
    const { ada, id, shares } = await partyOf(2);
    const before = await town.view(id, ada);
    expect(before.shares.map((s: Record<string, unknown>) => [s.display_name, s.is_open_seat])).toEqual([
      ['Ada', false],
      [null, true],
      [null, true],
    ]);
    const sam = await town.person('Sam');
    const told = await take(id, sam, shares[2]?.id);
    expect(told.status, told.text).toBe(200);
    expect(told.json.my_share_id).toBe(shares[2]?.id);
    expect(told.json.shares[2]).toMatchObject({ display_name: 'Sam', is_open_seat: false, covered_by: null });
    // Again, and with another seat in mind: they have one.
    for (const share of [shares[2]?.id, shares[1]?.id, undefined]) {
      expect((await take(id, sam, share)).json.my_share_id).toBe(shares[2]?.id);
    }
    expect(await friendsOf(town.world.db, sam.id, 5)).toEqual([{ id: ada.id, displayName: 'Ada' }]);
    const kim = await town.person();
    expect(shown(await take(id, kim, shares[2]?.id))).toEqual([409, 'conflict', 'seat_taken']);
    expect(shown(await take(id, kim, shares[0]?.id))).toEqual([409, 'conflict', 'seat_taken']);
    expect((await take(id, kim)).json.my_share_id).toBe(shares[1]?.id);
    expect(shown(await take(id, await town.person()))).toEqual([409, 'conflict', 'no_free_seat']);
    expect((await take(id, await town.person(), 'shr_00000000000000000000000000')).status).toBe(404);
    expect((await take('chk_00000000000000000000000000', kim)).status).toBe(404);
  });

  it('is given to one of many who come at once, and nobody gets two', async () => {
    const { id } = await partyOf(3);
    const people = await Promise.all(Array.from({ length: 10 }, () => town.person()));
    const taken = await Promise.all([...people, ...people].map((who) => take(id, who)));
    const given = taken.filter(({ status }) => status === 200);
    const byPerson = new Map(given.map(({ json }) => [json.my_share_id, true]));
    expect(byPerson.size).toBe(3);
    expect(given.length).toBe(6);
    const rest = taken.filter(({ status }) => status !== 200);
    expect(new Set(rest.map((told) => shown(told)[2]))).toEqual(new Set(['no_free_seat']));
  });

  it('is paid and completed like any other share, and kept when the party is chosen again', async () => {
    const { ada, id, places, shares } = await partyOf(2);
    const sam = await town.person('Sam');
    await take(id, sam, shares[1]?.id);
    await town.pay(await town.hold(shares[1]?.id ?? '', sam));
    const again = await town.party(id, ada, [{ user_id: sam.id }, ...named(places.slice(1))]);
    expect(again.json.shares.map(({ id }: { id: string }) => id)).toEqual(shares.map(({ id }) => id));
    expect(again.json.checkout.shares[1]).toMatchObject({ status: 'held', display_name: 'Sam' });
    const kim = await town.person('Kim');
    await take(id, kim);
    await town.pay(await town.hold(shares[2]?.id ?? '', kim));
    await town.pay(await town.hold(shares[0]?.id ?? '', ada));
    expect(await town.view(id, kim)).toMatchObject({ status: 'completed', my_share_id: shares[2]?.id });
    expect(shown(await take(id, await town.person()))).toEqual([409, 'conflict', 'checkout_not_collecting']);
    expect((await take(id, kim)).status).toBe(200);
  });

  it('is not free while the organizer pays for it; a card form left open is let go after a quarter of an hour', async () => {
    const { ada, id, shares } = await partyOf(1);
    const share = shares[1]?.id ?? '';
    const asked = await town.hold(share, ada);
    const sam = await town.person();
    expect(shown(await take(id, sam, share))).toEqual([409, 'conflict', 'seat_taken']);
    await town.world.db.query(`update holds set created_at = created_at - interval '16 minutes' where share_id = $1`, [
      share,
    ]);
    expect((await take(id, sam, share)).json.my_share_id).toBe(share);
    await town.look();
    expect(await town.confirm(asked)).toBe(400);
    await town.pay(await town.hold(share, sam));
    expect((await town.view(id, sam)).shares[1]).toMatchObject({ status: 'held', covered_by: null });
  });

  it('cannot be taken after pay_by', async () => {
    const { id } = await partyOf(1);
    await town.advance(id, Date.now() + 5 * 86_400_000);
    expect(shown(await take(id, await town.person()))).toEqual([409, 'conflict', 'checkout_past_pay_by']);
  });
});

describe('a share that somebody else paid', () => {
  async function threeOf() {
    const [ada, sam, kim] = [await town.person('Ada'), await town.person('Sam'), await town.person('Kim')];
    const id = await town.checkout();
    const shares = (await town.party(id, ada, named([sam.id, kim.id]))).json.shares as { id: string }[];
    const covered = async () => (await town.view(id, ada)).shares.map((s: Record<string, unknown>) => s.covered_by);
    return { ada, sam, kim, id, of: (place: number) => shares[place]?.id ?? '', covered };
  }
  const holdsOf = (share: string) =>
    town.world.db.query<{ status: string; payer: string; intent: string }>(
      'select status, payer_id as payer, intent_id as intent from holds where share_id = $1 order by created_at, hold_id',
      [share],
    );

  const atTheBank = async (intent: string): Promise<string> => {
    const headers = { authorization: `Bearer ${PROCESSOR_KEYS.test.secret}` };
    const answer = await fetch(`${town.world.processor.url}/v1/payment_intents/${intent}`, { headers });
    return ((await answer.json()) as { status: string }).status;
  };

  it('says who covers it, once it is held: a hold belongs to who asked for it, and to nobody else', async () => {
    const { ada, sam, kim, id, of, covered } = await threeOf();
    const first = await town.hold(of(1), sam);
    expect((await town.hold(of(1), sam)).json).toEqual(first.json);
    const second = await town.hold(of(1), ada);
    expect(second.json.client_secret).not.toBe(first.json.client_secret);
    expect((await town.hold(of(1), ada)).json).toEqual(second.json);
    // The secret of the first one is worth nothing by the time the second one is given.
    expect(await town.confirm(first)).toBe(400);
    expect(await covered()).toEqual([null, null, null]);
    await town.pay(second);
    expect(await covered()).toEqual([null, 'Ada', null]);
    await town.hold(of(2), ada);
    await town.pay(await town.hold(of(2), kim));
    await town.pay(await town.hold(of(0), ada));
    expect((await town.view(id, sam)).status).toBe('completed');
    expect(await covered()).toEqual([null, 'Ada', null]);
    expect((await holdsOf(of(1))).map(({ status, payer }) => [status, payer])).toEqual([
      ['released', sam.id],
      ['captured', ada.id],
    ]);
  });

  it('says who covered it also when it was let go of or sent back, and each knows what their card was held for', async () => {
    const { ada, sam, kim, id, of, covered } = await threeOf();
    const paid = async () => Promise.all([ada, sam, kim].map((who) => paidBy(town.world.db, town.venueId, id, who.id)));
    const share = (place: number, end: string) => ({ shareId: of(place), amount: place === 0 ? 3_334 : 3_333, end });
    await town.pay(await town.hold(of(1), ada));
    await town.pay(await town.hold(of(2), kim));
    expect(await paid()).toEqual([[share(1, 'held')], [], [share(2, 'held')]]);
    await town.world.call('POST', `/v1/test_helpers/checkouts/${id}/expire`, { key: town.key });
    await town.world.work();
    expect(await covered()).toEqual([null, 'Ada', null]);
    expect(await paid()).toEqual([[share(1, 'released')], [], [share(2, 'released')]]);
  });

  it('says who covered it when it was refunded', async () => {
    const { ada, sam, kim, id, of, covered } = await threeOf();
    for (const [place, who] of [
      [0, ada],
      [1, ada],
      [2, kim],
    ] as const)
      await town.pay(await town.hold(of(place), who));
    const ends = async (who: Person) => (await paidBy(town.world.db, town.venueId, id, who.id)).map(({ end }) => end);
    expect([await ends(ada), await ends(sam), await ends(kim)]).toEqual([['captured', 'captured'], [], ['captured']]);
    await town.world.call('POST', `/v1/checkouts/${id}/refund`, { key: town.key, body: {} });
    await town.world.work();
    expect(await covered()).toEqual([null, 'Ada', null]);
    expect([await ends(ada), await ends(sam), await ends(kim)]).toEqual([['refunded', 'refunded'], [], ['refunded']]);
  });

  it('is not taken from who has confirmed already, though nobody has heard of it yet', async () => {
    const { ada, sam, of, covered } = await threeOf();
    expect(await town.confirm(await town.hold(of(1), sam))).toBe(200);
    expect(shown(await town.hold(of(1), ada))).toEqual([409, 'conflict', 'share_already_held']);
    expect(await covered()).toEqual([null, null, null]);
    expect((await holdsOf(of(1))).map(({ status, payer }) => [status, payer])).toEqual([['held', sam.id]]);
  });

  it('stays whose it is while the processor does not say whether it is held', async () => {
    const { ada, sam, of } = await threeOf();
    const first = await town.hold(of(1), sam);
    const { faults } = town.world.processor.api;
    faults.set({ rules: [{ id: 'down', on: '*', kind: 'error_500' }] });
    expect((await town.hold(of(1), ada)).status).toBe(503);
    faults.clear();
    expect(await town.confirm(first)).toBe(200);
    expect(shown(await town.hold(of(1), ada))).toEqual([409, 'conflict', 'share_already_held']);
  });

  it('is answered to everybody who asks at the same moment, and one of the secrets is good', async () => {
    for (let round = 0; round < 2; round++) {
      const { ada, sam, of } = await threeOf();
      const asked = await Promise.all([ada, sam, ada, sam].map((who) => town.hold(of(1), who)));
      expect(asked.map(({ status, text }) => [status, text.slice(0, 20)])).toEqual(
        asked.map(() => [200, '{"client_secret":"pi']),
      );
      const open = (await holdsOf(of(1))).filter(({ status }) => status === 'open');
      const good = asked.filter(({ json }) => String(json.client_secret).startsWith(`${open[0]?.intent}_secret_`));
      expect(open).toHaveLength(1);
      expect(await town.confirm(good[0] as HttpResponse)).toBe(200);
    }
  });

  it('holds one card at the most, whoever confirms while somebody else asks', async () => {
    for (let round = 0; round < 12; round++) {
      const { ada, sam, of, covered } = await threeOf();
      const first = await town.hold(of(1), sam);
      const [confirmed, asked] = await Promise.all([town.confirm(first), town.hold(of(1), ada)]);
      if (asked.status === 200) await town.confirm(asked);
      await town.look();
      const holds = await holdsOf(of(1));
      const held = holds.filter(({ status }) => status === 'held');
      expect(held.length).toBe(1);
      const isSams = held[0]?.payer === sam.id;
      expect(asked.status).toBe(isSams ? 409 : 200);
      expect((await covered())[1]).toBe(isSams ? null : 'Ada');
      expect(holds.every(({ status }) => status === 'held' || status === 'released')).toBe(true);
      const atBank = await Promise.all(holds.map(({ intent }) => atTheBank(intent)));
      expect(atBank).toEqual(holds.map(({ status }) => (status === 'held' ? 'requires_capture' : 'canceled')));
      if (isSams) expect(confirmed).toBe(200);
    }
  });
});
