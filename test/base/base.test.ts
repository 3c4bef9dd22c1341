// The parts of base: configuration, ids, sealing, logs, times and addresses.

import { createCipheriv } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { addressIn, isAddressRange } from '../../src/base/address-range.ts';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config.ts';
import { isoFromPostgres } from '../../src/base/db.ts';
import { makeIds } from '../../src/base/ids.ts';
import { makeLog } from '../../src/base/log.ts';
import { randomText, systemRandom } from '../../src/base/random.ts';
import { formats, isDate, isTime } from '../../src/base/schema/formats.ts';
import { nearestName } from '../../src/base/schema/nearest-name.ts';
import { makeSeal } from '../../src/base/seal.ts';
import { readOrCreateSecret } from '../../src/base/secret-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'everyshare-ground-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('configuration', () => {
  it('has defaults for every variable', () => {
    const config = readConfig({});
    expect([config.host, config.port, config.databaseUrl, config.modes, config.sandboxProcessor]).toEqual([
      '127.0.0.1',
      8080,
      null,
      ['test', 'live'],
      true,
    ]);
  });

  it('reports every wrong variable with its remedy at once', () => {
    const wrong = {
      PORT: '99999',
      LOG_LEVEL: 'loud',
      BASE_URL: 'pay.example',
      DATABASE_URL: 'mysql://x',
      ENCRYPTION_KEY: 'short',
      TRUSTED_PROXIES: '10.0.0.0/33,::1',
      OPERATOR_TOKEN: 'abc',
    };
    try {
      readConfig(wrong);
      expect.unreachable();
    } catch (error) {
      const lines = (error as Error).message.split('\n');
      for (const name of Object.keys(wrong))
        expect(
          lines.filter((line) => line.startsWith(name)),
          name,
        ).toHaveLength(1);
    }
  });

  it('requires ENCRYPTION_KEY when servers share a database', () => {
    expect(() => readConfig({ DATABASE_URL: 'postgres://x' })).toThrow(/ENCRYPTION_KEY is not set.*openssl rand/);
  });

  it('takes one encryption key or a list, and refuses a key that is damaged or there twice', () => {
    const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const list = `${one.toString('base64')}, ${two.toString('base64')}`;
    expect(readConfig({ ENCRYPTION_KEY: list }).encryptionKeys).toEqual([one, two]);
    for (const wrong of ['c2hvcnQ=', `${list},c2hvcnQ=`, `${list},${one.toString('base64')}`, ',']) {
      expect(() => readConfig({ ENCRYPTION_KEY: wrong }), wrong).toThrow(/ENCRYPTION_KEY must be 32 bytes.*commas/);
    }
  });

  it('has only the modes with a processor key when one is set', () => {
    expect(readConfig({ STRIPE_TEST_SECRET_KEY: 'sk_test_1', STRIPE_TEST_PUBLISHABLE_KEY: 'pk_test_1' }).modes).toEqual(
      ['test'],
    );
    expect(readConfig({ STRIPE_LIVE_SECRET_KEY: 'sk_live_1', STRIPE_LIVE_PUBLISHABLE_KEY: 'pk_live_1' }).modes).toEqual(
      ['live'],
    );
    expect(
      readConfig({ STRIPE_LIVE_SECRET_KEY: 'sk_live_1', STRIPE_LIVE_PUBLISHABLE_KEY: 'pk_live_1' }).sandboxProcessor,
    ).toBe(false);
  });

  it('refuses a key of Stripe in the place of another, and one of the two without the other', () => {
    const [secret, publishable] = ['sk_live_1', 'pk_live_1'];
    const read = (env: Record<string, string>) => () => readConfig(env);
    const both = { STRIPE_LIVE_SECRET_KEY: secret, STRIPE_LIVE_PUBLISHABLE_KEY: publishable };
    expect(readConfig({ ...both, STRIPE_LIVE_SECRET_KEY: 'rk_live_1' }).modes).toEqual(['live']);
    // A publishable key is on every guest's page.
    expect(read({ ...both, STRIPE_LIVE_PUBLISHABLE_KEY: secret })).toThrow(
      'STRIPE_LIVE_PUBLISHABLE_KEY must begin with pk_live_: copy it from Stripe’s page of API keys.',
    );
    expect(read({ ...both, STRIPE_LIVE_SECRET_KEY: publishable })).toThrow(
      /STRIPE_LIVE_SECRET_KEY must begin with sk_live_ or rk_live_/,
    );
    expect(read({ ...both, STRIPE_LIVE_SECRET_KEY: 'sk_test_1' })).toThrow(/is a key of test mode/);
    for (const env of [
      { STRIPE_LIVE_SECRET_KEY: secret },
      { STRIPE_LIVE_PUBLISHABLE_KEY: publishable },
      { STRIPE_LIVE_WEBHOOK_SECRETS: 'whsec_a' },
    ]) {
      expect(read(env as Record<string, string>)).toThrow(
        'STRIPE_LIVE_SECRET_KEY and STRIPE_LIVE_PUBLISHABLE_KEY belong together: set both, or no setting that begins with STRIPE_LIVE.',
      );
    }
    try {
      readConfig({ ...both, STRIPE_LIVE_PUBLISHABLE_KEY: 'sk_live_secret' });
    } catch (error) {
      expect(String(error)).not.toContain('sk_live_secret');
    }
  });

  it('takes several webhook secrets for each mode, and the one of the singular name', () => {
    const secretsOf = (env: Record<string, string>) =>
      readConfig({ STRIPE_LIVE_SECRET_KEY: 'sk_live_1', STRIPE_LIVE_PUBLISHABLE_KEY: 'pk_live_1', ...env }).stripe.live
        ?.webhookSecrets;
    expect(secretsOf({})).toEqual([]);
    expect(secretsOf({ STRIPE_LIVE_WEBHOOK_SECRET: 'whsec_a' })).toEqual(['whsec_a']);
    const several = { STRIPE_LIVE_WEBHOOK_SECRET: 'whsec_a', STRIPE_LIVE_WEBHOOK_SECRETS: 'whsec_b, whsec_c,' };
    expect(secretsOf(several)).toEqual(['whsec_a', 'whsec_b', 'whsec_c']);
    // The same one twice is one: doctor counts them.
    expect(secretsOf({ ...several, STRIPE_LIVE_WEBHOOK_SECRETS: 'whsec_a' })).toEqual(['whsec_a']);
  });

  it('accepts address ranges, and matches IPv4-mapped addresses', () => {
    for (const good of ['10.0.0.0/8', '::1', '2001:db8::/32', '1.2.3.4']) expect(isAddressRange(good)).toBe(true);
    for (const bad of ['10.0.0.0/33', '10.0.0/8', 'x', '', '::1/129', '1.2.3.4/8/8', '1.2.3.4/'])
      expect(isAddressRange(bad)).toBe(false);
    expect(addressIn('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(true);
    expect(addressIn('11.1.2.3', ['10.0.0.0/8', '2001:db8::/32'])).toBe(false);
    expect(addressIn('2001:db8::7', ['10.0.0.0/8', '2001:db8::/32'])).toBe(true);
    expect(addressIn('nonsense', ['0.0.0.0/0'])).toBe(false);
  });
});

describe('ids and random text', () => {
  it('are ordered by time, as text', () => {
    let calls = 0;
    // A clock that stands still, then steps back, then goes on.
    const now = (): number => 1_800_000_000_000 + (calls++ < 6000 ? 0 : calls < 8000 ? -50 : calls);
    const ids = makeIds({ now }, systemRandom);
    const created = Array.from({ length: 6000 }, () => [ids.prefixed('chk'), ids.uuid()] as const);
    for (const index of [0, 1] as const) {
      const list = created.map((pair) => pair[index]);
      expect([...list].sort()).toEqual(list);
    }
    expect(created[0]?.[0]).toMatch(/^chk_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(created[0]?.[1]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('have evenly distributed letters and digits', () => {
    const text = randomText(systemRandom, 62_000);
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });
});

describe('sealing', () => {
  const seal = makeSeal([Buffer.alloc(32, 1)], systemRandom);

  it('opens only in its own row, and not after a change of any byte', { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (plain, at) => {
        const sealed = seal.seal(plain, 'row 1');
        expect(seal.open(sealed, 'row 1')).toBe(plain);
        expect(() => seal.open(sealed, 'row 2')).toThrow();
        const damaged = Buffer.from(sealed);
        const place = at % damaged.length;
        damaged[place] = (damaged[place] ?? 0) ^ 1;
        expect(() => seal.open(damaged, 'row 1')).toThrow();
      }),
      { numRuns: 50 },
    );
  });

  it('seals with the first key and opens with every key of the list', () => {
    const [old, added] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const both = makeSeal([added, old], systemRandom);
    const before = seal.seal('x', 'r');
    const after = both.seal('y', 'r');
    expect([both.open(before, 'r'), both.open(after, 'r')]).toEqual(['x', 'y']);
    expect(makeSeal([added], systemRandom).open(after, 'r')).toBe('y');
    expect(() => makeSeal([added], systemRandom).open(before, 'r')).toThrow('is not in ENCRYPTION_KEY');
    expect(after.subarray(0, both.currentPrefix.length).equals(both.currentPrefix)).toBe(true);
    expect(before.subarray(0, both.currentPrefix.length).equals(both.currentPrefix)).toBe(false);
  });

  it('opens values of the first format, which do not name their key, by trial', () => {
    const nonce = Buffer.alloc(12, 3);
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), nonce).setAAD(Buffer.from('r'));
    const body = Buffer.concat([cipher.update('x', 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), body]);
    expect(makeSeal([Buffer.alloc(32, 2), Buffer.alloc(32, 1)], systemRandom).open(sealed, 'r')).toBe('x');
    expect(() => makeSeal([Buffer.alloc(32, 2)], systemRandom).open(sealed, 'r')).toThrow();
  });

  it('never gives the same bytes twice; a fingerprint always does', () => {
    expect(seal.seal('x', 'r').equals(seal.seal('x', 'r'))).toBe(false);
    expect(seal.fingerprint('x', 'phone').equals(seal.fingerprint('x', 'phone'))).toBe(true);
    expect(seal.fingerprint('x', 'phone').equals(seal.fingerprint('x', 'other'))).toBe(false);
    expect(
      makeSeal([Buffer.alloc(32, 2)], systemRandom)
        .fingerprint('x', 'phone')
        .equals(seal.fingerprint('x', 'phone')),
    ).toBe(false);
  });
});

describe('a secret that is not set', () => {
  it('is created once and read again, in a file that only its owner can read', () => {
    const file = join(folder, 'deep', 'token');
    const first = readOrCreateSecret(file, () => 'one');
    expect([first, readOrCreateSecret(file, () => 'two')]).toEqual([
      { text: 'one', isNew: true },
      { text: 'one', isNew: false },
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe('one\n');
  });
});

describe('logs', () => {
  it('are one JSON line each, without keys, secrets, tokens, phones and passwords', () => {
    const lines: string[] = [];
    const log = makeLog('info', 'test', { write: (line: string) => lines.push(line) });
    const secrets = [
      'svc_test_abcdefgh12345678',
      'pk_live_abcdefgh12345678',
      'whsec_abcdefgh12345678',
      'opt_abcdefgh12345678',
      'pi_3_secret_abcdef123',
      '+15550100042',
      'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlc2ln',
      'hunter2pass',
      'abcdefghijklmnop1234',
      'Dd4qyVyDhvtVyki6DwyvkZmS',
      'ppp4qyVyDhvtVyki6DwyvkZmSDd4qyVyDhvtVyki6Dwy',
      'AbSealed-Onboarding_Token0123456789',
    ];
    log.info(
      { a: secrets[0], b: { c: secrets[1] }, err: new Error(`bad ${secrets[2]} ${secrets[4]}`) },
      `Bearer ${secrets[3]} ${secrets[5]} ${secrets[6]} postgres://me:${secrets[7]}@host/db /v1/hooks/square/${secrets[8]} http://pay.example/s/${secrets[9]}?locale=es everyshare_session=${secrets[10]}; /payouts/${secrets[11]}/done`,
    );
    const line = lines.join('');
    for (const secret of secrets) expect(line).not.toContain(secret);
    expect(JSON.parse(line)).toMatchObject({ level: 'info', role: 'test' });
  });
});

describe('times', () => {
  it('have an offset, exist, and are in the years 1970 to 9998 of UTC', () => {
    for (const good of [
      '2027-06-12T09:30:00Z',
      '2027-06-12T09:30:00.123456-04:00',
      '2028-02-29T00:00:00+14:00',
      '2000-02-29T00:00:00z',
      '1970-01-01T00:00:00Z',
      '9998-12-31T23:59:59Z',
    ])
      expect([good, isTime(good)]).toEqual([good, true]);
    for (const bad of [
      '2027-06-12T09:30:00',
      '2027-06-12 09:30:00Z',
      '2027-06-12T23:59:60Z',
      '2027-02-29T00:00:00Z',
      '2100-02-29T00:00:00Z',
      '2027-13-01T00:00:00Z',
      '2027-06-12T24:00:00Z',
      '1969-12-31T23:59:59Z',
      '1970-01-01T00:00:00+01:00',
      '9999-01-01T00:00:00Z',
      '9998-12-31T23:59:59-14:00',
      '2027-06-12T09:30Z',
      '2027-06-12T09:30:00+24:00',
      '+2027-06-12T09:30:00Z',
      '',
    ])
      expect([bad, isTime(bad)]).toEqual([bad, false]);
    expect([isDate('2028-02-29'), isDate('2027-02-29'), isDate('2027-6-1')]).toEqual([true, false, false]);
  });

  it('come from the database in UTC with microseconds, in any zone of the server', () => {
    expect(isoFromPostgres('2026-11-15 15:31:36.5+00')).toBe('2026-11-15T15:31:36.500000Z');
    expect(isoFromPostgres('2026-11-15 15:31:36+00')).toBe('2026-11-15T15:31:36.000000Z');
    expect(isoFromPostgres('2026-11-15 23:31:36.123456+05:30')).toBe('2026-11-15T18:01:36.123456Z');
    expect(isoFromPostgres('2026-11-15 00:31:36.000001-08')).toBe('2026-11-15T08:31:36.000001Z');
  });
});

describe('addresses', () => {
  const usual = fullFormats.uri as (text: string) => boolean;
  it('are URIs of RFC 3986, with other characters than ASCII percent-encoded', () => {
    const good = [
      'https://harbor.example',
      'https://harbor.example:8443/a/b.jpg?w=1&h=%20#top',
      'http://[2001:db8::1]/x',
      'https://user:pass@harbor.example/~a/(b);c=1,2',
      'https://xn--hfen-loa.example/f%C3%BCr',
    ];
    const bad = [
      'https://häfen.example',
      'https://harbor.example/für',
      'https://harbor.example/a[1]',
      'https://harbor.example/%zz',
      'https://harbor.example/#a#b',
      'https://harbor.example/a b',
      'https://',
      'harbor.example/a',
      '/a',
      'https://a]@.example/',
      'https://[a@harbor.example/',
    ];
    expect([...good, ...bad].filter((text) => formats.uri(text))).toEqual(good);
  });

  it('are accepted by the common validation package', () => {
    const part = fc.string({
      unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.constantFrom('%20', '/', '?', '#', 'ü')),
    });
    fc.assert(
      fc.property(part, part, (host, rest) => {
        const text = `https://a${host}.example/${rest}`;
        expect([text, formats.uri(text) && !usual(text)]).toEqual([text, false]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('suggestions for misspelled names', () => {
  it('are the nearest name, or none when no name is near', () => {
    const known = ['starts_at', 'ends_at', 'external_id', 'title', 'party_size'];
    expect(
      ['start_at', 'startsAt', 'externalId', 'tilte', 'PartySize'].map((name) => nearestName(name, known)),
    ).toEqual(['starts_at', 'starts_at', 'external_id', 'title', 'party_size']);
    expect(['colour', 'x', 'z'.repeat(1000), ''].map((name) => nearestName(name, known))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('the clock', () => {
  it('is the clock of the machine', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });
});
