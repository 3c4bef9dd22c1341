// The desk in a browser: a reviewer's hour by keyboard, and a stuck capture that is found and completed.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { OperatorRole } from '../../src/domain/accounts/operator-roles.ts';
import { createOperator } from '../support/desk-client.ts';
import { disputeTools } from '../support/disputes.ts';
import { CARDS, checkoutBody, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';
import { ConsoleBrowser, executable, look, type Visitor } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const OFFERING = {
  kind: 'cabana',
  description: 'A shaded cabana by the pool for up to six, with a bottle of water for each guest.',
  tiers: [
    { external_id: 'weekday', label: 'Mon to Fri', amount: 48000, currency: 'usd', unit: 'per_group' },
    { external_id: 'weekend', label: 'Sat, Sun', amount: 64000, currency: 'usd', unit: 'per_group' },
  ],
  policy: { cancellation: [{ hours_before: 24, refund_pct: 50 }] },
};

describe.runIf(executable !== null)('the desk', () => {
  let browser: ConsoleBrowser;
  let venue: TestVenue;
  beforeAll(async () => {
    browser = await ConsoleBrowser.open();
    venue = await openTestVenue(browser.world);
  });
  afterAll(() => browser.close());

  async function operator(role: OperatorRole): Promise<Visitor> {
    const visitor = await browser.visit();
    const { token } = await createOperator(browser.world.context, role);
    await visitor.context.addCookies([{ name: 'everyshare_console', value: token, url: browser.base }]);
    return visitor;
  }

  const send = async (external_id: string, title: string, more: object = {}): Promise<string> => {
    const sent = await venue.post('/v1/offerings', { ...OFFERING, external_id, title, ...more });
    expect(sent.status, sent.text).toBeLessThan(300);
    return sent.json.data.id;
  };
  const statusOf = async (id: string): Promise<string> => (await venue.get(`/v1/offerings/${id}`)).json.data.status;

  it('is not for people of venues, and says so', async () => {
    const visitor = await browser.signedIn(venue.venueId);
    await visitor.page.goto('/desk');
    await visitor.page.getByText('The desk is for operators', { exact: true }).waitFor();
    await look(visitor, 'desk-refused');
  });

  it('shows an empty queue, and a reader gets no buttons', async () => {
    const visitor = await operator('support');
    await visitor.page.goto('/desk');
    await visitor.page.getByText('The queue is empty.').waitFor();
    await look(visitor, 'desk-review-empty');
    await send('readable', 'Readable cabana');
    await visitor.page.reload();
    // It is a test object: the live queue stays empty.
    await visitor.page.getByText('The queue is empty.').waitFor();
    await visitor.page.getByRole('link', { name: 'Test', exact: true }).click();
    await visitor.page.getByText('Your role reads reviews; reviewers decide them.').waitFor();
    expect(await visitor.page.getByRole('button', { name: /Approve/ }).count()).toBe(0);
  });

  it('is a reviewer’s hour by keyboard: approve, reject, take down, reopen', async () => {
    const [first, second] = [await send('cabana-day', 'Poolside cabana'), await send('dinner', 'Full-moon dinner')];
    const visitor = await operator('reviewer');
    const { page } = visitor;
    const open = (title: string) => page.locator('.review-head h2', { hasText: title }).waitFor();
    await page.goto('/desk/review?mode=test');
    await open('Readable cabana');
    await page.keyboard.press('j');
    await open('Poolside cabana');
    await page.keyboard.press('a');
    await open('Full-moon dinner');
    // Taken back within ten seconds: nothing was sent.
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('u');
    await open('Poolside cabana');
    expect(await statusOf(first)).toBe('pending');
    await page.keyboard.press('a');
    await open('Full-moon dinner');
    await page.keyboard.press('k');
    await open('Readable cabana');
    await page.keyboard.press('j');
    await open('Full-moon dinner');
    // A reason by its number, and Enter.
    await page.keyboard.press('2');
    await page.getByRole('dialog').getByText('What the venue reads').waitFor();
    await look(visitor, 'desk-reject');
    await page.keyboard.press('Enter');
    await open('Readable cabana');
    // The next decision has sent the one before. Leaving the page sends the last.
    await waitFor('the first is approved', async () => (await statusOf(first)) === 'approved');
    await page.goto('/desk/audit');
    await waitFor('the second is rejected', async () => (await statusOf(second)) === 'rejected');
    expect((await venue.get(`/v1/offerings/${second}`)).json.data).toMatchObject({
      status: 'rejected',
      review_note: expect.stringContaining('The price is not clear'),
    });
    // A change of what was approved: both versions, and the differences.
    await send('cabana-day', 'Poolside cabana', {
      description: 'A shaded cabana by the pool for up to six, with two bottles of water for each guest.',
      policy: { cancellation: [{ hours_before: 48, refund_pct: 50 }] },
    });
    await page.goto('/desk/review?mode=test');
    await open('Readable cabana');
    await page.keyboard.press('j');
    await open('Poolside cabana');
    await page.getByText('2 changes').waitFor();
    await page.getByText('No phone number in the text').waitFor();
    await page.locator('.changes ins', { hasText: 'two bottles' }).waitFor();
    await look(visitor, 'desk-review');
    // Taken down while the change waits: gone at once.
    await page.keyboard.press('t');
    await page.getByRole('dialog').getByLabel('What the venue reads').fill('The pool is closed.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await open('Readable cabana');
    expect(await statusOf(first)).toBe('rejected');
    const [row] = await browser.world.db.query('select approved from offerings where offering_id = $1', [first]);
    expect(row).toEqual({ approved: null });
    await page.goto(`/desk/review/${first}?status=rejected&mode=test`);
    await page.getByText('“The pool is closed.”').first().waitFor();
    await page.keyboard.press('o');
    await page.locator('.toast', { hasText: 'Reopened' }).waitFor();
    expect(await statusOf(first)).toBe('pending');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('previous object').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('sends a decision by itself after ten seconds', async () => {
    const id = await send('kayak', 'Kayak at dawn');
    const { page } = await operator('reviewer');
    await page.clock.install();
    await page.goto(`/desk/review/${id}?mode=test`);
    await page.locator('.review-head h2', { hasText: 'Kayak at dawn' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await statusOf(id)).toBe('pending');
    await page.clock.runFor(11_000);
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await waitFor('it is approved', async () => (await statusOf(id)) === 'approved');
  });

  it('keeps a rejection with its note when it does not arrive, and sends it again', async () => {
    const lost = await send('raft', 'Raft tour');
    await send('fish', 'Fishing at night');
    const { page } = await operator('reviewer');
    const path = `**/desk/api/reviews/${lost}/reject`;
    const error = { code: 'service_unavailable', message: 'The service is not available at the moment.' };
    await page.route(path, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.goto(`/desk/review/${lost}?mode=test`);
    await page.locator('.review-head h2', { hasText: 'Raft tour' }).waitFor();
    await page.keyboard.press('r');
    await page.getByRole('dialog').getByLabel('What the venue reads').fill('The raft has no rail.');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    // The next decision sends the one before.
    await page.locator('.review-queue a', { hasText: 'Fishing at night' }).click();
    await page.locator('.review-head h2', { hasText: 'Fishing at night' }).waitFor();
    await page.keyboard.press('a');
    const bar = page.locator('.undo-bar', { hasText: 'Not sent. Rejected: Raft tour.' });
    await bar.getByText('The service is not available').waitFor();
    expect(await statusOf(lost)).toBe('pending');
    await page.unroute(path);
    await bar.getByRole('button', { name: 'Send again' }).click();
    await bar.waitFor({ state: 'detached' });
    await waitFor('it is rejected', async () => (await statusOf(lost)) === 'rejected');
    expect((await venue.get(`/v1/offerings/${lost}`)).json.data.review_note).toBe('The raft has no rail.');
  });

  it('sends a decision that can still be taken back before the reviewer signs out', async () => {
    const id = await send('tide', 'Tide walk');
    const { page } = await operator('reviewer');
    await page.goto(`/desk/review/${id}?mode=test`);
    await page.locator('.review-head h2', { hasText: 'Tide walk' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' });
    expect(await statusOf(id)).toBe('approved');
  });

  it('shows the rest of a long queue page by page', async () => {
    const titles = ['Long queue one', 'Long queue two', 'Long queue three'];
    for (const [i, title] of titles.entries()) await send(`long-${i}`, title);
    const { page } = await operator('reviewer');
    await page.goto('/desk/review?mode=test&limit=1');
    const lines = page.locator('.review-queue li');
    await lines.first().waitFor();
    expect(await lines.count()).toBe(1);
    await page.getByRole('button', { name: 'Show more' }).click();
    await lines.nth(1).waitFor();
    // The next object by its key, beyond the last line, shows more as well.
    const second = await lines.nth(1).locator('b').innerText();
    await page.keyboard.press('j');
    await page.locator('.review-head h2', { hasText: second }).waitFor();
    await page.keyboard.press('j');
    await lines.nth(2).waitFor();
    for (const title of titles) {
      while ((await lines.filter({ hasText: title }).count()) === 0) {
        const before = await lines.count();
        await page.getByRole('button', { name: 'Show more' }).click();
        await lines.nth(before).waitFor();
      }
    }
  });

  it('finds a stuck capture, tries it again and completes it', async () => {
    const { world } = browser;
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'error_500' }] });
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    await venue.payAll(checkout, [CARDS.good, CARDS.good]);
    await world.db.query(
      "update shares set held_at = held_at - interval '6 minutes' where checkout_id = $1 and held_at is not null",
      [checkout.id],
    );
    const visitor = await operator('finance');
    const { page } = visitor;
    await page.goto('/desk/money?mode=test');
    const row = page.getByRole('row', { name: /0 of 2 cards are charged/ });
    await row.waitFor();
    await row.getByText('The worker tries again by itself.').waitFor();
    await page.getByRole('button', { name: 'Reconcile now' }).waitFor();
    await look(visitor, 'desk-money');
    world.processor.api.faults.clear();
    await row.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Nothing waits.').waitFor();
    expect((await venue.read(checkout.id)).status).toBe('completed');
    // A reader sees the same without buttons, and live mode has nothing.
    const reader = await operator('support');
    await reader.page.goto('/desk/money');
    await reader.page.getByText('Nothing needs you.').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Try now' }).count()).toBe(0);
  });

  it('lists disputes with the time until which each must be answered', async () => {
    const { id } = await venue.runTestHelper((await venue.create()).id, 'complete');
    const [intent] = await venue.intents(id);
    const disputes = disputeTools(browser.world, venue);
    await disputes.open(intent?.id ?? '', 1_000);
    await disputes.deliverEvents(intent?.id ?? '');
    const visitor = await operator('support');
    await visitor.page.goto('/desk/disputes');
    await visitor.page.getByText('No charge is disputed.').waitFor();
    await visitor.page.getByRole('link', { name: 'Test', exact: true }).click();
    await visitor.page.getByRole('row', { name: /fraudulent/ }).waitFor();
    await visitor.page.getByText('1 open dispute, $10.00').waitFor();
    await look(visitor, 'desk-disputes');
    expect(visitor.faults).toEqual([]);
  });

  it('finds a venue by its id, suspends it and resumes it', async () => {
    const visitor = await operator('admin');
    const { page } = visitor;
    await page.goto('/desk/venues');
    await page.getByRole('heading', { name: 'Venues' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(venue.venueId);
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=/);
    await page.locator('a.row-link').first().waitFor();
    await page.locator('a.row-link').first().click();
    await page.getByRole('heading', { name: 'Keys and limits' }).waitFor();
    await look(visitor, 'desk-venue');
    await page.getByRole('button', { name: 'Suspend…' }).click();
    await page.getByRole('dialog').getByLabel('Why, for operators alone').fill('Under inquiry.');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText('“Under inquiry.”').waitFor();
    expect((await venue.post('/v1/checkouts', checkoutBody({ external_booking_id: 'bk-desk' }))).status).toBe(403);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Suspend…' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('looks at a venue as its people see it, without a button that writes', async () => {
    const visitor = await operator('support');
    const { page } = visitor;
    await page.goto(`/desk/venues/${venue.venueId}`);
    expect(await page.getByRole('button', { name: 'Suspend…' }).count()).toBe(0);
    await page.getByRole('button', { name: 'See it as its people do' }).click();
    await page.getByText('as an operator').first().waitFor();
    await page.goto(`/console/v/${venue.venueId}/test/checkouts`);
    await page.getByText('You can change nothing.').waitFor();
    expect(await page.getByRole('button', { name: /New checkout/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Back to the desk' }).click();
    await page.getByRole('heading', { name: 'Keys and limits' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('shows the health of queues, senders and processes', async () => {
    const visitor = await operator('support');
    await visitor.page.goto('/desk/health');
    await visitor.page.getByRole('heading', { name: 'Servers and workers' }).waitFor();
    await look(visitor, 'desk-health');
  });

  it('lists operators, finds a person, and shows what operators did', async () => {
    const visitor = await operator('admin');
    const { page } = visitor;
    await page.goto('/desk/people');
    await page
      .getByRole('cell', { name: /admin\d+@desk.example/ })
      .first()
      .waitFor();
    await page.getByLabel('Mail address or account id').fill('unknown@harbor.example');
    await page.keyboard.press('Enter');
    await page.getByText('No account has the address').waitFor();
    await look(visitor, 'desk-people');
    await page.goto('/desk/audit');
    await page
      .getByRole('cell', { name: /suspend/i })
      .first()
      .waitFor();
    await look(visitor, 'desk-audit');
  });

  it('keeps the dialog with its note when a takedown fails, says why, and sends it again', async () => {
    const id = await send('steam', 'Steam bath');
    await venue.post('/v1/test_helpers/review', { id, status: 'approved' });
    const { page } = await operator('reviewer');
    await page.goto(`/desk/review/${id}?status=approved&mode=test`);
    await page.locator('.review-head h2', { hasText: 'Steam bath' }).waitFor();
    const path = `**/desk/api/reviews/${id}/take_down`;
    const error = { code: 'invalid_request', message: 'note is not understood.', field: '/note' };
    await page.route(path, (route) => route.fulfill({ status: 422, json: { error } }));
    await page.keyboard.press('t');
    const dialog = page.getByRole('dialog');
    const note = dialog.getByLabel('What the venue reads');
    await note.fill('The bath is closed.');
    await dialog.getByRole('button', { name: 'Take down' }).click();
    await dialog.getByText('Note is not understood.').waitFor();
    expect(await note.inputValue()).toBe('The bath is closed.');
    await page.unroute(path);
    await dialog.getByRole('button', { name: 'Take down' }).click();
    await page.locator('.toast', { hasText: 'Taken down' }).waitFor();
    expect(await statusOf(id)).toBe('rejected');
  });

  it('approves nothing that changed since it was shown, and shows the new version first', async () => {
    const id = await send('sauna', 'Sauna hour');
    const visitor = await operator('admin');
    const { page } = visitor;
    await page.goto(`/desk/review/${id}?mode=test`);
    await page.locator('.review-head h2', { hasText: 'Sauna hour' }).waitFor();
    await send('sauna', 'Sauna hour, call 555-0100');
    await page.keyboard.press('a');
    await page.getByText('was changed after it was looked at').waitFor();
    await page.locator('.review-head h2', { hasText: 'call 555-0100' }).waitFor();
    expect(await statusOf(id)).toBe('pending');
  });
});
