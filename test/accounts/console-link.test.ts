// `everyshare console link`: a link that signs in to the console once, within 15 minutes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFirstLink } from '../../src/cli/announce.ts';
import { callConsole, tokenOf } from '../support/console-client.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let cli: CommandLine;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  cli = commandLine(world);
  venueId = (await world.venue({ name: 'Sandbox venue', sandbox: true })).venue.id;
});
afterAll(() => world.close());

interface Link {
  readonly url: string;
  readonly account: string;
  readonly venue: string | null;
}

const newLink = (...options: string[]): Promise<Link> => cli.json<Link>('console', 'link', ...options);
const tokenIn = ({ url }: Link): string => url.split('#link=')[1] ?? '';
const signIn = (token: string): Promise<HttpResponse> =>
  callConsole(world, 'POST', '/console/api/sign_in/link', { body: { token } });

describe('console link', () => {
  it('prints a link that signs in as the owner of the first venue, once', async () => {
    const link = await newLink();
    const base = (world.urls[0] ?? '').replace('127.0.0.1', 'localhost');
    expect(link).toMatchObject({ url: expect.stringContaining(`${base}/console#link=`), venue: venueId });
    const both = await Promise.all([signIn(tokenIn(link)), signIn(tokenIn(link))]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const signedIn = both.find(({ status }) => status === 200) as HttpResponse;
    expect(signedIn.json).toMatchObject({
      account: { id: link.account, email: 'owner@example.com' },
      venues: [{ id: venueId, name: 'Sandbox venue', linked: false, role: 'owner' }],
      keys: null,
    });
    const session = await callConsole(world, 'GET', '/console/api/session', { token: tokenOf(signedIn) ?? '' });
    expect(session.status).toBe(200);
    expect((await newLink()).account, 'the same person the next time').toBe(link.account);
    const audited = await world.db.query(
      'select action from audit_log where venue_id = $1 and subject = $2 order by audit_id',
      [venueId, link.account],
    );
    expect(audited.map(({ action }) => action)).toEqual(['person.add', 'console.link', 'console.link']);
  });

  it('of an operator gives no role in a venue, unless it names one', async () => {
    await cli.json('operator', 'add', 'leo@desk.example', '--role', 'support');
    const link = await newLink('--mail', 'leo@desk.example');
    expect(link.venue).toBeNull();
    const signedIn = await signIn(tokenIn(link));
    expect([signedIn.status, signedIn.json.venues]).toEqual([200, []]);
    const audited = await world.db.query('select action from installation_audit where subject = $1', [link.account]);
    expect(audited).toContainEqual({ action: 'console.link' });
    const named = await newLink('--mail', 'leo@desk.example', '--venue', venueId);
    expect((await signIn(tokenIn(named))).json.venues).toMatchObject([{ id: venueId, role: 'owner' }]);
  });

  it('is for the person and the venue that it names', async () => {
    const other = (await world.venue({ name: 'Other place' })).venue.id;
    const link = await newLink('--mail', 'ada@harbor.example', '--venue', other);
    const { json } = await signIn(tokenIn(link));
    expect([json.account.email, json.venues.map(({ id }: { id: string }) => id)]).toEqual([
      'ada@harbor.example',
      [other],
    ]);
    expect((await newLink('--mail', 'ADA@harbor.example')).venue, 'a person with a role gets no other').toBe(other);
  });

  it('does not work after 15 minutes, nor with another secret, nor as a code', async () => {
    const [old, changed] = [await newLink(), await newLink()];
    await world.db.query(
      "update account_challenges set expires_at = expires_at - interval '15 minutes' where challenge_id = $1",
      [tokenIn(old).split('.')[0]],
    );
    const [id = ''] = tokenIn(changed).split('.');
    for (const token of [
      tokenIn(old),
      `${id}.${'A'.repeat(43)}`,
      id,
      'nonsense',
      `${'-'.repeat(36)}.${'A'.repeat(43)}`,
    ]) {
      const { status, json } = await signIn(token);
      expect([status, json.error.field]).toEqual([422, '/token']);
    }
    const body = { challenge_id: id, code: '000000' };
    const asCode = await callConsole(world, 'POST', '/console/api/sign_in/verify', { body });
    expect(asCode.json.error.field).toBe('/challenge_id');
  });

  it('is not made at the first start with a real card processor', async () => {
    const real = await openTestWorld({
      env: { STRIPE_TEST_SECRET_KEY: 'sk_test_x', STRIPE_TEST_PUBLISHABLE_KEY: 'pk_test_x' },
    });
    try {
      for (const [one, expected] of [
        [world, expect.stringMatching(/\/console#link=[\w.-]+$/)],
        [real, null],
      ] as const) {
        const created = await one.venue({ name: 'Sandbox venue', sandbox: true });
        expect(await createFirstLink(one.context, one.command(), created)).toEqual(expected);
      }
      expect(await createFirstLink(world.context, world.command(), null), 'not the first start').toBe(null);
      expect(await real.db.query('select 1 from account_challenges')).toEqual([]);
    } finally {
      await real.close();
    }
  });

  it('refuses what is no mail address, and a venue that does not exist', async () => {
    expect(await cli.line(2, 'console', 'link', '--mail', 'ada')).toContain('such as ada@example.com');
    const unknown = '01900000-0000-7000-8000-000000000000';
    expect(await cli.line(1, 'console', 'link', '--venue', unknown)).toContain(unknown);
  });
});
