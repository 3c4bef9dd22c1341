// Tests of the checks of money, shares, events and responses: correct records pass, and each violation is found by its
// rule.

import { expect, it } from 'vitest';
import type { Violation } from '../support/violation.ts';
import { Booking } from './booking.ts';
import { checkMoney } from './check-money.ts';
import { checkEvents, checkResponses, checkShares } from './check-responses.ts';
import type { OurRecords, ProcessorHold, ProcessorRecords } from './records.ts';

const BODY = { amount: 1000, party_size: 2, description: 'Cabana', external_booking_id: 'bk-1', metadata: {} };
const FIRST = JSON.stringify({ id: 'chk_1', status: 'open', ...BODY });

/** One completed checkout of two equal shares with a fee of 100, and 200 of it refunded. */
function consistentRecords(): { ours: OurRecords; processor: ProcessorRecords; booking: Booking } {
  const places = [1, 2];
  const hold = (index: number) => ({
    id: `hold_${index}`,
    checkoutId: 'chk_1',
    shareId: `shr_${index}`,
    status: 'captured',
    amount: 500,
    intentId: `pi_${index}`,
    chargeId: `ch_${index}`,
  });
  const common = { checkoutId: 'chk_1', status: 'done', owedAmount: 0, processorId: null, lastError: null };
  const movements = places.flatMap((index) => [
    {
      ...common,
      id: `t_${index}`,
      holdId: `hold_${index}`,
      kind: 'transfer' as const,
      amount: 450,
      sentAmount: 450,
      feePart: 0,
    },
    {
      ...common,
      id: `f_${index}`,
      holdId: `hold_${index}`,
      kind: 'refund' as const,
      amount: 100,
      sentAmount: 100,
      feePart: 10,
    },
    {
      ...common,
      id: `v_${index}`,
      holdId: `hold_${index}`,
      kind: 'reversal' as const,
      amount: 90,
      sentAmount: 90,
      feePart: 0,
    },
  ]);
  const statuses = ['open', 'collecting', 'collecting', 'collecting', 'funded', 'completed', 'completed'];
  const types = ['created', 'collecting', 'share.held', 'share.held', 'funded', 'completed', 'refund.created'];
  const booking = new Booking('bk-1', { venueId: 'v', key: 'k' }, 'guests', 'create bk-1', JSON.stringify(BODY));
  booking.id = 'chk_1';
  booking.acknowledged.push(FIRST);
  const response = { sentAt: 0, receivedAt: 1, status: 200, text: '', json: { status: 'completed' } };
  booking.refunds.push({ idempotencyKey: 'r', amount: 200, response });
  return {
    booking,
    ours: {
      checkouts: [
        {
          id: 'chk_1',
          venueId: 'v',
          status: 'completed',
          amount: 1000,
          feeAmount: 100,
          refundedAmount: 200,
          failedRefundAmount: 0,
          booking: 'bk-1',
          reason: null,
          view: FIRST,
          storedResponse: FIRST,
        },
      ],
      shares: places.map((index) => ({
        id: `shr_${index}`,
        checkoutId: 'chk_1',
        status: 'captured',
        amount: 500,
        refundedAmount: 100,
        failedRefundAmount: 0,
        isDropped: false,
      })),
      holds: places.map(hold),
      movements,
      events: statuses.map((status, index) => ({
        checkoutId: 'chk_1',
        sequence: index + 1,
        type: (types[index] ?? '').replace(/^(?!.*\.)/, 'checkout.'),
        status,
        refundedAmount: index === 6 ? 200 : 0,
        at: index * 1000,
      })),
      balances: new Map([
        ['processor_balance', 1000 - 2 * 45 - 900 - 200 + 180],
        ['processor_fees', 2 * 45],
        ['fee_income', -80],
      ]),
      entries: new Map([
        [
          'chk_1',
          new Map([
            ['capture', 1000],
            ['earning', 900],
            ['fee', 100],
            ['refund', 180],
            ['fee_return', 20],
          ]),
        ],
      ]),
    },
    processor: { live: [], refunds: [], holds: places.map(processorHold) },
  };
}

function processorHold(index: number): ProcessorHold {
  return {
    intentId: `pi_${index}`,
    holdId: `hold_${index}`,
    checkoutId: 'chk_1',
    shareId: `shr_${index}`,
    status: 'succeeded',
    captured: 500,
    // After it was funded (4 s), before it was completed.
    capturedAt: 4_999,
    refunded: 100,
    transferred: 450,
    reversed: 90,
    fee: 45,
  };
}

type Records = ReturnType<typeof consistentRecords>;

function rulesBroken({ ours, processor, booking }: Records): string[] {
  const found: Violation[] = [];
  const say = (rule: string, subject: string, what: string): void => void found.push({ rule, subject, what });
  checkMoney(ours, processor, say);
  checkShares(ours, say);
  checkEvents(ours, say);
  checkResponses(ours, [booking], say);
  return [...new Set(found.map(({ rule }) => rule))];
}

it('finds nothing in correct records', () => {
  expect(rulesBroken(consistentRecords())).toEqual([]);
});

const processorWith = (records: Records, more: readonly ProcessorHold[]): Records => ({
  ...records,
  processor: { ...records.processor, holds: [...records.processor.holds, ...more] },
});
const oursWith = (records: Records, more: Partial<OurRecords>): Records => ({
  ...records,
  ours: { ...records.ours, ...more },
});
const only = (records: Records, status: string) => records.ours.checkouts.map((checkout) => ({ ...checkout, status }));

const capturedAt = (records: Records, at: number | null): Records => ({
  ...records,
  processor: { ...records.processor, holds: records.processor.holds.map((hold) => ({ ...hold, capturedAt: at })) },
});

/** Every guest was refunded in full, and the checkout has this status. */
const refundedInFull = (records: Records, status: string, reason: string | null): Records => ({
  ...oursWith(records, { checkouts: records.ours.checkouts.map((checkout) => ({ ...checkout, status, reason })) }),
  processor: {
    ...records.processor,
    holds: records.processor.holds.map((hold) => ({ ...hold, refunded: hold.captured })),
  },
});

/** Without the event of this number; the later events have lower numbers. */
const withoutEvent = (records: Records, sequence: number): Records =>
  oursWith(records, {
    events: records.ours.events
      .filter((event) => event.sequence !== sequence)
      .map((event, index) => ({ ...event, sequence: index + 1 })),
  });

/**
 * The first share's refund failed later: the processor has its money back, the fee is ours again, and the venue's part is
 * owed to the guest. Its reversal was refused, so the venue owes that.
 */
function withFailedRefund(records: Records, status = 'failed'): Records {
  const { ours, processor } = records;
  const refund = { id: 're_1', intentId: 'pi_1', movementId: 'f_1', status, amount: 100, createdAt: 0 };
  const entries = new Map(ours.entries.get('chk_1')).set('refund_failed', 90).set('fee_return_failed', 10);
  return {
    ...records,
    ours: {
      ...ours,
      checkouts: ours.checkouts.map((checkout) => ({ ...checkout, failedRefundAmount: 100 })),
      shares: ours.shares.map((share) => ({ ...share, failedRefundAmount: share.id === 'shr_1' ? 100 : 0 })),
      movements: ours.movements.map((one) => {
        if (one.id === 'f_1') return { ...one, status: 'failed', processorId: 're_1' };
        return one.id === 'v_1' ? { ...one, status: 'owed', owedAmount: 90 } : one;
      }),
      events: [
        ...ours.events,
        { checkoutId: 'chk_1', sequence: 8, type: 'refund.failed', status: 'completed', refundedAmount: 100, at: 7000 },
      ],
      balances: new Map([
        ['processor_balance', 1000 - 2 * 45 - 900 - 100 + 90],
        ['processor_fees', 2 * 45],
        ['fee_income', -90],
        ['venue_payable', -90],
        ['venue_debts', 90],
      ]),
      entries: new Map([['chk_1', entries.set('debt', 90)]]),
    },
    processor: {
      ...processor,
      refunds: [refund],
      holds: processor.holds.map((hold) => (hold.holdId === 'hold_1' ? { ...hold, refunded: 0, reversed: 0 } : hold)),
    },
  };
}

it('finds nothing in correct records of a failed refund and a refused reversal', () => {
  expect(rulesBroken(withFailedRefund(consistentRecords()))).toEqual([]);
});

/** The operator has paid the failed refund in another way, and closed it. */
function withClosedRefund(records: Records): Records {
  const failed = withFailedRefund(records);
  const { ours } = failed;
  const entries = new Map(ours.entries.get('chk_1')).set('refund_closed', 90).set('fee_return_closed', 10);
  return oursWith(failed, {
    checkouts: records.ours.checkouts,
    shares: records.ours.shares,
    movements: ours.movements.map((one) => (one.status === 'failed' ? { ...one, status: 'closed' } : one)),
    events: [
      ...ours.events,
      { checkoutId: 'chk_1', sequence: 9, type: 'refund.created', status: 'completed', refundedAmount: 200, at: 8000 },
    ],
    balances: new Map([...ours.balances, ['venue_payable', 0], ['fee_income', -80], ['paid_elsewhere', -100]]),
    entries: new Map([['chk_1', entries]]),
  });
}

it('finds nothing in correct records of a failed refund that was closed', () => {
  expect(rulesBroken(withClosedRefund(consistentRecords()))).toEqual([]);
});

const VIOLATIONS: readonly (readonly [string, (records: Records) => Records])[] = [
  [
    'no hold is orphaned',
    (records) => processorWith(records, [{ ...processorHold(3), status: 'requires_capture', captured: 0 }]),
  ],
  ['one capture for a share', (records) => processorWith(records, [{ ...processorHold(1), intentId: 'pi_9' }])],
  [
    'one capture for a share',
    (records) =>
      processorWith(records, [{ ...processorHold(1), intentId: 'pi_9', refunded: 500, transferred: 0, reversed: 0 }]),
  ],
  ['no capture before all shares are held', (records) => capturedAt(records, 3_999)],
  ['no capture before all shares are held', (records) => capturedAt(records, null)],
  ['no capture before all shares are held', (records) => refundedInFull(records, 'expired', null)],
  ['no capture before all shares are held', (records) => refundedInFull(records, 'collecting', null)],
  ['no capture before all shares are held', (records) => refundedInFull(records, 'canceled', null)],
  [
    'no capture before all shares are held',
    (records) => oursWith(records, { events: records.ours.events.filter(({ type }) => type !== 'checkout.funded') }),
  ],
  [
    'our records agree with the processor',
    (records) => processorWith({ ...records, processor: { live: [], refunds: [], holds: [] } }, [processorHold(1)]),
  ],
  [
    'no guest is charged without a completed checkout',
    (records) => oursWith(records, { checkouts: only(records, 'canceled') }),
  ],
  ['the ledger sums to zero', (records) => oursWith(records, { balances: new Map([['processor_balance', 1]]) })],
  [
    'the ledger agrees with the debts',
    (records) => oursWith(records, { movements: records.ours.movements.map((one) => ({ ...one, owedAmount: 1 })) }),
  ],
  ['the ledger matches the checkout', (records) => oursWith(records, { entries: new Map() })],
  ['a failed refund is owed to its guest', (records) => withFailedRefund(records, 'succeeded')],
  [
    'a failed refund is owed to its guest',
    (records) => oursWith(withFailedRefund(records), { checkouts: records.ours.checkouts }),
  ],
  [
    'a failed refund is owed to its guest',
    (records) => oursWith(withFailedRefund(records), { shares: records.ours.shares }),
  ],
  [
    'captured = net + fee + refunded',
    (records) => oursWith(withFailedRefund(records), { entries: records.ours.entries }),
  ],
  [
    'temporary accounts hold only failed refunds',
    (records) => oursWith(withFailedRefund(records), { balances: records.ours.balances }),
  ],
  [
    'temporary accounts hold only failed refunds',
    (records) => oursWith(withClosedRefund(records), { balances: withFailedRefund(records).ours.balances }),
  ],
  [
    'one event for each change',
    (records) => oursWith(withClosedRefund(records), { events: withFailedRefund(records).ours.events }),
  ],
  [
    'temporary accounts hold only failed refunds',
    (records) => oursWith(records, { balances: withFailedRefund(records).ours.balances }),
  ],
  [
    'test mode never reaches live mode',
    (records) => ({ ...records, processor: { ...records.processor, live: ['pi_live'] } }),
  ],
  [
    'no work is left unfinished',
    (records) => oursWith(records, { holds: records.ours.holds.map((hold) => ({ ...hold, status: 'capturing' })) }),
  ],
  ['one event for each change', (records) => oursWith(records, { events: records.ours.events.slice(1) })],
  ['one event for each change', (records) => withoutEvent(records, 3)],
  ['one event for each change', (records) => withoutEvent(records, 2)],
  ['one event for each change', (records) => withoutEvent(records, 5)],
  [
    'one event for each change',
    (records) =>
      oursWith(records, {
        events: records.ours.events.map((event) =>
          event.type === 'checkout.funded' ? { ...event, status: 'collecting' } : event,
        ),
      }),
  ],
  ['shares sum to the amount', (records) => oursWith(records, { shares: records.ours.shares.slice(1) })],
  ['an acknowledged checkout is stored', (records) => oursWith(records, { checkouts: [] })],
];

it.each(VIOLATIONS)('finds a violation of “%s”', (rule, change) => {
  expect(rulesBroken(change(consistentRecords()))).toContain(rule);
});

it('accepts a second intent of a hold whose first create was answered with a failure, if no money moved by it', () => {
  const nothing = { captured: 0, capturedAt: null, refunded: 0, transferred: 0, reversed: 0, fee: 0 };
  const second = { ...processorHold(1), ...nothing, intentId: 'pi_second', status: 'canceled' };
  expect(rulesBroken(processorWith(consistentRecords(), [second]))).toEqual([]);
  expect(rulesBroken(processorWith(consistentRecords(), [{ ...second, transferred: 450 }]))).toContain(
    'our records agree with the processor',
  );
});

it('accepts a capture that was refunded because another one failed', () => {
  expect(rulesBroken(refundedInFull(consistentRecords(), 'canceled', 'capture_failed'))).not.toContain(
    'no capture before all shares are held',
  );
});

it('finds a lost cancel, a different response, an unacknowledged refund, and a terminal state that changed', () => {
  const records = consistentRecords();
  records.booking.cancelAcknowledged = true;
  records.booking.acknowledged.push(`${FIRST} `);
  records.booking.refunds.length = 0;
  records.booking.observe({ sentAt: 1, receivedAt: 2, status: 200, text: '', json: { status: 'expired' } });
  expect(rulesBroken(records)).toEqual(
    expect.arrayContaining([
      'an acknowledged cancel holds',
      'equal creates get equal responses',
      'an acknowledged refund happens once',
      'a terminal state is final',
    ]),
  );
});
