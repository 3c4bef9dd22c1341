// The processor with the official client: connected accounts of API v2, their onboarding, and their transfers capability.

import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createPayee,
  createPayment,
  errorOf,
  recipientParams,
  startTestProcessor,
  type TestProcessor,
} from '../support/test-processor.ts';

let processor: TestProcessor;
let stripe: Stripe;
beforeAll(async () => {
  processor = await startTestProcessor();
  stripe = processor.stripe;
});
afterAll(() => processor.close());

const INCLUDE: Stripe.V2.Core.AccountRetrieveParams = { include: ['configuration.recipient', 'requirements'] };
const retrieve = (id: string) => stripe.v2.core.accounts.retrieve(id, INCLUDE);
const transfersOf = (account: Stripe.V2.Core.Account) =>
  account.configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers;
const createLink = (account: string) =>
  stripe.v2.core.accountLinks.create({
    account,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: { refresh_url: 'https://venue.example/again', return_url: 'https://venue.example/done' },
    },
  });
const open = (url: string) => fetch(url, { redirect: 'manual' });
const formTokenOf = async (page: Response): Promise<string> =>
  /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
async function pay(destination: string): Promise<Stripe.Transfer> {
  const paid = await createPayment(stripe);
  const source = String(paid.latest_charge);
  return stripe.transfers.create({ amount: 100, currency: 'usd', destination, source_transaction: source });
}
const restrict = (id: string, status: string) =>
  stripe.rawRequest('POST', `/sandbox/accounts/${id}`, { transfers_status: status });

describe('an account', () => {
  it('is made with API v2; v1 is refused, as on a new platform', async () => {
    expect(await errorOf(stripe.accounts.create({ type: 'express' }))).toMatchObject({ statusCode: 400 });
    const account = await stripe.v2.core.accounts.create(recipientParams('Café & Boats'));
    expect(account).toMatchObject({
      object: 'v2.core.account',
      applied_configurations: ['recipient'],
      display_name: 'Café & Boats',
      livemode: false,
    });
    expect(account.configuration).toBeUndefined();
    expect(await errorOf(processor.live.v2.core.accounts.retrieve(account.id))).toMatchObject({ statusCode: 404 });
  });

  it('has requirements that are due, and gets no transfer, until its onboarding form is completed', async () => {
    const { id } = await stripe.v2.core.accounts.create(recipientParams('Café & Boats'));
    const before = await retrieve(id);
    expect(transfersOf(before)).toEqual({
      status: 'restricted',
      status_details: [{ code: 'requirements_past_due', resolution: 'provide_info' }],
    });
    expect(before.requirements?.entries?.length).toBeGreaterThan(0);
    expect(before.requirements?.summary?.minimum_deadline?.status).toBe('past_due');
    expect(await errorOf(pay(id))).toMatchObject({ code: 'insufficient_capabilities_for_transfer' });

    const { url } = await createLink(id);
    const page = await open(url);
    const token = await formTokenOf(page);
    expect((await processor.submitForm(url, { token: 'guessed' })).status).toBe(404);
    expect((await processor.submitForm(url, { token: '' })).status).toBe(404);
    const done = await processor.submitForm(url, { token });
    expect([done.status, done.headers.get('location')]).toEqual([303, 'https://venue.example/done']);
    expect((await processor.submitForm(url, { token })).status).toBe(404);

    const after = await retrieve(id);
    expect(transfersOf(after)).toEqual({ status: 'active', status_details: [] });
    expect(after.requirements?.entries).toEqual([]);
    expect(await stripe.accounts.retrieve(id)).toMatchObject({ capabilities: { transfers: 'active' } });
    expect((await pay(id)).destination).toBe(id);
    // The event of a connected account is not in the platform's list: test/sandbox/webhooks.test.ts has its delivery.
    expect((await stripe.events.list({ type: 'account.updated' })).data).toEqual([]);
  });

  it('gets no transfer while the processor has restricted it, or verifies it', async () => {
    const { id } = await createPayee(stripe);
    await pay(id);
    for (const status of ['restricted', 'pending', 'rejected']) {
      await restrict(id, status);
      expect(transfersOf(await retrieve(id))?.status).toBe(status);
      expect(await errorOf(pay(id))).toMatchObject({ code: 'insufficient_capabilities_for_transfer' });
    }
    await restrict(id, 'active');
    expect((await pay(id)).destination).toBe(id);
    expect(await errorOf(restrict(id, 'paused'))).toMatchObject({ statusCode: 400 });
    expect(await errorOf(restrict('acct_nobody', 'active'))).toMatchObject({ statusCode: 404 });
  });

  it('needs the recipient configuration, an e-mail address and a country', async () => {
    const { contact_email: _email, ...withoutEmail } = recipientParams('Boats');
    const { identity: _identity, ...withoutCountry } = recipientParams('Boats');
    const { configuration: _configuration, ...withoutRecipient } = recipientParams('Boats');
    for (const params of [withoutEmail, withoutCountry, withoutRecipient]) {
      expect(await errorOf(stripe.v2.core.accounts.create(params))).toMatchObject({ statusCode: 400 });
    }
  });
});

describe('an onboarding link', () => {
  it('opens once; then, and when it is stale, it leads to its refresh URL', async () => {
    const { id } = await stripe.v2.core.accounts.create(recipientParams('Boats'));
    const { url } = await createLink(id);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    const page = await open(url);
    expect(page.status).toBe(200);
    const again = await open(url);
    expect([again.status, again.headers.get('location')]).toEqual([303, 'https://venue.example/again']);
    const stale = await createLink(id);
    processor.clock.aheadMs += 3_600_000;
    const late = await open(stale.url);
    expect([late.status, late.headers.get('location')]).toEqual([303, 'https://venue.example/again']);
    // The page that was opened in time can still be completed.
    expect((await processor.submitForm(url, { token: await formTokenOf(page) })).status).toBe(303);
    expect((await open(`${url}x`)).status).toBe(404);
  });
});

describe('an idempotency key of API v2', () => {
  const rules = (kind: string) => ({ rules: [{ on: 'v2.core.accounts.create', kind, times: 1 }] });
  const create = (key: string) => stripe.v2.core.accounts.create(recipientParams('Boats'), { idempotencyKey: key });

  it('does not repeat what succeeded, although its answer was a 500', async () => {
    await processor.setFaults(rules('error_500_after'));
    expect(await errorOf(create('once'))).toMatchObject({ statusCode: 500 });
    const { id } = await create('once');
    expect((await create('once')).id).toBe(id);
  });

  it('takes up what failed', async () => {
    await processor.setFaults(rules('error_500_rolled_back'));
    expect(await errorOf(create('again'))).toMatchObject({ statusCode: 500 });
    expect((await create('again')).object).toBe('v2.core.account');
  });

  it('is remembered for 30 days', async () => {
    const { id } = await create('long');
    processor.clock.aheadMs += 29 * 86_400_000;
    processor.api.tick();
    expect((await create('long')).id).toBe(id);
    processor.clock.aheadMs += 2 * 86_400_000;
    expect((await create('long')).id).not.toBe(id);
  });
});
