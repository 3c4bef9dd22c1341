// A database with data of an earlier release is upgraded to this one: nothing is lost, the checkout that was open goes on,
// and the schema is the one that a new database gets.

import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { dumpSchema } from '../../migrations/schema-dump.ts';
import { type Db, openDb } from '../../src/base/db.ts';
import { migrate } from '../../src/base/migrate.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { readFunctions, readMigrations, schemaFolders } from '../../src/base/schema-files.ts';
import { friendsOf } from '../../src/domain/members/friend-queries.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { openTestWorld } from '../support/test-world.ts';

// Applies every migration since the eighteenth.
vi.setConfig({ testTimeout: 90_000 });

const FOLDERS = schemaFolders(packageRoot);
/** The last migration before functions had files of their own. */
const LAST_WITH_FUNCTIONS = 18;

const VENUE = randomUUID();
const CHECKOUT = 'co_upgrade00000000000000';
/** Its party was named, and only the organizer has acted. */
const NAMED_CHECKOUT = 'co_upgrade00000000000001';
const [ADA, KIM, SAM] = [randomUUID(), randomUUID(), randomUUID()];
const CONTENT = {
  amount: 9_000,
  currency: 'usd',
  party_size: 2,
  pay_by: new Date(Date.now() + 86_400_000).toISOString(),
  description: 'Cabana 3',
  return_url: 'https://harbor.example/bookings/1',
  external_booking_id: 'bk-upgrade',
};

/** Migrations up to `LAST_WITH_FUNCTIONS`, as that release had them. */
async function migrateToEarlierRelease(url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'everyshare-upgrade-'));
  for (const { name, version } of readMigrations(FOLDERS))
    if (version <= LAST_WITH_FUNCTIONS) copyFileSync(join(FOLDERS.migrations, name), join(folder, name));
  await migrate(url, { migrations: folder, functions: [] });
  rmSync(folder, { recursive: true });
}

/** Ada has named Sam's phone: that release stored Sam's name with the share, and made Sam a friend. */
async function writeNamedPhone(db: Db): Promise<void> {
  await db.query(
    `select create_checkout($1, 'test', $2, 'evt_upgrade3', 'key-2', '\\x02', $3, 'https://pay.example/c/2', now(), true)`,
    [VENUE, NAMED_CHECKOUT, JSON.stringify({ ...CONTENT, external_booking_id: 'bk-upgrade-2' })],
  );
  await db.query(
    `insert into members (member_id, display_name, phone_hash, phone, joined_at, created_at)
     select id, name, name::bytea, name::bytea, now(), now() from unnest($1::uuid[], $2::text[]) as n(id, name)`,
    [
      [ADA, KIM, SAM],
      ['Ada', 'Kim', 'Sam'],
    ],
  );
  await db.query(
    `insert into friends (member_id, friend_id, last_at) values ($1, $2, now()), ($2, $1, now()), ($1, $3, now()), ($3, $1, now())`,
    [ADA, KIM, SAM],
  );
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into shares (venue_id, share_id, checkout_id, place, amount, status, is_organizer, member_id, display_name, invited_at)
       values ($1, 'shr_named0', $2, 0, 4500, 'invited', true, $3, 'Ada', now()),
         ($1, 'shr_named1', $2, 1, 4500, 'invited', false, $4, 'Sam', now())`,
      [VENUE, NAMED_CHECKOUT, ADA, SAM],
    );
    await tx.query("update checkouts set status = 'collecting', organizer_id = $2 where checkout_id = $1", [
      NAMED_CHECKOUT,
      ADA,
    ]);
  });
}

/** A venue with a fee, an event, and a collecting checkout of two shares with holds, written as that release did. */
async function writeEarlierData(db: Db): Promise<void> {
  await db.query(
    `insert into venues (venue_id, name, origins, fee_bps, fee_fixed, created_at)
     values ($1, 'Harbor Club', $2, 250, 30, now())`,
    [VENUE, ['https://harbor.example']],
  );
  await db.query(
    `insert into venues (venue_id, name, origins, linked_at, created_at) values ($1, 'Linked Club', $2, now(), now())`,
    [randomUUID(), ['http://localhost:3000', 'https://linked.example']],
  );
  const [created] = await db.query<{ outcome: string }>(
    `select outcome from create_checkout($1, 'test', $2, 'evt_upgrade1', 'key-1', '\\x01', $3,
       'https://pay.example/c/1', now(), true)`,
    [VENUE, CHECKOUT, JSON.stringify(CONTENT)],
  );
  expect(created?.outcome).toBe('created');
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into shares (venue_id, share_id, checkout_id, place, amount, status, is_organizer, member_id, invited_at)
       select $1, 'shr_upgrade' || place, $2, place, 4500, 'invited', place = 0, ($3::uuid[])[place + 1], now()
       from generate_series(0, 1) place`,
      [VENUE, CHECKOUT, [ADA, KIM]],
    );
    await tx.query("update checkouts set status = 'collecting', organizer_id = $2 where venue_id = $1", [VENUE, ADA]);
    await tx.query(
      `insert into holds (venue_id, hold_id, checkout_id, share_id, mode, status, amount, currency, keeps_card, due_at,
         created_at)
       select $1, gen_random_uuid(), $2, 'shr_upgrade' || number, 'test', 'asked', 4500, 'usd', false, now(), now()
       from generate_series(0, 1) number`,
      [VENUE, CHECKOUT],
    );
    await tx.query("update holds set status = 'gone', due_at = null where share_id = 'shr_upgrade1'");
    await tx.query("select tell_checkout($1, $2, 'evt_upgrade2', 'checkout.collecting', null, now())", [
      VENUE,
      CHECKOUT,
    ]);
  });
}

const dumpOf = (db: Db): Promise<string> =>
  dumpSchema(async <Row>(sql: string) => (await db.query(sql)) as Row[], readFunctions(FOLDERS), packageRoot);

it('a database of migration 18 with an open checkout is upgraded: the checkout completes, only https origins of linked venues count in live mode, names of members who were only named are hidden, and the schema is the newest', async () => {
  const url = await createTestDatabase('upgrade', 'empty');
  await migrateToEarlierRelease(url);
  const earlier = openDb({ url, connections: 2, pooled: false, applicationName: 'test' });
  await writeEarlierData(earlier);
  await writeNamedPhone(earlier);
  await earlier.close();
  const newer = readMigrations(FOLDERS).filter(({ version }) => version > LAST_WITH_FUNCTIONS);
  expect(await migrate(url, FOLDERS)).toBe(newer.length + readFunctions(FOLDERS).length);

  const [upgraded, fresh] = [await openTestWorld({ databaseUrl: url }), await openTestWorld()];
  expect(await dumpOf(upgraded.db)).toBe(await dumpOf(fresh.db));
  const venues = await upgraded.db.query('select name, origins, live_origins from venues order by name');
  expect(venues).toEqual([
    { name: 'Harbor Club', origins: ['https://harbor.example'], live_origins: [] },
    {
      name: 'Linked Club',
      origins: ['http://localhost:3000', 'https://linked.example'],
      live_origins: ['https://linked.example'],
    },
  ]);
  const holds = await upgraded.db.query<{ status: string }>('select status from holds order by share_id');
  expect(holds.map(({ status }) => status)).toEqual(['requested', 'voided']);
  const { key } = await upgraded.key(VENUE);
  const path = `/v1/checkouts/${CHECKOUT}`;
  const before = await upgraded.call('GET', path, { key });
  expect(before.json).toMatchObject({ status: 'collecting', amount: 9_000, fee_amount: 255 });
  const replay = await upgraded.db.query<{ response: string }>('select response from idempotency_keys');
  expect(replay).toHaveLength(2);
  const namesIn = async (id: string) =>
    (await upgraded.call('GET', `/v1/checkouts/${id}`, { key })).json.shares.map(
      (share: { display_name: string | null }) => share.display_name,
    );
  // Kim has asked for a hold, and Sam was only named: Sam's name is hidden, and Sam is no friend any more.
  expect([await namesIn(CHECKOUT), await namesIn(NAMED_CHECKOUT)]).toEqual([
    ['Ada', 'Kim'],
    ['Ada', null],
  ]);
  expect(await friendsOf(upgraded.db, ADA, 10)).toEqual([{ id: KIM, displayName: 'Kim' }]);
  expect(await friendsOf(upgraded.db, SAM, 10)).toEqual([]);
  await upgraded.call('POST', `/v1/test_helpers/checkouts/${CHECKOUT}/hold`, { key, body: {} });
  await upgraded.work();
  expect((await upgraded.call('GET', path, { key })).json).toMatchObject({ status: 'completed' });
  const events = await upgraded.db.query<{ type: string }>(
    'select type from events where subject = $1 order by sequence',
    [CHECKOUT],
  );
  expect(events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['checkout.created', 'checkout.collecting', 'checkout.completed']),
  );
  await Promise.all([upgraded.close(), fresh.close()]);
});
