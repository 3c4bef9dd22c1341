// A venue shows that a domain is its own: by a TXT record, looked up at a real name server, or by a code to a mail address
// there.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicMailProvider } from '../../src/domain/go-live/public-domains.ts';
import { countSharedCalls } from '../../src/domain/keys/queries.ts';
import { mailedCode } from '../support/console-client.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';
import { addMember, auditOf, queuedMails, type TeamMember } from './team.ts';

let dns: DnsServer;
let world: TestWorld;
let refused: TeamMember;
beforeAll(async () => {
  dns = await startDnsServer();
  world = await openTestWorld({ env: { DNS_SERVERS: dns.address } });
  refused = await owner();
});
afterAll(async () => {
  await world.close();
  await dns.close();
});

const newVenue = async (name = 'Cove & Pine'): Promise<string> => (await world.venue({ sandbox: true, name })).venue.id;
const owner = async (venue?: string): Promise<TeamMember> => addMember(world, venue ?? (await newVenue()), 'owner');
const name = (person: TeamMember, domain: string) => person.call('POST', '/console/api/go_live/domain', { domain });
const check = (person: TeamMember) => person.call('POST', '/console/api/go_live/domain/check');
const mail = (person: TeamMember, email: string) => person.call('POST', '/console/api/go_live/domain/mail', { email });
const verify = (person: TeamMember, challenge_id: string, code: string) =>
  person.call('POST', '/console/api/go_live/domain/mail/verify', { challenge_id, code });
const outcomeOf = ({ status, json }: HttpResponse) => [
  status,
  json.error?.code,
  json.error?.reason ?? json.error?.field,
];

let domains = 0;
const newDomain = (): string => `venue${domains++}.example`;

/** Names a domain, and gives its record. */
async function named(person: TeamMember, domain = newDomain()): Promise<{ domain: string; value: string }> {
  const { status, json, text } = await name(person, domain);
  expect(status, text).toBe(200);
  return { domain, value: json.domain.record.value };
}

describe('the name of a domain', () => {
  it('is kept in small letters, as punycode, and without the point at its end', async () => {
    const person = await owner();
    for (const [typed, kept] of [
      ['Cove-Pine.Example.', 'cove-pine.example'],
      ['  bücher.example ', 'xn--bcher-kva.example'],
      ['a.b.covepine.example', 'a.b.covepine.example'],
    ] as const) {
      const { json } = await name(person, typed);
      expect(json.domain.name).toBe(kept);
      expect(json.domain.record).toEqual({
        type: 'TXT',
        name: `_everyshare.${kept}`,
        value: expect.stringMatching(/^everyshare-verification=[0-9a-f]{32}$/),
      });
    }
  });

  it.each([
    ['192.0.2.7', 'IP address'],
    ['[2001:db8::1]', 'IP address'],
    ['2130706433', 'IP address'],
    ['localhost', 'two parts'],
    ['co.uk', 'registered below co.uk'],
    ['GitHub.io', 'registered below github.io'],
    ['https://covepine.example/', 'without https://'],
    ['covepine.example:443', 'name alone'],
    ['-cove.example', 'name alone'],
    ['cove..example', 'name alone'],
    ['robin@covepine.example', 'name alone'],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(60)}.example`, '253'],
  ])('%s is refused at its field', async (typed, words) => {
    const response = await name(refused, typed);
    expect(outcomeOf(response)).toEqual([422, 'invalid_value', '/domain']);
    expect(response.json.error.message).toContain(words);
    expect(response.json.errors[0].example_fix).toBe('covepine.example');
  });

  it('keeps its record when it is named again, and gets another record for another domain', async () => {
    const person = await owner();
    const first = await named(person);
    expect((await named(person, first.domain)).value).toBe(first.value);
    expect((await named(person)).value).not.toBe(first.value);
    expect((await named(person, first.domain)).value).not.toBe(first.value);
  });
});

describe('the record of a domain', () => {
  it('verifies the domain once it is there, beside other records and cut into parts, and never again', async () => {
    const venue = await newVenue();
    const person = await owner(venue);
    const { domain, value } = await named(person);
    dns.names.set(domain, []);
    dns.names.set(`_everyshare.${domain}`, ['x'.repeat(300), value]);
    const { json } = await check(person);
    expect(json.domain).toMatchObject({ name: domain, verified_by: 'dns', verified_at: expect.any(String) });
    expect(json.domain.check).toMatchObject({ result: 'found', found: [] });
    expect(json.steps[0]).toEqual({ id: 'domain', done: true, missing: null });
    dns.names.delete(`_everyshare.${domain}`);
    dns.asked.length = 0;
    expect((await check(person)).json.domain.verified_by).toBe('dns');
    expect(dns.asked).toEqual([]);
    expect(await auditOf(world, venue, 'domain.')).toEqual([
      ['domain.name', `account ${person.id}`, domain, {}],
      ['domain.verify', `account ${person.id}`, domain, { by: 'dns' }],
    ]);
  });

  it('counts at the domain itself too', async () => {
    const person = await owner();
    const { domain, value } = await named(person);
    dns.names.set(domain, ['v=spf1 -all', `"${value}"`]);
    expect((await check(person)).json.domain.verified_by).toBe('dns');
  });

  it('is distinguished from a wrong one, a missing one, a missing domain and an error of the name server', async () => {
    const person = await owner();
    const { domain, value } = await named(person);
    const cases: readonly [string, string[], string, () => void][] = [
      ['no_domain', [], `no domain ${domain}`, () => undefined],
      ['no_record', [], 'no TXT record yet', () => dns.names.set(domain, [])],
      ['other_values', ['v=spf1 -all'], 'not with this value', () => dns.names.set(domain, ['v=spf1 -all'])],
      [
        'other_values',
        [`${value}x`, 'v=spf1 -all'],
        'Compare it',
        () => dns.names.set(`_everyshare.${domain}`, [`${value}x`]),
      ],
      ['failed', [], 'with an error', () => dns.names.set(domain, 'servfail').set(`_everyshare.${domain}`, 'servfail')],
    ];
    for (const [result, found, words, prepare] of cases) {
      prepare();
      const { status, json } = await check(person);
      expect([status, json.domain.check.result, json.domain.check.found]).toEqual([200, result, found]);
      expect(json.domain.check.message).toContain(words);
      expect(json.domain.verified_at).toBeNull();
    }
  });

  it('is answered within seconds when the name server is silent', { tags: ['slow'], timeout: 60_000 }, async () => {
    const person = await owner();
    const { domain } = await named(person);
    dns.names.set(domain, 'silent').set(`_everyshare.${domain}`, 'silent');
    const started = Date.now();
    const { json } = await check(person);
    expect(json.domain.check.result).toBe('timeout');
    expect(Date.now() - started).toBeLessThan(15_000);
  });

  it('of another venue does not verify, and several venues can verify one domain', async () => {
    const domain = newDomain();
    const [first, second] = [await owner(), await owner()];
    const records = [await named(first, domain), await named(second, domain)];
    expect(records[0]?.value).not.toBe(records[1]?.value);
    dns.names.set(`_everyshare.${domain}`, [records[0]?.value ?? '']);
    expect((await check(second)).json.domain.check.result).toBe('other_values');
    expect((await check(first)).json.domain.verified_by).toBe('dns');
    dns.names.set(
      `_everyshare.${domain}`,
      records.map(({ value }) => value),
    );
    expect((await check(second)).json.domain.verified_by).toBe('dns');
  });

  it('is looked up at most 60 times an hour for a venue', async () => {
    const venue = await newVenue();
    const [person, colleague] = [await owner(venue), await owner(venue)];
    await named(person);
    await countSharedCalls(world.db, 60, [{ subject: `domain check ${venue}`, calls: 59 }]);
    expect((await check(person)).status).toBe(200);
    const over = await check(colleague);
    expect(outcomeOf(over).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('stays when the venue names another domain afterwards', async () => {
    const person = await owner();
    const { domain, value } = await named(person);
    dns.names.set(domain, [value]);
    await check(person);
    expect(outcomeOf(await name(person, newDomain()))).toEqual([409, 'conflict', 'domain_verified']);
    expect((await name(person, domain)).json.domain).toMatchObject({ name: domain, verified_by: 'dns' });
    expect(outcomeOf(await mail(person, `robin@${domain}`))).toEqual([409, 'conflict', 'domain_verified']);
  });

  it('needs a domain that was named', async () => {
    const person = await owner();
    expect(outcomeOf(await check(person))).toEqual([409, 'conflict', 'domain_missing']);
    expect(outcomeOf(await mail(person, 'robin@covepine.example'))).toEqual([409, 'conflict', 'domain_missing']);
  });
});

describe('a code to a mail address at the domain', () => {
  it('verifies the domain, and its mail says for which venue', async () => {
    const venue = await newVenue();
    const person = await owner(venue);
    const { domain } = await named(person);
    const { json } = await mail(person, `Robin@${domain.toUpperCase()}`);
    const code = await mailedCode(world, json.challenge_id);
    const sent = (await queuedMails(world, 'code')).at(-1);
    expect(sent?.text).toContain(`confirm that ${domain} belongs to Cove & Pine on Everyshare`);
    const wrong = await verify(person, json.challenge_id, code === '000000' ? '111111' : '000000');
    expect(outcomeOf(wrong)).toEqual([422, 'invalid_value', '/code']);
    expect((await verify(person, json.challenge_id, code)).json.domain.verified_by).toBe('mail');
    expect(outcomeOf(await verify(person, json.challenge_id, code))).toEqual([422, 'invalid_value', '/challenge_id']);
    expect((await auditOf(world, venue, 'domain.verify')).at(-1)).toEqual([
      'domain.verify',
      `account ${person.id}`,
      domain,
      { by: 'mail' },
    ]);
  });

  it('is for the session that asked for it alone', async () => {
    const venue = await newVenue();
    const [person, colleague] = [await owner(venue), await owner(venue)];
    const { domain } = await named(person);
    const { json } = await mail(person, `robin@${domain}`);
    const code = await mailedCode(world, json.challenge_id);
    expect(outcomeOf(await verify(colleague, json.challenge_id, code))).toEqual([
      422,
      'invalid_value',
      '/challenge_id',
    ]);
  });

  it('does not count for a domain that was named after it was sent', async () => {
    const person = await owner();
    const { domain } = await named(person);
    const { json } = await mail(person, `robin@${domain}`);
    const code = await mailedCode(world, json.challenge_id);
    await named(person);
    expect(outcomeOf(await verify(person, json.challenge_id, code))).toEqual([422, 'invalid_value', '/challenge_id']);
  });

  it('goes to no address at another domain, below it or at a public mail provider', async () => {
    const person = await owner();
    const { domain } = await named(person);
    for (const email of ['robin@other.example', `robin@mail.${domain}`, `robin@evil${domain}`, 'robin@gmail.com']) {
      const response = await mail(person, email);
      expect(outcomeOf(response), email).toEqual([422, 'invalid_value', '/email']);
      expect(response.json.errors[0].example_fix).toBe(`hello@${domain}`);
    }
    await named(person, 'gmail.com');
    expect(outcomeOf(await mail(person, 'robin@gmail.com'))).toEqual([409, 'conflict', 'domain_of_the_public']);
  });

  it('is sent also when other venues have used up the codes of the address', async () => {
    const person = await owner();
    const { domain } = await named(person);
    for (const other of [await owner(), await owner(), await owner()]) {
      await named(other, domain);
      for (let sent = 0; sent < 5; sent++) await mail(other, `robin@${domain}`);
    }
    expect((await mail(person, `robin@${domain}`)).status).toBe(200);
    expect((await mail(person, `robin@${domain}`)).status).toBe(200);
    expect((await mail(person, `robin@${domain}`)).status).toBe(429);
  });

  it('is sent at most 5 times an hour to one address, and 10 times an hour for a venue', async () => {
    const person = await owner();
    const { domain } = await named(person);
    for (let sent = 0; sent < 5; sent++) expect((await mail(person, `robin@${domain}`)).status).toBe(200);
    expect((await mail(person, `robin@${domain}`)).status).toBe(429);
    for (let sent = 0; sent < 5; sent++) expect((await mail(person, `r${sent}@${domain}`)).status).toBe(200);
    expect((await mail(person, `last@${domain}`)).status).toBe(429);
  });
});

describe('the list of public mail providers', () => {
  it('covers subdomains of a provider, and no name that only ends alike', () => {
    expect(['gmail.com', 'mail.yahoo.co.uk', 'web.de'].map(isPublicMailProvider)).toEqual([true, true, true]);
    expect(['notgmail.com', 'covepine.example', 'com', 'co.uk'].map(isPublicMailProvider)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
