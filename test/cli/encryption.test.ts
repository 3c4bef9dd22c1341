// The encryption key can be replaced while servers run: everything sealed is sealed again, nothing is lost, phones are
// found by their hash all the time, and the old key is needed until no value of it is left.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/base/random.ts';
import { makeSeal, type Seal } from '../../src/base/seal.ts';
import { SEALED_COLUMNS } from '../../src/cli/encryption.ts';
import { saveDraft } from '../../src/domain/checkouts/party/draft-queries.ts';
import { countOlder, readOlder, replaceSealed } from '../../src/domain/installation/reseal-queries.ts';
import { rotateEncryption } from '../../src/domain/installation/rotate-encryption.ts';
import { verifyEncryptionKey } from '../../src/domain/installation/verify-encryption-key.ts';
import { queueMail } from '../../src/domain/mail/mail.ts';
import { hashOfPhone, openPhone } from '../../src/domain/members/phone.ts';
import { makeTokens } from '../../src/domain/members/tokens.ts';
import { saveErasure, sealNameOfErasure } from '../../src/domain/privacy/erasure-queries.ts';
import { sandboxKeysOf } from '../../src/main/processors.ts';
import { type GuestFixture, openGuestFixture, type Person } from '../guests/guest-fixture.ts';
import { connectVenueSystem } from '../hooks/venue-system.ts';
import { callConsole, signInToConsole } from '../support/console-client.ts';
import { SEAL_KEY } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

const NEW_KEY = Buffer.alloc(32, 8);
const newSeal = (...keys: Buffer[]): Seal => makeSeal(keys, systemRandom);

let fixture: GuestFixture;
let ada: Person;
beforeAll(async () => {
  fixture = await openGuestFixture({ env: { ALLOW_INSECURE_TARGETS: '1', REQUEST_LOG: 'on' } });
  ada = await writeEverySealedColumn();
});
afterAll(() => fixture.world.close());

/** Uses the service so that every sealed column has a value. */
async function writeEverySealedColumn(): Promise<Person> {
  const { world, key, venueId } = fixture;
  const organizer = await fixture.createPerson('Ada');
  const id = await fixture.checkout({ party_size: 2, amount: 6_000 });
  const { json } = await fixture.party(id, organizer, [{ phone: '+12125559876' }]);
  const draft = { venueId, checkoutId: id, memberId: organizer.id };
  await saveDraft(world.db, world.context.seal, draft, '{}', Date.now());
  await fixture.pay(await fixture.hold(json.shares[0].id, organizer));
  const mail = { to: 'ada@mail.example', title: 'Receipt', text: 'Paid' };
  await queueMail(world.db, world.context.services, 'receipt', `${id} 1`, mail);
  await world.call('POST', '/v1/public/sign_in', { body: { phone: organizer.phone } });
  const { token, json: signedUp } = await signInToConsole(world, 'ada@mail.example');
  const invitation = { email: 'ben@mail.example', role: 'viewer' };
  const call = { token, venue: signedUp.keys.venue_id, body: invitation };
  expect((await callConsole(world, 'POST', '/console/api/invitations', call)).status).toBe(201);
  const made = await world.call('POST', '/v1/webhook_endpoints', {
    key,
    body: { url: 'https://127.0.0.1:65009/hooks', events: ['checkout.created'] },
    headers: { 'idempotency-key': 'endpoint-1' },
  });
  expect(made.status, made.text).toBe(201);
  await world.call('POST', `/v1/webhook_endpoints/${made.json.id}/rotate_secret`, { key });
  const system = await connectVenueSystem(world, 'custom', {}, venueId);
  await system.send({ id: 'e1', type: 'offering.cancel', data: { external_id: 'x' } });
  const readable = await connectVenueSystem(world, 'eventbrite', {}, venueId);
  const credentials = { key: readable.key, body: { credentials: { token: 'a-token' } } };
  await world.call('POST', `/v1/integrations/${readable.id}/credentials`, credentials);
  await world.call('POST', '/v1/checkouts', { key, body: {} });
  // An erasure of another guest that has not ended.
  const hash = hashOfPhone(world.context.seal, '+12125550000');
  const marks = world.context.seal.seal('{}', sealNameOfErasure(hash.toString('hex')));
  await world.db.transaction((tx) => saveErasure(tx, hash, marks, Date.now()));
  const countLogged = () => world.db.query('select from request_log where failure is not null');
  await waitFor('the call is logged', async () => (await countLogged()).length > 0);
  return organizer;
}

async function countAll(seal: Seal): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const column of SEALED_COLUMNS)
    counts[`${column.table}.${column.column}`] = await countOlder(fixture.world.db, column, seal.currentPrefix);
  return counts;
}

const rotate = (seal: Seal) =>
  rotateEncryption(fixture.world.db, { ...fixture.world.command(), seal }, SEALED_COLUMNS, () => undefined);

it('every bytea column of the database is a hash or is sealed again', async () => {
  const HASHES = /(_hash|fingerprint|^content_hash)$/;
  const rows = await fixture.world.db.query<{ name: string; column: string }>(
    `select c.table_name as name, c.column_name as column from information_schema.columns c
     join pg_class t on t.relname = c.table_name and t.relnamespace = 'public'::regnamespace and not t.relispartition
     where c.table_schema = 'public' and (c.data_type = 'bytea' or c.udt_name = '_bytea')`,
  );
  const sealed = rows.filter(({ column }) => !HASHES.test(column)).map(({ name, column }) => `${name}.${column}`);
  const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  // The pictures of venues are public, and so are the halves of passkeys that are stored.
  const unsealed = [
    'account_passkeys.credential_id',
    'account_passkeys.public_key',
    'image_files.content',
    'installation.hash_key',
    'installation.key_proof',
  ];
  expect(sealed.sort()).toEqual([...known, ...unsealed].sort());
});

describe('encryption rotate', () => {
  it('seals every column again; a server with the new key alone starts only after that, and finds everything', async () => {
    const { db, context } = fixture.world;
    const both = newSeal(NEW_KEY, SEAL_KEY);
    await verifyEncryptionKey(db, both, Date.now());
    // Each column has values, so that each is proved.
    const before = await countAll(both);
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    await expect(verifyEncryptionKey(db, newSeal(NEW_KEY), Date.now())).rejects.toThrow(
      'ENCRYPTION_KEY is not the key',
    );
    const total = Object.values(before).reduce((sum, count) => sum + count, 0);
    expect(await rotate(both)).toEqual({ resealed: total, left: 0, unreadable: 0, firstUnreadable: null });
    // Again: nothing is left to do.
    expect(await rotate(both)).toMatchObject({ resealed: 0, left: 0 });

    const alone = newSeal(NEW_KEY);
    await verifyEncryptionKey(db, alone, Date.now());
    await expect(verifyEncryptionKey(db, newSeal(SEAL_KEY), Date.now())).rejects.toThrow(
      'ENCRYPTION_KEY is not the key',
    );
    for (const column of SEALED_COLUMNS) {
      // With an empty prefix of another format every row counts as older.
      for (const { names, sealed } of await readOlder(db, column, Buffer.from([0]), null, 1_000))
        for (const value of sealed) expect(alone.open(value, column.sealName(names))).not.toBe('');
    }
    const [member] = await db.query<{ phone: Buffer; phoneHash: Buffer }>(
      'select phone, phone_hash as "phoneHash" from members where phone_hash = $1',
      [hashOfPhone(alone, ada.phone)],
    );
    expect(member === undefined ? null : openPhone(alone, member)).toBe(ada.phone);
    const tokens = makeTokens({ ...context, seal: alone, issuer: () => context.address.base, memberIssuer: null });
    expect(await context.tokens.verify(await tokens.sign(ada.id))).toBe(ada.id);
    const [entry] = await db.query(`select action, detail from installation_audit order by audit_id limit 1`);
    expect(entry).toEqual({ action: 'encryption.rotate', detail: { resealed: total, left: 0, unreadable: 0 } });
  });

  it('leaves a value that a server changed meanwhile, and a value that opens with no key, and says so', async () => {
    const { db } = fixture.world;
    const third = newSeal(Buffer.alloc(32, 9), NEW_KEY);
    await verifyEncryptionKey(db, third, Date.now());
    const column = SEALED_COLUMNS.find(({ table }) => table === 'integrations');
    if (column === undefined) throw new Error('integrations have a sealed column');
    const [row] = await readOlder(db, column, third.currentPrefix, null, 1);
    if (row === undefined) throw new Error('there is an integration');
    const name = column.sealName(row.names);
    const foreign = newSeal(Buffer.alloc(32, 5)).seal('of another key', name);
    expect(await replaceSealed(db, column, row, [foreign])).toBe(true);
    expect(await replaceSealed(db, column, row, [third.seal('too late', name)])).toBe(false);
    const found = await rotate(third);
    expect(found).toMatchObject({ left: 1, unreadable: 1 });
    expect(found.firstUnreadable).toContain('integrations.secret of');
    // The installation keeps the key that it needs.
    await expect(verifyEncryptionKey(db, newSeal(Buffer.alloc(32, 9)), Date.now())).rejects.toThrow('ENCRYPTION_KEY');
    await verifyEncryptionKey(db, newSeal(NEW_KEY), Date.now());
  });
});

it('the keys of the sandbox processor change once while the key is replaced, whichever key is first', () => {
  const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const steps = [[old], [old, next], [next, old], [next]].map((keys) => sandboxKeysOf(keys).test.secret);
  expect(new Set(steps).size).toBe(2);
  expect(steps.filter((key, n) => n > 0 && key !== steps[n - 1])).toHaveLength(1);
  const back = [[next], [next, old], [old, next], [old]].map((keys) => sandboxKeysOf(keys).test.secret);
  expect(back.filter((key, n) => n > 0 && key !== back[n - 1])).toHaveLength(1);
});
