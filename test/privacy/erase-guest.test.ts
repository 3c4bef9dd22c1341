// What `everyshare guest erase` must not touch, and what it must not miss: other people with the same name, values that
// programs read, deliveries that are still to be applied or sent again, and names that only an earlier run knew.

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { countErasureNotes, removeErasureNotes } from '../../src/base/erasure-notes.ts';
import { SEALED_COLUMNS } from '../../src/cli/encryption.ts';
import { bodyRow } from '../../src/domain/hooks/receive.ts';
import { eraseGuest } from '../../src/domain/privacy/erase-guest.ts';
import { type GuestFixture, ORIGIN, openGuestFixture, type Person } from '../guests/guest-fixture.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';

// Each erasure reads every sealed value of the database.
vi.setConfig({ testTimeout: 60_000 });

let fixture: GuestFixture;
let cli: CommandLine;
let integrationId: string;

beforeAll(async () => {
  fixture = await openGuestFixture({});
  cli = commandLine(fixture.world);
  const { json } = await fixture.world.call('POST', '/v1/integrations', {
    key: fixture.key,
    body: { provider: 'custom' },
  });
  integrationId = json.data.id;
});
afterAll(() => fixture.world.close());

/** A canceled checkout with a party of the two, and the id of the checkout. */
async function canceledParty(one: Person, other: Person, overrides: Record<string, unknown> = {}): Promise<string> {
  const id = await fixture.checkout({ party_size: 2, ...overrides });
  const { status, text } = await fixture.party(id, one, [{ user_id: other.id }]);
  expect(status, text).toBe(200);
  const headers = { 'idempotency-key': `cancel ${id}` };
  await fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, { key: fixture.key, headers });
  return id;
}

/** What a venue system sent. */
async function storeDelivery(id: string, status: string, body: string): Promise<void> {
  const { db, context } = fixture.world;
  await db.query(
    `insert into inbound_deliveries (venue_id, delivery_id, integration_id, received_at, dedup_hash, body, status, due_at)
     values ($1, $2, $3, now(), $4, $5, $6, case when $6 = 'pending' then now() + interval '1 day' end)`,
    [
      fixture.venueId,
      id,
      integrationId,
      Buffer.from(id),
      context.seal.seal(body, bodyRow(fixture.venueId, id)),
      status,
    ],
  );
}

async function readDelivery(id: string): Promise<string> {
  const { db, context } = fixture.world;
  const [row] = await db.query<{ body: Buffer }>('select body from inbound_deliveries where delivery_id = $1', [id]);
  return context.seal.open(row?.body ?? Buffer.alloc(0), bodyRow(fixture.venueId, id));
}

const eventsOf = (checkoutId: string) =>
  fixture.world.db.query<{ id: string; data: string; createdAt: string }>(
    `select event_id as id, data::text as data, created_at as "createdAt" from events where subject = $1 order by sequence`,
    [checkoutId],
  );

it('a guest named Test changes no mode, status or address in events, stored answers and deliveries', async () => {
  const [test, other] = [await fixture.createPerson('Test'), await fixture.createPerson('Live')];
  const id = await canceledParty(test, other, { description: 'Party of Test', return_url: `${ORIGIN}/test` });
  await storeDelivery('hkd_test', 'ignored', `{"mode":"test","note":"Test","phone":"${test.phone}"}`);
  await storeDelivery('hkd_other', 'ignored', '{"mode":"test","name":"Test"}');
  await cli.json('guest', 'erase', test.phone);
  const events = await eventsOf(id);
  expect(events.length).toBeGreaterThan(1);
  for (const { data } of events) {
    expect(data).toContain('"test"');
    expect(data).not.toMatch(/Party of Test|"display_name": ?"Test"/);
  }
  const again = await fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, {
    key: fixture.key,
    headers: { 'idempotency-key': `cancel ${id}` },
  });
  expect(again.json).toMatchObject({ mode: 'test', description: 'Party of [erased]', return_url: `${ORIGIN}/test` });
  expect(await readDelivery('hkd_test')).toBe('{"mode":"test","note":"[erased]","phone":"[erased]"}');
  expect(await readDelivery('hkd_other')).toBe('{"mode":"test","name":"Test"}');
});

it('another guest of the same name in the party keeps the name', async () => {
  const [one, other] = [await fixture.createPerson('Ben'), await fixture.createPerson('Ben')];
  await canceledParty(one, other);
  await cli.json('guest', 'erase', one.phone);
  const names = await fixture.world.db.query(
    'select display_name from members where member_id = any($1) order by member_id = $2',
    [[one.id, other.id], other.id],
  );
  expect(names).toEqual([{ display_name: null }, { display_name: 'Ben' }]);
});

it('a delivery that is not applied yet stays as it came, the command says so, and the same command later finds the erased name in it', async () => {
  const [guest, other] = [await fixture.createPerson('Lena Quill'), await fixture.createPerson('Other')];
  await canceledParty(guest, other);
  const body = '{ "what": "Lena Quill 4", "id": 12345678901234567890 }';
  await storeDelivery('hkd_other_guest', 'pending', body);
  const failed = await cli.run('guest', 'erase', guest.phone);
  expect(failed.exit).toBe(1);
  expect(failed.err).toContain('1 deliveries of venue systems that name the guest are not applied yet');
  expect(await readDelivery('hkd_other_guest')).toBe(body);
  await fixture.world.db.query(
    `update inbound_deliveries set status = 'ignored', due_at = null where delivery_id = 'hkd_other_guest'`,
  );
  await cli.json('guest', 'erase', guest.phone);
  expect(await readDelivery('hkd_other_guest')).toBe('{ "what": "[erased] 4", "id": 12345678901234567890 }');
  expect(await fixture.world.db.query('select 1 from guest_erasures')).toEqual([]);
});

it('a run that was stopped after its transaction is taken up by the same command, with the names that it erased', async () => {
  const [guest, other] = [await fixture.createPerson('Crash Dummy'), await fixture.createPerson('Other')];
  await canceledParty(guest, other);
  await storeDelivery('hkd_crash', 'ignored', '{"who":"Crash Dummy"}');
  const { db } = fixture.world;
  const broken = { ...db, query: () => Promise.reject(new Error('the process was killed')) };
  const stopped = eraseGuest(
    { ...broken, transaction: db.transaction.bind(db) } as typeof db,
    fixture.world.command(),
    { phone: guest.phone },
    SEALED_COLUMNS,
  );
  await expect(stopped).rejects.toThrow('the process was killed');
  const [member] = await db.query('select display_name from members where member_id = $1', [guest.id]);
  expect(member).toEqual({ display_name: null });
  await cli.json('guest', 'erase', guest.phone);
  expect(await readDelivery('hkd_crash')).toBe('{"who":"[erased]"}');
});

it('a webhook that is being tried again keeps its bytes: the erasure refuses, names it, and erases nothing', async () => {
  const [guest, other] = [await fixture.createPerson('Retry Rita'), await fixture.createPerson('Other')];
  const id = await canceledParty(guest, other);
  const { db } = fixture.world;
  const { json } = await fixture.world.call('POST', '/v1/webhook_endpoints', {
    key: fixture.key,
    body: { url: 'https://partner.example/hook', events: ['checkout.canceled'] },
  });
  const endpoint: string = json.data?.id ?? json.id;
  const event = (await eventsOf(id)).at(-1);
  if (event === undefined) throw new Error('there is no event');
  await db.query(
    `insert into deliveries (venue_id, endpoint_id, event_id, type, status, attempts, due_at, ends_at, last_response, created_at)
     values ($1, $2, $3, 'checkout.canceled', 'pending', 1, now() + interval '1 hour', now() + interval '2 days',
       'no room for Retry Rita', $4::timestamptz)`,
    [fixture.venueId, endpoint, event.id, event.createdAt],
  );
  const line = await cli.line(1, 'guest', 'erase', guest.phone);
  expect(line).toContain(`${event.id} to ${endpoint}`);
  expect(line).toContain('Nothing was erased');
  expect((await eventsOf(id)).at(-1)?.data).toBe(event.data);
  const [member] = await db.query('select display_name from members where member_id = $1', [guest.id]);
  expect(member).toEqual({ display_name: 'Retry Rita' });
  // The remedy: the endpoint is deleted. What it answered is erased all the same.
  await fixture.world.call('DELETE', `/v1/webhook_endpoints/${endpoint}`, { key: fixture.key });
  await cli.json('guest', 'erase', guest.phone);
  const [delivery] = await db.query('select last_response from deliveries where event_id = $1 and endpoint_id = $2', [
    event.id,
    endpoint,
  ]);
  expect(delivery).toEqual({ last_response: 'no room for [erased]' });
});

it('a mail address leads to the bookings whose words have it', async () => {
  const mail = 'only.mail@example.com';
  const id = await fixture.checkout({
    metadata: { contact: mail },
    return_url: `${ORIGIN}/thanks?email=only.mail%40example.com&step=2`,
  });
  expect(await cli.line(1, 'guest', 'erase', mail)).toContain(id);
  await fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, { key: fixture.key });
  await cli.json('guest', 'erase', mail);
  const { json } = await fixture.world.call('GET', `/v1/checkouts/${id}`, { key: fixture.key });
  expect(json).toMatchObject({
    metadata: { contact: '[erased]' },
    return_url: `${ORIGIN}/thanks?email=%5Berased%5D&step=2`,
  });
  expect((await eventsOf(id)).filter(({ data }) => /only\.mail/.test(data))).toEqual([]);
});

it('the audit log has no reason of a refund, and that of an earlier release is removed', async () => {
  const [guest, other] = [await fixture.createPerson('Audit Ann'), await fixture.createPerson('Other')];
  const id = await canceledParty(guest, other);
  const { db } = fixture.world;
  await db.query(
    `insert into audit_log (venue_id, audit_id, at, actor, via, action, subject, detail)
     values ($1, $2, now(), 'key', 'api', 'checkout.refund', $3, '{"amount": 5, "reason": "Audit Ann was ill"}')`,
    [fixture.venueId, randomUUID(), id],
  );
  await cli.json('guest', 'erase', guest.phone);
  expect(
    await db.query(`select detail from audit_log where subject = $1 and action = 'checkout.refund'`, [id]),
  ).toEqual([{ detail: { amount: 5 } }]);
  const change = db.transaction(async (tx) => {
    await tx.query(`select set_config('everyshare.erase_guest', 'on', true)`);
    await tx.query(`update audit_log set actor = 'other' where subject = $1`, [id]);
  });
  await expect(change).rejects.toThrow(/audit_log is append-only/);
});

it('a guest without a phone is exported and erased by member id', async () => {
  const [guest, other] = [await fixture.createPerson('Issuer Ida'), await fixture.createPerson('Other')];
  const { db } = fixture.world;
  await db.query('update members set phone = null, phone_hash = null where member_id = $1', [guest.id]);
  const id = await canceledParty(guest, other);
  const found = await cli.json<{ people: { id: string }[] }>('guest', 'export', guest.id);
  expect(found.people.map((each) => each.id)).toEqual([guest.id]);
  await cli.json('guest', 'erase', guest.id);
  expect((await eventsOf(id)).filter(({ data }) => data.includes('Issuer Ida'))).toEqual([]);
  const [member] = await db.query('select display_name from members where member_id = $1', [guest.id]);
  expect(member).toEqual({ display_name: null });
});

it('a row that opens with no key is counted and named, and stops neither an export nor the rest of an erasure', async () => {
  const [guest, other] = [await fixture.createPerson('Key Kim'), await fixture.createPerson('Other')];
  await canceledParty(guest, other);
  await storeDelivery('hkd_a_lost', 'ignored', '{}');
  await storeDelivery('hkd_b_kim', 'ignored', '{"who":"Key Kim"}');
  const { db } = fixture.world;
  await db.query(`update inbound_deliveries set body = '\\x0200' where delivery_id = 'hkd_a_lost'`);
  const found = await cli.json<{ unreadable: string[] }>('guest', 'export', guest.phone);
  expect(found.unreadable).toEqual([`inbound_deliveries ${fixture.venueId} hkd_a_lost`]);
  const { exit, err } = await cli.run('guest', 'erase', guest.phone);
  expect(exit).toBe(1);
  expect(err).toContain('hkd_a_lost');
  expect(await readDelivery('hkd_b_kim')).toBe('{"who":"[erased]"}');
  await db.query(`delete from inbound_deliveries where delivery_id = 'hkd_a_lost'`);
  await cli.json('guest', 'erase', guest.phone);
  expect(await db.query('select 1 from guest_erasures')).toEqual([]);
});

it('an erasure is noted beside the backups, encrypted, and a guest whom a restore brought back is erased again', async () => {
  const [guest, other] = [await fixture.createPerson('Return Ruth'), await fixture.createPerson('Other')];
  await canceledParty(guest, other);
  const { db, context } = fixture.world;
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-notes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const before = await db.query('select display_name, phone, phone_hash from members where member_id = $1', [guest.id]);
  const since = new Date(context.clock.now()).toISOString();
  const { note } = await cli.json<{ note: string }>('guest', 'erase', guest.phone, '--backups', folder);
  expect(note.startsWith(join(folder, 'erasures'))).toBe(true);
  expect(readFileSync(note, 'latin1')).not.toContain(guest.phone);
  expect(await countErasureNotes(folder, Date.parse(since))).toBe(1);
  // The restored database has the guest again.
  await db.query('update members set display_name = $2, phone = $3, phone_hash = $4 where member_id = $1', [
    guest.id,
    ...Object.values(before[0] ?? {}),
  ]);
  const later = new Date(context.clock.now() + 3_600_000).toISOString();
  expect(await cli.json('guest', 'erase-again', folder, '--since', later)).toMatchObject({ notes: 0, guests: 0 });
  expect(await cli.json('guest', 'erase-again', folder, '--since', since)).toMatchObject({
    notes: 1,
    guests: 1,
    left: [],
  });
  const after = await db.query('select display_name, phone from members where member_id = $1', [guest.id]);
  expect(after).toEqual([{ display_name: null, phone: null }]);
  await removeErasureNotes(folder, Date.parse(later));
  expect(readdirSync(join(folder, 'erasures'))).toEqual([]);
});

it('a note that opens with no key is named, and a time that is none is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-notes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'erasures'));
  writeFileSync(join(folder, 'erasures', '2026-11-18T09-00-00-000Z-0123456789ab'), 'damaged');
  const { exit, err } = await cli.run('guest', 'erase-again', folder, '--since', '2026-11-18T08:00:00Z');
  expect([exit, err]).toEqual([1, expect.stringContaining('0123456789ab opens with none of the keys')]);
  expect(await cli.line(2, 'guest', 'erase-again', folder, '--since', 'yesterday')).toContain('"--since" is no time');
});

it('an erasure whose note cannot be written says that the guest is erased, and what to do', async () => {
  const guest = await fixture.createPerson('Note Nora');
  expect(await cli.line(1, 'guest', 'erase', guest.phone, '--backups', '/dev/null')).toMatch(
    /The guest was erased, but that could not be noted .* run this again/,
  );
});
