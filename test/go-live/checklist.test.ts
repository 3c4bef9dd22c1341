// Going live: the checklist is computed at each read, and a venue whose lines all hold is linked, once: by the call that
// completes the last line, or by the worker. Payout onboarding runs at the embedded processor.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linkReadyVenues, linkWhenReady } from '../../src/domain/go-live/link-when-ready.ts';
import { finishSandboxOnboarding } from '../../src/domain/payments/payout-account.ts';
import { addOrigin } from '../../src/domain/venues/change-venue.ts';
import { createOperator, deskOf } from '../support/desk-client.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { storePayableAccount } from '../support/payable-venue.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { stripeClient } from '../support/test-processor.ts';
import { type HttpResponse, openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { addMember, auditOf, type TeamMember } from './team.ts';

const TERMS = 'https://everyshare.example/terms';
let dns: DnsServer;
let world: TestWorld;
let cli: CommandLine;
beforeAll(async () => {
  dns = await startDnsServer();
  const env = { DNS_SERVERS: dns.address, TERMS_URL: TERMS, LIVE_NEEDS_APPROVAL: '1' };
  world = await openTestWorld({ env });
  cli = commandLine(world);
});
afterEach(() => world.processor.api.faults.clear());
afterAll(async () => {
  await world.close();
  await dns.close();
});

const outcomeOf = ({ status, json }: HttpResponse) => [
  status,
  json.error?.code,
  json.error?.reason ?? json.error?.field,
];
const read = async (person: TeamMember) => (await person.call('GET', '/console/api/go_live')).json;
const link = (batch = 500) => linkReadyVenues(world.context.services, batch);

async function sandbox(origins: readonly string[] = []): Promise<{ venue: string; owner: TeamMember }> {
  const { venue } = await world.venue({ sandbox: true, name: 'Cove & Pine', origins });
  return { venue: venue.id, owner: await addMember(world, venue.id, 'owner') };
}

let domains = 0;
async function verifyDomain(owner: TeamMember): Promise<HttpResponse> {
  const domain = `live${domains++}.example`;
  const { json } = await owner.call('POST', '/console/api/go_live/domain', { domain });
  dns.names.set(domain, [json.domain.record.value]);
  return owner.call('POST', '/console/api/go_live/domain/check');
}

const acceptTerms = (person: TeamMember, url = TERMS) =>
  person.call('POST', '/console/api/go_live/terms', { accepted: true, url });
const addLiveOrigin = (venue: string) =>
  world.db.transaction((tx) => addOrigin(tx, world.command(), venue, 'https://covepine.example'));
const makePayable = (venue: string) => finishSandboxOnboarding(world.context.services, venue, 'live');

const notices = async (venue: string, kind: string): Promise<number> =>
  (await world.db.query('select 1 from notices where venue_id = $1 and kind = $2', [venue, kind])).length;

describe('the checklist', () => {
  it('names each line with what is missing, and turns as the lines come to hold', async () => {
    const { venue, owner } = await sandbox();
    const before = await read(owner);
    expect(before).toMatchObject({ linked: false, can_create_live_keys: false, can_take_live_payments: false });
    expect([before.done, before.total, before.domain, before.payouts.status]).toEqual([0, 5, null, 'not_started']);
    expect(before.steps.map(({ id }: { id: string }) => id)).toEqual([
      'domain',
      'payouts',
      'origins',
      'terms',
      'approval',
    ]);
    for (const step of before.steps) expect(step).toMatchObject({ done: false, missing: expect.stringMatching(/\.$/) });
    await verifyDomain(owner);
    await acceptTerms(owner);
    await addLiveOrigin(venue);
    const after = await read(owner);
    expect(after.done).toBe(3);
    expect(after.terms).toEqual({
      url: TERMS,
      accepted_at: expect.any(String),
      accepted_by: { id: owner.id, name: null },
    });
    expect(after.origins).toEqual(['https://covepine.example']);
    expect(after.approval).toEqual({ approved_at: null });
  });

  it('counts no live origin with http', async () => {
    const { owner } = await sandbox(['http://localhost:3000']);
    const isDone = async () => (await read(owner)).steps.find(({ id }: { id: string }) => id === 'origins').done;
    expect(await isDone()).toBe(false);
  });

  it('has no line for terms and approval where the operator asks for neither', async () => {
    const plain = await openTestWorld();
    try {
      const { venue } = await plain.venue({ sandbox: true });
      const owner = await addMember(plain, venue.id, 'owner');
      const { json } = await owner.call('GET', '/console/api/go_live');
      expect(json.steps.map(({ id }: { id: string }) => id)).toEqual(['domain', 'payouts', 'origins']);
      expect([json.terms, json.approval]).toEqual([null, null]);
      expect(outcomeOf(await acceptTerms(owner))).toEqual([409, 'conflict', 'no_terms']);
    } finally {
      await plain.close();
    }
  });

  it('is for every role to read', async () => {
    const { venue } = await sandbox();
    for (const role of ['developer', 'finance', 'viewer'] as const) {
      const { status } = await (await addMember(world, venue, role)).call('GET', '/console/api/go_live');
      expect(status, role).toBe(200);
    }
  });
});

describe('the terms', () => {
  it('are accepted by an owner for the address that was shown, once, and audited', async () => {
    const { venue, owner } = await sandbox();
    expect(outcomeOf(await acceptTerms(owner, 'https://everyshare.example/old'))).toEqual([
      422,
      'invalid_value',
      '/url',
    ]);
    expect((await acceptTerms(owner)).json.terms.accepted_by.id).toBe(owner.id);
    const at = (await read(owner)).terms.accepted_at;
    expect((await acceptTerms(await addMember(world, venue, 'owner'))).json.terms.accepted_at).toBe(at);
    expect(await auditOf(world, venue, 'terms.')).toEqual([['terms.accept', `account ${owner.id}`, TERMS, {}]]);
    const refused = await owner.call('POST', '/console/api/go_live/terms', { accepted: false, url: TERMS });
    expect([refused.status, refused.json.error.field]).toEqual([422, '/accepted']);
  });

  it('have to be accepted again when their address has changed', async () => {
    const { venue, owner } = await sandbox();
    await acceptTerms(owner);
    await world.db.query(`update venue_go_live set terms_url = 'https://everyshare.example/old' where venue_id = $1`, [
      venue,
    ]);
    const { steps, terms } = await read(owner);
    expect(steps[3]).toMatchObject({ id: 'terms', done: false, missing: expect.stringContaining('have changed') });
    expect(terms.accepted_at).toBeNull();
    expect((await acceptTerms(owner)).json.steps[3].done).toBe(true);
  });
});

describe('payout onboarding', () => {
  const start = (person: TeamMember, body: object = {}) => person.call('POST', '/console/api/go_live/payouts', body);
  const open = (url: string) => fetch(url, { redirect: 'manual' });

  it('leads to the processor’s form and back, says in words what is due, and is complete when the processor says so', async () => {
    const { venue } = await sandbox();
    const finance = await addMember(world, venue, 'finance');
    const { status, json, text } = await start(finance, { country: 'DE' });
    expect(status, text).toBe(200);
    expect(json.url).toContain(`${world.processor.url}/onboarding/acct_`);
    const due = await read(finance);
    expect(due.payouts).toMatchObject({ status: 'incomplete', checked_at: expect.any(String) });
    expect(due.payouts.due.map(({ text: words }: { text: string }) => words)).toContain('a bank account');
    expect(due.steps[1].missing).toContain('still needs');
    const form = await open(json.url);
    const token = /name="token" value="([^"]+)"/.exec(await form.text())?.[1] ?? '';
    const back = await fetch(json.url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ token }) });
    const done = await (await fetch(back.headers.get('location') ?? '')).text();
    expect(done).toContain('Payouts are set up');
    expect(done).toContain(`href="${world.context.services.consoleUrl()}/v/${venue}/test/go-live"`);
    expect((await read(finance)).steps[1]).toEqual({ id: 'payouts', done: true, missing: null });
    expect(await auditOf(world, venue, 'payout.')).toEqual([
      ['payout.onboard', `account ${finance.id}`, expect.stringMatching(/^acct_/), { mode: 'live' }],
    ]);
  });

  it('answers 503 while the processor does not answer, and 409 when it gives no form', async () => {
    const { owner } = await sandbox();
    const rule = { id: 'down', on: 'v2.core.account_links.create', kind: 'error_500', times: 1 } as const;
    world.processor.api.faults.set({ rules: [rule] });
    expect((await start(owner, { country: 'US' })).status).toBe(503);
    expect((await start(owner)).status).toBe(200);
    const { venue, owner: other } = await sandbox();
    await storePayableAccount(world.db, venue);
    expect(outcomeOf(await start(other))).toEqual([409, 'conflict', 'payouts_refused']);
  });

  it('opens an account in the country that was chosen, and refuses none, a wrong one and one of no country at its field', async () => {
    const { venue, owner } = await sandbox();
    for (const body of [{}, { country: 'Germany' }, { country: 'QQ' }]) {
      const { status, json } = await start(owner, body);
      expect([status, json.error.field]).toEqual([422, '/country']);
    }
    expect((await read(owner)).payouts.status).toBe('not_started');
    expect((await start(owner, { country: 'DE' })).status).toBe(200);
    const [account] = await world.db.query<{ id: string }>(
      `select account_id as id from payout_accounts where venue_id = $1 and mode = 'live'`,
      [venue],
    );
    const stripe = stripeClient(world.processor.port, PROCESSOR_KEYS.live.secret);
    const found = await stripe.v2.core.accounts.retrieve(account?.id ?? '', { include: ['identity'] });
    expect(found.identity?.country?.toUpperCase()).toBe('DE');
    // The account exists: no country is needed to continue.
    expect((await start(owner)).status).toBe(200);
  });
});

describe('a venue whose lines all hold', () => {
  /** Everything but the terms. */
  async function nearlyReady(): Promise<{ venue: string; owner: TeamMember }> {
    const { venue, owner } = await sandbox(['https://covepine.example']);
    await verifyDomain(owner);
    await makePayable(venue);
    await cli.json('venue', 'approve', venue);
    return { venue, owner };
  }

  it('is linked by the call that completes the last line, with one audit entry and one notice, and gets live keys', async () => {
    const { venue, owner } = await nearlyReady();
    const live = { mode: 'live', scopes: ['checkouts:read'] } as const;
    await expect(world.key(venue, live)).rejects.toMatchObject({ code: 'venue_not_linked' });
    expect(await link()).toBe(0);
    expect((await acceptTerms(owner)).json).toMatchObject({
      linked: true,
      can_create_live_keys: true,
      can_take_live_payments: true,
      done: 5,
    });
    expect(await link()).toBe(0);
    expect(await auditOf(world, venue, 'venue.link')).toEqual([
      [
        'venue.link',
        `account ${owner.id}`,
        venue,
        { by: 'checklist', domain: expect.stringMatching(/^live\d+\.example$/) },
      ],
    ]);
    expect(await notices(venue, 'live')).toBe(1);
    expect((await world.key(venue, live)).key).toMatch(/^svc_live_/);
  });

  it('is linked once when two workers and a call complete it at the same time', async () => {
    const { venue, owner } = await nearlyReady();
    await acceptTermsBehind(venue, owner);
    const command = { ...world.command() };
    await Promise.all([
      link(),
      link(),
      world.db.transaction((tx) => linkWhenReady(tx, command, venue, world.context.services.goLive)),
    ]);
    expect(await auditOf(world, venue, 'venue.link')).toHaveLength(1);
    expect(await notices(venue, 'live')).toBe(1);
  });

  /** Accepts the terms as a call would that ran at the same time as another. */
  const acceptTermsBehind = (venue: string, { id }: TeamMember) =>
    world.db.query(
      `update venue_go_live set terms_url = $2, terms_accepted_at = now(), terms_accepted_by = $3 where venue_id = $1`,
      [venue, TERMS, id],
    );

  it('is linked by the worker when the processor’s account becomes active, or an origin is added', async () => {
    for (const last of ['payouts', 'origin'] as const) {
      const { venue, owner } = await sandbox();
      await verifyDomain(owner);
      await acceptTerms(owner);
      await cli.json('venue', 'approve', venue);
      if (last === 'origin') await makePayable(venue);
      else await addLiveOrigin(venue);
      expect(await link(1)).toBe(0);
      if (last === 'payouts') await makePayable(venue);
      else await addLiveOrigin(venue);
      expect(await link(1)).toBe(1);
      expect((await read(owner)).linked).toBe(true);
      expect(await auditOf(world, venue, 'venue.link')).toEqual([['venue.link', 'worker', venue, expect.anything()]]);
    }
  });

  it('is linked by the approval of the operator, who sees what else is missing', async () => {
    const { venue, owner } = await sandbox(['https://covepine.example']);
    const early = await cli.run('venue', 'approve', venue);
    expect(early.out).toContain('It is not linked yet. Name the domain of the venue');
    expect(await cli.json('venue', 'unapprove', venue)).toMatchObject({ id: venue, linked: false, approved: false });
    await verifyDomain(owner);
    await makePayable(venue);
    await acceptTerms(owner);
    expect((await read(owner)).steps.at(-1)).toMatchObject({ id: 'approval', done: false });
    expect(await cli.json('venue', 'approve', venue)).toMatchObject({ id: venue, linked: true, approved: true });
    expect(await auditOf(world, venue, 'venue.')).toEqual([
      expect.arrayContaining(['venue.create']),
      ['venue.approve', 'operator ada', venue, {}],
      ['venue.unapprove', 'operator ada', venue, {}],
      ['venue.approve', 'operator ada', venue, {}],
      ['venue.link', 'operator ada', venue, expect.objectContaining({ by: 'checklist' })],
    ]);
    expect(await notices(venue, 'approval')).toBe(3);
    const late = await cli.run('venue', 'unapprove', venue);
    expect(late.out).toContain('It is linked and stays so');
    expect((await read(owner)).linked).toBe(true);
  });

  it('is linked by an approval at the desk, which shows the same checklist', async () => {
    const desk = deskOf(world, await createOperator(world.context, 'admin'));
    const { venue, owner } = await sandbox(['https://covepine.example']);
    const checklistAtDesk = async () => (await desk('GET', `/venues/${venue}`)).json.go_live;
    expect(await checklistAtDesk()).toEqual((await read(owner)).steps);
    await verifyDomain(owner);
    await makePayable(venue);
    await acceptTerms(owner);
    expect((await checklistAtDesk()).filter(({ done }: { done: boolean }) => !done)).toHaveLength(1);
    for (let round = 0; round < 2; round++) {
      const { status, json } = await desk('POST', `/venues/${venue}/approve`);
      expect([status, json.state, json.go_live.at(-1)]).toEqual([
        200,
        'linked',
        { id: 'approval', done: true, missing: null },
      ]);
    }
    expect(await notices(venue, 'approval')).toBe(1);
    expect((await read(owner)).linked).toBe(true);
  });

  it('is not linked while it is revoked', async () => {
    const { venue, owner } = await nearlyReady();
    await acceptTermsBehind(venue, owner);
    await cli.json('venue', 'revoke', venue);
    expect(await link()).toBe(0);
    expect(await auditOf(world, venue, 'venue.link')).toEqual([]);
  });
});

describe('venue link on the command line', () => {
  it('says which lines of the checklist it overrides, and writes them to the audit log', async () => {
    const { venue, owner } = await sandbox(['https://covepine.example']);
    const linked = await cli.json<{ overrides: string[]; linked: boolean }>('venue', 'link', venue);
    expect([linked.linked, linked.overrides]).toEqual([true, ['domain', 'terms', 'approval']]);
    expect(await auditOf(world, venue, 'venue.link')).toEqual([
      ['venue.link', 'operator ada', venue, { by: 'operator', overrides: ['domain', 'terms', 'approval'] }],
    ]);
    const state = await read(owner);
    expect([state.linked, state.can_take_live_payments, state.steps[0].done]).toEqual([true, true, false]);
    expect((await cli.json<{ overrides: string[] }>('venue', 'link', venue)).overrides).toEqual([]);
    await verifyDomain(owner);
    expect(await link()).toBe(0);
    expect(await auditOf(world, venue, 'venue.link')).toHaveLength(1);
  });
});
