// A session of the console at every operation that takes one: another origin, a forged or old cookie, a missing header, a
// foreign venue, a role without the right and a missing step-up are refused, each in the same way everywhere.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROLES, ROLES_OF_WRITES, type Role } from '../../src/domain/accounts/roles.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';
import { operations } from '../../src/run/operations.ts';
import { type ConsoleCall, callConsole, createAccount, createSession } from '../support/console-client.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { digestDatabase, type IsolationFixture, openIsolationFixture } from './isolation-fixture.ts';
import type { Outcome } from './operation-matrix.ts';
import { pathWith } from './requests.ts';

// Sends every operation as every kind of caller.
vi.setConfig({ testTimeout: 60_000 });

const byId = (list: readonly AppOperation[]) => list.map((operation) => [operation.id, operation] as const);
/** The tool server takes keys alone. */
const inVenue = operations.filter(({ auth, kind }) => auth === 'team' || (auth === 'secret' && kind !== 'tool server'));
const withSession = [...inVenue, ...operations.filter(({ auth }) => auth === 'account')];

let fixture: IsolationFixture;
let venue: string;
let sandbox: string;
let otherVenue: string;
const tokens = {} as Record<
  Role | 'forged' | 'malformed' | 'ended' | 'idle' | 'expired' | 'stale' | 'outsider',
  string
>;
let digestBefore: Record<string, string>;
beforeAll(async () => {
  fixture = await openIsolationFixture();
  const { world, owners } = fixture;
  venue = owners[0]?.venueId ?? '';
  otherVenue = owners[2]?.venueId ?? '';
  sandbox = (await world.venue({ sandbox: true })).venue.id;
  const session = async (email: string, role: Role, at = venue): Promise<{ id: string; token: string }> =>
    createSession(
      world.context,
      await createAccount(world.context, email, [
        [at, role],
        [sandbox, role],
      ]),
    );
  for (const role of ROLES) tokens[role] = (await session(`${role}@harbor.example`, role)).token;
  tokens.outsider = (await session('outsider@harbor.example', 'owner', otherVenue)).token;
  const set = async (name: 'ended' | 'idle' | 'expired' | 'stale', columns: string): Promise<void> => {
    const { id, token } = await session(`${name}@harbor.example`, 'owner');
    await world.db.query(`update account_sessions set ${columns} where session_id = $1`, [id]);
    tokens[name] = token;
  };
  await set('ended', "ended_at = now() - interval '1 second'");
  await set('idle', "last_used_at = now() - interval '13 hours'");
  await set('expired', "expires_at = now() - interval '1 second'");
  await set('stale', "created_at = now() - interval '11 minutes', stepped_up_at = now() - interval '601 seconds'");
  tokens.forged = 'A'.repeat(43);
  tokens.malformed = 'not a token';
  digestBefore = await digestDatabase(world.db);
});
afterAll(() => fixture.close());

let callers = 0;

/** Names objects that do not exist and sends no valid body, so that an authorized call changes nothing. */
async function call(operation: AppOperation, options: ConsoleCall): Promise<HttpResponse> {
  const number = callers++ % 60_000;
  const response = await callConsole(fixture.world, operation.method, pathWith(operation.path, {}), {
    // A call without a body would do its work: an unknown member stops it.
    ...(operation.method === 'POST' ? { body: operation.body === undefined ? { unexpected: 1 } : '' } : {}),
    venue,
    ...options,
    headers: { 'x-forwarded-for': `203.${number >> 8}.${number & 255}.9`, ...options.headers },
  });
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  expect(response.headers.has('x-ratelimit-limit')).toBe(true);
  return response;
}

const outcomeOf = ({ status, json }: HttpResponse): Outcome => [status, json?.error?.code];
const textOf = ({ text }: HttpResponse): string => text.replace(/"request_id":"[^"]*"/, '');

describe('every operation that takes a session', () => {
  it.each(byId(withSession))('%s refuses one that is not from our own origin', async (_id, operation) => {
    const headers: Record<string, string>[] = [
      { origin: 'https://harbor.example' },
      { origin: 'null' },
      { origin: `${fixture.world.urls[0]}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const one of headers) {
      const response = await call(operation, { token: tokens.owner, headers: one });
      expect(outcomeOf(response), JSON.stringify(one)).toEqual([403, 'origin_not_allowed']);
    }
    const { method, path } = operation;
    const cookie = { cookie: `everyshare_console=${tokens.owner}` };
    const silent = await fixture.world.call(method, pathWith(path, {}), { headers: cookie });
    expect(outcomeOf(silent), 'neither header').toEqual([403, 'origin_not_allowed']);
  });

  it.each(byId(withSession))('%s refuses a forged, ended, idle and expired one alike', async (_id, operation) => {
    const kinds = ['forged', 'malformed', 'ended', 'idle', 'expired'] as const;
    const responses = await Promise.all(kinds.map((kind) => call(operation, { token: tokens[kind] })));
    expect(responses.map(outcomeOf)).toEqual(kinds.map(() => [401, 'unauthorized']));
    expect(new Set(responses.map(textOf)).size).toBe(1);
  });

  it.each(byId(inVenue))('%s needs the headers that name the venue and the mode', async (_id, operation) => {
    const { 'everyshare-venue': _none, ...nothing } = { 'everyshare-venue': '' };
    const cases: readonly [ConsoleCall, readonly string[]][] = [
      [{ headers: { 'everyshare-venue': 'harbor' } }, ['/header/Everyshare-Venue']],
      [{ headers: { 'everyshare-mode': 'real' } }, ['/header/Everyshare-Mode']],
      [
        { headers: { 'everyshare-venue': '', 'everyshare-mode': '' } },
        ['/header/Everyshare-Venue', '/header/Everyshare-Mode'],
      ],
    ];
    for (const [options, fields] of cases) {
      const { status, json } = await call(operation, { token: tokens.owner, ...options });
      expect([status, json.errors.map(({ field }: { field: string }) => field)]).toEqual([422, fields]);
    }
    const { method, path } = operation;
    const headers = { origin: fixture.world.urls[0] ?? '', cookie: `everyshare_console=${tokens.owner}`, ...nothing };
    const bare = await fixture.world.call(method, pathWith(path, {}), { headers });
    expect(outcomeOf(bare)).toEqual([422, 'missing_field']);
  });

  it.each(byId(inVenue))('%s refuses the venue of other people as an unknown one', async (_id, operation) => {
    const [foreign, unknown] = await Promise.all([
      call(operation, { token: tokens.owner, venue: otherVenue }),
      call(operation, { token: tokens.owner, venue: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10' }),
    ]);
    expect([outcomeOf(foreign), outcomeOf(unknown)]).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ]);
    expect(foreign.json.error.field).toBe('/header/Everyshare-Venue');
    expect(textOf(foreign)).toBe(textOf(unknown));
    expect(outcomeOf(await call(operation, { token: tokens.outsider }))).toEqual([404, 'not_found']);
  });

  it.each(byId(inVenue))('%s is for the roles that the contract names', async (_id, operation) => {
    for (const role of ROLES) {
      const response = await call(operation, { token: tokens[role] });
      const wanted = expectedOutcome(operation, role);
      if (wanted === null) expect([200, 400, 404, 409, 422], `${role}: ${response.text}`).toContain(response.status);
      else expect(outcomeOf(response), role).toEqual(wanted);
      if (response.status === 404) expect(response.json?.error.field, role).not.toBe('/header/Everyshare-Venue');
    }
  });

  it.each(byId(inVenue))('%s has no live mode in a sandbox venue', async (_id, operation) => {
    const response = await call(operation, { token: tokens.owner, venue: sandbox, mode: 'live' });
    const isBefore = operation.keyOnly === true || operation.testOnly === true;
    expect(outcomeOf(response)).toEqual([
      403,
      isBefore ? (operation.keyOnly === true ? 'wrong_key_kind' : 'mode_not_available') : 'venue_not_linked',
    ]);
  });

  it.each(byId(withSession.filter(({ stepUp }) => stepUp !== undefined)))(
    '%s needs a code of the last ten minutes',
    async (_id, operation) => {
      const response = await call(operation, { token: tokens.stale, mode: 'live' });
      expect(outcomeOf(response)).toEqual([403, 'step_up_required']);
    },
  );

  it('asks for a fresh code wherever people, roles, passkeys, mail addresses, live secrets and refunds change', () => {
    const guarded = withSession.filter(({ stepUp }) => stepUp !== undefined).map(({ id, stepUp }) => `${id} ${stepUp}`);
    expect(guarded.sort()).toEqual([
      'beginPasskey always',
      'changeAccountEmail always',
      'changePersonRole always',
      'createKey live',
      'createWebhookEndpoint live',
      'deletePasskey always',
      'invitePerson always',
      'refundCheckout live',
      'removePerson always',
      'rollKey live',
      'rotateSecret live',
      'startPayoutOnboarding always',
      'updateKey live',
      'withdrawInvitation always',
    ]);
  });

  it.each(byId(withSession))(
    '%s takes the key of the Authorization header, and never the cookie beside it',
    async (_id, operation) => {
      const authorization = `Bearer svc_test_${'A'.repeat(32)}`;
      const response = await call(operation, { token: tokens.owner, headers: { authorization } });
      expect(outcomeOf(response)).toEqual([401, 'unauthorized']);
    },
  );

  it('has changed nothing in the database', async () => {
    expect(await digestDatabase(fixture.world.db)).toEqual(digestBefore);
  });
});

const DEVELOPER_TAGS = ['Offerings', 'Experiences', 'Boats', 'Webhook endpoints', 'Integrations', 'Test helpers'];
/** Of the console itself. */
const DEVELOPER_CALLS = [
  'createKey',
  'updateKey',
  'rollKey',
  'revokeKey',
  'addOrigin',
  'removeOrigin',
  'createTestInbox',
  'startDomainVerification',
  'checkDomain',
  'sendDomainCode',
  'verifyDomainCode',
];
const FINANCE_CALLS = ['refundCheckout', 'startPayoutOnboarding'];
/** They concern the caller alone. */
const CALLS_OF_EVERY_ROLE = ['changeNotifications', 'leaveVenue'];

/** By the contract: reads for all; the catalogue, endpoints and integrations for developers; refunds for finance. */
function isAllowed({ id, tag, effect }: AppOperation, role: Role): boolean {
  if (effect === 'read' || role === 'owner' || CALLS_OF_EVERY_ROLE.includes(id)) return true;
  if (role === 'developer') return DEVELOPER_TAGS.includes(tag) || DEVELOPER_CALLS.includes(id);
  return role === 'finance' && FINANCE_CALLS.includes(id);
}

function expectedOutcome(operation: AppOperation, role: Role): Outcome | null {
  if (operation.keyOnly === true) return [403, 'wrong_key_kind'];
  return isAllowed(operation, role) ? null : [403, 'role_not_allowed'];
}

describe('the table of roles', () => {
  it('names every write that takes a session, and nothing else', () => {
    const writes = inVenue.filter(({ effect }) => effect === 'write').map(({ id }) => id);
    expect(Object.keys(ROLES_OF_WRITES).sort()).toEqual(writes.sort());
  });
});

describe('every console operation without a session', () => {
  it.each(byId(operations.filter(({ audience, auth }) => audience === 'console' && auth === 'open')))(
    '%s is for our own origin alone',
    async (_id, operation) => {
      const foreign = await call(operation, { headers: { origin: 'https://harbor.example' } });
      expect(outcomeOf(foreign)).toEqual([403, 'origin_not_allowed']);
      const own = outcomeOf(await call(operation, operation.method === 'GET' ? {} : { body: {} }));
      const expected = operation.body === undefined ? [200, undefined] : [422, 'missing_field'];
      expect(own).toEqual(operation.method === 'GET' ? [404, 'not_found'] : expected);
    },
  );
});
