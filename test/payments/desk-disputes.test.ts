// Disputes at the desk: until when each must be answered, where, and which comes first.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { paymentPageOf } from '../../src/domain/payments/dashboard.ts';
import { createOperator, deskOf } from '../support/desk-client.ts';
import { type DisputeTools, disputeTools } from '../support/disputes.ts';
import { type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const DAY_MS = 24 * 3_600_000;

let world: TestWorld;
let venue: TestVenue;
let disputes: DisputeTools;
let desk: ReturnType<typeof deskOf>;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
  disputes = disputeTools(world, venue);
  desk = deskOf(world, await createOperator(world.context, 'support'));
});
afterAll(() => world.close());

async function openDispute(): Promise<{ id: string; intent: string }> {
  const { id: checkoutId } = await venue.runTestHelper((await venue.create()).id, 'complete');
  const [intent] = await venue.intents(checkoutId);
  const id = await disputes.open(intent?.id ?? '', 1_000);
  await disputes.deliverEvents(intent?.id ?? '');
  return { id, intent: intent?.id ?? '' };
}

const health = async (): Promise<Json> => (await desk('GET', '/money?mode=test')).json;
const openOnes = async (): Promise<Json[]> =>
  (await health()).needs_person.filter(({ kind }: Json) => kind === 'dispute');

it('a dispute has the time until which the processor takes an answer, and none once it takes no answer', async () => {
  const { id, intent } = await openDispute();
  const [found] = (await openOnes()).filter((one) => one.id === id);
  expect(found.remedy).toContain('Answer it in the processor’s dashboard');
  // The sandbox has no dashboard.
  expect(found.dashboard_url).toBeNull();
  const days = (Date.parse(found.answer_by) - Date.parse(found.since)) / DAY_MS;
  expect(Math.round(days)).toBe(7);
  expect((await health()).figures.open_disputes.first_answer_by).toBe(found.answer_by);
  await disputes.close(id, 'won');
  await disputes.deliverEvents(intent);
  const [row] = await world.db.query('select evidence_due_at as due from disputes where dispute_id = $1', [id]);
  expect(row).toEqual({ due: null });
  expect((await health()).figures.open_disputes).toEqual({ count: 0, amount: 0, first_answer_by: null });
});

it('the dispute that must be answered first is listed first, and one without a time last', async () => {
  const ids = [(await openDispute()).id, (await openDispute()).id, (await openDispute()).id];
  const due = [`null`, `now() + interval '3 days'`, `now() + interval '1 day'`];
  for (const [index, id] of ids.entries())
    await world.db.query(`update disputes set evidence_due_at = ${due[index]} where dispute_id = $1`, [id]);
  expect((await openOnes()).map(({ id }) => id)).toEqual([...ids].reverse());
});

it('a payment is answered in the dashboard of its mode, and the sandbox has none', () => {
  expect(paymentPageOf({ mode: 'live', isSandbox: false }, 'pi_1')).toBe('https://dashboard.stripe.com/payments/pi_1');
  expect(paymentPageOf({ mode: 'test', isSandbox: false }, 'pi_1')).toBe(
    'https://dashboard.stripe.com/test/payments/pi_1',
  );
  expect(paymentPageOf({ mode: 'test', isSandbox: true }, 'pi_1')).toBeNull();
  expect(paymentPageOf(undefined, 'pi_1')).toBeNull();
  expect(paymentPageOf({ mode: 'live', isSandbox: false }, null)).toBeNull();
});
