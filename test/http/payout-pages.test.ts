// A venue's onboarding at the card processor: a stale link leads to an address of ours that makes a new one, and the venue
// comes back to a page that says what is still due, as the processor states it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sealOnboarding } from '../../src/domain/payments/onboarding-token.ts';
import { findPayoutAccount } from '../../src/domain/payments/payout-account-queries.ts';
import { requirementKinds } from '../../src/domain/payments/requirement-kinds.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { stripeClient } from '../support/test-processor.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let cli: CommandLine;
beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
});
afterEach(() => world.processor.api.faults.clear());
afterAll(() => world.close());

const RETURN_URL = 'https://harbor.example/paid';
const open = (url: string | null, headers: Record<string, string> = {}) =>
  fetch(url ?? '', { redirect: 'manual', headers });

interface Onboarded {
  readonly venueId: string;
  readonly accountId: string;
  /** The processor's form. */
  readonly url: string;
  readonly refreshUrl: string;
}

/** A venue that has got a link and has used it up. */
async function onboarded(): Promise<Onboarded> {
  const { id } = await cli.json<{ id: string }>('venue', 'create', '--name', 'Café & Boats', '--without-payouts');
  const argv = ['venue', 'onboard', id, '--mode', 'live', '--email', 'pay@harbor.example', '--return-url', RETURN_URL];
  const { account, url } = await cli.json<{ account: string; url: string }>(...argv);
  await open(url);
  const again = await open(url);
  expect(again.status).toBe(303);
  return { venueId: id, accountId: account, url, refreshUrl: again.headers.get('location') ?? '' };
}

const setTransfers = (accountId: string, status: string) =>
  stripeClient(world.processor.port, PROCESSOR_KEYS.live.secret).rawRequest('POST', `/sandbox/accounts/${accountId}`, {
    transfers_status: status,
  });

const tokenOf = ({ refreshUrl }: Onboarded): string => refreshUrl.split('/').at(-1) ?? '';

async function done({ refreshUrl }: Onboarded, language = 'en'): Promise<{ status: number; text: string }> {
  const response = await open(`${refreshUrl}/done`, { 'accept-language': language });
  return { status: response.status, text: await response.text() };
}

describe('a stale onboarding link', () => {
  it('leads to an address of ours that makes a new link, redirects there, and writes it to the audit log', async () => {
    const venue = await onboarded();
    expect(venue.refreshUrl).toMatch(new RegExp(`^${world.urls[0]}/payouts/[\\w-]{100,}$`));
    const renewed = await open(venue.refreshUrl);
    expect([renewed.status, renewed.headers.get('cache-control')]).toEqual([303, 'no-store']);
    const fresh = renewed.headers.get('location') ?? '';
    expect(fresh).toMatch(new RegExp(`^${world.processor.url}/onboarding/${venue.accountId}\\?token=`));
    const form = await open(fresh);
    expect(form.status).toBe(200);
    const token = /name="token" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
    const body = new URLSearchParams({ token });
    const back = await fetch(fresh, { method: 'POST', redirect: 'manual', body });
    expect([back.status, back.headers.get('location')]).toEqual([303, `${venue.refreshUrl}/done`]);
    const page = await done(venue);
    expect(page.text).toContain('Payouts are set up');
    expect(page.text).toContain(`<a href="${RETURN_URL}">Back to Café &amp; Boats</a>`);
    expect(await findPayoutAccount(world.db, venue.venueId, 'live')).toMatchObject({ transfersStatus: 'active' });
    const rows = await world.db.query<{ actor: string; subject: string }>(
      `select actor, subject from audit_log where venue_id = $1 and action = 'payout.onboard' order by audit_id`,
      [venue.venueId],
    );
    expect(rows).toEqual([
      { actor: 'operator ada', subject: venue.accountId },
      { actor: 'venue onboarding', subject: venue.accountId },
    ]);
  });

  it('leads to no form any more once the venue can be paid', async () => {
    const venue = await onboarded();
    await setTransfers(venue.accountId, 'active');
    await done(venue);
    const response = await open(venue.refreshUrl);
    expect([response.status, response.headers.get('location')]).toEqual([303, `${venue.refreshUrl}/done`]);
  });

  it('leads to the page with the state when the processor has no such account any more', async () => {
    const venue = await onboarded();
    const row = [venue.venueId];
    await world.db.query(`update payout_accounts set account_id = 'acct_closed' where venue_id = $1`, row);
    const response = await open(venue.refreshUrl);
    expect([response.status, response.headers.get('location')]).toEqual([303, `${venue.refreshUrl}/done`]);
    expect((await done(venue)).text).toContain('This account cannot be paid');
  });

  it('answers 503 while the processor does not answer, and makes a link afterwards', async () => {
    const venue = await onboarded();
    const rule = { id: 'down', on: 'v2.core.account_links.create', kind: 'error_500', times: 1 } as const;
    world.processor.api.faults.set({ rules: [rule] });
    expect((await open(venue.refreshUrl)).status).toBe(503);
    expect((await open(venue.refreshUrl)).status).toBe(303);
  });
});

describe('the page at the end of the onboarding', () => {
  it('says what is due in the reader’s language, as the processor states it now', async () => {
    const venue = await onboarded();
    const texts: [string, string[]][] = [
      [
        'en',
        ['Something is still missing', 'a bank account for the payouts', 'your agreement to its terms', 'Continue'],
      ],
      ['de', ['Es fehlt noch etwas', 'ein Bankkonto für die Auszahlungen', 'Angaben zum Unternehmen', 'Weiter']],
      ['es', ['Aún falta algo', 'una cuenta bancaria para los pagos', 'tu aceptación de sus condiciones']],
    ];
    for (const [language, expected] of texts) {
      const { status, text } = await done(venue, language);
      expect(status).toBe(200);
      for (const part of expected) expect(text).toContain(part);
    }
    expect((await done(venue)).text).toContain(`href="/payouts/${tokenOf(venue)}"`);
    expect(await findPayoutAccount(world.db, venue.venueId, 'live')).toMatchObject({ transfersStatus: 'restricted' });
  });

  it.each([
    ['pending', 'Your details are being checked'],
    ['rejected', 'This account cannot be paid'],
    ['active', 'Payouts are set up'],
  ])('shows the status %s, and stores it', async (status, title) => {
    const venue = await onboarded();
    await setTransfers(venue.accountId, status);
    const { text } = await done(venue);
    expect(text).toContain(title);
    expect(text).not.toContain('Continue');
    expect(await findPayoutAccount(world.db, venue.venueId, 'live')).toMatchObject({ transfersStatus: status });
  });

  it('says that the processor does not answer, and stores nothing', async () => {
    const venue = await onboarded();
    await setTransfers(venue.accountId, 'active');
    const rule = { id: 'down', on: 'v2.core.accounts.retrieve', kind: 'error_500', times: 1 } as const;
    world.processor.api.faults.set({ rules: [rule] });
    expect((await done(venue)).text).toContain('We could not ask just now');
    expect(await findPayoutAccount(world.db, venue.venueId, 'live')).toMatchObject({ transfersStatus: 'restricted' });
    expect((await done(venue)).text).toContain('Payouts are set up');
  });
});

describe('the token in the address', () => {
  it('is refused when it was changed, belongs to something else, or its venue is gone', async () => {
    const venue = await onboarded();
    const token = tokenOf(venue);
    const flipped = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`;
    const other = world.context.seal.seal('["x"]', 'another purpose').toString('base64url');
    for (const wrong of [flipped, other, `${token}=`, 'x', '__proto__']) {
      for (const path of [`/payouts/${wrong}`, `/payouts/${wrong}/done`]) {
        expect([path, (await open(`${world.urls[0]}${path}`)).status]).toEqual([path, 404]);
      }
    }
    await cli.run('venue', 'revoke', venue.venueId);
    expect((await open(venue.refreshUrl)).status).toBe(404);
  });

  it('expires', async () => {
    const { venueId } = await onboarded();
    const expiresAt = Date.now() - 1;
    const token = sealOnboarding(world.context.seal, { venueId, mode: 'live', returnUrl: null, expiresAt });
    for (const path of [`/payouts/${token}`, `/payouts/${token}/done`]) {
      const response = await open(`${world.urls[0]}${path}`);
      expect(response.status).toBe(410);
      expect(await response.text()).toContain('This link has expired');
    }
  });

  it('is in no log line', async () => {
    const venue = await onboarded();
    await open(venue.refreshUrl);
    expect(world.logs.join('\n')).not.toContain(tokenOf(venue));
  });

  it('cannot be guessed without end: an address has a limit', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 121; count++) statuses.push((await open(`${world.urls[0]}/payouts/x`)).status);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('venue onboard', () => {
  it('refuses a return address that is none, and needs BASE_URL beside the real processor', async () => {
    const { id } = await cli.json<{ id: string }>('venue', 'create', '--name', 'Pier', '--without-payouts');
    const argv = ['venue', 'onboard', id, '--mode', 'live', '--email', 'pay@harbor.example'];
    expect(await cli.line(2, ...argv, '--return-url', 'javascript:alert(1)')).toContain('--return-url is');
    const config = { ...world.context.config, sandboxProcessor: false };
    const real = commandLine({ ...world, context: { ...world.context, config } });
    expect(await real.line(1, ...argv)).toContain('BASE_URL is not set');
  });
});

describe('the processor’s requirements', () => {
  it('are named in few kinds, each once', () => {
    const due = ['individual.verification.document', 'representative.dob', 'default_outbound_destination', 'zebra'];
    expect(requirementKinds(due)).toEqual(['bank', 'person', 'other']);
    expect(requirementKinds(['terms_of_service.account', 'business_details.url'])).toEqual(['terms', 'business']);
    expect(requirementKinds([])).toEqual([]);
  });
});
