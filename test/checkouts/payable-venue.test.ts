// A venue that cannot be paid charges no guest: its live checkouts are refused, with a message that says what is missing.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adoptProcessors, countStripeAccounts } from '../../src/domain/payments/former-account-queries.ts';
import { onboardingLink, requirePayoutAccount } from '../../src/domain/payments/payout-account.ts';
import {
  claimPayoutAccounts,
  findPayoutAccount,
  markAccountDue,
  recordAccountStatus,
} from '../../src/domain/payments/payout-account-queries.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import { refreshDuePayoutAccounts } from '../../src/domain/payments/refresh-payout-accounts.ts';
import { commandLine } from '../support/run-command.ts';
import { checkoutBody, openTestVenue, type TestVenue, withNewKey } from '../support/test-venue.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const CONTACT = { email: 'pay@venue.example', country: 'US' };
const URLS = { contact: CONTACT, returnUrl: 'https://venue.example/', refreshUrl: 'https://venue.example/again' };
const create = (venue: TestVenue, body = checkoutBody()) => venue.post('/v1/checkouts', body);
const liveAccount = (venue: TestVenue) => findPayoutAccount(world.db, venue.venueId, 'live');

async function unpaidVenue(): Promise<TestVenue> {
  const venue = await openTestVenue(world, { mode: 'live' });
  await world.db.query('delete from payout_accounts where venue_id = $1', [venue.venueId]);
  return venue;
}

/** As the processor's own review would. */
async function setTransfers(accountId: string, status: string, mode: 'test' | 'live' = 'live'): Promise<void> {
  const response = await fetch(`${world.processor.url}/sandbox/accounts/${accountId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PROCESSOR_KEYS[mode].secret}` },
    body: new URLSearchParams({ transfers_status: status }),
  });
  expect(response.status).toBe(200);
}

/** What the worker does after an event of the processor. */
async function hear(accountId: string, mode: 'test' | 'live' = 'live'): Promise<void> {
  await markAccountDue(world.db, mode, accountId, Date.now() - 1);
  await refreshDuePayoutAccounts(world.context.services, 10);
}

describe('a live checkout', () => {
  it('is refused while the venue has no account, and nothing is created', async () => {
    const venue = await unpaidVenue();
    const response = await create(venue);
    expect([response.status, response.json.error.code]).toEqual([403, 'venue_not_linked']);
    expect(response.json.error.message).toBe(
      'This venue cannot be paid yet. It has no payout account: its onboarding has not begun.',
    );
    expect((await venue.get('/v1/checkouts')).json.data).toEqual([]);
  });

  it('is refused until the onboarding is complete, and the message names what is due', async () => {
    const venue = await unpaidVenue();
    const { accountId } = await onboardingLink(world.context.services, venue.venueId, 'live', URLS);
    const body = checkoutBody();
    const refused = await create(venue, body);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'venue_not_linked']);
    expect(refused.json.error.message).toContain('The card processor needs: business_details.url');
    await setTransfers(accountId, 'active');
    await hear(accountId);
    expect((await create(venue, body)).status).toBe(201);
  });

  it('is refused from the time on that the processor restricts the venue; a repeat still gets its first response', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    const body = checkoutBody();
    const first = await create(venue, body);
    expect(first.status).toBe(201);
    const { accountId = '' } = (await liveAccount(venue)) ?? {};
    for (const [status, says] of [
      ['restricted', 'The card processor needs: individual.verification.document.'],
      ['pending', 'The card processor is verifying its details'],
      ['rejected', 'The card processor does not pay it (rejected_other)'],
    ] as const) {
      await setTransfers(accountId, status);
      await hear(accountId);
      const refused = await create(venue);
      expect([refused.status, refused.json.error.code]).toEqual([403, 'venue_not_linked']);
      expect(refused.json.error.message).toContain(says);
    }
    const again = await create(venue, body);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await create(await withNewKey(venue, 'test'))).status).toBe(201);
  });

  it('is refused while the processor was not asked about an account of an earlier release', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    await world.db.query('update payout_accounts set transfers_status = null where venue_id = $1', [venue.venueId]);
    expect((await create(venue)).json.error.message).toContain('was not asked');
  });
});

describe('what is known of an account', () => {
  it('is asked for from time to time, because an event can be lost', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    const { accountId = '' } = (await liveAccount(venue)) ?? {};
    await setTransfers(accountId, 'restricted');
    expect(await liveAccount(venue)).toMatchObject({ transfersStatus: 'active' });
    const later = { ...world.context.services, clock: { now: () => Date.now() + 7 * 3_600_000 } };
    await refreshDuePayoutAccounts(later, 100);
    expect(await liveAccount(venue)).toMatchObject({ transfersStatus: 'restricted' });
  });

  it('is asked for after an event of API v2, which names the account alone', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    const { accountId = '' } = (await liveAccount(venue)) ?? {};
    await setTransfers(accountId, 'restricted');
    const body = JSON.stringify({
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v2.core.account[configuration.recipient].capability_status_updated',
      livemode: true,
      created: new Date().toISOString(),
      related_object: { id: accountId, type: 'v2.core.account', url: `/v2/core/accounts/${accountId}` },
    });
    const signature = world.processor.api.webhooks.sign({ mode: 'live', body });
    const response = await world.call('POST', '/processor/notices/live', {
      body,
      headers: { 'stripe-signature': signature },
    });
    expect(response.status).toBe(200);
    await refreshDuePayoutAccounts(world.context.services, 100);
    expect(await liveAccount(venue)).toMatchObject({ transfersStatus: 'restricted' });
  });

  it('is kept while the processor does not answer, and asked for again', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    const { accountId = '' } = (await liveAccount(venue)) ?? {};
    const rule = { id: 'down', on: 'v2.core.accounts.retrieve', kind: 'error_500', times: 1 } as const;
    world.processor.api.faults.set({ rules: [rule] });
    await setTransfers(accountId, 'restricted');
    await hear(accountId);
    expect(await liveAccount(venue)).toMatchObject({ transfersStatus: 'active' });
    await hear(accountId);
    expect(await liveAccount(venue)).toMatchObject({ transfersStatus: 'restricted' });
  });

  it('is not overwritten by a worker whose answer is older', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    const { accountId = '' } = (await liveAccount(venue)) ?? {};
    const now = Date.now();
    await markAccountDue(world.db, 'live', accountId, now - 1);
    const [claimed] = await claimPayoutAccounts(world.db, now, now + 60_000, 1);
    if (claimed === undefined) throw new Error('no account was due');
    await setTransfers(accountId, 'restricted');
    await hear(accountId);
    const stale = { transfersStatus: 'active', requirementsDue: [] } as const;
    expect(await recordAccountStatus(world.db, claimed, stale, { now, checkAt: now })).toBe(false);
    expect(await liveAccount(venue)).toMatchObject({ transfersStatus: 'restricted' });
  });

  it('is that the venue cannot be paid when the account is gone', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    await world.db.query("update payout_accounts set account_id = 'acct_gone' where venue_id = $1", [venue.venueId]);
    await hear('acct_gone');
    expect(await liveAccount(venue)).toMatchObject({ transfersStatus: 'rejected' });
  });
});

describe('the account of a transfer', () => {
  it('is created in the sandbox, and is one for two workers', async () => {
    const venue = await openTestVenue(world);
    const { services } = world.context;
    const both = await Promise.all([1, 2].map(() => requirePayoutAccount(services, venue.venueId, 'test')));
    expect(both[0]).toMatchObject({ transfersStatus: 'active' });
    expect(both[1]?.accountId).toBe(both[0]?.accountId);
  });

  it('is never created by a transfer at the real processor: the venue is onboarded first', async () => {
    const venue = await openTestVenue(world);
    const { services } = world.context;
    const real = new Proxy(services.processors.test as NonNullable<typeof services.processors.test>, {
      get: (target, name) => (name === 'isSandbox' ? false : Reflect.get(target, name)),
    });
    await expect(
      requirePayoutAccount({ ...services, processors: { test: real } }, venue.venueId, 'test'),
    ).rejects.toThrow('everyshare venue onboard');
    expect(await findPayoutAccount(world.db, venue.venueId, 'test')).toBeNull();
  });
});

describe('an account of another processor', () => {
  const isSandbox = (value: boolean) =>
    new Proxy(world.context.services.processors.live as Processor, {
      get: (target, name: keyof Processor) => {
        if (name === 'isSandbox') return value;
        const member = target[name];
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  const startWith = (value: boolean) => adoptProcessors(world.db, { live: isSandbox(value) }, Date.now());

  it('is put aside when Stripe is set up after the sandbox, and comes back with its processor', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    const trial = await liveAccount(venue);
    expect((await create(venue)).status).toBe(201);
    await startWith(false);
    const refused = await create(venue);
    expect([refused.status, refused.json.error.code]).toEqual([403, 'venue_not_linked']);
    expect(await liveAccount(venue)).toBeNull();
    // The venue is onboarded anew, and the next start changes nothing.
    const services = { ...world.context.services, processors: { live: isSandbox(false) } };
    const { accountId } = await onboardingLink(services, venue.venueId, 'live', URLS);
    expect(accountId).not.toBe(trial?.accountId);
    await startWith(false);
    expect((await liveAccount(venue))?.accountId).toBe(accountId);
    // A process without Stripe's keys is refused by this, also where another has put the account aside before.
    expect(await countStripeAccounts(world.db, 'live')).toBe(1);
    await startWith(true);
    expect(await countStripeAccounts(world.db, 'live')).toBe(1);
    expect(await liveAccount(venue)).toMatchObject({ accountId: trial?.accountId, transfersStatus: null });
    await startWith(false);
    expect((await liveAccount(venue))?.accountId).toBe(accountId);
    await startWith(true);
  });

  it('is replaced by the operator, for good, and the processor makes a new one', async () => {
    const venue = await openTestVenue(world, { mode: 'live' });
    const { services } = world.context;
    const { accountId } = await onboardingLink(services, venue.venueId, 'live', URLS);
    const cli = commandLine(world);
    const command = ['venue', 'onboard', venue.venueId, '--mode', 'live', '--new-account'];
    expect(await cli.line(2, ...command)).toContain('--email is missing');
    // A venue is never without an account because the processor refused to make the next one.
    world.processor.api.faults.set({ rules: [{ id: 'down', on: '*', kind: 'error_500' }] });
    expect(await cli.line(1, ...command, '--email', CONTACT.email)).not.toBe('');
    world.processor.api.faults.clear();
    expect((await liveAccount(venue))?.accountId).toBe(accountId);
    const { account } = await cli.json<{ account: string }>(...command, '--email', CONTACT.email);
    expect(account).not.toBe(accountId);
    await startWith(true);
    expect(await liveAccount(venue)).toMatchObject({ accountId: account, transfersStatus: 'restricted' });
    const audited = await world.db.query(
      "select subject from audit_log where venue_id = $1 and action = 'payout.replace_account'",
      [venue.venueId],
    );
    expect(audited).toEqual([{ subject: accountId }]);
  });
});
