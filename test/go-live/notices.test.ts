// Mails to the people of a venue: by role and preference, once each, without data of guests, and over a real mail server.

import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { notifyDuePeople } from '../../src/domain/accounts/notify-people.ts';
import { noticeExpiringKeys } from '../../src/domain/keys/notice-expiring-keys.ts';
import { sendDueMails } from '../../src/domain/mail/send.ts';
import { makeSmtpSender } from '../../src/domain/mail/smtp.ts';
import type { NewNotice, NoticeKind } from '../../src/domain/notices/notice.ts';
import { deleteOldNotices } from '../../src/domain/notices/queries.ts';
import { recordNotice } from '../../src/domain/notices/record-notice.ts';
import { refreshPayoutAccount } from '../../src/domain/payments/refresh-payout-accounts.ts';
import { review } from '../../src/domain/review/review.ts';
import { disableDeadEndpoint } from '../../src/domain/webhooks/disable.ts';
import { noticeFailingEndpoints } from '../../src/domain/webhooks/notice-failing-endpoints.ts';
import { callConsole, mailedCode, signInToConsole } from '../support/console-client.ts';
import { stripeClient } from '../support/test-processor.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { addMember, queuedMails, type TeamMember } from './team.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.query('delete from mails');
  await world.db.query('update notices set due_at = null');
});

interface Team {
  readonly venue: string;
  readonly owner: TeamMember;
  readonly developer: TeamMember;
  readonly finance: TeamMember;
  readonly viewer: TeamMember;
}

async function newTeam(): Promise<Team> {
  const { venue } = await world.venue({ name: 'Cove & Pine', origins: ['https://covepine.example'] });
  const add = (role: 'owner' | 'developer' | 'finance' | 'viewer') => addMember(world, venue.id, role);
  return {
    venue: venue.id,
    owner: await add('owner'),
    developer: await add('developer'),
    finance: await add('finance'),
    viewer: await add('viewer'),
  };
}

const notify = () => notifyDuePeople(world.context.services, 50);
const record = (notice: Omit<NewNotice, 'mode'> & Partial<Pick<NewNotice, 'mode'>>) =>
  recordNotice(world.db, { ids: world.context.ids, now: Date.now() - 1_000 }, { mode: 'live', ...notice });
/** Makes what waits due, also what is delayed to become one mail. */
const makeDue = () =>
  world.db.query(`update notices set due_at = now() - interval '1 second' where due_at is not null`);

async function mailed(): Promise<string[]> {
  await makeDue();
  await notify();
  return (await queuedMails(world, 'notice')).map(({ to }) => to).sort();
}

const DETAILS: Readonly<Record<NoticeKind, NewNotice['detail']>> = {
  endpoint: { state: 'failing', endpoint: 'whe_1', host: 'hooks.example' },
  payout: { checkout: 'chk_1', amount: 12_300, currency: 'USD' },
  dispute: { checkout: 'chk_1', amount: 4_500, currency: 'EUR' },
  review: { object: 'offering', id: 'o1', name: 'Sunset sail', status: 'rejected', note: 'The photo is dark.' },
  key_expiry: { key: 'key_1', name: 'Web shop', hint: 'svc_live_…a1b2', expires_at: '2027-06-12T13:30:00.000Z' },
  payable: { payable: false },
  live: {},
  approval: { approved: true },
};

describe('a notice', () => {
  it.each([
    ['endpoint', ['developer', 'owner'], 'hooks.example'],
    ['payout', ['finance', 'owner'], '$123.00'],
    ['dispute', ['finance', 'owner'], '€45.00'],
    ['review', ['developer', 'owner'], 'The photo is dark.'],
    ['key_expiry', ['developer', 'owner'], '"Web shop" svc_live_…a1b2'],
    ['payable', ['finance', 'owner'], 'can no longer pay the venue'],
    ['live', ['owner'], 'live keys'],
    ['approval', ['owner'], 'approved'],
  ] as const)('of kind %s is mailed to %s', async (kind, roles, words) => {
    const team = await newTeam();
    await record({ venueId: team.venue, kind, subject: randomUUID(), detail: DETAILS[kind] });
    expect(await mailed()).toEqual(roles.map((role) => team[role].email).sort());
    const [mail] = await queuedMails(world, 'notice');
    expect(mail?.title).toMatch(/^Cove & Pine: /);
    expect(mail?.text).toContain(words);
    const isChosen = !['payable', 'live', 'approval'].includes(kind);
    const page = `${world.context.services.consoleUrl()}/v/${team.venue}/live/settings/notifications`;
    expect(mail?.text.includes(page)).toBe(isChosen);
  });

  it('is mailed once by several workers, and once for one subject', async () => {
    const { venue, owner } = await newTeam();
    const notice = { venueId: venue, kind: 'live', subject: 'once', detail: {} } as const;
    expect([await record(notice), await record(notice)]).toEqual([true, false]);
    await Promise.all([notify(), notify(), notify()]);
    await notify();
    expect((await queuedMails(world, 'notice')).map(({ to }) => to)).toEqual([owner.email]);
  });

  it('of the same kind becomes one mail with a line for each, up to 20 lines', async () => {
    const { venue } = await newTeam();
    for (let number = 0; number < 25; number++)
      await record({ venueId: venue, kind: 'review', subject: `many ${number}`, detail: DETAILS.review });
    await notify();
    expect(await queuedMails(world, 'notice')).toEqual([]);
    expect(await mailed()).toHaveLength(2);
    const [mail] = await queuedMails(world, 'notice');
    expect(mail?.title).toBe('Cove & Pine: 25 reviews have a result');
    expect(mail?.text.match(/Sunset sail/g)).toHaveLength(20);
    expect(mail?.text).toContain('And 5 more before these.');
  });

  it('in test mode is about endpoints alone, and its mail says so', async () => {
    const { venue } = await newTeam();
    for (const kind of ['payout', 'dispute', 'review', 'key_expiry'] as const)
      expect(await record({ venueId: venue, mode: 'test', kind, subject: kind, detail: DETAILS[kind] })).toBe(false);
    await record({ venueId: venue, mode: 'test', kind: 'endpoint', subject: 'e', detail: DETAILS.endpoint });
    expect(await mailed()).toHaveLength(2);
    expect((await queuedMails(world, 'notice'))[0]?.title).toBe('Cove & Pine: an endpoint fails (test mode)');
  });

  it('shows no link or number that a person typed into a name', async () => {
    const { venue } = await newTeam();
    const detail = { ...DETAILS.review, name: 'Win at evil.example.com', note: 'Call +1 555 010 0000' };
    await record({ venueId: venue, kind: 'review', subject: 'typed', detail });
    await mailed();
    const [mail] = await queuedMails(world, 'notice');
    expect(mail?.text).not.toMatch(/evil|555/);
  });

  it('that comes after five mails of its kind in a day waits, and is mailed with the others of an hour: none is lost', async () => {
    const { venue, finance } = await newTeam();
    for (let number = 0; number < 30; number++) {
      const detail = { ...DETAILS.payout, checkout: `chk_${number}_` };
      await record({ venueId: venue, kind: 'payout', subject: `limit ${number}`, detail });
      await notify();
    }
    const mails = async () => (await queuedMails(world, 'notice')).filter(({ to }) => to === finance.email);
    expect(await mails()).toHaveLength(5);
    await world.db.query(`update notices set mailed_at = mailed_at - interval '1 hour' where venue_id = $1`, [venue]);
    expect(await mailed()).toHaveLength(12);
    const joined = (await mails()).find(({ title }) => title.includes('25 transfers'));
    expect(joined?.text).toContain('And 5 more before these.');
    expect(joined?.text.match(/chk_\d+_/g)).toEqual(Array.from({ length: 20 }, (_, number) => `chk_${number + 10}_`));
  });

  it('of a state that went to and fro has the newest state as its title, and its lines in order', async () => {
    const { venue } = await newTeam();
    for (const [number, payable] of [false, true, false, true].entries())
      await record({ venueId: venue, kind: 'payable', subject: `state ${number}`, detail: { payable } });
    await mailed();
    const [mail] = await queuedMails(world, 'notice');
    expect(mail?.title).toBe('Cove & Pine: payouts work again');
    expect(mail?.text.match(/can (no longer )?pay/g)).toEqual([
      'can no longer pay',
      'can pay',
      'can no longer pay',
      'can pay',
    ]);
  });

  it('goes to no person of a revoked venue', async () => {
    const { venue } = await newTeam();
    await world.db.query(`update venues set revoked_at = now() where venue_id = $1`, [venue]);
    await record({ venueId: venue, kind: 'live', subject: 'revoked', detail: {} });
    expect(await mailed()).toEqual([]);
  });

  it('is deleted 90 days later', async () => {
    const { venue } = await newTeam();
    await record({ venueId: venue, kind: 'live', subject: 'old', detail: {} });
    await world.db.query(`update notices set created_at = now() - interval '91 days' where venue_id = $1`, [venue]);
    expect(await deleteOldNotices(world.db, Date.now(), 100)).toBe(1);
  });

  it('arrives at its recipient over SMTP', async () => {
    const { venue, owner } = await newTeam();
    await record({ venueId: venue, kind: 'live', subject: 'smtp', detail: {} });
    await mailed();
    const received: string[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _session, done) => {
        received.push(address);
        done();
      },
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => done());
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const mailSender = makeSmtpSender({ url: `smtp://127.0.0.1:${port}`, from: 'Everyshare <no-reply@example.com>' });
    await runUntilIdle('sending mails', () => sendDueMails({ ...world.context.services, mailSender }, 20));
    await new Promise<void>((resolve) => server.close(() => resolve()));
    expect(received).toEqual([owner.email]);
  });
});

describe('the preferences of a person', () => {
  const read = (person: TeamMember) => person.call('GET', '/console/api/notifications');
  const change = (person: TeamMember, preferences: object) =>
    person.call('POST', '/console/api/notifications', { preferences });
  const enabledOf = (json: { data: { kind: string; enabled: boolean }[] }) =>
    json.data.filter(({ enabled }) => enabled).map(({ kind }) => kind);

  it('are those of the role until the person chooses, in this venue alone', async () => {
    const { venue, viewer, finance, owner } = await newTeam();
    expect(enabledOf((await read(owner)).json)).toEqual([
      'endpoint',
      'payout',
      'dispute',
      'review',
      'key_expiry',
      'sign_in',
      'role',
    ]);
    expect(enabledOf((await read(finance)).json)).toEqual(['payout', 'dispute', 'sign_in', 'role']);
    expect(enabledOf((await read(viewer)).json)).toEqual(['sign_in', 'role']);
    expect(enabledOf((await change(viewer, { dispute: true })).json)).toEqual(['dispute', 'sign_in', 'role']);
    expect(enabledOf((await change(owner, { dispute: false })).json)).not.toContain('dispute');
    await record({ venueId: venue, kind: 'dispute', subject: 'chosen', detail: DETAILS.dispute });
    expect(await mailed()).toEqual([finance.email, viewer.email].sort());
    const other = await newTeam();
    await record({ venueId: other.venue, kind: 'dispute', subject: 'chosen', detail: DETAILS.dispute });
    expect(await mailed()).toContain(other.owner.email);
  });

  it('cannot switch off what is always sent', async () => {
    const { owner } = await newTeam();
    for (const body of [{ sign_in: false }, { role: false }, { payable: false }, {}])
      expect((await change(owner, body)).status).toBe(422);
  });
});

describe('an endpoint', () => {
  async function endpoint(venue: string, { minutes, success }: { minutes: number; success: string | null }) {
    const id = `whe_${randomUUID().replaceAll('-', '')}`;
    await world.db.query(
      `insert into webhook_endpoints (venue_id, endpoint_id, mode, url, events, secret, created_at)
       values ($1, $2, 'live', 'https://hooks.example/in?token=secret', '{checkout.completed}', '\\x00', now())`,
      [venue, id],
    );
    await world.db.query(
      `insert into endpoint_queues (venue_id, endpoint_id, due_at, last_success_at) values ($1, $2, now(), $3::timestamptz)
       on conflict (venue_id, endpoint_id) do update set due_at = excluded.due_at, last_success_at = excluded.last_success_at`,
      [venue, id, success],
    );
    const started = new Date(Date.now() - minutes * 60_000);
    await world.db.query(
      `insert into deliveries (venue_id, endpoint_id, created_at, type, event_id, status, attempts, tries, due_at, ends_at)
       values ($1, $2, $3, 'checkout.completed', 'evt_1', 'pending', 3, 3, now() + interval '1 hour', $3::timestamptz + interval '72 hours')`,
      [venue, id, started],
    );
    return id;
  }
  const find = () => noticeFailingEndpoints(world.context.services, 1);

  it('that fails for an hour is reported once, by its host alone', async () => {
    const { venue, developer } = await newTeam();
    await endpoint(venue, { minutes: 50, success: null });
    await endpoint(venue, { minutes: 120, success: new Date(Date.now() - 600_000).toISOString() });
    expect(await find()).toBe(0);
    const id = await endpoint(venue, { minutes: 120, success: '2026-01-02T03:04:05Z' });
    expect([await find(), await find()]).toEqual([1, 0]);
    expect(await mailed()).toContain(developer.email);
    const [mail] = await queuedMails(world, 'notice');
    expect(mail?.text).toContain(`${id} at hooks.example fails`);
    expect(mail?.text).not.toContain('secret');
  });

  it('that is disabled is reported in the transaction that disables it', async () => {
    const { venue, developer } = await newTeam();
    const endpointId = await endpoint(venue, { minutes: 70 * 60, success: null });
    const { ids, log } = world.context;
    const disable = () =>
      world.db.transaction((tx) =>
        disableDeadEndpoint(tx, { ids, log }, { venueId: venue, endpointId, mode: 'live' }, Date.now()),
      );
    await disable();
    await disable();
    expect(await mailed()).toContain(developer.email);
    expect((await queuedMails(world, 'notice'))[0]?.title).toBe('Cove & Pine: an endpoint was disabled');
  });
});

describe('a live key', () => {
  const DAY = 86_400_000;
  const find = () => noticeExpiringKeys(world.context.services, 2);
  async function key(venue: string, days: number, life = 90): Promise<string> {
    const scopes = ['checkouts:read'] as const;
    const { id } = await world.key(venue, {
      mode: 'live',
      scopes,
      expiresAt: new Date(Date.now() + days * DAY).toISOString(),
    });
    await world.db.query(`update keys set created_at = expires_at - make_interval(days => $2) where key_id = $1`, [
      id,
      life,
    ]);
    return id;
  }

  it('is reported 14 and 3 days before it expires, each once', async () => {
    const { venue } = await newTeam();
    await key(venue, 15);
    const id = await key(venue, 13);
    expect([await find(), await find()]).toEqual([1, 0]);
    await world.db.query(`update keys set expires_at = now() + interval '2 days' where key_id = $1`, [id]);
    expect([await find(), await find()]).toEqual([1, 0]);
    await makeDue();
    expect(await mailed()).toHaveLength(2);
  });

  it('is not reported when it was created for a shorter time, was rolled or revoked, or has expired', async () => {
    const { venue } = await newTeam();
    await key(venue, 6, 7);
    const [rolled, revoked, expired] = [await key(venue, 2), await key(venue, 2), await key(venue, 2)];
    await world.db.query('update keys set rolled_to = $2 where key_id = $1', [rolled, revoked]);
    await world.db.query('update keys set revoked_at = now() where key_id = $1', [revoked]);
    await world.db.query(`update keys set expires_at = now() - interval '1 second' where key_id = $1`, [expired]);
    expect(await find()).toBe(0);
  });
});

describe('the result of a review', () => {
  it('is reported in live mode', async () => {
    const { venue, developer } = await newTeam();
    const { key } = await world.key(venue, { mode: 'live', scopes: ['offerings:write'] });
    const { json } = await world.call('POST', '/v1/offerings', {
      key,
      body: {
        external_id: 'sail',
        kind: 'tee_time',
        title: 'Sunset sail',
        tiers: [{ external_id: 'all', amount: 9000, currency: 'usd', unit: 'per_person' }],
      },
    });
    await world.db.transaction((tx) =>
      review(tx, world.command(), json.data.id, { status: 'rejected', note: 'Too dark.' }, null),
    );
    expect(await mailed()).toContain(developer.email);
    expect((await queuedMails(world, 'notice'))[0]?.text).toContain('is rejected. Note: Too dark.');
  });
});

describe('a venue that loses its ability to be paid', () => {
  it('keeps its keys, gets no new live checkouts, and owners and finance get one mail for each change', async () => {
    const { venue, owner, finance } = await newTeam();
    const { key } = await world.key(venue, { mode: 'live', scopes: ['checkouts:write'] });
    const [account] = await world.db.query<{ id: string }>(
      `select account_id as id from payout_accounts where venue_id = $1 and mode = 'live'`,
      [venue],
    );
    const stripe = stripeClient(world.processor.port, PROCESSOR_KEYS.live.secret);
    const refresh = () => refreshPayoutAccount(world.context.services, venue, 'live');
    const set = async (status: string): Promise<void> => {
      await stripe.rawRequest('POST', `/sandbox/accounts/${account?.id}`, { transfers_status: status });
      await Promise.all([refresh(), refresh()]);
      await refresh();
    };
    await set('restricted');
    expect(await mailed()).toEqual([finance.email, owner.email].sort());
    expect((await queuedMails(world, 'notice'))[0]?.title).toBe('Cove & Pine: payouts are stopped');
    const pay_by = new Date(Date.now() + 86_400_000).toISOString();
    const body = {
      amount: 1000,
      currency: 'usd',
      party_size: 2,
      pay_by,
      return_url: 'https://covepine.example/b',
      description: 'Cabana 3',
      external_booking_id: 'b1',
    };
    const refused = await world.call('POST', '/v1/checkouts', { key, body });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'venue_not_linked']);
    expect((await world.call('GET', '/v1/me', { key })).status).toBe(200);
    await world.db.query('delete from mails');
    await set('active');
    expect(await mailed()).toEqual([finance.email, owner.email].sort());
    expect((await queuedMails(world, 'notice'))[0]?.title).toBe('Cove & Pine: payouts work again');
  });
});

describe('mails about the security of an account', () => {
  it('tell a person that their role was changed or ended', async () => {
    const { owner, viewer } = await newTeam();
    await owner.call('POST', `/console/api/people/${viewer.id}`, { role: 'finance' });
    await owner.call('POST', `/console/api/people/${viewer.id}`, { role: 'finance' });
    await owner.call('DELETE', `/console/api/people/${viewer.id}`);
    const mails = await queuedMails(world, 'security');
    expect(mails.map(({ to, title }) => [to, title])).toEqual([
      [viewer.email, 'Your role in Cove & Pine is now finance'],
      [viewer.email, 'You were removed from Cove & Pine'],
    ]);
    expect(mails[0]?.text).toContain('from viewer to finance');
  });

  it('are not limited: thirty changes of a role do not silence the mail about a new device', async () => {
    const { owner, viewer } = await newTeam();
    for (let number = 0; number < 30; number++)
      await owner.call('POST', `/console/api/people/${viewer.id}`, { role: number % 2 === 0 ? 'finance' : 'viewer' });
    await signInIn(null, viewer.email);
    const titles = (await queuedMails(world, 'security'))
      .filter(({ to }) => to === viewer.email)
      .map(({ title }) => title);
    expect(titles).toHaveLength(31);
    expect(titles).toContain('Your Everyshare account was used on a new device');
  });

  it('tell a person of a sign-in from a new device, and not of the sign-up or of the same browser', async () => {
    const email = 'robin@devices.example';
    await signInToConsole(world, email);
    expect(await queuedMails(world, 'security')).toEqual([]);
    await signInToConsole(world, email);
    const [mail, ...others] = await queuedMails(world, 'security');
    expect([mail?.to, mail?.title, others]).toEqual([email, 'Your Everyshare account was used on a new device', []]);
    expect(mail?.text).toContain('from the address 127.0.0.…, on ');
    const again = await signInIn(await signInIn(null, email), email);
    expect(again).not.toBeNull();
    expect(await queuedMails(world, 'security')).toHaveLength(2);
  });

  /** Signs in in a browser with this mark of ours, and gives its mark. */
  async function signInIn(device: string | null, email: string): Promise<string | null> {
    const { json } = await callConsole(world, 'POST', '/console/api/sign_in', { body: { email } });
    const body = { challenge_id: json.challenge_id, code: await mailedCode(world, json.challenge_id) };
    const headers: Record<string, string> = device === null ? {} : { cookie: `everyshare_device=${device}` };
    const signedIn = await callConsole(world, 'POST', '/console/api/sign_in/verify', { body, headers });
    expect(signedIn.status).toBe(200);
    const cookies = signedIn.headers.getSetCookie().join('; ');
    return /everyshare_device=([^;]+)/.exec(cookies)?.[1] ?? null;
  }
});
