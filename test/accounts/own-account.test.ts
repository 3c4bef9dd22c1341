// What a person does about their own account: the name, the mail address, leaving a venue; and what they learn of a mail with
// a code while the mail server is down.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/domain/accounts/roles.ts';
import { openMail } from '../../src/domain/mail/mail.ts';
import { MailRefused, sendDueMails } from '../../src/domain/mail/send.ts';
import { callConsole, createAccount, createSession, mailedCode, signInToConsole } from '../support/console-client.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

let people = 0;
const newEmail = (): string => `person${people++}@account.example`;

interface Person {
  readonly id: string;
  readonly email: string;
  readonly sessionId: string;
  call(method: string, path: string, body?: object): Promise<HttpResponse>;
}

async function newPerson(venue?: string, role: Role = 'owner'): Promise<Person> {
  const email = newEmail();
  const id = await createAccount(world.context, email, venue === undefined ? [] : [[venue, role]]);
  return { ...(await newSession(id, venue)), id, email };
}

async function newSession(accountId: string, venue?: string): Promise<Pick<Person, 'sessionId' | 'call'>> {
  const { id: sessionId, token } = await createSession(world.context, accountId);
  const inVenue = venue === undefined ? {} : { venue };
  const call = (method: string, path: string, body?: object) =>
    callConsole(world, method, path, { token, ...inVenue, ...(body === undefined ? {} : { body }) });
  return { sessionId, call };
}

const outcomeOf = ({ status, json }: HttpResponse) => [status, json.error?.code, json.error?.reason];

async function auditOf(accountId: string): Promise<string[]> {
  const rows = await world.db.query<{ action: string }>(
    'select action from installation_audit where subject = $1 and actor = $2 order by audit_id',
    [accountId, `account ${accountId}`],
  );
  return rows.map(({ action }) => action);
}

describe('a name', () => {
  it('is changed, and shown in every session', async () => {
    const person = await newPerson();
    const rename = (name: unknown) => person.call('POST', '/console/api/account', { name });
    expect((await rename(' Ada  Lovelace ')).json).toEqual({
      id: person.id,
      email: person.email,
      name: 'Ada Lovelace',
    });
    expect((await rename('Ada Lovelace')).status).toBe(200);
    expect((await person.call('GET', '/console/api/session')).json.account.name).toBe('Ada Lovelace');
    for (const name of ['', 'http://evil.example', 7, null]) {
      const { status, json } = await rename(name);
      expect([status, json.error.field]).toEqual([422, '/name']);
    }
    expect(await auditOf(person.id)).toEqual(['account.rename']);
  });
});

const change = (person: Pick<Person, 'call'>, email: string) =>
  person.call('POST', '/console/api/account/email', { email });
const verify = (person: Pick<Person, 'call'>, challenge_id: string, code: string) =>
  person.call('POST', '/console/api/account/email/verify', { challenge_id, code });

describe('a mail address', () => {
  it('is changed by a code to the new one, and the old one gets a mail', async () => {
    const person = await newPerson();
    const next = newEmail();
    const { challenge_id } = (await change(person, next)).json;
    const [row] = await world.db.query<{ id: string; address: Buffer; content: Buffer }>(
      `select mail_id as "id", address, content from mails where kind = 'code' and subject = $1`,
      [challenge_id],
    );
    expect(row === undefined ? null : openMail(world.context.seal, row)).toMatchObject({
      to: next,
      text: expect.stringContaining('use this mail address for your Everyshare account'),
    });
    const code = await mailedCode(world, challenge_id);
    const both = await Promise.all([verify(person, challenge_id, code), verify(person, challenge_id, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const { account } = (await person.call('GET', '/console/api/session')).json;
    expect(account).toEqual({ id: person.id, email: next, name: null });
    expect((await signInToConsole(world, next)).json.account.id).toBe(person.id);
    expect((await signInToConsole(world, person.email)).json.account.id, 'a new account').not.toBe(person.id);
    const rows = await world.db.query<{ id: string; address: Buffer; content: Buffer }>(
      `select mail_id as "id", address, content from mails where kind = 'account' and subject = $1`,
      [`${challenge_id} email`],
    );
    const [mail] = rows.map((one) => openMail(world.context.seal, one));
    expect(mail).toMatchObject({ to: person.email, title: 'Your mail address was changed' });
    expect(mail?.text).toContain('p…@account.example');
    expect(mail?.text).not.toContain(next);
    expect(await auditOf(person.id)).toEqual(['account.email']);
  });

  it('of another account is refused with the right code alone', async () => {
    const [ada, ben] = [await newPerson(), await newPerson()];
    const { status, json } = await change(ada, ben.email);
    expect([status, json.expires_in]).toEqual([200, 600]);
    const code = await mailedCode(world, json.challenge_id);
    const wrong = await verify(ada, json.challenge_id, code === '123456' ? '654321' : '123456');
    expect([wrong.status, wrong.json.error.field]).toEqual([422, '/code']);
    const refused = await verify(ada, json.challenge_id, code);
    expect(outcomeOf(refused)).toEqual([409, 'conflict', 'email_in_use']);
    expect((await ada.call('GET', '/console/api/session')).json.account.email).toBe(ada.email);
  });

  it('belongs to one account when a change and a sign-up with it come at once', async () => {
    for (let round = 0; round < 3; round++) {
      const person = await newPerson();
      const next = newEmail();
      const { challenge_id } = (await change(person, next)).json;
      const code = await mailedCode(world, challenge_id);
      const [changed, signedUp] = await Promise.all([verify(person, challenge_id, code), signInToConsole(world, next)]);
      const isChanged = changed.status === 200;
      expect(isChanged ? null : outcomeOf(changed)).toEqual(isChanged ? null : [409, 'conflict', 'email_in_use']);
      expect(signedUp.json.account.id === person.id).toBe(isChanged);
    }
  });

  it('needs a fresh proof, the session that asked, and another address than the present one', async () => {
    const person = await newPerson();
    const same = await change(person, person.email.toUpperCase());
    expect([same.status, same.json.error.field]).toEqual([422, '/email']);
    const { challenge_id } = (await change(person, newEmail())).json;
    const code = await mailedCode(world, challenge_id);
    const other = await verify(await newSession(person.id), challenge_id, code);
    expect([other.status, other.json.error.field]).toEqual([422, '/challenge_id']);
    await world.db.query(
      "update account_sessions set created_at = now() - interval '11 minutes' where session_id = $1",
      [person.sessionId],
    );
    expect(outcomeOf(await change(person, newEmail()))).toEqual([403, 'step_up_required', undefined]);
    expect((await verify(person, challenge_id, code)).status, 'the code was asked for with a fresh proof').toBe(200);
  });

  it('gets codes also when other accounts have used up those of the address', async () => {
    const target = newEmail();
    for (const other of [await newPerson(), await newPerson(), await newPerson()])
      for (let n = 0; n < 5; n++) await change(other, target);
    await world.db.query(
      `insert into mails (mail_id, kind, subject, address, address_hash, content, status, created_at)
       select gen_random_uuid(), 'code', gen_random_uuid()::text, address, address_hash, content, 'sent', now()
       from (select * from mails order by created_at desc limit 1) newest, generate_series(1, 30)`,
    );
    const owner = await newPerson();
    expect([(await change(owner, target)).status, (await change(owner, target)).status]).toEqual([200, 200]);
    expect((await change(owner, target)).status).toBe(429);
  });

  it('gets five codes an hour from one account, and beyond two of each five from several', async () => {
    const [ada, ben] = [await newPerson(), await newPerson()];
    const target = newEmail();
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await change(ada, target)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const others = [];
    for (let n = 0; n < 5; n++) others.push((await change(ben, target)).status);
    expect(others).toEqual([200, 200, 200, 200, 429]);
    expect((await change(ben, newEmail())).status).toBe(200);
  });
});

describe('a person who leaves a venue', () => {
  it('loses it at once, in every role, and the last owner cannot leave', async () => {
    const venue = (await world.venue({ name: 'Harbor Club' })).venue.id;
    const owner = await newPerson(venue);
    for (const role of ['developer', 'finance', 'viewer', 'owner'] as const) {
      const person = await newPerson(venue, role);
      expect((await person.call('POST', '/console/api/leave')).json).toEqual({ id: person.id, ended: true });
      expect((await person.call('GET', '/v1/offerings')).status).toBe(404);
      expect((await person.call('POST', '/console/api/leave')).status).toBe(404);
    }
    expect(outcomeOf(await owner.call('POST', '/console/api/leave'))).toEqual([409, 'conflict', 'last_owner']);
    const audited = await world.db.query<{ detail: { role: string } }>(
      "select detail from audit_log where venue_id = $1 and action = 'person.leave' order by audit_id",
      [venue],
    );
    expect(audited.map(({ detail }) => detail.role)).toEqual(['developer', 'finance', 'viewer', 'owner']);
  });

  it('leaves an owner behind, when two owners leave at once', async () => {
    for (let round = 0; round < 5; round++) {
      const venue = (await world.venue({ name: 'Harbor Club' })).venue.id;
      const owners = [await newPerson(venue), await newPerson(venue)];
      const answers = await Promise.all(owners.map(({ call }) => call('POST', '/console/api/leave')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });
});

describe('a mail with a code', () => {
  const ask = async (email: string): Promise<string> =>
    (await callConsole(world, 'POST', '/console/api/sign_in', { body: { email } })).json.challenge_id;
  const stateOf = async (id: string): Promise<string> =>
    (await callConsole(world, 'GET', `/console/api/codes/${id}`)).json.mail;
  const send = async (answer: () => Promise<'sent'>): Promise<void> => {
    await world.db.query("update mails set due_at = now() - interval '1 second' where due_at is not null");
    const { db, clock, log, seal } = world.context;
    await sendDueMails({ db, clock, log, seal, mailSender: { send: answer } }, 1_000);
  };

  it('is delayed while the mail server is down, alike for known and unknown addresses, and sent when it is back', async () => {
    const known = await newPerson();
    const ids = [await ask(known.email), await ask(newEmail())];
    const states = () => Promise.all(ids.map(stateOf));
    expect(await states()).toEqual(['sending', 'sending']);
    await send(() => Promise.reject(new Error('connect ECONNREFUSED')));
    expect(await states()).toEqual(['sending', 'sending']);
    await world.db.query("update mails set created_at = now() - interval '11 seconds' where subject = any($1)", [ids]);
    expect(await states()).toEqual(['delayed', 'delayed']);
    await send(async () => 'sent');
    expect(await states()).toEqual(['sent', 'sent']);
  });

  it('has failed when the mail server refuses it, and is not found under another id', async () => {
    const id = await ask(newEmail());
    await send(() => Promise.reject(new MailRefused('no such mailbox')));
    expect(await stateOf(id)).toBe('failed');
    for (const other of ['nonsense', '01900000-0000-7000-8000-000000000000'])
      expect((await callConsole(world, 'GET', `/console/api/codes/${other}`)).status).toBe(404);
  });
});
