// What guests see of a venue: the operator's command that changes it, its audit, and what the pages read.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/base/config.ts';
import { readVenueProfile, withServiceLinks } from '../../src/domain/venues/venue-profile.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';
const NOTHING = {
  timezone: 'UTC',
  support: { email: null, phone: null, url: null },
  terms_url: null,
  privacy_url: null,
  accent_color: null,
  logo_url: null,
};
const EVERYTHING = {
  timezone: 'America/New_York',
  support: { email: 'help@harbor.example', phone: '+1 555 010 0000', url: 'https://harbor.example/help' },
  terms_url: 'https://harbor.example/terms',
  privacy_url: 'https://harbor.example/privacy',
  accent_color: '#0f5486',
  logo_url: 'https://cdn.harbor.example/logo.png',
};
const ALL_OPTIONS = [
  ...['--timezone', EVERYTHING.timezone, '--accent-color', '#0F5486', '--logo-url', EVERYTHING.logo_url],
  ...['--support-email', 'help@harbor.example', '--support-phone', '+1 555 010 0000'],
  ...['--support-url', 'https://harbor.example/help', '--terms-url', EVERYTHING.terms_url],
  ...['--privacy-url', EVERYTHING.privacy_url],
];

let world: TestWorld;
let cli: CommandLine;
beforeAll(async () => {
  world = await openSharedWorld();
  cli = commandLine(world);
});
afterAll(() => world.close());

const newVenue = async (): Promise<string> => (await world.venue()).venue.id;
const update = <T = Record<string, unknown>>(id: string, ...options: string[]): Promise<T> =>
  cli.json<T>('venue', 'update', id, ...options);

describe('venue update', () => {
  it('sets every value, and venue show has them; a new venue has UTC and nothing else', async () => {
    const id = await newVenue();
    expect(await cli.json('venue', 'show', id)).toMatchObject(NOTHING);
    expect(await update(id, ...ALL_OPTIONS)).toMatchObject({ id, ...EVERYTHING });
    expect(await cli.json('venue', 'show', id)).toMatchObject(EVERYTHING);
    const shown = (await cli.run('venue', 'show', id)).out;
    expect(shown).toMatch(/timezone +America\/New_York/);
    expect(shown).toMatch(/support email +help@harbor\.example/);
  });

  it('changes only what is given, and an empty text clears a value', async () => {
    const id = await newVenue();
    await update(id, ...ALL_OPTIONS);
    expect(await update(id, '--terms-url', '')).toMatchObject({ ...EVERYTHING, terms_url: null });
    const { accent_color, timezone } = await update(id, '--accent-color=', '--timezone', '');
    expect([accent_color, timezone]).toEqual([null, 'UTC']);
  });

  it('changes the name', async () => {
    const id = await newVenue();
    expect(await update(id, '--name', ' Pier 4 ')).toMatchObject({ id, name: 'Pier 4', timezone: 'UTC' });
    expect(await cli.line(1, 'venue', 'update', id, '--name', 'x'.repeat(121))).toContain('1 to 120 characters');
  });

  it('is audited with the values before and after; what is already so is not', async () => {
    const id = await newVenue();
    const entries = () =>
      world.db.query('select action, actor, detail from audit_log where venue_id = $1 and action = $2', [
        id,
        'venue.update',
      ]);
    await update(id, '--timezone', 'Europe/Berlin', '--accent-color', '#aabbcc');
    await update(id, '--timezone', 'Europe/Berlin');
    const before = { timezone: 'UTC', accent_color: null };
    const after = { timezone: 'Europe/Berlin', accent_color: '#aabbcc' };
    expect(await entries()).toEqual([{ action: 'venue.update', actor: 'operator ada', detail: { before, after } }]);
  });

  it.each([
    ['--timezone', 'Berlin', 'is not a time zone'],
    ['--timezone', '+02:00', 'is not a time zone'],
    ['--support-email', 'help', 'is not a mail address'],
    ['--support-email', 'a@b@c.example', 'is not a mail address'],
    ['--support-phone', '555 0100', 'needs a plus sign'],
    ['--support-url', 'http://harbor.example/help', 'begins with https://'],
    ['--terms-url', 'javascript:alert(1)', 'begins with https://'],
    ['--privacy-url', 'https://ada:secret@harbor.example', 'begins with https://'],
    ['--logo-url', '/logo.png', 'begins with https://'],
    ['--logo-url', `https://harbor.example/${'x'.repeat(2048)}`, 'begins with https://'],
    ['--accent-color', 'blue', 'give it as #rrggbb'],
    ['--accent-color', '#0f5', 'give it as #rrggbb'],
  ])('refuses %s %s with the remedy before it opens the database', async (option, value, remedy) => {
    const line = await commandLine(null).line(1, 'venue', 'update', UNKNOWN_ID, option, value);
    expect(line).toContain(`${option}: `);
    expect(line).toContain(remedy);
  });

  it('says what it takes when there is nothing to change, and names an unknown venue', async () => {
    expect(await cli.line(2, 'venue', 'update', UNKNOWN_ID)).toContain('give some of --timezone');
    const unknown = await cli.line(1, 'venue', 'update', UNKNOWN_ID, '--timezone', 'UTC');
    expect(unknown).toContain(`there is no venue ${UNKNOWN_ID}`);
    const twice = ['--terms-url', 'https://a.example', '--terms-url', ''];
    expect(await cli.line(2, 'venue', 'update', UNKNOWN_ID, ...twice)).toContain('--terms-url is given twice');
    // Other options still need a text.
    expect(await cli.line(2, 'venue', 'create', '--name', '')).toContain('--name has no value');
  });
});

describe('the profile that pages read', () => {
  const LINKS = {
    termsUrl: 'https://everyshare.example/terms',
    privacyUrl: 'https://everyshare.example/privacy',
    supportUrl: 'https://everyshare.example/help',
  };

  it('is the venue’s own, also where the service has its addresses', async () => {
    const id = await newVenue();
    await update(id, ...ALL_OPTIONS);
    const profile = await readVenueProfile(world.db, id);
    if (profile === null) throw new Error('the venue has no profile');
    expect(profile).toMatchObject({ name: 'Harbor Club', timezone: 'America/New_York', support: EVERYTHING.support });
    expect(withServiceLinks(profile, LINKS)).toEqual(profile);
  });

  it('has the service’s terms, privacy notice and help where the venue has none', async () => {
    const id = await newVenue();
    const profile = await readVenueProfile(world.db, id);
    if (profile === null) throw new Error('the venue has no profile');
    const { termsUrl, privacyUrl } = LINKS;
    const support = { email: null, phone: null, url: LINKS.supportUrl };
    expect(withServiceLinks(profile, LINKS)).toEqual({ ...profile, termsUrl, privacyUrl, support });
    // One contact of its own is enough: guests must not write to two places.
    await update(id, '--support-email', 'help@harbor.example');
    const own = await readVenueProfile(world.db, id);
    if (own === null) throw new Error('the venue has no profile');
    expect(withServiceLinks(own, LINKS).support).toEqual({ email: 'help@harbor.example', phone: null, url: null });
  });

  it('is null for an unknown venue', async () => {
    expect(await readVenueProfile(world.db, UNKNOWN_ID)).toBeNull();
  });
});

describe('TERMS_URL, PRIVACY_URL and SUPPORT_URL', () => {
  it('are read from the settings, and must be https', () => {
    const env = { TERMS_URL: 'https://a.example/terms', SUPPORT_URL: 'https://a.example/help' };
    const expected = { termsUrl: env.TERMS_URL, privacyUrl: null, supportUrl: env.SUPPORT_URL };
    expect(readConfig(env)).toMatchObject(expected);
    expect(() => readConfig({ PRIVACY_URL: 'http://a.example' })).toThrow(
      'PRIVACY_URL is not an address of the form https://…: correct it or leave it unset.',
    );
  });
});
