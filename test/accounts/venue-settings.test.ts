// The settings of a venue in the console, and the further sandbox venues that a person makes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/domain/accounts/roles.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { expectInvalid, type Json } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const NOTHING = {
  timezone: 'UTC',
  support_email: null,
  support_phone: null,
  support_url: null,
  terms_url: null,
  privacy_url: null,
  accent_color: null,
  logo_url: null,
};
const EVERYTHING = {
  name: 'Pier 4',
  timezone: 'America/New_York',
  support_email: 'help@harbor.example',
  support_phone: '+1 555 010 0000',
  support_url: 'https://harbor.example/help',
  terms_url: 'https://harbor.example/terms',
  privacy_url: 'https://harbor.example/privacy',
  accent_color: '#0f5486',
  logo_url: 'https://cdn.harbor.example/logo.png',
};

interface Member {
  readonly id: string;
  readonly venue: string;
  call(method: string, path: string, body?: object): Promise<HttpResponse>;
}

let people = 0;

async function member(role: Role): Promise<Member> {
  const { venue } = await world.venue({ sandbox: true });
  const id = await createAccount(world.context, `settings${people++}@team.example`, [[venue.id, role]]);
  const { token } = await createSession(world.context, id);
  return {
    id,
    venue: venue.id,
    call: (method, path, body) =>
      callConsole(world, method, path, { token, venue: venue.id, ...(body === undefined ? {} : { body }) }),
  };
}

const change = (by: Member, body: object) => by.call('POST', '/console/api/venue', body);

describe('an owner', () => {
  it('reads and changes the settings, only what is given, and null clears a value', async () => {
    const owner = await member('owner');
    const before = (await owner.call('GET', '/console/api/venue')).json;
    expect(before).toEqual({
      ...NOTHING,
      id: owner.venue,
      name: 'Harbor Club',
      linked: false,
      fee: { bps: 0, fixed: 0 },
      created_at: expect.any(String),
    });
    expect((await change(owner, EVERYTHING)).json).toEqual({ ...before, ...EVERYTHING });
    const { name: _stays, ...rest } = EVERYTHING;
    const cleared = Object.fromEntries(Object.keys(rest).map((field) => [field, null]));
    expect((await change(owner, cleared)).json).toEqual({ ...before, name: EVERYTHING.name });
    expect((await owner.call('GET', '/console/api/session')).json.venues[0].name).toBe('Pier 4');
  });

  it('is named in the audit log, with the values before and after; what is already so is not written', async () => {
    const owner = await member('owner');
    await change(owner, { name: 'Pier 4', accent_color: '#AABBCC' });
    await change(owner, { name: 'Pier 4' });
    await change(owner, {});
    const rows = await world.db.query(
      "select actor, detail from audit_log where venue_id = $1 and action = 'venue.update'",
      [owner.venue],
    );
    const detail = {
      before: { name: 'Harbor Club', accent_color: null },
      after: { name: 'Pier 4', accent_color: '#aabbcc' },
    };
    expect(rows).toEqual([{ actor: `account ${owner.id}`, detail }]);
  });

  it('gets an error at every field that is wrong, and nothing is changed', async () => {
    const owner = await member('owner');
    const wrong = {
      name: 'Pier 4',
      timezone: 'Berlin',
      support_email: 'help',
      support_phone: '555 0100',
      support_url: 'http://harbor.example',
      terms_url: 'javascript:alert(1)',
      privacy_url: 'https://ada:secret@harbor.example',
      accent_color: 'blue',
      logo_url: '/logo.png',
    };
    const { status, json } = await change(owner, wrong);
    expect(status).toBe(422);
    const { name: _right, ...fields } = wrong;
    expect(json.errors.map(({ field }: Json) => field)).toEqual(Object.keys(fields).map((field) => `/${field}`));
    const fixes = Object.fromEntries(json.errors.map(({ field, example_fix }: Json) => [field.slice(1), example_fix]));
    expect((await owner.call('GET', '/console/api/venue')).json.name).toBe('Harbor Club');
    expect((await change(owner, fixes)).json).toMatchObject(fixes);
    expectInvalid(await change(owner, { name: null }), 'invalid_type', '/name');
    expectInvalid(await change(owner, { name: '' }), 'too_short', '/name');
    expectInvalid(await change(owner, { fee: { bps: 0 } }), 'unknown_field', '/fee');
  });
});

it('a developer reads the settings and cannot change them', async () => {
  const developer = await member('developer');
  expect((await developer.call('GET', '/console/api/venue')).status).toBe(200);
  expect((await change(developer, { name: 'Pier 4' })).json.error.code).toBe('role_not_allowed');
});

describe('another sandbox venue', () => {
  const make = (by: Member, body: object = { name: 'Second Club' }) => by.call('POST', '/console/api/venues', body);

  it('has the person as its owner, and test keys that work and are shown once', async () => {
    const viewer = await member('viewer');
    const { status, json } = await make(viewer);
    expect(status).toBe(201);
    const { id } = json.venue;
    expect(json.venue).toEqual({ id, name: 'Second Club', linked: false, role: 'owner' });
    expect(json.keys).toMatchObject({ venue_id: id, publishable_test: expect.stringMatching(/^pk_test_/) });
    const me = await world.call('GET', '/v1/me', { key: json.keys.secret_test });
    expect([me.status, me.json.data.venue.name]).toEqual([200, 'Second Club']);
    const { venues } = (await viewer.call('GET', '/console/api/session')).json;
    expect(venues.map((venue: Json) => [venue.id, venue.role])).toEqual([
      [viewer.venue, 'viewer'],
      [id, 'owner'],
    ]);
  });

  it('needs a name', async () => {
    const owner = await member('owner');
    expectInvalid(await make(owner, {}), 'missing_field', '/name');
    expectInvalid(await make(owner, { name: ' Pier 4' }), 'invalid_format', '/name');
    expectInvalid(await make(owner, { name: 'x'.repeat(121) }), 'too_long', '/name');
  });

  it('can be made ten times a day, also by requests at once', async () => {
    const owner = await member('owner');
    const answers = await Promise.all(Array.from({ length: 12 }, () => make(owner)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(201), 429, 429]);
    const refused = await make(owner);
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.json.error.message).toContain('at most 10 venues a day');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await make(await member('owner'))).status).toBe(201);
  });
});
