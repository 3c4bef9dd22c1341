// The checks that a worker runs by itself: the comparison with the processor and the check of the ledger.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CheckRun, claimCheck, scheduleCheck } from '../../src/domain/monitoring/check-queries.ts';
import type { WorkerServices } from '../../src/worker/loop.ts';
import { LOOPS } from '../../src/worker/loops.ts';
import { createOperator, deskOf } from '../support/desk-client.ts';
import { openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
const counted: string[] = [];
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
  await venue.runTestHelper((await venue.create()).id, 'complete');
});
afterAll(() => world.close());
beforeEach(async () => {
  counted.length = 0;
  for (const table of ['checks', 'check_runs', 'check_schedules']) await world.db.query(`delete from ${table}`);
});

type LoopName = 'check-ledger' | 'reconcile';

async function step(name: LoopName, signal = new AbortController().signal, ledgerCheckHours = 24): Promise<void> {
  const { log, services } = world.context;
  const countReconcile = (mode: string, outcome: string): unknown => counted.push(`${mode} ${outcome}`);
  const parts = { log, payments: services, ledgerCheckHours, countReconcile } as unknown as WorkerServices;
  await LOOPS.find((loop) => loop.name === name)?.step(
    parts,
    1,
    signal,
    () => undefined,
    () => undefined,
  );
}

const runs = (): Promise<CheckRun[]> =>
  world.db.query<CheckRun>(
    'select name, mode, differences, settled, compared, findings from check_runs order by name, mode',
  );

/** In how many minutes the check is due. */
async function dueIn(name: 'ledger' | 'reconcile'): Promise<number[]> {
  const rows = await world.db.query<{ minutes: number }>(
    `select (extract(epoch from due_at - now()) / 60)::float8 as minutes from check_schedules where name = '${name}' order by mode`,
  );
  return rows.map(({ minutes }) => Math.round(minutes));
}

const makeDue = (): Promise<unknown> =>
  world.db.query(`update check_schedules set due_at = now() - interval '1 second'`);

async function withoutTable(table: string, work: () => Promise<unknown>): Promise<void> {
  await world.db.query(`alter table ${table} rename to renamed_table`);
  try {
    await work();
  } finally {
    await world.db.query(`alter table renamed_table rename to ${table}`);
  }
}

describe('the worker’s check of the ledger', () => {
  it('runs once when it is due, however many workers there are, and then every LEDGER_CHECK_HOURS', async () => {
    await Promise.all([step('check-ledger'), step('check-ledger'), step('check-ledger')]);
    expect(await runs()).toEqual([
      { name: 'ledger', mode: 'all', differences: 0, settled: 0, compared: null, findings: [] },
    ]);
    expect(await dueIn('ledger')).toEqual([24 * 60]);
    await step('check-ledger');
    expect(await runs()).toHaveLength(1);
    await makeDue();
    await step('check-ledger', undefined, 2);
    expect(await runs()).toHaveLength(2);
    expect(await dueIn('ledger')).toEqual([2 * 60]);
  });

  it('records the balances of the accounts, and each difference in words', async () => {
    const { id } = await venue.runTestHelper((await venue.create()).id, 'complete');
    await world.db.query('update checkouts set refunded_amount = refunded_amount + 1 where checkout_id = $1', [id]);
    await step('check-ledger');
    await world.db.query('update checkouts set refunded_amount = refunded_amount - 1 where checkout_id = $1', [id]);
    const [run] = await runs();
    expect(run?.differences).toBeGreaterThan(0);
    expect(run?.findings.join(' ')).toContain(id);
    const [stored] = await world.db.query<{ balances: { account: string; debits: number; credits: number }[] }>(
      'select balances from check_runs',
    );
    expect(stored?.balances.map(({ account }) => account)).toContain('venue_payable');
    const sum = (side: 'debits' | 'credits') => stored?.balances.reduce((total, one) => total + one[side], 0);
    expect(sum('debits')).toBe(sum('credits'));
    expect(sum('debits')).toBeGreaterThan(0);
  });

  it('is tried again half an hour after it failed', async () => {
    await withoutTable('ledger_entries', () => expect(step('check-ledger')).rejects.toThrow());
    expect(await runs()).toEqual([]);
    expect(await dueIn('ledger')).toEqual([30]);
  });

  it('is left to another worker by one that stops', async () => {
    await step('check-ledger', AbortSignal.abort());
    expect(await runs()).toEqual([]);
    await step('check-ledger');
    expect(await runs()).toHaveLength(1);
  });

  it('is not scheduled by a worker whose lease has ended and was claimed by another', async () => {
    const { db } = world;
    const [check, now] = [{ name: 'ledger', mode: 'all' } as const, Date.now()];
    const late = await claimCheck(db, check, now, now + 60_000);
    expect(await claimCheck(db, check, now, now + 60_000), 'it is leased').toBeNull();
    await makeDue();
    const second = await claimCheck(db, check, now, now + 20 * 60_000);
    await scheduleCheck(db, check, late ?? 0, now + 90 * 60_000);
    expect(await dueIn('ledger')).toEqual([20]);
    await scheduleCheck(db, check, second ?? 0, now + 90 * 60_000);
    expect(await dueIn('ledger')).toEqual([90]);
  });
});

describe('the worker’s comparison with the processor', () => {
  it('runs once for each mode every six hours, however many workers there are, and counts its payments', async () => {
    await Promise.all([step('reconcile'), step('reconcile')]);
    const found = await runs();
    expect(found).toMatchObject([
      { name: 'reconcile', mode: 'live' },
      { name: 'reconcile', mode: 'test' },
    ]);
    expect(found.find(({ mode }) => mode === 'test')?.compared).toBeGreaterThan(0);
    expect(await dueIn('reconcile')).toEqual([360, 360]);
    expect(counted.sort()).toEqual(['live done', 'test done']);
  });

  it('runs again at once when an operator asks for it, and the money page has what each run found', async () => {
    const desk = deskOf(world, await createOperator(world.context, 'finance'));
    await step('reconcile');
    expect((await desk('POST', '/money/reconcile', { mode: 'test' })).json).toEqual({ id: 'test', status: 'due' });
    await step('reconcile');
    await step('check-ledger');
    expect(counted.filter((one) => one === 'test done')).toHaveLength(2);
    const { json } = await desk('GET', '/money?mode=test');
    expect(json.reconciles).toHaveLength(2);
    expect(json.reconciles[0]).toMatchObject({ differences: 0, settled: 0, findings: [] });
    expect(json.reconciles[0].compared).toBeGreaterThan(0);
    expect(json.accounts.map(({ account }: { account: string }) => account)).toContain('venue_payable');
    expect(json.accounts.reduce((sum: number, { balance }: { balance: number }) => sum + balance, 0)).toBe(0);
    const refused = await desk('POST', '/money/reconcile', { mode: 'all' });
    expect([refused.status, refused.json.error.field]).toEqual([422, '/mode']);
  });

  it('looks back 30 days instead of two while the comparison before has found a difference', async () => {
    const processor = world.context.services.processors.test;
    if (processor === undefined) throw new Error('there is no processor for test mode');
    const asked = vi.spyOn(processor, 'holdsSince');
    const daysAsked = (): number[] =>
      asked.mock.calls
        .filter(([, after]) => after === null)
        .map(([since]) => Math.round((Date.now() - since) / 86_400_000));
    await step('reconcile');
    expect(daysAsked()).toEqual([2]);
    await makeDue();
    await world.db.query(`update checks set differences = 1 where name = 'reconcile' and mode = 'test'`);
    await step('reconcile');
    expect(daysAsked()).toEqual([2, 30]);
    await makeDue();
    await step('reconcile');
    expect(daysAsked()).toEqual([2, 30, 2]);
    asked.mockRestore();
  });

  it('forgets runs of more than 90 days ago', async () => {
    await world.db.query(
      `insert into check_runs (name, mode, at, compared, settled, differences, findings)
       values ('reconcile', 'test', now() - interval '91 days', 1, 0, 0, '{}'), ('reconcile', 'test', now() - interval '89 days', 2, 0, 0, '{}')`,
    );
    await step('reconcile');
    const found = (await runs()).map(({ compared }) => compared);
    expect(found).toContain(2);
    expect(found).not.toContain(1);
  });
});
