// Passkeys: added, named and removed by a person who has just proved who they are; they sign in without a mail, and confirm
// changes. An answer counts once, at our own address, for its purpose and its session.

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldPasskeyChallenges } from '../../src/domain/accounts/passkey-queries.ts';
import { openMail } from '../../src/domain/mail/mail.ts';
import { callConsole, createAccount, createSession, signInToConsole, tokenOf } from '../support/console-client.ts';
import { CERTIFIED_ATTESTATION, type Faults, SoftwareAuthenticator } from '../support/software-authenticator.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let origin: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  origin = `http://localhost:${new URL(world.urls[0] ?? '').port}`;
});
afterAll(() => world.close());

interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly sessionId: string;
}

let people = 0;

async function newPerson(): Promise<Person> {
  const email = `person${people++}@passkeys.example`;
  const id = await createAccount(world.context, email);
  const { id: sessionId, token } = await createSession(world.context, id);
  return { id, email, token, sessionId };
}

const newSession = async (person: Person): Promise<Person> => {
  const { id, token } = await createSession(world.context, person.id);
  return { ...person, sessionId: id, token };
};
const call = ({ token }: Pick<Person, 'token'>, method: string, path: string, body?: object): Promise<HttpResponse> =>
  callConsole(world, method, path, { token, ...(body === undefined ? {} : { body }) });
const send = (path: string, body?: object): Promise<HttpResponse> =>
  callConsole(world, 'POST', path, body === undefined ? {} : { body });
const newAuthenticator = (counts = true): SoftwareAuthenticator => new SoftwareAuthenticator(origin, counts);

const optionsFor = async (person: Person) => (await call(person, 'POST', '/console/api/passkeys/options')).json;

async function add(person: Person, authenticator: SoftwareAuthenticator, faults: Faults = {}, name?: string) {
  const { public_key } = await optionsFor(person);
  const body = { credential: authenticator.create(public_key, faults), ...(name === undefined ? {} : { name }) };
  return call(person, 'POST', '/console/api/passkeys', body);
}

async function personWithPasskey(counts = true) {
  const person = await newPerson();
  const authenticator = newAuthenticator(counts);
  const added = await add(person, authenticator);
  expect(added.status, added.text).toBe(201);
  return { person, authenticator, passkey: added.json.id as string };
}

async function signIn(authenticator: SoftwareAuthenticator, faults: Faults = {}): Promise<HttpResponse> {
  const { public_key } = (await send('/console/api/sign_in/passkey')).json;
  return send('/console/api/sign_in/passkey/verify', { credential: authenticator.get(public_key, faults) });
}

async function stepUp(
  person: Person,
  authenticator: SoftwareAuthenticator,
  faults: Faults = {},
): Promise<HttpResponse> {
  const { public_key } = (await call(person, 'POST', '/console/api/step_up/passkey')).json;
  const body = { credential: authenticator.get(public_key, faults) };
  return call(person, 'POST', '/console/api/step_up/passkey/verify', body);
}

const refusalOf = ({ status, json }: HttpResponse) => [status, json.error?.field, json.error?.message];
const refused = (message: RegExp) => [422, '/credential', expect.stringMatching(message)];
const NOT_RIGHT = refused(/is not right/);
const SPENT = refused(/was answered, is older than 5 minutes/);
const UNKNOWN = refused(/is not known here/);
const conflictOf = ({ status, json }: HttpResponse) => [status, json.error?.reason];

async function mailsTo(email: string): Promise<string[]> {
  const rows = await world.db.query<{ id: string; address: Buffer; content: Buffer }>(
    `select mail_id as "id", address, content from mails where kind = 'account' order by created_at, mail_id`,
  );
  const mails = rows.map((row) => openMail(world.context.seal, row));
  return mails.filter(({ to }) => to === email).map(({ title, text }) => `${title}: ${text}`);
}

describe('a person', () => {
  it('adds a passkey, sees it, names it and removes it, and gets a mail each time', async () => {
    const person = await newPerson();
    const authenticator = newAuthenticator();
    const { json: added } = await add(person, authenticator, {}, 'Work laptop');
    expect(added).toMatchObject({ name: 'Work laptop', is_synced: false, last_used_at: null });
    const list = async () => (await call(person, 'GET', '/console/api/passkeys')).json.data;
    expect(await list()).toEqual([added]);
    const renamed = await call(person, 'POST', `/console/api/passkeys/${added.id}`, { name: 'Desk' });
    expect(renamed.json).toEqual({ ...added, name: 'Desk' });
    const removed = await call(person, 'DELETE', `/console/api/passkeys/${added.id}`);
    expect(removed.json).toEqual({ id: added.id, ended: true });
    expect(await list()).toEqual([]);
    expect((await call(person, 'DELETE', `/console/api/passkeys/${added.id}`)).status).toBe(404);
    expect(await mailsTo(person.email)).toEqual([
      expect.stringMatching(/^A passkey was added: The passkey "Work laptop" was added/),
      expect.stringMatching(/^A passkey was removed: The passkey "Desk" was removed/),
    ]);
    const audited = await world.db.query(
      "select action, actor, subject from installation_audit where detail ->> 'account' = $1 order by audit_id",
      [person.id],
    );
    expect(audited).toEqual(
      ['passkey.add', 'passkey.remove'].map((action) => ({
        action,
        actor: `account ${person.id}`,
        subject: added.id,
      })),
    );
    expect((await signInToConsole(world, person.email)).json.account.id, 'a code by mail remains').toBe(person.id);
  });

  it('is named to the authenticator by the id of the account alone, and keeps passkeys that it has out', async () => {
    const { person, authenticator } = await personWithPasskey();
    const { public_key, expires_in } = await optionsFor(person);
    expect(Buffer.from(public_key.user.id, 'base64url').toString('hex')).toBe(person.id.replaceAll('-', ''));
    expect([public_key.rp.id, expires_in, public_key.challenge.length]).toEqual(['localhost', 300, 43]);
    expect(() => authenticator.create(public_key)).toThrow('InvalidStateError');
    const forced = authenticator.create({ ...public_key, excludeCredentials: [] });
    const again = await call(person, 'POST', '/console/api/passkeys', { credential: forced });
    expect(conflictOf(again)).toEqual([409, 'passkey_exists']);
  });

  it('needs a proof of the last ten minutes to add or remove one', async () => {
    const { person, passkey, authenticator } = await personWithPasskey();
    await age(person.sessionId);
    const answers = [
      await call(person, 'POST', '/console/api/passkeys/options'),
      await call(person, 'DELETE', `/console/api/passkeys/${passkey}`),
    ];
    for (const { status, json } of answers) {
      expect([status, json.error.code]).toEqual([403, 'step_up_required']);
      expect(json.error.message).toContain('POST /console/api/step_up/passkey');
    }
    expect((await stepUp(person, authenticator)).status).toBe(200);
    expect((await call(person, 'DELETE', `/console/api/passkeys/${passkey}`)).status).toBe(200);
  });

  it('has at most 20, also when several are added at once', async () => {
    const person = await newPerson();
    await world.db.query(
      `insert into account_passkeys
         (passkey_id, account_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
       select gen_random_uuid(), $1, decode(md5($1::uuid::text || n), 'hex'), '\\x01', 0, '{}', 'One', false, now()
       from generate_series(1, 19) n`,
      [person.id],
    );
    const options = [await optionsFor(person), await optionsFor(person)];
    const both = await Promise.all(
      options.map(({ public_key }) =>
        call(person, 'POST', '/console/api/passkeys', { credential: newAuthenticator().create(public_key, {}) }),
      ),
    );
    expect(both.map(conflictOf).sort()).toEqual([
      [201, undefined],
      [409, 'too_many_passkeys'],
    ]);
    expect(conflictOf(await call(person, 'POST', '/console/api/passkeys/options'))).toEqual([409, 'too_many_passkeys']);
  });

  it('sees neither the passkeys of another person nor changes them', async () => {
    const { passkey } = await personWithPasskey();
    const other = await newPerson();
    expect((await call(other, 'GET', '/console/api/passkeys')).json.data).toEqual([]);
    expect((await call(other, 'POST', `/console/api/passkeys/${passkey}`, { name: 'Mine' })).status).toBe(404);
    expect((await call(other, 'DELETE', `/console/api/passkeys/${passkey}`)).status).toBe(404);
    expect((await call(other, 'DELETE', '/console/api/passkeys/nonsense')).status).toBe(404);
  });
});

const age = (sessionId: string) =>
  world.db.query("update account_sessions set created_at = now() - interval '11 minutes' where session_id = $1", [
    sessionId,
  ]);

describe('a new passkey', () => {
  it.each<[string, Faults]>([
    ['made at another address', { origin: 'https://evil.example' }],
    ['made in a frame of another site', { crossOrigin: true }],
    ['for another domain', { rpId: 'evil.example' }],
    ['without user verification', { isUserVerified: false }],
    ['of another kind of answer', { type: 'webauthn.get' }],
    ['with an attestation that is no CBOR', { attestation: Buffer.from([0xff, 0xff]) }],
    ['for another challenge', { challenge: 'A'.repeat(43) }],
  ])('%s is refused', async (_how, faults) => {
    const person = await newPerson();
    const answer = await add(person, newAuthenticator(), faults);
    expect([answer.status, answer.json.error.field]).toEqual([422, '/credential']);
    expect((await call(person, 'GET', '/console/api/passkeys')).json.data).toEqual([]);
  });

  it('with the certificate of its maker is refused before the addresses in it could be called', async () => {
    const before = world.logs.length;
    const answer = await add(await newPerson(), newAuthenticator(), { attestation: CERTIFIED_ATTESTATION });
    expect(refusalOf(answer)).toEqual(NOT_RIGHT);
    expect(world.logs.slice(before).join()).toContain('the attestation holds more than was asked for');
  });

  it('answers a challenge once, within 5 minutes, in the session that asked', async () => {
    const person = await newPerson();
    const authenticator = newAuthenticator();
    const { public_key } = await optionsFor(person);
    const body = { credential: authenticator.create(public_key) };
    const elsewhere = await call(await newSession(person), 'POST', '/console/api/passkeys', body);
    expect(refusalOf(elsewhere)).toEqual(SPENT);
    const both = await Promise.all([1, 2].map(() => call(person, 'POST', '/console/api/passkeys', body)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    const late = await optionsFor(person);
    await world.db.query("update passkey_challenges set expires_at = now() - interval '1 second'");
    const credential = newAuthenticator().create(late.public_key);
    expect(refusalOf(await call(person, 'POST', '/console/api/passkeys', { credential }))).toEqual(SPENT);
  });

  it('is refused with what is wrong, for bodies that are not right', async () => {
    const person = await newPerson();
    const bodies = [{}, { credential: {} }, { credential: 7 }, { credential: { id: '=' } }, { name: ' x' }];
    for (const body of bodies) expect((await call(person, 'POST', '/console/api/passkeys', body)).status).toBe(422);
    const { public_key } = await optionsFor(person);
    const credential = newAuthenticator().create(public_key) as { response: object };
    for (const clientDataJSON of ['e30', 'bnVsbA', 'AAAA']) {
      const broken = { ...credential, response: { ...credential.response, clientDataJSON } };
      const answer = await call(person, 'POST', '/console/api/passkeys', { credential: broken });
      expect(refusalOf(answer)).toEqual(NOT_RIGHT);
    }
  });
});

describe('a sign-in with a passkey', () => {
  it('needs no mail address, and opens a session as a code does', async () => {
    const venue = (await world.venue({ name: 'Harbor Club' })).venue.id;
    const { person, authenticator } = await personWithPasskey();
    await world.db.query("insert into venue_people values ($1, $2, 'developer', now())", [venue, person.id]);
    const answer = await signIn(authenticator);
    expect(answer.json).toMatchObject({
      account: { id: person.id, email: person.email },
      venues: [{ id: venue, role: 'developer' }],
      keys: null,
    });
    const token = tokenOf(answer) ?? '';
    expect((await call({ token }, 'GET', '/console/api/session')).json.account.id).toBe(person.id);
    const { last_used_at } = (await call({ token }, 'GET', '/console/api/passkeys')).json.data[0];
    expect(Date.parse(last_used_at)).toBeGreaterThan(Date.now() - 60_000);
  });

  it.each<[string, Faults, unknown]>([
    ['at another address', { origin: 'https://evil.example' }, refused(/Open the console at http:\/\/localhost:/)],
    ['in a frame of another site', { crossOrigin: true }, refused(/made at another address/)],
    ['for another domain', { rpId: 'evil.example' }, NOT_RIGHT],
    ['to another challenge', { challenge: 'A'.repeat(43) }, SPENT],
    ['by another key', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }, NOT_RIGHT],
    ['without user verification', { isUserVerified: false }, NOT_RIGHT],
    ['that names no account', { userHandle: null }, UNKNOWN],
    ['that names another account', { userHandle: 'A'.repeat(22) }, UNKNOWN],
  ])('is refused for an answer %s', async (_how, faults, expected) => {
    const { authenticator } = await personWithPasskey();
    const answer = await signIn(authenticator, faults);
    expect(refusalOf(answer)).toEqual(expected);
    expect(tokenOf(answer)).toBe(null);
    expect((await signIn(authenticator)).status).toBe(200);
  });

  it('is refused for a passkey that was removed, or never added', async () => {
    const { person, authenticator, passkey } = await personWithPasskey();
    await call(person, 'DELETE', `/console/api/passkeys/${passkey}`);
    expect(refusalOf(await signIn(authenticator))).toEqual(UNKNOWN);
    expect(refusalOf(await signIn(newAuthenticator()))).toEqual(UNKNOWN);
  });

  it('counts an answer once, also when it is sent twice at once, and not after 5 minutes', async () => {
    const { authenticator } = await personWithPasskey(false);
    const { public_key } = (await send('/console/api/sign_in/passkey')).json;
    const body = { credential: authenticator.get(public_key) };
    const both = await Promise.all([1, 2].map(() => send('/console/api/sign_in/passkey/verify', body)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const late = (await send('/console/api/sign_in/passkey')).json;
    await world.db.query("update passkey_challenges set expires_at = now() - interval '1 second'");
    const answer = { credential: authenticator.get(late.public_key) };
    expect(refusalOf(await send('/console/api/sign_in/passkey/verify', answer))).toEqual(SPENT);
    await deleteOldPasskeyChallenges(world.db, Date.now() + 1_000, 1_000);
    expect(await world.db.query('select 1 from passkey_challenges where expires_at < now()')).toEqual([]);
  });

  it('is refused and logged when the counter goes back, and allowed for a passkey that does not count', async () => {
    const { person, authenticator, passkey } = await personWithPasskey();
    expect((await signIn(authenticator, { counter: 7 })).status).toBe(200);
    const before = world.logs.length;
    for (const counter of [7, 6, 0]) {
      const answer = await signIn(authenticator, { counter });
      expect(refusalOf(answer)).toEqual(refused(/counter of this passkey went back/));
    }
    const logged = world.logs.slice(before).filter((line) => line.includes('went back') && line.includes(passkey));
    expect(logged).toHaveLength(3);
    expect((await signIn(authenticator, { counter: 8 })).json.account.id).toBe(person.id);
    const synced = await personWithPasskey(false);
    expect((await signIn(synced.authenticator)).status).toBe(200);
    expect((await signIn(synced.authenticator)).status).toBe(200);
  });

  it('can be begun 120 times an hour from a network', async () => {
    await world.db.query('select * from count_calls_each($1, 120, $2)', [['console passkey address 192.0.2.9'], [119]]);
    const begin = () =>
      callConsole(world, 'POST', '/console/api/sign_in/passkey', { headers: { 'x-forwarded-for': '192.0.2.9' } });
    expect([(await begin()).status, (await begin()).status]).toEqual([200, 429]);
  });
});

describe('a step-up with a passkey', () => {
  it('counts for ten minutes and for the session that asked', async () => {
    const { person, authenticator, passkey } = await personWithPasskey();
    const other = await newSession(person);
    await age(person.sessionId);
    await age(other.sessionId);
    const steppedUp = await stepUp(person, authenticator);
    expect(Date.parse(steppedUp.json.stepped_up_until)).toBeGreaterThan(Date.now() + 590_000);
    expect((await call(other, 'DELETE', `/console/api/passkeys/${passkey}`)).status).toBe(403);
    expect((await call(person, 'POST', '/console/api/passkeys/options')).status).toBe(200);
    await world.db.query("update account_sessions set stepped_up_at = now() - interval '601 seconds'");
    expect((await call(person, 'DELETE', `/console/api/passkeys/${passkey}`)).status).toBe(403);
  });

  it('is refused for the passkey of another account, another session, a sign-in and a missing verification', async () => {
    const [ada, ben] = [await personWithPasskey(), await personWithPasskey()];
    const { public_key } = (await call(ada.person, 'POST', '/console/api/step_up/passkey')).json;
    expect(() => ben.authenticator.get(public_key)).toThrow('NotAllowedError');
    const foreign = { credential: ben.authenticator.get({ ...public_key, allowCredentials: [] }) };
    const path = '/console/api/step_up/passkey/verify';
    expect(refusalOf(await call(ada.person, 'POST', path, foreign))).toEqual(UNKNOWN);
    const asked = (await call(ada.person, 'POST', '/console/api/step_up/passkey')).json;
    const own = { credential: ada.authenticator.get(asked.public_key) };
    expect(refusalOf(await call(await newSession(ada.person), 'POST', path, own))).toEqual(SPENT);
    expect(refusalOf(await send('/console/api/sign_in/passkey/verify', own))).toEqual(SPENT);
    const signInOptions = (await send('/console/api/sign_in/passkey')).json.public_key;
    const ofSignIn = { credential: ada.authenticator.get(signInOptions) };
    expect(refusalOf(await call(ada.person, 'POST', path, ofSignIn))).toEqual(SPENT);
    expect(refusalOf(await stepUp(ada.person, ada.authenticator, { isUserVerified: false }))).toEqual(NOT_RIGHT);
    expect((await stepUp(ada.person, ada.authenticator, { userHandle: null })).status).toBe(200);
  });

  it('asks a person without a passkey for a code instead', async () => {
    const answer = await call(await newPerson(), 'POST', '/console/api/step_up/passkey');
    expect(conflictOf(answer)).toEqual([409, 'no_passkey']);
  });
});

describe('the address of the service', () => {
  it('is the domain of passkeys, which an IP address is not', async () => {
    const atDomain = await openTestWorld({ env: { BASE_URL: 'https://pay.example' } });
    const atAddress = await openTestWorld({ env: { BASE_URL: 'http://192.0.2.1:8080' } });
    try {
      const path = '/console/api/sign_in/passkey';
      expect((await callConsole(atDomain, 'POST', path)).json.public_key.rpId).toBe('pay.example');
      expect(conflictOf(await callConsole(atAddress, 'POST', path))).toEqual([409, 'passkeys_need_domain']);
    } finally {
      await Promise.all([atDomain.close(), atAddress.close()]);
    }
  });
});
