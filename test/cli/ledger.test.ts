// `everyshare ledger check`: the books that the service wrote add up in every state of a checkout. Books that were
// changed directly in the database do not, and each kind of difference is named.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import {
  balancesOf,
  checkLedger,
  type LedgerReport,
  unbalancedIn,
} from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { CARDS, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let cli: CommandLine;
let venue: TestVenue;
/** Completed and paid out, nothing refunded. */
let plain: string;
/** Completed and paid out, then half refunded. */
let refunded: string;
/** One capture failed for good after others succeeded. */
let captureFailed: string;
let disputed: string;

/** Posts the processor's dispute notices as the processor would. */
async function deliverDisputes(): Promise<void> {
  const { data } = await venue.stripe.events.list({ limit: 100 });
  for (const event of data.filter(({ type }) => type.startsWith('charge.dispute.')).reverse()) {
    const body = JSON.stringify(event);
    const headers = { 'stripe-signature': world.processor.api.webhooks.sign({ mode: 'test', body }) };
    expect((await world.call('POST', '/processor/notices/test', { body, headers })).status).toBe(200);
  }
  await world.work();
}

beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
  venue = await openTestVenue(world);
  await venue.setFee(275, 30);
  plain = (await venue.completed()).id;
  refunded = (await venue.completed()).id;
  expect((await venue.post(`/v1/checkouts/${refunded}/refund`, { amount: 12_000 })).status).toBe(200);
  const refundedEarly = await venue.runTestHelper((await venue.create()).id, 'complete');
  expect((await venue.post(`/v1/checkouts/${refundedEarly.id}/refund`, { amount: 7_001 })).status).toBe(200);
  const refundedFully = await venue.runTestHelper((await venue.create()).id, 'complete');
  expect((await venue.post(`/v1/checkouts/${refundedFully.id}/refund`)).status).toBe(200);

  const failing = await venue.collecting();
  await venue.payAll(failing, [CARDS.good, CARDS.good, CARDS.captureFailsForGood]);
  await venue.finishDueWork(failing.id);
  captureFailed = failing.id;
  expect(await venue.read(captureFailed)).toMatchObject({ status: 'canceled', cancellation_reason: 'capture_failed' });

  const capturing = await venue.collecting();
  await venue.payAll(capturing, [CARDS.good, CARDS.captureFailsForAWhile, CARDS.good]);
  expect((await venue.read(capturing.id)).status).toBe('funded');

  const withDispute = await venue.collecting();
  await venue.payAll(withDispute, [CARDS.good, CARDS.disputed]);
  disputed = withDispute.id;

  await venue.create();
  const held = await venue.collecting();
  await venue.runTestHelper(held.id, 'hold', { share_id: held.shares[1].id });
  await venue.runTestHelper((await venue.collecting()).id, 'expire');
  const canceled = await venue.collecting();
  await venue.runTestHelper(canceled.id, 'hold', { share_id: canceled.shares[0].id });
  expect((await venue.post(`/v1/checkouts/${canceled.id}/cancel`)).status).toBe(200);
  // Captured at the processor outside the service: the release detects it, and the money is returned.
  const capturedElsewhere = await venue.collecting();
  await venue.runTestHelper(capturedElsewhere.id, 'hold', { share_id: capturedElsewhere.shares[0].id });
  for (const { id } of await venue.intents(capturedElsewhere.id)) await venue.stripe.paymentIntents.capture(id);
  expect((await venue.post(`/v1/checkouts/${capturedElsewhere.id}/cancel`)).status).toBe(200);
  await venue.finishDueWork(capturedElsewhere.id);
  expect(
    await world.db.query(`select kind, status from movements where checkout_id = $1`, [capturedElsewhere.id]),
  ).toEqual([{ kind: 'return', status: 'done' }]);
  const live = await openTestVenue(world, { mode: 'live' });
  await live.create();
  await world.work();
  await deliverDisputes();
  expect((await venue.read(disputed)).disputes).toHaveLength(1);
});
afterAll(() => world.close());

describe('books that the service wrote', () => {
  it('add up in every state a checkout can be in', async () => {
    const output = await cli.run('ledger', 'check');
    expect(output).toMatchObject({ exit: 0, err: '' });
    expect(output.out).toMatch(/^MODE +CURRENCY +ACCOUNT +DEBITS +CREDITS +BALANCE\n/);
    expect(output.out).toMatch(/\ntest +usd +processor_balance +\d+ +\d+ +-?\d+\n/);
    expect(output.out).toMatch(/\nThe ledger adds up\.\n$/);
  });

  it('say what is the operator’s own: the fee, less what the processor charged, less disputes and debts', async () => {
    const { balances, own_funds: own } = await cli.json<{
      balances: { account: string; balance: number }[];
      own_funds: { mode: string; currency: string; amount: number }[];
    }>('ledger', 'check');
    const claims = ['processor_balance', 'guest_funds', 'venue_payable'];
    const others = balances.filter(({ account }) => !claims.includes(account));
    const amount = -others.reduce((sum, { balance }) => sum + balance, 0);
    expect(own).toEqual([{ mode: 'test', currency: 'usd', amount }]);
    const { out } = await cli.run('ledger', 'check');
    expect(out).toContain(`Yours at the processor, not the guests’ or the venues’: ${amount} usd (test).`);
  });

  it('are one document with --json, whose balances add up to zero', async () => {
    const response = await cli.json<{ ok: boolean; balances: { balance: number }[]; problems: unknown[] }>(
      'ledger',
      'check',
    );
    expect(response).toMatchObject({ ok: true, problem_count: 0, problems: [] });
    expect(response.balances.length).toBeGreaterThan(3);
    expect(response.balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  });

  it('give the same report when they are read two checkouts at a time', async () => {
    const progress: number[] = [];
    const chunked = await checkLedger(world.db, { chunk: 2, onProgress: (done) => progress.push(done) });
    expect(chunked).toEqual(await checkLedger(world.db));
    expect(progress.length).toBeGreaterThan(4);
  });

  it('are empty in a new installation', async () => {
    const empty = await openTestWorld();
    try {
      const output = await commandLine(empty).run('ledger', 'check');
      expect(output).toEqual({ exit: 0, err: '', out: 'The ledger has no entries.\n\nThe ledger adds up.\n' });
    } finally {
      await empty.close();
    }
  });
});

class Rollback extends Error {}

/** Changes the books without triggers, checks them, and rolls the change back. */
async function checkAfter(...changes: readonly [text: string, ...values: unknown[]][]): Promise<LedgerReport> {
  let report: LedgerReport | null = null;
  const change = async (tx: Queryable): Promise<never> => {
    await tx.query('set local session_replication_role = replica');
    for (const [text, ...values] of changes) {
      expect((await tx.query(`${text} returning 1`, values)).length, text).toBeGreaterThan(0);
    }
    report = await checkLedger(tx);
    throw new Rollback();
  };
  await world.db.transaction(change).catch((error: unknown) => {
    if (!(error instanceof Rollback)) throw error;
  });
  if (report === null) throw new Error('the books were not checked');
  return report;
}

const problemsOf = (report: LedgerReport) => report.problems.map(({ problem, checkoutId }) => [problem, checkoutId]);

/** Selects the first entry or movement of a checkout. */
const firstId = (table: string, id: string, kind: string): string =>
  `(select min(${id}::text) from ${table} where checkout_id = $1 and kind = '${kind}')`;

describe('books that were changed directly', () => {
  it('a deleted entry is reported as missing', async () => {
    const report = await checkAfter([
      `delete from ledger_entries where kind = 'transfer' and subject = ${firstId('ledger_entries', 'subject', 'transfer')}`,
      plain,
    ]);
    expect(problemsOf(report)).toEqual([['entry_missing', plain]]);
    expect(report.problems[0]).toMatchObject({ venueId: venue.venueId, found: 0 });
    expect(report.problems[0]?.message).toMatch(/^the transfer of \d+ has no entry$/);
  });

  it('a captured hold without its entry is reported', async () => {
    const report = await checkAfter([
      `delete from ledger_entries where kind = 'capture' and subject = ${firstId('ledger_entries', 'subject', 'capture')}`,
      plain,
    ]);
    expect(problemsOf(report)).toEqual([
      ['division_differs', plain],
      ['entry_missing', plain],
      ['guest_funds_left', plain],
    ]);
  });

  it('an entry with a wrong amount is reported', async () => {
    const report = await checkAfter([
      `update ledger_entries set amount = amount + 7 where kind = 'refund' and subject = ${firstId('ledger_entries', 'subject', 'refund')}`,
      refunded,
    ]);
    expect(problemsOf(report)).toEqual([['entry_differs', refunded]]);
    const [problem] = report.problems;
    expect((problem?.found ?? 0) - (problem?.expected ?? 0)).toBe(7);
  });

  it('an entry without a cause is reported, also for an unknown checkout', async () => {
    const report = await checkAfter([
      `insert into ledger_entries (venue_id, kind, subject, mode, checkout_id, debit, credit, amount, currency, at)
       select venue_id, 'transfer', 'nobody', mode, 'chk_nowhere', debit, credit, 500, currency, at
       from ledger_entries where kind = 'transfer' and checkout_id = $1 limit 1`,
      plain,
    ]);
    expect(problemsOf(report)).toEqual([['entry_without_cause', 'chk_nowhere']]);
    expect(report.problems[0]?.message).toBe('an entry says transfer of 500, and nothing caused it');
  });

  it('an entry in another mode does not count for its cause', async () => {
    const report = await checkAfter([
      `update ledger_entries set mode = 'live' where kind = 'return' and subject = ${firstId('ledger_entries', 'subject', 'return')}`,
      captureFailed,
    ]);
    expect(problemsOf(report)).toEqual([
      ['entry_missing', captureFailed],
      ['entry_without_cause', captureFailed],
    ]);
  });

  it('a fee that is divided wrongly is reported, though its sum is right', async () => {
    const firstFee = `(select subject from ledger_entries where checkout_id = $1 and kind = 'fee' order by subject limit 1)`;
    const lastFee = `(select subject from ledger_entries where checkout_id = $1 and kind = 'fee' order by subject desc limit 1)`;
    const report = await checkAfter(
      [`update ledger_entries set amount = amount - 5 where kind = 'fee' and subject = ${firstFee}`, plain],
      [`update ledger_entries set amount = amount + 5 where kind = 'fee' and subject = ${lastFee}`, plain],
    );
    expect(problemsOf(report)).toEqual([
      ['division_differs', plain],
      ['division_differs', plain],
    ]);
  });

  it('an earning with a wrong amount is reported', async () => {
    const report = await checkAfter([
      `update ledger_entries set amount = amount - 5 where kind = 'earning' and subject = ${firstId('ledger_entries', 'subject', 'earning')}`,
      plain,
    ]);
    expect(problemsOf(report)).toEqual([
      ['division_differs', plain],
      ['entry_differs', plain],
      ['guest_funds_left', plain],
    ]);
  });

  it('refunds that differ from the checkout or from its shares are reported', async () => {
    const report = await checkAfter([
      'update checkouts set refunded_amount = refunded_amount - 1 where checkout_id = $1',
      refunded,
    ]);
    expect(problemsOf(report)).toEqual([
      ['refunds_differ', refunded],
      ['share_refunds_differ', refunded],
    ]);
    const shares = await checkAfter([
      `update shares set refunded_amount = refunded_amount + 1
       where share_id = (select min(share_id) from shares where checkout_id = $1)`,
      refunded,
    ]);
    expect(problemsOf(shares)).toEqual([['share_refunds_differ', refunded]]);
  });

  it('a deleted payout, and one with a wrong amount, are reported', async () => {
    expect(problemsOf(await checkAfter(['delete from payouts where checkout_id = $1', plain]))).toEqual([
      ['payout_differs', plain],
      ['payout_differs', plain],
    ]);
    const report = await checkAfter(['update payouts set amount = amount + 1 where checkout_id = $1', plain]);
    expect(problemsOf(report)).toEqual([['payout_differs', plain]]);
    expect(report.problems[0]?.message).toMatch(/^the payout’s amount must be \d+ and is \d+$/);
  });

  it('a transfer of more than the venue has earned is reported', async () => {
    const report = await checkAfter([
      `update movements set amount = amount + 100, sent_amount = sent_amount + 100 where movement_id::text = ${firstId('movements', 'movement_id', 'transfer')}`,
      plain,
    ]);
    expect(problemsOf(report)).toEqual([
      ['entry_differs', plain],
      ['transfers_differ', plain],
    ]);
  });

  it('a transfer that is reduced, and settles no debt, is reported', async () => {
    const report = await checkAfter([
      `update movements set sent_amount = sent_amount - 100 where movement_id::text = ${firstId('movements', 'movement_id', 'transfer')}`,
      plain,
    ]);
    expect(problemsOf(report)).toEqual(
      [
        ['debts_differ', plain],
        ['entry_missing', plain],
        ['entry_differs', plain],
      ].sort(),
    );
    expect(report.problems.map(({ message }) => message)).toContain(
      'transfers were reduced by 100, and debts of 0 name them',
    );
  });

  it('guests’ money that is neither earned nor returned is reported', async () => {
    const returns = `checkout_id = $1 and kind = 'return'`;
    const report = await checkAfter(
      [`delete from ledger_entries where ${returns}`, captureFailed],
      [`delete from movements where ${returns}`, captureFailed],
    );
    expect(problemsOf(report)).toEqual([['guest_funds_left', captureFailed]]);
    expect(report.problems[0]?.message).toMatch(/^16001 of the guests’ money was neither earned nor given back$/);
  });

  it('a return that is still waiting is no difference', async () => {
    const returns = `checkout_id = $1 and kind = 'return'`;
    const report = await checkAfter(
      [`delete from ledger_entries where ${returns}`, captureFailed],
      [`update movements set status = 'waiting', due_at = now(), done_at = null where ${returns}`, captureFailed],
    );
    expect(problemsOf(report)).toEqual([]);
  });

  it('a dispute without an entry is reported', async () => {
    const report = await checkAfter([
      `delete from ledger_entries where kind = 'dispute' and checkout_id = $1`,
      disputed,
    ]);
    expect(problemsOf(report)).toEqual([['entry_missing', disputed]]);
  });

  it('a dispute that is not divided as the processor keeps it is reported', async () => {
    const report = await checkAfter([
      `update disputes set status = 'lost', venue_part = 0, fee_part = 0, returned_part = 0 where checkout_id = $1`,
      disputed,
    ]);
    expect(problemsOf(report)).toEqual([['dispute_differs', disputed]]);
  });

  it('make the command exit with 1 and list the differences', async () => {
    await world.db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(`delete from ledger_entries where kind = 'transfer' and checkout_id = $1`, [plain]);
    });
    const output = await cli.run('ledger', 'check');
    expect(output.exit).toBe(1);
    expect(output.out).toMatch(/\nPROBLEM +CHECKOUT +SUBJECT +WHAT\nentry_missing +chk_/);
    expect(output.out).not.toContain('adds up');
    expect(output.err).toBe('everyshare: the ledger has 3 differences: see docs/guides/money-operations.md.\n');
    const response = JSON.parse((await cli.run('ledger', 'check', '--json')).out);
    expect(response).toMatchObject({ ok: false, problem_count: 3 });
    expect(response.problems[0]).toMatchObject({
      problem: 'entry_missing',
      venue_id: venue.venueId,
      checkout_id: plain,
      found: 0,
    });
  });
});

describe('balances', () => {
  it('are summed over every range, and unbalanced books are reported', () => {
    const oneSide = { mode: 'test', currency: 'usd', account: 'processor_balance', debits: 100, credits: 30 } as const;
    const otherSide = { mode: 'test', currency: 'usd', account: 'guest_funds', debits: 0, credits: 70 } as const;
    const balanced = balancesOf([oneSide, otherSide]);
    expect(balanced.map(({ account, balance }) => [account, balance])).toEqual([
      ['guest_funds', -70],
      ['processor_balance', 70],
    ]);
    expect(unbalancedIn(balanced)).toEqual([]);
    const unbalanced = unbalancedIn(balancesOf([oneSide, otherSide, { ...oneSide, debits: 5, credits: 0 }]));
    expect(unbalanced).toMatchObject([{ problem: 'balances_differ', found: 5 }]);
    expect(unbalanced[0]?.message).toBe('the usd accounts of test mode add up to 5');
  });
});
