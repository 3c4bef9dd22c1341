// The processor's signed notices: what is believed, what is not, and what is read from them. Signed both by hand and by
// the official SDK, so that ours cannot be wrong in the same way as its own test.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type Notice, readNotice } from '../../src/domain/payments/notice.ts';

const SECRET = 'whsec_for_tests';
const NOW = Date.UTC(2026, 10, 15, 12);
const SECOND = NOW / 1000;
const MINUTE = 60;

const METADATA = { venue_id: 'ven_1', checkout_id: 'chk_1', share_id: 'shr_1', hold_id: 'hld_1' };
const MARKS = { venueId: 'ven_1', checkoutId: 'chk_1', shareId: 'shr_1', holdId: 'hld_1' };

const event = (type: string, object: unknown, more: object = {}) =>
  Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', type, livemode: false, data: { object }, ...more }));

const HELD = event('payment_intent.amount_capturable_updated', { id: 'pi_1', metadata: METADATA });

function hmac(raw: Buffer, time: number | string = SECOND, secret = SECRET): string {
  return createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex');
}

function signed(raw: Buffer, time: number | string = SECOND, secret = SECRET): string {
  return `t=${time},v1=${hmac(raw, time, secret)}`;
}

const read = (raw: Buffer, header: string | undefined = signed(raw)): Notice | null =>
  readNotice(raw, header, SECRET, NOW);
const about = (type: string, object: unknown): Notice['about'] | undefined => read(event(type, object))?.about;

describe('what is believed', () => {
  it('a notice that the official SDK signed', () => {
    const header = Stripe.webhooks.generateTestHeaderString({
      payload: HELD.toString(),
      secret: SECRET,
      timestamp: SECOND,
    });
    expect(read(HELD, header)).toEqual({
      eventId: 'evt_1',
      type: 'payment_intent.amount_capturable_updated',
      mode: 'test',
      at: expect.any(Number),
      about: { kind: 'hold', intentId: 'pi_1', marks: MARKS },
    });
  });

  it('what we sign by hand, the official SDK believes as well', () => {
    const theirs = Stripe.webhooks.constructEvent(HELD, signed(HELD), SECRET, 300, undefined, NOW);
    expect(theirs.id).toBe('evt_1');
  });

  it('any one good signature is enough, while a secret is being changed', () => {
    const [old, good] = [hmac(HELD, SECOND, 'whsec_of_yesterday'), hmac(HELD)];
    expect(read(HELD, `t=${SECOND},v1=${old},v1=${good}`)).not.toBeNull();
    expect(read(HELD, `t=${SECOND},v1=${good},v1=${old},v0=${old}`)).not.toBeNull();
    expect(read(HELD, `t=${SECOND},v1=${old},v1=${old}`)).toBeNull();
  });

  it('up to five minutes old, and up to five minutes ahead, and no more', () => {
    const at = (seconds: number) => read(HELD, signed(HELD, SECOND + seconds));
    expect(at(-5 * MINUTE)).not.toBeNull();
    expect(at(5 * MINUTE)).not.toBeNull();
    expect(at(-5 * MINUTE - 1)).toBeNull();
    expect(at(5 * MINUTE + 1)).toBeNull();
  });

  it('a body whose text is not plain ASCII is signed by its bytes', () => {
    const raw = event('payment_intent.created', { id: 'pi_1', description: 'Grüße, 京都 🛶', metadata: {} });
    expect(read(raw)?.about).toEqual({ kind: 'hold', intentId: 'pi_1', marks: {} });
  });
});

describe('what is not believed', () => {
  it('a body with any one byte changed', () => {
    for (let at = 0; at < HELD.length; at++) {
      const changed = Buffer.from(HELD);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(read(changed, signed(HELD))).toBeNull();
    }
  });

  it('a signature with any one character changed, or of another secret', () => {
    const good = hmac(HELD);
    for (let at = 0; at < good.length; at++) {
      const other = good[at] === '0' ? '1' : '0';
      expect(read(HELD, `t=${SECOND},v1=${good.slice(0, at)}${other}${good.slice(at + 1)}`)).toBeNull();
    }
    expect(read(HELD, signed(HELD, SECOND, 'whsec_other'))).toBeNull();
  });

  it('a time that was moved after signing', () => {
    expect(read(HELD, `t=${SECOND + 1},v1=${hmac(HELD, SECOND)}`)).toBeNull();
  });

  it('anything at all when our secret is empty, even if it is signed with the empty secret', () => {
    expect(readNotice(HELD, signed(HELD, SECOND, ''), '', NOW)).toBeNull();
  });

  it('a malformed header', () => {
    const good = hmac(HELD);
    const headers = [
      '',
      ' ',
      ',',
      't',
      't=',
      `t=${SECOND}`,
      `v1=${good}`,
      `t=,v1=${good}`,
      `t=now,v1=${good}`,
      `t=-${SECOND},v1=${good}`,
      `t=${SECOND}.0,v1=${good}`,
      `t=1e9,v1=${good}`,
      `t=${'9'.repeat(400)},v1=${good}`,
      `t=${SECOND},t=${SECOND},v1=${good}`,
      `t=${SECOND},v1=`,
      `t=${SECOND},v1=${good.slice(2)}`,
      `t=${SECOND},v1=${good}00`,
      `t=${SECOND},v1=${good.toUpperCase()}`,
      `t=${SECOND},v1=${'z'.repeat(64)}`,
      `t=${SECOND},v0=${good}`,
      `t=${SECOND};v1=${good}`,
      `t=${SECOND},v1=${good},`,
      `t=${SECOND},v1=${good},nonsense`,
      `t=${SECOND},v1=${good}${`,v0=${good}`.repeat(100)}`,
    ];
    for (const header of headers) expect(read(HELD, header), header).toBeNull();
    expect(readNotice(HELD, undefined, SECRET, NOW)).toBeNull();
  });

  it('a well signed body that is not an event', () => {
    const bodies = [
      '',
      'null',
      '[]',
      '"event"',
      '{',
      '{}',
      '{"object":"event"}',
      '{"object":"v2.core.event","id":"evt_1","type":"payment_intent.created","livemode":false}',
    ];
    for (const body of bodies) expect(read(Buffer.from(body)), body).toBeNull();
    expect(read(event('payment_intent.created', { id: 'pi_1' }, { livemode: 'false' }))).toBeNull();
    expect(read(event('payment_intent.created', { id: 'pi_1' }, { id: 7 }))).toBeNull();
    expect(read(event('payment_intent.created', null))).toBeNull();
    expect(read(event('payment_intent.created', {}))).toBeNull();
    expect(read(Buffer.concat([Buffer.from('{"object":"event","id":"'), Buffer.from([0xff]), HELD]))).toBeNull();
    expect(read(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), HELD]))).toBeNull();
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), fc.string(), (bytes, header, secret) => {
        expect(readNotice(Buffer.from(bytes), header, secret, NOW)).toBeNull();
      }),
    );
    const signedProperly = fc.property(
      fc.constantFrom('payment_intent.x', 'charge.captured'),
      fc.json(),
      (type, json) => {
        const raw = Buffer.from(
          `{"id":"e","object":"event","livemode":true,"type":"${type}","data":{"object":${json}}}`,
        );
        const notice = read(raw);
        expect(notice === null || notice.mode === 'live').toBe(true);
      },
    );
    fc.assert(signedProperly);
  });
});

describe('what is read', () => {
  it('the mode is the processor’s own word', () => {
    expect(read(event('payment_intent.succeeded', { id: 'pi_1' }, { livemode: true }))?.mode).toBe('live');
  });

  it('only marks that are there, and only text', () => {
    const metadata = { venue_id: 'ven_1', hold_id: 7, share_id: '', other: 'x' };
    expect(about('payment_intent.canceled', { id: 'pi_1', metadata })).toEqual({
      kind: 'hold',
      intentId: 'pi_1',
      marks: { venueId: 'ven_1' },
    });
    expect(about('payment_intent.canceled', { id: 'pi_1', metadata: 'x' })).toMatchObject({ marks: {} });
  });

  it('a captured or refunded charge is about the hold behind it', () => {
    for (const type of ['charge.captured', 'charge.refunded']) {
      expect(about(type, { id: 'ch_1', payment_intent: 'pi_1', metadata: METADATA })).toEqual({
        kind: 'hold',
        intentId: 'pi_1',
        marks: MARKS,
      });
      expect(about(type, { id: 'ch_1', payment_intent: { id: 'pi_2' }, metadata: {} })).toMatchObject({
        intentId: 'pi_2',
      });
      expect(about(type, { id: 'ch_1', payment_intent: null })).toEqual({ kind: 'other' });
    }
  });

  it('a venue’s account, and whether it can be paid out', () => {
    expect(about('account.updated', { id: 'acct_1', payouts_enabled: true })).toEqual({
      kind: 'account',
      accountId: 'acct_1',
      payoutsEnabled: true,
    });
    expect(about('account.updated', { id: 'acct_1' })).toBeUndefined();
  });

  it('every other notice is none of ours', () => {
    for (const type of ['charge.succeeded', 'customer.created', 'account.external_account.created', 'x']) {
      expect(about(type, { id: 'x_1' }), type).toEqual({ kind: 'other' });
    }
  });
});

describe('disputes', () => {
  const dispute = {
    id: 'dp_1',
    charge: 'ch_1',
    payment_intent: 'pi_1',
    amount: 2500,
    currency: 'usd',
    status: 'needs_response',
    reason: 'fraudulent',
    evidence_details: { due_by: SECOND + 86_400 },
    balance_transactions: [{ id: 'txn_1' }],
  };

  it('are read whole', () => {
    expect(about('charge.dispute.funds_withdrawn', dispute)).toEqual({
      kind: 'dispute',
      disputeId: 'dp_1',
      intentId: 'pi_1',
      chargeId: 'ch_1',
      amount: 2500,
      currency: 'usd',
      status: 'needs_response',
      reason: 'fraudulent',
      dueBy: NOW + 86_400_000,
      balanceChange: 'withdrawn',
    });
  });

  it('say when money went and when it came back', () => {
    const change = (type: string, more: object = {}) => about(type, { ...dispute, ...more });
    expect(change('charge.dispute.created')).toMatchObject({ balanceChange: 'withdrawn' });
    expect(change('charge.dispute.created', { balance_transactions: [] })).toMatchObject({ balanceChange: 'none' });
    expect(change('charge.dispute.updated')).toMatchObject({ balanceChange: 'none' });
    expect(change('charge.dispute.closed')).toMatchObject({ balanceChange: 'none' });
    expect(change('charge.dispute.funds_reinstated')).toMatchObject({ balanceChange: 'reinstated' });
  });

  it('need neither a date nor an intent, but all else', () => {
    expect(
      about('charge.dispute.created', { ...dispute, payment_intent: null, evidence_details: { due_by: null } }),
    ).toMatchObject({
      intentId: null,
      dueBy: null,
    });
    for (const field of ['id', 'charge', 'amount', 'currency', 'status', 'reason']) {
      expect(about('charge.dispute.created', { ...dispute, [field]: undefined }), field).toBeUndefined();
    }
    for (const amount of [1.5, 100_000_000])
      expect(about('charge.dispute.created', { ...dispute, amount })).toBeUndefined();
    expect(about('charge.dispute.created', { ...dispute, amount: 99_999_999 })).toMatchObject({ amount: 99_999_999 });
  });
});
