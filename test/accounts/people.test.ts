// The people of a venue: roles, invitations by mail, and the fresh code that changes to them need. A venue always keeps an
// owner.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/domain/accounts/roles.ts';
import { openMail } from '../../src/domain/mail/mail.ts';
import { callConsole, createAccount, createSession, mailedCode, signInToConsole } from '../support/console-client.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

interface Member {
  readonly id: string;
  readonly sessionId: string;
  call(method: string, path: string, body?: object): Promise<HttpResponse>;
}

let people = 0;
const newEmail = (): string => `person${people++}@team.example`;

async function member(venue: string, role: Role): Promise<Member> {
  const id = await createAccount(world.context, newEmail(), [[venue, role]]);
  const { id: sessionId, token } = await createSession(world.context, id);
  const call = (method: string, path: string, body?: object) =>
    callConsole(world, method, path, { token, venue, ...(body === undefined ? {} : { body }) });
  return { id, sessionId, call };
}

const newVenue = async (): Promise<string> => (await world.venue({ name: 'Harbor Club' })).venue.id;
const outcomeOf = ({ status, json }: HttpResponse) => [status, json.error?.code, json.error?.reason];
const changeRole = (by: Member, { id }: Member, role: Role) => by.call('POST', `/console/api/people/${id}`, { role });
const remove = (by: Member, { id }: Member) => by.call('DELETE', `/console/api/people/${id}`);

async function rolesIn(venue: string): Promise<string[]> {
  const rows = await world.db.query<{ role: string }>('select role from venue_people where venue_id = $1', [venue]);
  return rows.map(({ role }) => role).sort();
}

async function auditOf(venue: string): Promise<unknown[]> {
  const rows = await world.db.query<{ action: string; actor: string; subject: string }>(
    "select action, actor, subject from audit_log where venue_id = $1 and action like 'person.%' order by audit_id",
    [venue],
  );
  return rows.map(({ action, actor, subject }) => [action, actor, subject]);
}

describe('an owner', () => {
  it('lists the people, gives another role and removes a person, who loses the venue at once', async () => {
    const venue = await newVenue();
    const [owner, other] = [await member(venue, 'owner'), await member(venue, 'viewer')];
    const { json } = await owner.call('GET', '/console/api/people');
    expect(
      json.data.map((one: { id: string; role: string; is_you: boolean }) => [one.id, one.role, one.is_you]),
    ).toEqual([
      [owner.id, 'owner', true],
      [other.id, 'viewer', false],
    ]);
    expect(outcomeOf(await other.call('POST', '/v1/offerings', {}))).toEqual([403, 'role_not_allowed', undefined]);
    expect((await changeRole(owner, other, 'developer')).json).toMatchObject({ id: other.id, role: 'developer' });
    expect((await other.call('POST', '/v1/offerings', {})).status).toBe(422);
    expect((await remove(owner, other)).json).toEqual({ id: other.id, ended: true });
    expect((await other.call('GET', '/v1/offerings')).status).toBe(404);
    expect((await remove(owner, other)).status).toBe(404);
    expect(await auditOf(venue)).toEqual([
      ['person.role', `account ${owner.id}`, other.id],
      ['person.remove', `account ${owner.id}`, other.id],
    ]);
  });

  it('writes nothing for the role that a person has already', async () => {
    const venue = await newVenue();
    const [owner, other] = [await member(venue, 'owner'), await member(venue, 'viewer')];
    expect((await changeRole(owner, other, 'viewer')).status).toBe(200);
    expect(await auditOf(venue)).toEqual([]);
  });
});

describe('a venue', () => {
  it('keeps its last owner', async () => {
    const venue = await newVenue();
    const owner = await member(venue, 'owner');
    await member(venue, 'developer');
    expect(outcomeOf(await changeRole(owner, owner, 'viewer'))).toEqual([409, 'conflict', 'last_owner']);
    expect(outcomeOf(await remove(owner, owner))).toEqual([409, 'conflict', 'last_owner']);
    expect(await rolesIn(venue)).toEqual(['developer', 'owner']);
  });

  it.each(['role', 'removal'] as const)('keeps an owner when two owners end each other’s %s at once', async (what) => {
    for (let round = 0; round < 5; round++) {
      const venue = await newVenue();
      const [first, second] = [await member(venue, 'owner'), await member(venue, 'owner')];
      const end = (by: Member, other: Member) =>
        what === 'role' ? changeRole(by, other, 'viewer') : remove(by, other);
      const statuses = (await Promise.all([end(first, second), end(second, first)])).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(await rolesIn(venue)).toContain('owner');
    }
  });

  it('keeps an owner when two owners leave at once', async () => {
    for (let round = 0; round < 5; round++) {
      const venue = await newVenue();
      const [first, second] = [await member(venue, 'owner'), await member(venue, 'owner')];
      const answers = await Promise.all([remove(first, first), remove(second, second)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await rolesIn(venue)).toEqual(['owner']);
    }
  });
});

const invite = (by: Member, email: string, role: Role = 'developer') =>
  by.call('POST', '/console/api/invitations', { email, role });

describe('an invitation of a person who is signed in', () => {
  it('is accepted by the link in the mail, without signing in anew', async () => {
    const [venue, own] = [await newVenue(), await newVenue()];
    const owner = await member(venue, 'owner');
    const email = newEmail();
    const { token } = await createSession(world.context, await createAccount(world.context, email, [[own, 'owner']]));
    const invitation = (await invite(owner, email)).json;
    const [row] = await world.db.query<{ id: string; address: Buffer; content: Buffer }>(
      `select mail_id as "id", address, content from mails where kind = 'invitation' and subject = $1`,
      [invitation.id],
    );
    if (row === undefined) throw new Error('the invitation was not mailed');
    expect(openMail(world.context.seal, row).text).toMatch(/\/console\/venues\?join=1$/m);
    const accept = async () => {
      const { status, json } = await callConsole(world, 'POST', '/console/api/invitations/accept', { token });
      return [status, json.venues.map(({ id, role }: { id: string; role: string }) => [id, role])];
    };
    const joined = [
      200,
      [
        [own, 'owner'],
        [venue, 'developer'],
      ],
    ];
    expect(await accept()).toEqual(joined);
    // Again: nothing is open any more.
    expect(await accept()).toEqual(joined);
    expect((await owner.call('GET', '/console/api/invitations')).json.data).toEqual([]);
    expect(await auditOf(venue)).toContainEqual(['person.join', expect.any(String), expect.any(String)]);
  });
});

describe('an invitation', () => {
  it('is mailed, and accepted once by signing in with that address', async () => {
    const venue = await newVenue();
    const owner = await member(venue, 'owner');
    const email = newEmail();
    const { status, json } = await invite(owner, email);
    expect([status, json.email, json.role, json.invited_by]).toEqual([201, email, 'developer', owner.id]);
    expect(Date.parse(json.expires_at) - Date.parse(json.created_at)).toBe(7 * 86_400_000);
    const [row] = await world.db.query<{ id: string; address: Buffer; content: Buffer }>(
      `select mail_id as "id", address, content from mails where kind = 'invitation' and subject = $1`,
      [json.id],
    );
    const mail = row === undefined ? null : openMail(world.context.seal, row);
    expect(mail).toMatchObject({ to: email, title: 'You are invited to Harbor Club on Everyshare' });
    expect(mail?.text).toContain(`${(world.urls[0] ?? '').replace('127.0.0.1', 'localhost')}/console`);
    const signedIn = await signInToConsole(world, email.toUpperCase());
    expect(signedIn.json.venues).toEqual([{ id: venue, name: 'Harbor Club', linked: true, role: 'developer' }]);
    expect(signedIn.json.keys, 'a person who was invited needs no sandbox').toBe(null);
    expect((await owner.call('GET', '/console/api/invitations')).json.data).toEqual([]);
    await remove(owner, { ...owner, id: signedIn.json.account.id });
    expect((await signInToConsole(world, email)).json.venues).toEqual([]);
    expect((await auditOf(venue)).map((entry) => (entry as string[])[0])).toEqual([
      'person.invite',
      'person.join',
      'person.remove',
    ]);
  });

  it('gives a sandbox too to a person who names one', async () => {
    const owner = await member(await newVenue(), 'owner');
    const email = newEmail();
    await invite(owner, email);
    const { json } = await signInToConsole(world, email, { venue_name: 'My place' });
    expect(json.venues.map(({ name }: { name: string }) => name)).toEqual(['Harbor Club', 'My place']);
    expect(json.keys.secret_test).toMatch(/^svc_test_/);
  });

  it('that is withdrawn, replaced or older than 7 days gives nothing', async () => {
    const venue = await newVenue();
    const owner = await member(venue, 'owner');
    const [withdrawn, replaced, old] = [newEmail(), newEmail(), newEmail()];
    const { id } = (await invite(owner, withdrawn)).json;
    expect((await owner.call('DELETE', `/console/api/invitations/${id}`)).json).toEqual({ id, ended: true });
    expect((await owner.call('DELETE', `/console/api/invitations/${id}`)).status).toBe(404);
    await invite(owner, replaced, 'owner');
    await invite(owner, replaced, 'viewer');
    await invite(owner, old);
    await world.db.query(
      `update venue_invitations set expires_at = now() - interval '1 second' where venue_id = $1 and ended_at is null and role = 'developer'`,
      [venue],
    );
    const roles = async (email: string) =>
      (await signInToConsole(world, email)).json.venues
        .filter((one: { id: string }) => one.id === venue)
        .map(({ role }: { role: string }) => role);
    expect([await roles(withdrawn), await roles(replaced), await roles(old)]).toEqual([[], ['viewer'], []]);
  });

  it('is refused for a person who has a role, and beyond 50 a day', async () => {
    const venue = await newVenue();
    const owner = await member(venue, 'owner');
    const email = newEmail();
    await createAccount(world.context, email, [[venue, 'viewer']]);
    expect(outcomeOf(await invite(owner, email))).toEqual([409, 'conflict', 'already_in_team']);
    await world.db.query('select * from reserve_daily_uses($1, 50, 50, false)', [`invitations ${venue}`]);
    expect(outcomeOf(await invite(owner, newEmail()))).toEqual([429, 'rate_limited', undefined]);
    expect((await owner.call('GET', '/console/api/invitations')).json.data).toEqual([]);
  });

  it('shows no link that a venue has in its name', async () => {
    const venue = (await world.venue({ name: 'Win at evil.example/now' })).venue.id;
    const { json } = await invite(await member(venue, 'owner'), newEmail());
    const [row] = await world.db.query<{ id: string; address: Buffer; content: Buffer }>(
      `select mail_id as "id", address, content from mails where kind = 'invitation' and subject = $1`,
      [json.id],
    );
    const mail = row === undefined ? null : openMail(world.context.seal, row);
    expect(`${mail?.title} ${mail?.text}`).not.toContain('evil.example');
  });
});

describe('a change of people', () => {
  const age = (sessionId: string, interval: string) =>
    world.db.query(`update account_sessions set created_at = now() - interval '${interval}' where session_id = $1`, [
      sessionId,
    ]);

  it('needs a code of the last ten minutes, which counts for the session that asked for it', async () => {
    const venue = await newVenue();
    const [owner, other] = [await member(venue, 'owner'), await member(venue, 'viewer')];
    await age(owner.sessionId, '11 minutes');
    expect(outcomeOf(await changeRole(owner, other, 'finance'))).toEqual([403, 'step_up_required', undefined]);
    expect((await owner.call('GET', '/console/api/people')).status).toBe(200);
    const { challenge_id } = (await owner.call('POST', '/console/api/step_up')).json;
    const code = await mailedCode(world, challenge_id);
    const verify = (by: Member, given: string) =>
      by.call('POST', '/console/api/step_up/verify', { challenge_id, code: given });
    expect((await verify(other, code)).json.error.field, 'another session').toBe('/challenge_id');
    expect((await verify(owner, code === '123456' ? '654321' : '123456')).json.error).toMatchObject({
      field: '/code',
      message: expect.stringContaining('4 tries are left'),
    });
    const steppedUp = await verify(owner, code);
    expect([steppedUp.status, steppedUp.json.is_current]).toEqual([200, true]);
    expect(Date.parse(steppedUp.json.stepped_up_until)).toBeGreaterThan(Date.now());
    expect((await verify(owner, code)).status, 'a code works once').toBe(422);
    expect((await changeRole(owner, other, 'finance')).status).toBe(200);
    await world.db.query(
      "update account_sessions set stepped_up_at = now() - interval '601 seconds' where session_id = $1",
      [owner.sessionId],
    );
    expect(outcomeOf(await changeRole(owner, other, 'viewer'))).toEqual([403, 'step_up_required', undefined]);
  });

  it('is not confirmed by the code of a sign-in, nor a sign-in by a code of a step-up', async () => {
    const owner = await member(await newVenue(), 'owner');
    const email = newEmail();
    const asked = await callConsole(world, 'POST', '/console/api/sign_in', { body: { email } });
    const signIn = { challenge_id: asked.json.challenge_id, code: await mailedCode(world, asked.json.challenge_id) };
    expect((await owner.call('POST', '/console/api/step_up/verify', signIn)).status).toBe(422);
    const { challenge_id } = (await owner.call('POST', '/console/api/step_up')).json;
    const stepUp = { challenge_id, code: await mailedCode(world, challenge_id) };
    const verified = await callConsole(world, 'POST', '/console/api/sign_in/verify', { body: stepUp });
    expect(verified.json.error.field).toBe('/challenge_id');
  });

  it('is as guarded as a live refund and a live signing secret, which are not guarded in test mode', async () => {
    const venue = await newVenue();
    const id = await createAccount(world.context, newEmail(), [[venue, 'owner']]);
    const { id: sessionId, token } = await createSession(world.context, id);
    await age(sessionId, '11 minutes');
    const paths = ['/v1/checkouts/none/refund', '/v1/webhook_endpoints', '/v1/webhook_endpoints/none/rotate_secret'];
    for (const path of paths) {
      const send = (mode: 'test' | 'live') => callConsole(world, 'POST', path, { token, venue, mode, body: {} });
      expect(outcomeOf(await send('live'))).toEqual([403, 'step_up_required', undefined]);
      expect([404, 422]).toContain((await send('test')).status);
    }
  });
});
