// `everyshare ledger check`: books that were kept by the service add up in every state a checkout can be in; books that
// somebody changed behind its back do not, and each kind of difference is named.

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
/** Completed and paid, nothing refunded. */
let plain: string;
/** Completed, half of it refunded after the venue was paid. */
let refunded: string;
/** One capture failed for good after others went through. */
let undone: string;
let disputed: string;

/** The processor's own notices of disputes, posted as it would post them. */
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
  const early = await venue.runTestHelper((await venue.create()).id, 'complete');
  expect((await venue.post(`/v1/checkouts/${early.id}/refund`, { amount: 7_001 })).status).toBe(200);
  const whole = await venue.runTestHelper((await venue.create()).id, 'complete');
  expect((await venue.post(`/v1/checkouts/${whole.id}/refund`)).status).toBe(200);

  const failing = await venue.collecting();
  await venue.payAll(failing, [CARDS.good, CARDS.good, CARDS.captureFailsForGood]);
  await venue.finishDueWork(failing.id);
  undone = failing.id;
  expect(await venue.read(undone)).toMatchObject({ status: 'canceled', cancellation_reason: 'capture_failed' });

  const slow = await venue.collecting();
  await venue.payAll(slow, [CARDS.good, CARDS.captureFailsForAWhile, CARDS.good]);
  expect((await venue.read(slow.id)).status).toBe('funded');

  const angry = await venue.collecting();
  await venue.payAll(angry, [CARDS.good, CARDS.disputed]);
  disputed = angry.id;

  await venue.create();
  const held = await venue.collecting();
  await venue.runTestHelper(held.id, 'hold', { share_id: held.shares[1].id });
  await venue.runTestHelper((await venue.collecting()).id, 'expire');
  const dropped = await venue.collecting();
  await venue.runTestHelper(dropped.id, 'hold', { share_id: dropped.shares[0].id });
  expect((await venue.post(`/v1/checkouts/${dropped.id}/cancel`)).status).toBe(200);
  // Captured at the bank by somebody else: found out when it is let go, and given back.
  const stray = await venue.collecting();
  await venue.runTestHelper(stray.id, 'hold', { share_id: stray.shares[0].id });
  for (const { id } of await venue.intents(stray.id)) await venue.stripe.paymentIntents.capture(id);
  expect((await venue.post(`/v1/checkouts/${stray.id}/cancel`)).status).toBe(200);
  await venue.finishDueWork(stray.id);
  expect(await world.db.query(`select kind, status from movements where checkout_id = $1`, [stray.id])).toEqual([
    { kind: 'return', status: 'done' },
  ]);
  const live = await openTestVenue(world, { mode: 'live' });
  await live.create();
  await world.work();
  await deliverDisputes();
  expect((await venue.read(disputed)).disputes).toHaveLength(1);
});
afterAll(() => world.close());

describe('books that were kept by the service', () => {
  it('add up in every state a checkout can be in', async () => {
    const said = await cli.run('ledger', 'check');
    expect(said).toMatchObject({ exit: 0, err: '' });
    expect(said.out).toMatch(/^MODE +CURRENCY +ACCOUNT +DEBITS +CREDITS +BALANCE\n/);
    expect(said.out).toMatch(/\ntest +usd +processor_balance +\d+ +\d+ +-?\d+\n/);
    expect(said.out).toMatch(/\n\nThe ledger adds up\.\n$/);
  });

  it('are one document by --json, whose balances add up to nothing', async () => {
    const response = await cli.json<{ ok: boolean; balances: { balance: number }[]; problems: unknown[] }>(
      'ledger',
      'check',
    );
    expect(response).toMatchObject({ ok: true, problem_count: 0, problems: [] });
    expect(response.balances.length).toBeGreaterThan(3);
    expect(response.balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  });

  it('are the same books when they are read two checkouts at a time', async () => {
    const seen: number[] = [];
    const small = await checkLedger(world.db, { chunk: 2, onProgress: (done) => seen.push(done) });
    expect(small).toEqual(await checkLedger(world.db));
    expect(seen.length).toBeGreaterThan(4);
  });

  it('are read by a fresh installation too', async () => {
    const empty = await openTestWorld();
    try {
      const said = await commandLine(empty).run('ledger', 'check');
      expect(said).toEqual({ exit: 0, err: '', out: 'The ledger has no entries.\n\nThe ledger adds up.\n' });
    } finally {
      await empty.close();
    }
  });
});

class Undo extends Error {}

/** Changes the books behind the back of every trigger, checks them, and undoes it. */
async function broken(...changes: readonly [text: string, ...values: unknown[]][]): Promise<LedgerReport> {
  let report: LedgerReport | null = null;
  const change = async (tx: Queryable): Promise<never> => {
    await tx.query('set local session_replication_role = replica');
    for (const [text, ...values] of changes) {
      expect((await tx.query(`${text} returning 1`, values)).length, text).toBeGreaterThan(0);
    }
    report = await checkLedger(tx);
    throw new Undo();
  };
  await world.db.transaction(change).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
  if (report === null) throw new Error('the books were not checked');
  return report;
}

const ids = (report: LedgerReport) => report.problems.map(({ problem, checkoutId }) => [problem, checkoutId]);

/** One entry or movement of a checkout. */
const first = (table: string, id: string, kind: string): string =>
  `(select min(${id}::text) from ${table} where checkout_id = $1 and kind = '${kind}')`;

describe('books that somebody changed', () => {
  it('an entry that is gone is missing, and what it leaves open is named', async () => {
    const report = await broken([
      `delete from ledger_entries where kind = 'transfer' and subject = ${first('ledger_entries', 'subject', 'transfer')}`,
      plain,
    ]);
    expect(ids(report)).toEqual([['entry_missing', plain]]);
    expect(report.problems[0]).toMatchObject({ venueId: venue.venueId, found: 0 });
    expect(report.problems[0]?.message).toMatch(/^the transfer of \d+ has no entry$/);
  });

  it('a captured hold without its entry', async () => {
    const report = await broken([
      `delete from ledger_entries where kind = 'capture' and subject = ${first('ledger_entries', 'subject', 'capture')}`,
      plain,
    ]);
    expect(ids(report)).toEqual([
      ['division_differs', plain],
      ['entry_missing', plain],
      ['guest_funds_left', plain],
    ]);
  });

  it('an entry of another amount than what happened', async () => {
    const report = await broken([
      `update ledger_entries set amount = amount + 7 where kind = 'refund' and subject = ${first('ledger_entries', 'subject', 'refund')}`,
      refunded,
    ]);
    expect(ids(report)).toEqual([['entry_differs', refunded]]);
    const [problem] = report.problems;
    expect((problem?.found ?? 0) - (problem?.expected ?? 0)).toBe(7);
  });

  it('an entry that nothing caused, also of a checkout that is not there', async () => {
    const report = await broken([
      `insert into ledger_entries (venue_id, kind, subject, mode, checkout_id, debit, credit, amount, currency, at)
       select venue_id, 'transfer', 'nobody', mode, 'chk_nowhere', debit, credit, 500, currency, at
       from ledger_entries where kind = 'transfer' and checkout_id = $1 limit 1`,
      plain,
    ]);
    expect(ids(report)).toEqual([['entry_without_cause', 'chk_nowhere']]);
    expect(report.problems[0]?.message).toBe('an entry says transfer of 500, and nothing caused it');
  });

  it('an entry in another currency or mode is none', async () => {
    const report = await broken([
      `update ledger_entries set mode = 'live' where kind = 'return' and subject = ${first('ledger_entries', 'subject', 'return')}`,
      undone,
    ]);
    expect(ids(report)).toEqual([
      ['entry_missing', undone],
      ['entry_without_cause', undone],
    ]);
  });

  it('a fee that was divided otherwise, though the sum is right', async () => {
    const some = `(select subject from ledger_entries where checkout_id = $1 and kind = 'fee' order by subject limit 1)`;
    const more = `(select subject from ledger_entries where checkout_id = $1 and kind = 'fee' order by subject desc limit 1)`;
    const report = await broken(
      [`update ledger_entries set amount = amount - 5 where kind = 'fee' and subject = ${some}`, plain],
      [`update ledger_entries set amount = amount + 5 where kind = 'fee' and subject = ${more}`, plain],
    );
    expect(ids(report)).toEqual([
      ['division_differs', plain],
      ['division_differs', plain],
    ]);
  });

  it('an earning that is not what the checkout brought', async () => {
    const report = await broken([
      `update ledger_entries set amount = amount - 5 where kind = 'earning' and subject = ${first('ledger_entries', 'subject', 'earning')}`,
      plain,
    ]);
    expect(ids(report)).toEqual([
      ['division_differs', plain],
      ['entry_differs', plain],
      ['guest_funds_left', plain],
    ]);
  });

  it('a refund that the checkout does not know of, and one that its shares do not', async () => {
    const report = await broken([
      'update checkouts set refunded_amount = refunded_amount - 1 where checkout_id = $1',
      refunded,
    ]);
    expect(ids(report)).toEqual([
      ['refunds_differ', refunded],
      ['share_refunds_differ', refunded],
    ]);
    const shares = await broken([
      `update shares set refunded_amount = refunded_amount + 1
       where share_id = (select min(share_id) from shares where checkout_id = $1)`,
      refunded,
    ]);
    expect(ids(shares)).toEqual([['share_refunds_differ', refunded]]);
  });

  it('a payout that is gone, or of another amount', async () => {
    expect(ids(await broken(['delete from payouts where checkout_id = $1', plain]))).toEqual([
      ['payout_differs', plain],
      ['payout_differs', plain],
    ]);
    const report = await broken(['update payouts set amount = amount + 1 where checkout_id = $1', plain]);
    expect(ids(report)).toEqual([['payout_differs', plain]]);
    expect(report.problems[0]?.message).toMatch(/^the payout’s amount must be \d+ and is \d+$/);
  });

  it('a transfer of more than the venue has earned', async () => {
    const report = await broken([
      `update movements set amount = amount + 100 where movement_id::text = ${first('movements', 'movement_id', 'transfer')}`,
      plain,
    ]);
    expect(ids(report)).toEqual([
      ['entry_differs', plain],
      ['transfers_differ', plain],
    ]);
  });

  it('guests’ money that nobody gives back', async () => {
    const which = `checkout_id = $1 and kind = 'return'`;
    const report = await broken(
      [`delete from ledger_entries where ${which}`, undone],
      [`delete from movements where ${which}`, undone],
    );
    expect(ids(report)).toEqual([['guest_funds_left', undone]]);
    expect(report.problems[0]?.message).toMatch(/^16001 of the guests’ money was neither earned nor given back$/);
  });

  it('money on its way back is no difference', async () => {
    const which = `checkout_id = $1 and kind = 'return'`;
    const report = await broken(
      [`delete from ledger_entries where ${which}`, undone],
      [`update movements set status = 'waiting', due_at = now(), done_at = null where ${which}`, undone],
    );
    expect(ids(report)).toEqual([]);
  });

  it('a dispute that is not in the ledger', async () => {
    const report = await broken([`delete from ledger_entries where kind = 'dispute' and checkout_id = $1`, disputed]);
    expect(ids(report)).toEqual([['entry_missing', disputed]]);
  });

  it('is a fault of the command, with exit code 1 and what differs', async () => {
    await world.db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(`delete from ledger_entries where kind = 'transfer' and checkout_id = $1`, [plain]);
    });
    const said = await cli.run('ledger', 'check');
    expect(said.exit).toBe(1);
    expect(said.out).toMatch(/\nPROBLEM +CHECKOUT +SUBJECT +WHAT\nentry_missing +chk_/);
    expect(said.out).not.toContain('adds up');
    expect(said.err).toBe('everyshare: the ledger has 3 differences: see docs/guides/money-operations.md.\n');
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
  it('are summed over every range, and one-sided books are named', () => {
    const one = { mode: 'test', currency: 'usd', account: 'processor_balance', debits: 100, credits: 30 } as const;
    const other = { mode: 'test', currency: 'usd', account: 'guest_funds', debits: 0, credits: 70 } as const;
    const even = balancesOf([one, other]);
    expect(even.map(({ account, balance }) => [account, balance])).toEqual([
      ['guest_funds', -70],
      ['processor_balance', 70],
    ]);
    expect(unbalancedIn(even)).toEqual([]);
    const uneven = unbalancedIn(balancesOf([one, other, { ...one, debits: 5, credits: 0 }]));
    expect(uneven).toMatchObject([{ problem: 'balances_differ', found: 5 }]);
    expect(uneven[0]?.message).toBe('the usd accounts of test mode add up to 5');
  });
});
