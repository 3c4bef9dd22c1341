// Which phones get texts: checked wherever a phone enters the service, and again before a text is sent.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMember } from '../../src/domain/members/create-member.ts';
import { queueMessage } from '../../src/domain/members/messages/queue.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { hashOfPhone, sealPhone } from '../../src/domain/members/phone.ts';
import { insertMember } from '../../src/domain/members/queries.ts';
import { commandLine } from '../support/run-command.ts';
import { submitForm } from '../support/submit-form.ts';
import { type GuestFixture, openGuestFixture, statusAndError } from './guest-fixture.ts';

const LANDLINE = '+442079460958';
const PREMIUM = '+19005551234';
const SATELLITE = '+881612345678';
const GERMAN_MOBILE = '+4915123456789';
const RESERVED = '+15550100042';

let fixture: GuestFixture;
/** A real sender, and Germany alone. */
let german: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
  german = await openGuestFixture({
    env: {
      PHONE_COUNTRIES: 'de, at',
      TWILIO_ACCOUNT_SID: 'AC123',
      TWILIO_AUTH_TOKEN: 'twilio-token-for-tests',
      TWILIO_FROM: '+15005550006',
    },
  });
});
afterAll(async () => {
  await german.world.close();
  await fixture.world.close();
});

const begin = (phone: string, { world }: GuestFixture = fixture) =>
  world.call('POST', '/v1/public/sign_in', { body: { phone } });

async function germanOrganizer() {
  const { world } = german;
  const phone = '+4915123456780';
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name: 'Ada' }));
  return { id, phone, token: await world.context.tokens.sign(id) };
}

describe('a phone that gets no texts', () => {
  it('is refused at sign-in, at its field, with a number that would pass', async () => {
    for (const phone of [LANDLINE, PREMIUM, SATELLITE, '+15550200042', '+4407400123456']) {
      const response = await begin(phone);
      expect(statusAndError(response)).toEqual([422, 'invalid_value', '/phone']);
      const [problem] = response.json.errors;
      expect(problem).toMatchObject({ expected: 'a valid mobile number, in E.164 form', example_fix: RESERVED });
      expect(response.text).not.toContain(phone);
      expect((await begin(problem.example_fix)).status).toBe(200);
    }
    const { seal } = fixture.world.context.services;
    const hashes = [LANDLINE, PREMIUM, SATELLITE].map((phone) => hashOfPhone(seal, phone));
    for (const table of ['sign_in_challenges', 'messages'])
      expect(await fixture.world.db.query(`select 1 from ${table} where phone_hash = any($1)`, [hashes])).toEqual([]);
  });

  it('is refused in a party, each at its field and with the other problems, before the checkout is looked up', async () => {
    const ada = await fixture.createPerson('Ada');
    const members = [{ phone: LANDLINE }, { phone: '+12125550001' }, { phone: SATELLITE, nickname: 'Sam' }];
    for (const id of [await fixture.checkout(), 'chk_00000000000000000000000000']) {
      const response = await fixture.party(id, ada, members);
      expect(response.status).toBe(422);
      expect(response.json.errors.map(({ code, field }: Record<string, string>) => `${code} ${field}`)).toEqual([
        'invalid_value /members/0/phone',
        'invalid_value /members/2/phone',
        'unknown_field /members/2/nickname',
      ]);
    }
  });

  it('is refused when the operator creates a member', async () => {
    const { world } = fixture;
    const create = (phone: string) =>
      world.db.transaction((tx) => createMember(tx, world.command(), { phone, name: null }));
    await expect(create(LANDLINE)).rejects.toThrow(/not a mobile number/);
    await expect(create('0049')).rejects.toThrow(/phone/);
    const cli = commandLine(world);
    expect(await cli.line(1, 'member', 'create', '--phone', '+44 20 7946 0958')).toBe(
      '--phone: This is not a mobile number, and the service sends texts to mobile numbers only.',
    );
    expect(await cli.line(1, 'member', 'create', '--phone', '0049')).toContain('such as "+15550100042"');
    const { id } = await cli.json<{ id: string }>('member', 'create', '--phone', '+49 151 2345 6789');
    expect((await create(GERMAN_MOBILE)).id).toBe(id);
  });

  it('is refused on the pages', async () => {
    const id = await fixture.checkout();
    const headers = { origin: fixture.world.urls[0] ?? '' };
    const response = await submitForm(fixture.world, `/c/${id}/sign-in`, { phone: '+44 20 7946 0958' }, headers);
    expect(response.text).toContain('We can’t text this number.');
  });

  it('gets none when it was stored before the rule: the worker drops the text', async () => {
    const { services } = fixture.world.context;
    const sealed = sealPhone(services.seal, LANDLINE);
    const request = { memberId: null, ...sealed, kind: 'invite', subject: 'old', text: 'x', dueAt: 0 } as const;
    await fixture.world.db.transaction((tx) => queueMessage(tx, services, request));
    const sent: string[] = [];
    const sender = { send: async (phone: string) => `${sent.push(phone)}` };
    await sendDueMessages({ ...services, sender }, 100);
    const rows = await fixture.world.db.query("select status, last_error from messages where subject = 'old'");
    expect(rows).toEqual([{ status: 'dropped', last_error: 'the phone gets no texts' }]);
    expect(sent).not.toContain(LANDLINE);
  });
});

it('the answer to a sign-in and to a party is the same for a known and an unknown phone', async () => {
  const [ada, sam] = [await fixture.createPerson('Ada'), await fixture.createPerson('Sam')];
  const unknown = '+12125559999';
  const shapes: unknown[] = [];
  for (const phone of [sam.phone, unknown]) {
    const signIn = await begin(phone);
    const party = await fixture.party(await fixture.checkout(), ada, [{ phone, name: 'Kim' }]);
    shapes.push([
      signIn.status,
      Object.keys(signIn.json),
      party.status,
      party.json.shares.map(({ display_name, amount }: Record<string, unknown>) => [display_name, amount]),
    ]);
  }
  expect(shapes[0]).toEqual(shapes[1]);
});

describe('PHONE_COUNTRIES', () => {
  it('narrows sign-in, parties and members to its countries', async () => {
    expect((await begin(GERMAN_MOBILE, german)).status).toBe(200);
    const refused = await begin('+14155552671', german);
    expect(statusAndError(refused)).toEqual([422, 'invalid_value', '/phone']);
    const [{ message, expected, example_fix }] = refused.json.errors;
    expect([message, expected]).toEqual([
      'The service sends no texts to numbers of this country.',
      'a valid mobile number of DE, AT, in E.164 form',
    ]);
    expect((await begin(example_fix, german)).status).toBe(200);
    const ada = await germanOrganizer();
    const party = await german.party(await german.checkout(), ada, [{ phone: '+14155552671' }]);
    expect(statusAndError(party)).toEqual([422, 'invalid_value', '/members/0/phone']);
    const { world } = german;
    const american = { phone: '+14155552671', name: null };
    await expect(world.db.transaction((tx) => createMember(tx, world.command(), american))).rejects.toThrow(/country/);
  });

  it('does not keep a guest of another country from being exported and erased', async () => {
    const { world } = german;
    const cli = commandLine(world);
    const phone = '+14155552673';
    const { ids, seal } = world.context.services;
    const member = { id: ids.uuid(), displayName: 'Ida', ...sealPhone(seal, phone), language: null, now: Date.now() };
    await world.db.transaction((tx) => insertMember(tx, member));
    expect((await cli.json<{ people: unknown[] }>('guest', 'export', phone)).people).toHaveLength(1);
    expect((await cli.json<{ erased: object }>('guest', 'erase', phone)).erased).toMatchObject({});
    // What is not stored and gets no texts is a typing mistake.
    for (const word of ['export', 'erase'])
      expect(await cli.run('guest', word, phone)).toMatchObject({
        exit: 2,
        err: expect.stringContaining('check its digits'),
      });
  });

  it('with a real sender, the reserved numbers are refused', async () => {
    expect(statusAndError(await begin(RESERVED, german))).toEqual([422, 'invalid_value', '/phone']);
  });

  it('drops texts to members of other countries, also by their id', async () => {
    const { services } = german.world.context;
    const sealed = sealPhone(services.seal, '+14155552671');
    const request = { memberId: null, ...sealed, kind: 'completed', subject: 'abroad', text: 'x', dueAt: 0 } as const;
    await german.world.db.transaction((tx) => queueMessage(tx, services, request));
    await sendDueMessages({ ...services, sender: sandboxSender }, 100);
    const rows = await german.world.db.query("select status from messages where subject = 'abroad'");
    expect(rows).toEqual([{ status: 'dropped' }]);
  });

  it('stops the start with an unknown code, and names the remedy', async () => {
    await expect(openGuestFixture({ env: { PHONE_COUNTRIES: 'US,UK,SJ' } })).rejects.toThrow(
      'PHONE_COUNTRIES has "UK": list ISO 3166 codes of countries with mobile numbers, such as US,GB,DE.\nPHONE_COUNTRIES has "SJ"',
    );
  });
});
