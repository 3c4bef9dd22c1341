// Verifying and reading the processor's signed events. They are signed both by hand and by the official SDK, so that a
// wrong understanding of the signature cannot pass its own test.

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { type ProcessorEvent, readProcessorEvent } from '../../src/domain/payments/processor-event.ts';

const SECRET = 'whsec_for_tests';
const NOW = Date.UTC(2026, 10, 15, 12);
const SECOND = NOW / 1000;
const MINUTE = 60;

const STRIPE_METADATA = { venue_id: 'ven_1', checkout_id: 'chk_1', share_id: 'shr_1', hold_id: 'hld_1' };
const METADATA = { venueId: 'ven_1', checkoutId: 'chk_1', shareId: 'shr_1', holdId: 'hld_1' };

const event = (type: string, object: unknown, overrides: object = {}) =>
  Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', type, livemode: false, data: { object }, ...overrides }));

const HELD = event('payment_intent.amount_capturable_updated', { id: 'pi_1', metadata: STRIPE_METADATA });

function hmac(raw: Buffer, time: number | string = SECOND, secret = SECRET): string {
  return createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex');
}

function signed(raw: Buffer, time: number | string = SECOND, secret = SECRET): string {
  return `t=${time},v1=${hmac(raw, time, secret)}`;
}

const read = (raw: Buffer, header: string | undefined = signed(raw)): ProcessorEvent | null =>
  readProcessorEvent(raw, header, [SECRET], NOW);
const subject = (type: string, object: unknown): ProcessorEvent['subject'] | undefined =>
  read(event(type, object))?.subject;

describe('a valid processor event', () => {
  it('can be signed by the official SDK', () => {
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
      subject: { kind: 'hold', intentId: 'pi_1', metadata: METADATA },
    });
  });

  it('that is signed by hand is valid for the official SDK too', () => {
    const theirs = Stripe.webhooks.constructEvent(HELD, signed(HELD), SECRET, 300, undefined, NOW);
    expect(theirs.id).toBe('evt_1');
  });

  it('needs one good signature, so that the secret can be rotated', () => {
    const [old, good] = [hmac(HELD, SECOND, 'whsec_of_yesterday'), hmac(HELD)];
    expect(read(HELD, `t=${SECOND},v1=${old},v1=${good}`)).not.toBeNull();
    expect(read(HELD, `t=${SECOND},v1=${good},v1=${old},v0=${old}`)).not.toBeNull();
    expect(read(HELD, `t=${SECOND},v1=${old},v1=${old}`)).toBeNull();
  });

  it('is at most five minutes old or five minutes ahead', () => {
    const at = (seconds: number) => read(HELD, signed(HELD, SECOND + seconds));
    expect(at(-5 * MINUTE)).not.toBeNull();
    expect(at(5 * MINUTE)).not.toBeNull();
    expect(at(-5 * MINUTE - 1)).toBeNull();
    expect(at(5 * MINUTE + 1)).toBeNull();
  });

  it('is signed over its bytes, also when they are not ASCII', () => {
    const raw = event('payment_intent.created', { id: 'pi_1', description: 'Grüße, 京都 🛶', metadata: {} });
    expect(read(raw)?.subject).toEqual({ kind: 'hold', intentId: 'pi_1', metadata: {} });
  });
});

describe('an invalid processor event', () => {
  it('has any one byte of the body changed', () => {
    for (let at = 0; at < HELD.length; at++) {
      const changed = Buffer.from(HELD);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(read(changed, signed(HELD))).toBeNull();
    }
  });

  it('has any one character of the signature changed, or another secret', () => {
    const good = hmac(HELD);
    for (let at = 0; at < good.length; at++) {
      const other = good[at] === '0' ? '1' : '0';
      expect(read(HELD, `t=${SECOND},v1=${good.slice(0, at)}${other}${good.slice(at + 1)}`)).toBeNull();
    }
    expect(read(HELD, signed(HELD, SECOND, 'whsec_other'))).toBeNull();
  });

  it('has a time that was changed after signing', () => {
    expect(read(HELD, `t=${SECOND + 1},v1=${hmac(HELD, SECOND)}`)).toBeNull();
  });

  it('is any event while our secret is empty, even if signed with the empty secret', () => {
    expect(readProcessorEvent(HELD, signed(HELD, SECOND, ''), [''], NOW)).toBeNull();
  });

  it('has a malformed header', () => {
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
    expect(readProcessorEvent(HELD, undefined, [SECRET], NOW)).toBeNull();
  });

  it('has a signed body that is not an event', () => {
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

  it('never causes an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), fc.string(), (bytes, header, secret) => {
        expect(readProcessorEvent(Buffer.from(bytes), header, [secret], NOW)).toBeNull();
      }),
    );
    const signedProperly = fc.property(
      fc.constantFrom('payment_intent.x', 'charge.captured'),
      fc.json(),
      (type, json) => {
        const raw = Buffer.from(
          `{"id":"e","object":"event","livemode":true,"type":"${type}","data":{"object":${json}}}`,
        );
        const processorEvent = read(raw);
        expect(processorEvent === null || processorEvent.mode === 'live').toBe(true);
      },
    );
    fc.assert(signedProperly);
  });
});

describe('the content of a processor event', () => {
  it('includes the processor’s mode', () => {
    expect(read(event('payment_intent.succeeded', { id: 'pi_1' }, { livemode: true }))?.mode).toBe('live');
  });

  it('includes only metadata that is present and text', () => {
    const metadata = { venue_id: 'ven_1', hold_id: 7, share_id: '', other: 'x' };
    expect(subject('payment_intent.canceled', { id: 'pi_1', metadata })).toEqual({
      kind: 'hold',
      intentId: 'pi_1',
      metadata: { venueId: 'ven_1' },
    });
    expect(subject('payment_intent.canceled', { id: 'pi_1', metadata: 'x' })).toMatchObject({ metadata: {} });
  });

  it('of a captured or refunded charge concerns its hold', () => {
    for (const type of ['charge.captured', 'charge.refunded']) {
      expect(subject(type, { id: 'ch_1', payment_intent: 'pi_1', metadata: STRIPE_METADATA })).toEqual({
        kind: 'hold',
        intentId: 'pi_1',
        metadata: METADATA,
      });
      expect(subject(type, { id: 'ch_1', payment_intent: { id: 'pi_2' }, metadata: {} })).toMatchObject({
        intentId: 'pi_2',
      });
      expect(subject(type, { id: 'ch_1', payment_intent: null })).toEqual({ kind: 'other' });
    }
  });

  it('of an account says which account has changed', () => {
    expect(subject('account.updated', { id: 'acct_1' })).toEqual({ kind: 'account', accountId: 'acct_1' });
    expect(subject('account.updated', {})).toBeUndefined();
    const capability = { id: 'transfers', account: 'acct_1' };
    expect(subject('capability.updated', capability)).toEqual({ kind: 'account', accountId: 'acct_1' });
  });

  it('of API v2 names its account alone', () => {
    const thin = (more: object) => {
      const event = {
        id: 'evt_2',
        object: 'v2.core.event',
        livemode: true,
        created: '2026-01-01T00:00:00.000Z',
        ...more,
      };
      const raw = Buffer.from(JSON.stringify(event));
      return readProcessorEvent(raw, signed(raw), ['whsec_another', SECRET], NOW);
    };
    const account = { id: 'acct_1', type: 'v2.core.account', url: '/v2/core/accounts/acct_1' };
    for (const part of ['[configuration.recipient].capability_status_updated', '[requirements].updated']) {
      expect(thin({ type: `v2.core.account${part}`, related_object: account })).toMatchObject({
        mode: 'live',
        subject: { kind: 'account', accountId: 'acct_1' },
      });
    }
    expect(thin({ type: 'v2.core.event_destination.ping', related_object: null })?.subject).toEqual({ kind: 'other' });
    expect(thin({ type: 1 })).toBeNull();
  });

  it('of any other type is ignored', () => {
    for (const type of ['charge.succeeded', 'customer.created', 'account.external_account.created', 'x']) {
      expect(subject(type, { id: 'x_1' }), type).toEqual({ kind: 'other' });
    }
  });
});

describe('disputes', () => {
  it('are named with their intent: everything else is asked for', () => {
    const dispute = { id: 'dp_1', payment_intent: 'pi_1', status: 'lost', amount: 2500 };
    for (const type of ['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated']) {
      expect(subject(`charge.dispute.${type}`, dispute)).toEqual({
        kind: 'dispute',
        disputeId: 'dp_1',
        intentId: 'pi_1',
      });
    }
    expect(subject('charge.dispute.created', { ...dispute, payment_intent: null })).toMatchObject({ intentId: null });
    expect(subject('charge.dispute.created', { ...dispute, id: undefined })).toBeUndefined();
  });
});
