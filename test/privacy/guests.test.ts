// `everyshare guest export` and `guest erase`: a guest goes through the API, so that names, phone and mail address get into
// every table they can reach; after the erasure no column of the database has them, and the books are as before.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../../src/base/db.ts';
import { SEALED_COLUMNS } from '../../src/cli/encryption.ts';
import { eventsAbout, replaceEventData } from '../../src/domain/events/privacy-queries.ts';
import { bodyRow } from '../../src/domain/hooks/receive.ts';
import { type GuestFixture, ORIGIN, openGuestFixture, type Person } from '../guests/guest-fixture.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { waitFor } from '../support/wait-for.ts';

const NAME = 'Adelheid Quintessa';
const TYPED = 'Heidi Quint';
const MAIL = 'adelheid.q@example.com';

let fixture: GuestFixture;
let cli: CommandLine;
let ada: Person;
let ben: Person;
let checkoutId: string;

/** Every row of every table as text: rows of partitions are those of their tables. */
async function wholeDatabase(): Promise<Map<string, string>> {
  const { db } = fixture.world;
  const tables = await db.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await db.query<{ text: string }>(`select t::text as text from ${name} t`);
    texts.set(name, rows.map(({ text }) => text).join('\n'));
  }
  return texts;
}

/** Sealed values hide what they hold from a search, so they are opened for it. */
async function openedValues(): Promise<string[]> {
  const { db, context } = fixture.world;
  const texts: string[] = [];
  for (const { table, column, key, needs = [], isArray, sealName } of SEALED_COLUMNS) {
    if (isArray === true) continue;
    const names = [...key, ...needs].map((name) => `'${name}', to_jsonb(${name})`).join(', ');
    const rows = await db.query<{ names: Record<string, string>; sealed: Buffer }>(
      `select jsonb_build_object(${names}) as names, ${column} as sealed from ${table} where ${column} is not null`,
    );
    for (const row of rows) texts.push(`${table}.${column} ${context.seal.open(row.sealed, sealName(row.names))}`);
  }
  return texts;
}

const books = (): Promise<Row[]> =>
  fixture.world.db.query(
    `select 'entry' as kind, kind as name, amount, checkout_id from ledger_entries
     union all select 'share', status, amount, checkout_id from shares
     union all select 'checkout', status, amount, checkout_id from checkouts
     union all select 'hold', status, amount, checkout_id from holds order by 1, 2, 3, 4`,
  );

beforeAll(async () => {
  fixture = await openGuestFixture({ env: { REQUEST_LOG: 'on' } });
  const { world, key } = fixture;
  cli = commandLine(world);
  [ada, ben] = [await fixture.createPerson(NAME), await fixture.createPerson('Ben')];
  await world.call('POST', '/v1/public/sign_in', { body: { phone: ada.phone } });
  // Ben names Ada's phone, with the name that he has for her.
  const other = await fixture.checkout({ party_size: 2, description: 'Table 4' });
  await fixture.party(other, ben, [{ phone: ada.phone, name: TYPED }]);
  await world.call('POST', `/v1/checkouts/${other}/cancel`, { key });
  checkoutId = await fixture.checkout({
    party_size: 2,
    amount: 8_000,
    description: `Birthday of ${NAME}`,
    metadata: { note: `call ${ada.phone}`, guest: NAME, mail: MAIL },
    return_url: `${ORIGIN}/thanks?email=${encodeURIComponent(MAIL)}&who=${encodeURIComponent(NAME)}`,
  });
  const { json } = await fixture.party(checkoutId, ada, [{ user_id: ben.id }]);
  await fixture.pay(await fixture.hold(json.shares[0].id, ada, { 'idempotency-key': 'ada-1' }));
  await fixture.pay(await fixture.hold(json.shares[1].id, ben));
  await world.work();
  const receipt = { key: ada.token, body: { email: MAIL } };
  expect((await world.call('POST', `/v1/public/checkouts/${checkoutId}/receipt`, receipt)).status).toBe(202);
  // A failed call of the partner, with the guest's data in a field that does not exist.
  await world.call('POST', '/v1/checkouts', { key, body: { amount: 'x', description: NAME, guest_mail: MAIL } });
  const logged = () => world.db.query('select from request_log where failure is not null');
  await waitFor('the call is logged', async () => (await logged()).length > 0);
  const refund = { key, body: { amount: 100, reason: `${NAME} was ill` }, headers: { 'idempotency-key': 'refund-1' } };
  await world.call('POST', `/v1/checkouts/${checkoutId}/refund`, refund);
  const integration = await world.call('POST', '/v1/integrations', { key, body: { provider: 'custom' } });
  await world.db.query(
    `insert into inbound_deliveries (venue_id, delivery_id, integration_id, received_at, dedup_hash, body, status)
     values ($1, 'hkd_privacy', $2, now(), '\\x01', $3, 'ignored')`,
    [
      fixture.venueId,
      integration.json.data.id,
      world.context.seal.seal(
        JSON.stringify({ event: 'booking', customer: { name: NAME, email: MAIL, phone: ada.phone } }),
        bodyRow(fixture.venueId, 'hkd_privacy'),
      ),
    ],
  );
});
afterAll(() => fixture.world.close());

describe('guest export', () => {
  it('has the names, shares, cards, texts, receipts and mentions of a guest, found by phone', async () => {
    const found = await cli.json<Record<string, Row[]>>('guest', 'export', ada.phone);
    expect(found.people?.map(({ display_name }) => display_name)).toContain(NAME);
    expect(found.shares?.map(({ display_name }) => display_name)).toContain(TYPED);
    expect(found.shares?.map(({ checkout }) => checkout)).toContain(checkoutId);
    expect(found.cards).toEqual([expect.objectContaining({ last4: '4242' })]);
    expect(found.texts?.length).toBeGreaterThan(0);
    expect(found.mails).toEqual([expect.objectContaining({ to: MAIL })]);
    expect(found.mentions).toContainEqual(expect.objectContaining({ table: 'inbound_deliveries' }));
  });

  it('has the receipts of a mail address, and no member', async () => {
    const found = await cli.json<Record<string, Row[]>>('guest', 'export', MAIL.toUpperCase());
    expect(found).toMatchObject({ people: [], shares: [], mail_addresses: [MAIL] });
    expect(found.bookings).toEqual([expect.objectContaining({ checkout: checkoutId })]);
    expect(found.mails).toHaveLength(1);
  });

  it('refuses what is neither a phone nor a mail address, before it opens the database', async () => {
    expect(await commandLine(null).line(2, 'guest', 'export', 'Ada')).toContain('+15550100042');
    expect(await commandLine(null).line(2, 'guest', 'erase', 'ada@')).toContain('ada@example.com');
  });
});

describe('guest erase', () => {
  it('refuses while a checkout of the guest has not ended, names it, and erases nothing', async () => {
    const open = await fixture.checkout({ party_size: 2 });
    await fixture.party(open, ada, [{ user_id: ben.id }]);
    expect(await cli.line(1, 'guest', 'erase', ada.phone)).toContain(open);
    const [row] = await fixture.world.db.query('select display_name from members where member_id = $1', [ada.id]);
    expect(row).toEqual({ display_name: NAME });
    await fixture.world.call('POST', `/v1/checkouts/${open}/cancel`, { key: fixture.key });
  });

  it('leaves no name, phone or mail address in any column of the database, sealed ones included, and keeps the books', async () => {
    const before = await books();
    // The phone leads to the mail address, by the guest's receipts.
    await cli.json('guest', 'erase', ada.phone);
    const digits = ada.phone.slice(2);
    const isLeft = (text: string): boolean =>
      [NAME, TYPED, MAIL, digits].some((each) => text.toLowerCase().includes(each.toLowerCase()));
    const tables = await wholeDatabase();
    expect([...tables].filter(([, text]) => isLeft(text)).map(([table]) => table)).toEqual([]);
    expect((await openedValues()).filter(isLeft)).toEqual([]);
    expect(await books()).toEqual(before);
  });

  it('keeps the names of others, and the booking as the partner reads it', async () => {
    const { json } = await fixture.world.call('GET', `/v1/checkouts/${checkoutId}`, { key: fixture.key });
    expect(json).toMatchObject({ status: 'completed', description: 'Birthday of [erased]' });
    expect(json.shares.map((share: { display_name: string | null }) => share.display_name)).toEqual([null, 'Ben']);
    const { json: log } = await fixture.world.call('GET', '/v1/events?limit=100', { key: fixture.key });
    expect(JSON.stringify(log)).toContain('Ben');
  });

  it('ends the guest’s sessions and tokens', async () => {
    const { status } = await fixture.world.call('GET', `/v1/public/checkouts/${checkoutId}`, { key: ada.token });
    expect(status).toBe(401);
  });

  it('is in the audit log with counts and without the phone, and a second run changes nothing', async () => {
    const audit = () =>
      fixture.world.db.query<{ detail: Row }>(
        `select detail from installation_audit where action = 'guest.erase' order by audit_id`,
      );
    const first = await audit();
    expect(first.map(({ detail }) => detail)).toEqual([
      expect.objectContaining({ people: expect.any(Number), events: expect.any(Number) }),
      expect.objectContaining({ sealed: expect.any(Number) }),
    ]);
    const again = await cli.run('guest', 'erase', ada.phone);
    expect(again).toMatchObject({ exit: 0, out: 'Nothing is stored about this guest.\n' });
    expect(await audit()).toHaveLength(2);
    expect(await fixture.world.db.query('select 1 from guest_erasures')).toEqual([]);
  });
});

it('an event can be changed by an erasure alone, and only its data', async () => {
  const { db } = fixture.world;
  const [event] = await eventsAbout(db, fixture.venueId, checkoutId);
  if (event === undefined) throw new Error('there is no event');
  await expect(replaceEventData(db, event)).rejects.toThrow(/events is append-only/);
  const change = db.transaction(async (tx) => {
    await tx.query(`select set_config('everyshare.erase_guest', 'on', true)`);
    await tx.query(`update events set type = 'other' where event_id = $1`, [event.id]);
  });
  await expect(change).rejects.toThrow(/events is append-only/);
});
