// The browsers of a person: named in the list of sessions, recognized by a cookie, and not locked out by other callers.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldDevices } from '../../src/domain/accounts/device-queries.ts';
import { callConsole, mailedCode, tokenOf } from '../support/console-client.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => world.close());

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0';

let people = 0;
const newEmail = (): string => `person${people++}@devices.example`;
let callers = 0;
const newAddress = (): string => `198.18.${callers >> 8}.${callers++ & 255}`;

interface Browser {
  readonly address: string;
  readonly device?: string | null;
}

const headersOf = ({ address, device }: Browser): Record<string, string> => ({
  'x-forwarded-for': address,
  'user-agent': FIREFOX,
  ...(device == null ? {} : { cookie: `everyshare_device=${device}` }),
});
const ask = (email: string, browser: Browser): Promise<HttpResponse> =>
  callConsole(world, 'POST', '/console/api/sign_in', { body: { email }, headers: headersOf(browser) });
const deviceOf = ({ headers }: HttpResponse): string | null =>
  /everyshare_device=([^;]+);/.exec(headers.get('set-cookie') ?? '')?.[1] ?? null;

async function signIn(email: string, browser: Browser): Promise<HttpResponse> {
  const { challenge_id } = (await ask(email, browser)).json;
  const body = { challenge_id, code: await mailedCode(world, challenge_id) };
  return callConsole(world, 'POST', '/console/api/sign_in/verify', { body, headers: headersOf(browser) });
}

const isNew = ({ json }: HttpResponse): boolean => json.session.is_new_device;

describe('a session', () => {
  it('is listed with its browser and system in words and its address without the last part', async () => {
    const signedIn = await signIn(newEmail(), { address: '203.0.113.7' });
    const token = tokenOf(signedIn) ?? '';
    const list = await callConsole(world, 'GET', '/console/api/sessions', { token });
    expect(list.json.data[0]).toMatchObject({ device: 'Firefox on Windows', address: '203.0.113.…' });
    expect(JSON.stringify(await world.db.query('select * from account_sessions'))).not.toContain('Mozilla');
  });

  it('shows the address of its last use, to five minutes', async () => {
    const signedIn = await signIn(newEmail(), { address: '203.0.113.7' });
    const token = tokenOf(signedIn) ?? '';
    const read = async (): Promise<string> =>
      (await callConsole(world, 'GET', '/console/api/session', { token, headers: { 'x-forwarded-for': '192.0.2.1' } }))
        .json.session.address;
    expect(await read()).toBe('203.0.113.…');
    await world.db.query(
      "update account_sessions set last_used_at = now() - interval '6 minutes' where session_id = $1",
      [signedIn.json.session.id],
    );
    await read();
    expect(await read()).toBe('192.0.2.…');
  });
});

describe('a sign-in', () => {
  it('is marked as from a new device in a browser that the account has not used, but not at the sign-up', async () => {
    const email = newEmail();
    const first = await signIn(email, { address: newAddress() });
    const device = deviceOf(first);
    expect([isNew(first), device]).toEqual([false, expect.stringMatching(/^[\w-]{43}$/)]);
    const again = await signIn(email, { address: newAddress(), device });
    expect([isNew(again), deviceOf(again)], 'the browser keeps its mark').toEqual([false, device]);
    const elsewhere = await signIn(email, { address: newAddress() });
    expect([isNew(elsewhere), deviceOf(elsewhere) === device]).toEqual([true, false]);
    const [row] = await world.db.query('select is_new_device from account_sessions where session_id = $1', [
      elsewhere.json.session.id,
    ]);
    expect(row).toEqual({ is_new_device: true });
    expect(isNew(await signIn(email, { address: newAddress(), device: 'not a mark' }))).toBe(true);
  });

  it('is from a new device again after 90 days, and then the browser is forgotten', async () => {
    const email = newEmail();
    const device = deviceOf(await signIn(email, { address: newAddress() }));
    await world.db.query("update account_devices set last_used_at = now() - interval '90 days 1 second'");
    expect(isNew(await signIn(email, { address: newAddress(), device }))).toBe(true);
    expect(isNew(await signIn(email, { address: newAddress(), device }))).toBe(false);
    await deleteOldDevices(world.db, Date.now() + 91 * 86_400_000, 10_000);
    expect(await world.db.query('select 1 from account_devices')).toEqual([]);
  });

  it('of two people in one browser is new for each of them once', async () => {
    const [ada, ben] = [newEmail(), newEmail()];
    await signIn(ben, { address: newAddress() });
    const device = deviceOf(await signIn(ada, { address: newAddress() }));
    const marks = [];
    for (const email of [ben, ada, ben]) marks.push(isNew(await signIn(email, { address: newAddress(), device })));
    expect(marks).toEqual([true, false, false]);
  });
});

describe('a person in a browser that they have used', () => {
  it('gets a code when other callers have used up those of the mail address and of the network', async () => {
    const email = newEmail();
    const device = deviceOf(await signIn(email, { address: newAddress() }));
    for (let n = 0; n < 4; n++) expect((await ask(email, { address: newAddress() })).status).toBe(200);
    const office = newAddress();
    await world.db.query('select * from count_calls_each($1, 30, $2)', [[`console sign-in address ${office}`], [30]]);
    const other = await ask(email, { address: newAddress() });
    expect(other.status).toBe(429);
    expect(other.json.error.message).toContain('A browser or a network in which you have signed in before');
    expect((await ask(newEmail(), { address: office })).status).toBe(429);
    const signedIn = await signIn(email, { address: office, device });
    expect([signedIn.status, isNew(signedIn)]).toEqual([200, false]);
    expect((await ask(newEmail(), { address: office, device })).status, 'for their own address alone').toBe(429);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await ask(email, { address: office, device })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });
});
