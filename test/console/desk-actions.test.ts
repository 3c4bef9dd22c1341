// What operators do at the desk in a browser: each button of the money page, the fee and the limits of a venue, and what an
// operator reads when it is refused.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { setOperator } from '../../src/domain/accounts/operator-queries.ts';
import type { OperatorRole } from '../../src/domain/accounts/operator-roles.ts';
import { createOperator, deskOf, type TestOperator } from '../support/desk-client.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { ConsoleBrowser, executable, look, type Visitor } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const REFUND_FAILS = '4000000000005126';
const FEE = 'select fee_bps as bps, fee_fixed as fixed from venues where venue_id = $1';

describe.runIf(executable !== null)('an operator at the desk', () => {
  let browser: ConsoleBrowser;
  let venue: TestVenue;
  beforeAll(async () => {
    browser = await ConsoleBrowser.open({ env: { PAYOUT_DELAY_HOURS: '24' } });
    venue = await openTestVenue(browser.world);
  });
  afterAll(() => browser.close());

  async function operator(role: OperatorRole): Promise<Visitor & { readonly person: TestOperator }> {
    const visitor = await browser.visit();
    const person = await createOperator(browser.world.context, role);
    await visitor.context.addCookies([{ name: 'everyshare_console', value: person.token, url: browser.base }]);
    return { ...visitor, person };
  }

  const movementOf = async (checkoutId: string, kind: string, status: string): Promise<Json> => {
    const [row] = await browser.world.db.query<Json>(
      `select movement_id as id, amount, status from movements where checkout_id = $1 and kind = $2 and status = $3`,
      [checkoutId, kind, status],
    );
    expect(row, `the ${status} ${kind}`).toBeDefined();
    return row;
  };
  const statusOf = async (id: string): Promise<string> => {
    const [row] = await browser.world.db.query<Json>('select status from movements where movement_id = $1', [id]);
    return row?.status;
  };
  const auditOf = (id: string): Promise<Json[]> =>
    browser.world.db.query(
      `select action, detail->>'note' as note, (detail->>'amount')::integer as amount from audit_log
       where subject = $1 and actor like 'operator %' order by audit_id`,
      [id],
    );

  /** One card of two cannot be refunded. */
  async function failedRefund(): Promise<Json> {
    const { world } = browser;
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    await venue.payAll(checkout, [REFUND_FAILS, CARDS.good]);
    await venue.finishDueWork(checkout.id);
    expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`)).status).toBe(200);
    await world.work();
    world.processorClock.aheadMs += 31_000;
    await venue.finishDueWork(checkout.id);
    return movementOf(checkout.id, 'refund', 'failed');
  }

  async function failedReversal(): Promise<Json> {
    const checkout = await venue.completed({ amount: 10_000, party_size: 2 });
    await venue.finishDueWork(checkout.id);
    expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`, {})).status).toBe(200);
    const { id } = await movementOf(checkout.id, 'reversal', 'waiting');
    const change = (set: string): Promise<unknown> =>
      browser.world.db.query(`update movements set ${set} where movement_id = $1`, [id]);
    await change(`status = 'sending', sent_amount = null`);
    await change(`status = 'failed', due_at = null, last_error = 'amount_too_large'`);
    return movementOf(checkout.id, 'reversal', 'failed');
  }

  it('reserves a failed refund, gives it back, reads why it cannot be marked as paid, and marks it as paid', async () => {
    const { id } = await failedRefund();
    const visitor = await operator('finance');
    const { page, person } = visitor;
    await page.goto('/desk/money?mode=test');
    const row = page.getByRole('row', { name: /the refund did not reach the guest/ });
    await row.getByRole('button', { name: 'Pay by hand' }).click();
    await row.getByText('Reserved by you').waitFor();
    await row.getByRole('button', { name: 'Give back' }).click();
    await row.getByText('Reserved by you').waitFor({ state: 'detached' });
    await row.getByRole('button', { name: 'Pay by hand' }).click();
    await row.getByRole('button', { name: 'Paid another way…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reference of the payment').fill('SEPA 4711');
    // In another window it was given back.
    const call = deskOf(browser.world, person);
    const path = `/money/venues/${venue.venueId}/movements/${id}`;
    expect((await call('POST', `${path}/give_back`)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await dialog.getByText('Reserve it').waitFor();
    expect(await dialog.getByLabel('Reference of the payment').inputValue()).toBe('SEPA 4711');
    await look(visitor, 'desk-money-refused');
    expect((await call('POST', `${path}/reserve`)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await page.locator('.toast', { hasText: 'Marked as paid.' }).waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await statusOf(id)).toBe('closed');
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'refund.close', note: 'SEPA 4711' });
  });

  it('reads in the dialog that a refund was sent again, also when its row has left the list', async () => {
    const { id } = await failedRefund();
    const { page, context } = await operator('finance');
    await page.goto('/desk/money?mode=test');
    const row = page.getByRole('row', { name: /the refund did not reach the guest/ });
    await row.getByRole('button', { name: 'Pay by hand' }).click();
    await row.getByRole('button', { name: 'Paid another way…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reference of the payment').fill('SEPA 4712');
    const other = await context.newPage();
    await other.goto('/desk/money?mode=test');
    await other.getByRole('button', { name: 'Give back' }).click();
    await other.getByRole('button', { name: 'Try now' }).click();
    await other.locator('.toast', { hasText: 'A worker sends it now.' }).waitFor();
    expect(await statusOf(id)).toBe('waiting');
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await dialog.getByText('so do not pay it').waitFor();
    // Elements behind a modal dialog have no role.
    await page.locator('tr', { hasText: 'the refund did not reach the guest' }).waitFor({ state: 'detached' });
    expect(await dialog.getByText('so do not pay it').count()).toBe(1);
  });

  it('takes over what another operator has reserved for more than a day, and gives it back, each with a note', async () => {
    const { id } = await failedRefund();
    const { page } = await operator('finance');
    const ines = deskOf(browser.world, await createOperator(browser.world.context, 'finance'));
    const path = `/money/venues/${venue.venueId}/movements/${id}`;
    expect((await ines('POST', `${path}/reserve`)).status).toBe(200);
    await browser.world.db.query(
      `update movements set by_hand_at = by_hand_at - interval '25 hours' where movement_id = $1`,
      [id],
    );
    await page.goto('/desk/money?mode=test');
    const row = page.getByRole('row', { name: /the refund did not reach the guest.*for more than a day/ });
    await row.getByRole('button', { name: 'Take over…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What you know of the payment').fill('Ines is away.');
    await dialog.getByRole('button', { name: 'Take over', exact: true }).click();
    await page.getByText('Reserved by you').waitFor();
    const back = { take_over: true, note: 'I am here again.' };
    expect((await ines('POST', `${path}/reserve`, back)).status).toBe(200);
    await page.reload();
    await page.getByRole('button', { name: 'Give back…' }).click();
    await dialog.getByLabel('How you know that it was not paid').fill('Asked Ines.');
    await dialog.getByRole('button', { name: 'It was not paid: give back' }).click();
    await page.getByRole('button', { name: 'Pay by hand' }).waitFor();
    expect((await auditOf(id)).map(({ action, note }) => [action, note])).toEqual([
      ['movement.reserve', null],
      ['movement.take_over', 'Ines is away.'],
      ['movement.take_over', 'I am here again.'],
      ['movement.give_back', 'Asked Ines.'],
    ]);
    // The next test finds its own refund alone.
    const close = { reference: 'SEPA 4713' };
    expect((await ines('POST', `${path}/reserve`)).status).toBe(200);
    expect((await ines('POST', `${path}/pay_by_hand`, close)).status).toBe(200);
  });

  it('lets a venue owe a failed reversal, and writes exactly that off', async () => {
    const reversal = await failedReversal();
    const { page, faults } = await operator('finance');
    await page.goto('/desk/money?mode=test');
    const row = page.getByRole('row', { name: /the transfer was not taken back/ });
    await row.getByRole('button', { name: 'The venue owes it…' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('this cannot be undone').waitFor();
    expect(await statusOf(reversal.id)).toBe('failed');
    await question.getByRole('button', { name: 'The venue owes it', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    expect(await statusOf(reversal.id)).toBe('owed');
    const debt = page.getByRole('row', { name: /the venue owes it; its later payouts settle it/ });
    await debt.getByRole('button', { name: 'Write off…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why').fill('It has closed.');
    await dialog.getByRole('button', { name: /^Write off \$/ }).click();
    await page.locator('.toast', { hasText: 'Written off.' }).waitFor();
    await debt.waitFor({ state: 'detached' });
    expect(await auditOf(reversal.id)).toEqual([
      expect.objectContaining({ action: 'reversal.owe', amount: reversal.amount }),
      { action: 'debt.write_off', note: 'It has closed.', amount: reversal.amount },
    ]);
    expect(faults).toEqual([]);
  });

  it('reads that a card was not charged when the processor fails again', async () => {
    const { world } = browser;
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'error_500' }] });
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    await venue.payAll(checkout, [CARDS.good, CARDS.good]);
    await world.db.query(
      "update shares set held_at = held_at - interval '6 minutes' where checkout_id = $1 and held_at is not null",
      [checkout.id],
    );
    const { page } = await operator('finance');
    await page.goto('/desk/money?mode=test');
    const row = page.getByRole('row', { name: /0 of 2 cards are charged/ });
    await row.getByRole('button', { name: 'Try now' }).click();
    await page.locator('.toast.bad', { hasText: /Not all cards are charged yet: .*processor/ }).waitFor();
    world.processor.api.faults.clear();
    await row.getByRole('button', { name: 'Try now' }).click();
    await page.locator('.toast', { hasText: 'Charged: the checkout is completed.' }).waitFor();
    expect((await venue.read(checkout.id)).status).toBe('completed');
  });

  it('reads that the books and the reconcile were not checked for long, where they showed a green tick', async () => {
    const { db } = browser.world;
    const check = (hours: number): Promise<unknown> =>
      db.query(
        `insert into checks (name, mode, at, differences)
         values ('ledger', 'all', now() - $1 * interval '2 hours', 0), ('reconcile', 'test', now() - $1 * interval '1 hour', 0)
         on conflict (name, mode) do update set at = excluded.at, differences = 0`,
        [hours],
      );
    await check(23);
    const visitor = await operator('support');
    const { page } = visitor;
    await page.goto('/desk/money?mode=test');
    await page.getByText('add up', { exact: true }).waitFor();
    expect(await page.getByText('Not checked since').count()).toBe(0);
    await check(25);
    await page.reload();
    await page.getByText('not known', { exact: true }).waitFor();
    expect(await page.locator('.banner.amber', { hasText: 'Not checked since' }).count()).toBe(2);
    await look(visitor, 'desk-money-old-checks');
  });

  it('reads in the dialog why a venue is not suspended', async () => {
    const { page, person } = await operator('admin');
    await page.goto(`/desk/venues/${venue.venueId}`);
    await page.getByRole('button', { name: 'Suspend…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Why, for operators alone').fill('Under inquiry.');
    const { db, clock } = browser.world.context;
    await setOperator(db, { accountId: person.accountId, role: 'support', now: clock.now() });
    await dialog.getByRole('button', { name: 'Suspend', exact: true }).click();
    await dialog.locator('.field.wrong', { hasText: 'role' }).waitFor();
    expect(await dialog.getByLabel('Why, for operators alone').inputValue()).toBe('Under inquiry.');
  });

  it('reads at its field that an emptied fee is no number, and confirms a fee below cost with the comparison', async () => {
    const fee = async (): Promise<Json> => (await browser.world.db.query(FEE, [venue.venueId]))[0];
    const before = await fee();
    const visitor = await operator('finance');
    const { page } = visitor;
    await page.goto(`/desk/venues/${venue.venueId}`);
    await page.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog');
    const [percent, fixed] = [dialog.getByLabel('Percent'), dialog.getByLabel('Fixed part, in dollars')];
    const set = dialog.getByRole('button', { name: 'Set the fee' });
    const wrong = dialog.locator('.field.wrong');
    await percent.fill('');
    await set.click();
    await wrong.filter({ hasText: 'Percent' }).getByText('Type a number such as 3.50').waitFor();
    await percent.fill('5');
    await fixed.fill('1,000');
    await set.click();
    await wrong.filter({ hasText: 'Fixed part' }).getByText('without a comma').waitFor();
    await percent.fill('1');
    await fixed.fill('0');
    await set.click();
    // A screen reader gets the same from an element of its own, a moment later.
    await dialog.getByText('10 guests of $20.00: we get $2.00, the processor takes $8.80').first().waitFor();
    await look(visitor, 'desk-fee-below-cost');
    // Enter in a field does not confirm it, and another fee is asked about anew.
    await percent.press('Enter');
    await percent.fill('2');
    await set.click();
    await dialog.getByText('we get $4.00').first().waitFor();
    expect(await fee()).toEqual(before);
    await dialog.getByRole('button', { name: 'Set it below cost' }).click();
    await page.locator('.toast', { hasText: 'The fee is set.' }).waitFor();
    expect(await fee()).toEqual({ bps: 200, fixed: 0 });
    expect(visitor.faults).toEqual([]);
  });

  it('raises the limits of one key, and reads at the field that the days are no number', async () => {
    const { world } = browser;
    const { id } = await world.key(venue.venueId);
    const { page, person, faults } = await operator('admin');
    const shown = (await deskOf(world, person)('GET', `/venues/${venue.venueId}`)).json;
    const { hint } = shown.keys.find((key: Json) => key.id === id);
    await page.goto(`/desk/venues/${venue.venueId}`);
    await page.getByRole('button', { name: `Raise the limits of ${hint}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Writes in an hour').fill('9000');
    await dialog.getByLabel('Reads in an hour').fill('90000');
    await dialog.getByLabel('For how many days').fill('a week');
    await dialog.getByRole('button', { name: 'Raise', exact: true }).click();
    await dialog.locator('.field.wrong', { hasText: 'Type a whole number of days' }).waitFor();
    await dialog.getByLabel('For how many days').fill('7');
    await dialog.getByRole('button', { name: 'Raise', exact: true }).click();
    await page.locator('.toast', { hasText: 'The limits are raised.' }).waitFor();
    await page.getByRole('row', { name: hint }).getByText('raised until').waitFor();
    const raised = await world.db.query(
      `select key_id as id, raised_writes_per_hour as writes, raised_reads_per_hour as reads from keys
       where venue_id = $1 and raised_until is not null`,
      [venue.venueId],
    );
    expect(raised).toEqual([{ id, writes: 9_000, reads: 90_000 }]);
    expect(faults).toEqual([]);
  });
});
