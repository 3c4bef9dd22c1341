// TEXTS_PER_HOUR: the limit of the installation on texts. Sign-in codes go first, other messages wait and are not lost.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
import type { MessageKind } from '../../src/domain/members/messages/queries.ts';
import { queueMessages } from '../../src/domain/members/messages/queue.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { sealPhone } from '../../src/domain/members/phone.ts';
import { ageCalls } from '../support/age-calls.ts';
import { commandLine } from '../support/run-command.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { type GuestFixture, openGuestFixture, statusAndError } from './guest-fixture.ts';

/** Of ten texts an hour two are for codes alone. */
const PER_HOUR = 10;

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({ env: { TEXTS_PER_HOUR: String(PER_HOUR) } });
});
afterAll(() => fixture.world.close());
beforeEach(async () => {
  for (const table of ['messages', 'limit_calls', 'limit_windows', 'daily_uses'])
    await fixture.world.db.query(`delete from ${table}`);
});

let numbers = 0;
const newPhone = (): string => `+1213555${String(numbers++).padStart(4, '0')}`;
const step = (batch = 100): Promise<number> =>
  sendDueMessages({ ...fixture.world.context.services, sender: sandboxSender }, batch);
const send = () => runUntilIdle('sending messages', () => step());
const begin = (phone = newPhone()) => fixture.world.call('POST', '/v1/public/sign_in', { body: { phone } });

/** Messages of one kind, each to a phone of its own. */
async function queue(kind: MessageKind, count: number): Promise<void> {
  const { services } = fixture.world.context;
  const requests = Array.from({ length: count }, () => {
    const phone = newPhone();
    const dueAt = Date.now() - 1_000;
    return { ...sealPhone(services.seal, phone), kind, memberId: null, subject: phone, text: 'x', dueAt };
  });
  await fixture.world.db.transaction((tx) => queueMessages(tx, services, requests));
}

/** How many messages there are of each kind and status. */
async function counts(): Promise<Record<string, number>> {
  const rows = await fixture.world.db.query<{ name: string; n: number }>(
    "select kind || ' ' || status as name, count(*)::int as n from messages group by 1 order by 1",
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

const letAnHourPass = (): Promise<void> => ageCalls(fixture.world.db, 61 * 60_000);

describe('past four fifths of the limit', () => {
  it('invites, reminders and other messages wait, and are sent when the hour has room', async () => {
    await queue('invite', 7);
    await queue('reminder', 2);
    await queue('completed', 1);
    await send();
    expect(await counts()).toEqual({
      'invite sent': 7,
      'reminder sent': 1,
      'completed waiting': 1,
      'reminder waiting': 1,
    });
    await send();
    expect((await counts())['reminder waiting']).toBe(1);
    await letAnHourPass();
    await send();
    expect(await counts()).toEqual({ 'invite sent': 7, 'reminder sent': 2, 'completed sent': 1 });
  });

  it('sign-in codes are still sent, up to the whole limit; then sign-in says so and when', async () => {
    await queue('invite', 20);
    await send();
    for (let n = 0; n < 2; n++) expect((await begin()).status).toBe(200);
    await send();
    expect(await counts()).toEqual({ 'code sent': 2, 'invite sent': 8, 'invite waiting': 12 });
    const refused = await begin();
    expect(statusAndError(refused).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(refused.json.error.message).toMatch(
      /^This service has sent all texts that its operator allows in an hour\. Try again in \d+ seconds\.$/,
    );
    const seconds = Number(refused.headers.get('retry-after'));
    expect([seconds > 3_500, seconds <= 3_600]).toEqual([true, true]);
    await letAnHourPass();
    expect((await begin()).status).toBe(200);
  });

  it('a code is sent before two hundred invites that waited longer', async () => {
    await queue('invite', 200);
    await begin();
    await step(1);
    expect(await counts()).toEqual({ 'code sent': 1, 'invite sent': 1, 'invite waiting': 199 });
  });

  it('ten workers at once send exactly as many as the limit allows', { tags: ['slow'] }, async () => {
    await queue('invite', 40);
    await queue('code', 40);
    await Promise.all(Array.from({ length: 10 }, (_, n) => step(n + 1)));
    await send();
    const found = await counts();
    expect((found['code sent'] ?? 0) + (found['invite sent'] ?? 0)).toBe(PER_HOUR);
    expect(found['invite sent'] ?? 0).toBeLessThanOrEqual(8);
    expect(found['code waiting']).toBe(40 - (found['code sent'] ?? 0));
  });
});

describe('a message that waited too long', () => {
  it('is dropped if it is a code that has expired', async () => {
    expect((await begin()).status).toBe(200);
    await fixture.world.db.query(
      "update messages set due_at = due_at - interval '10 minutes', send_before = send_before - interval '10 minutes'",
    );
    await send();
    expect(await counts()).toEqual({ 'code dropped': 1 });
    expect(await fixture.world.db.query('select last_error from messages')).toEqual([{ last_error: 'too late' }]);
    expect(await fixture.world.db.query("select 1 from limit_calls where subject = 'texts'")).toEqual([]);
  });

  /** A party whose invites wait, because the limit is used up. */
  async function waitingParty() {
    await queue('lost', 8);
    await send();
    const [ada, sam, kim] = [
      await fixture.createPerson('Ada'),
      await fixture.createPerson('Sam'),
      await fixture.createPerson('Kim'),
    ];
    const payBy = Date.now() + 3 * 86_400_000;
    const id = await fixture.checkout({ party_size: 3, pay_by: new Date(payBy).toISOString() });
    const { json } = await fixture.party(id, ada, [{ phone: sam.phone }, { phone: kim.phone }]);
    await send();
    expect((await counts())['invite waiting']).toBe(2);
    return { id, ada, payBy, shares: json.shares as { id: string }[] };
  }
  const notify = () => runUntilIdle('notifying guests', () => notifyDueGuests(fixture.world.context.services, 100));
  const statusOf = async (shareId: string) => {
    const rows = await fixture.world.db.query<{ status: string }>('select status from messages where subject = $1', [
      shareId,
    ]);
    return rows[0]?.status;
  };

  it('is dropped if it asks for a share that is paid by now; the others are sent', async () => {
    const { ada, shares } = await waitingParty();
    await fixture.pay(await fixture.hold(shares[1]?.id ?? '', ada));
    await notify();
    await letAnHourPass();
    await send();
    expect([await statusOf(shares[1]?.id ?? ''), await statusOf(shares[2]?.id ?? '')]).toEqual(['dropped', 'sent']);
  });

  it('is dropped if its checkout has ended or its deadline has passed', async () => {
    const { id, shares, payBy } = await waitingParty();
    const bounds = await fixture.world.db.query<{ ms: number }>(
      "select distinct (extract(epoch from send_before) * 1000)::float8 as ms from messages where kind = 'invite'",
    );
    expect(bounds.map(({ ms }) => Math.abs(ms - payBy) < 1_000)).toEqual([true]);
    expect((await fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, { key: fixture.key })).status).toBe(200);
    await notify();
    await letAnHourPass();
    await send();
    for (const { id: share } of shares.slice(1)) expect(await statusOf(share)).toBe('dropped');
  });
});

describe('the limit is visible', () => {
  it('in /metrics, in doctor, and in the log once an hour', async () => {
    const { world } = fixture;
    const logged = () => world.logs.filter((line) => line.includes('TEXTS_PER_HOUR'));
    const doctor = async () => {
      const { out } = await commandLine(world).run('doctor', '--json');
      const { checks } = JSON.parse(out) as {
        checks: { name: string; ok: boolean; detail: string; remedy: string | null }[];
      };
      return checks.find(({ name }) => name === 'text_limit');
    };
    const metrics = async () =>
      (await world.call('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith('everyshare_texts'));
    world.logs.length = 0;
    expect(await doctor()).toMatchObject({ ok: true, remedy: null });
    await queue('invite', 20);
    for (let n = 0; n < 5; n++) await step();
    expect(await metrics()).toEqual([
      'everyshare_texts_per_hour_limit 10',
      'everyshare_texts_in_last_hour 8',
      'everyshare_texts_waiting{kind="code"} 0',
      'everyshare_texts_waiting{kind="other"} 12',
    ]);
    expect(await doctor()).toMatchObject({
      ok: true,
      detail: '8 of 10 texts in the last hour; waiting: 0 sign-in codes, 12 others; only sign-in codes are sent',
      remedy: expect.stringContaining('TEXTS_PER_HOUR'),
    });
    expect(logged()).toHaveLength(1);
    expect(JSON.parse(logged()[0] ?? '')).toMatchObject({ level: 'warn', limit: 8, waiting: { code: 0, other: 12 } });
    await queue('code', 5);
    for (let n = 0; n < 5; n++) await step();
    expect(await doctor()).toMatchObject({ ok: false, detail: expect.stringContaining('sign-in codes are not sent') });
    expect(logged().map((line) => JSON.parse(line).level)).toEqual(['warn', 'error']);
    await letAnHourPass();
    await queue('invite', 20);
    for (let n = 0; n < 5; n++) await step();
    expect(logged()).toHaveLength(3);
  });
});
