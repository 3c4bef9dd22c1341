// The text messages that guests get while a party pays: reminders, released and lost holds, completion.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
import { applyKeyword } from '../../src/domain/members/messages/apply-keyword.ts';
import { queueMessage } from '../../src/domain/members/messages/queue.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { sealPhone } from '../../src/domain/members/phone.ts';
import { PROCESSOR_KEYS } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { type GuestFixture, openGuestFixture, type Person } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({});
});
afterAll(() => fixture.world.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Runs the worker's notification and message steps until nothing is due. */
async function notifyAndSend(): Promise<void> {
  const { services } = fixture.world.context;
  await runUntilIdle('notifying guests', () => notifyDueGuests(services, 100));
  await runUntilIdle('sending messages', () => sendDueMessages({ ...services, sender: sandboxSender }, 100));
}

/** A zone in which it is this hour now. */
function zoneWhereItIs(hour: number): string {
  const offset = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
}

async function collecting(hour = 12, overrides: Record<string, unknown> = {}) {
  const [ada, sam, kim] = [
    await fixture.createPerson('Ada'),
    await fixture.createPerson('Sam'),
    await fixture.createPerson('Kim'),
  ];
  const offering = await fixture.offering(zoneWhereItIs(hour));
  const payBy = Date.now() + 4 * DAY;
  const id = await fixture.checkout({
    party_size: 3,
    offering_external_id: offering,
    pay_by: new Date(payBy).toISOString(),
    ...overrides,
  });
  const response = await fixture.party(id, ada, [{ user_id: sam.id }, { user_id: kim.id }]);
  expect(response.status, response.text).toBe(200);
  const shares = response.json.shares as { id: string; url: string }[];
  await notifyAndSend();
  return { ada, sam, kim, id, payBy, shares, of: (index: number) => shares[index]?.id ?? '' };
}

const kinds = async (person: Person): Promise<string[]> =>
  (await fixture.outbox(person.phone)).map(({ kind }) => kind).reverse();
const newest = async (person: Person): Promise<string> => (await fixture.outbox(person.phone))[0]?.text ?? '';

describe('a reminder', () => {
  it('goes to unpaid members a day after the invite and 24 and 3 hours before pay_by, once each', async () => {
    const { ada, sam, kim, id, payBy, of } = await collecting();
    await fixture.pay(await fixture.hold(of(1), sam));
    await notifyAndSend();
    expect([await kinds(ada), await kinds(sam), await kinds(kim)]).toEqual([[], ['invite'], ['invite']]);
    const steps: [number, number][] = [
      [Date.now() + DAY + 60_000, 1],
      [Date.now() + DAY + 2 * HOUR, 1],
      [payBy - DAY + 60_000, 2],
      [payBy - 3 * HOUR + 60_000, 3],
      [payBy - HOUR, 3],
    ];
    for (const [to, count] of steps) {
      expect((await fixture.advance(id, to)).status).toBe(200);
      await Promise.all([notifyAndSend(), notifyAndSend()]);
      expect(await kinds(kim)).toEqual(['invite', ...Array(count).fill('reminder')]);
      expect(await kinds(ada)).toEqual(Array(count).fill('reminder'));
      expect(await kinds(sam)).toEqual(['invite']);
    }
    expect(await newest(kim)).toMatch(
      /^Your share of Cabana 3 at Harbor Club is still open: \$33\.33, by .+\/s\/\w{24}/,
    );
    expect(await newest(ada)).toMatch(/^Your own share/);
  });

  it('is sent in the morning, not at night, in the venue’s time', async () => {
    const { kim, id } = await collecting(23);
    await fixture.advance(id, Date.now() + DAY + 60_000);
    await notifyAndSend();
    expect(await kinds(kim)).toEqual(['invite']);
    await fixture.advance(id, Date.now() + DAY + 8 * HOUR);
    await notifyAndSend();
    expect(await kinds(kim)).toEqual(['invite']);
    await fixture.advance(id, Date.now() + DAY + 9 * HOUR + 60_000);
    await notifyAndSend();
    expect(await kinds(kim)).toEqual(['invite', 'reminder']);
  });

  it('is not sent at night by a worker that comes back late, however many wait', async () => {
    const { services } = fixture.world.context;
    const late = Date.now() - 60_000;
    for (let n = 0; n < 7; n++) {
      const request = {
        memberId: null,
        ...sealPhone(services.seal, `+1415555${2700 + n}`),
        kind: 'reminder',
        text: 'x',
      } as const;
      await fixture.world.db.transaction((tx) =>
        queueMessage(tx, services, { ...request, subject: `late ${n}`, dueAt: late - 60_000, sendBefore: late }),
      );
    }
    await sendDueMessages({ ...services, sender: sandboxSender }, 2);
    const statuses = async () => {
      const rows = await fixture.world.db.query<{ status: string }>(
        "select status from messages where subject like 'late %'",
      );
      return rows.map(({ status }) => status).sort();
    };
    expect(await statuses()).toEqual([...Array(2).fill('dropped'), ...Array(5).fill('waiting')]);
    await runUntilIdle('dropping late messages', async () => {
      const before = (await statuses()).filter((status) => status === 'waiting').length;
      await sendDueMessages({ ...services, sender: sandboxSender }, 2);
      return before - (await statuses()).filter((status) => status === 'waiting').length;
    });
    expect(await statuses()).toEqual(Array(7).fill('dropped'));
  });

  it('is not sent after STOP, nor when the checkout has ended meanwhile', async () => {
    const { kim, sam, id } = await collecting();
    await applyKeyword(fixture.world.db, { seal: fixture.world.context.seal, now: Date.now() }, kim.phone, 'STOP');
    await fixture.advance(id, Date.now() + DAY + 60_000);
    await runUntilIdle('notifying guests', () => notifyDueGuests(fixture.world.context.services, 100));
    // It waits in the queue, and then the venue cancels.
    expect((await fixture.outbox(sam.phone, 'reminder')).map(({ status }) => status)).toEqual(['waiting']);
    await fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, { key: fixture.key });
    await notifyAndSend();
    expect((await fixture.outbox(sam.phone, 'reminder')).map(({ status }) => status)).toEqual(['dropped']);
    expect(await kinds(kim)).toEqual(['invite']);
  });

  it('is never due for a party of test members', async () => {
    const id = await fixture.checkout();
    await fixture.world.call('POST', `/v1/test_helpers/checkouts/${id}/complete`, { key: fixture.key });
    const rows = await fixture.world.db.query('select notify_at from checkouts where checkout_id = $1', [id]);
    expect(rows).toEqual([{ notify_at: null }]);
  });
});

/** Pays a share; returns the payment intent. */
async function payShare(share: string, person: Person): Promise<string> {
  const response = await fixture.hold(share, person);
  await fixture.pay(response);
  return String(response.json.client_secret).split('_secret_')[0] ?? '';
}

/** The processor cancels the hold. */
async function loseHold(intent: string): Promise<void> {
  const response = await fetch(`${fixture.world.processor.url}/v1/payment_intents/${intent}/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PROCESSOR_KEYS.test.secret}` },
  });
  expect(response.status).toBe(200);
}

describe('a guest gets a message', () => {
  it('that the checkout expired: payers that the hold is released, others that nothing was charged', async () => {
    const { ada, sam, kim, id, of } = await collecting();
    await fixture.pay(await fixture.hold(of(1), sam));
    await fixture.world.call('POST', `/v1/test_helpers/checkouts/${id}/expire`, { key: fixture.key });
    await Promise.all([notifyAndSend(), notifyAndSend()]);
    expect([await kinds(ada), await kinds(sam), await kinds(kim)]).toEqual([
      ['ended'],
      ['invite', 'released'],
      ['invite', 'ended'],
    ]);
    for (const person of [ada, kim]) {
      expect(await newest(person)).toMatch(
        /^Not everyone paid in time for Cabana 3 at Harbor Club\. You were not charged/,
      );
    }
    expect(await newest(sam)).toContain('Your hold of $33.33 is released and nothing was charged.');
    const rows = await fixture.world.db.query('select notify_at from checkouts where checkout_id = $1', [id]);
    expect(rows).toEqual([{ notify_at: null }]);
  });

  it('that the hold was released when the venue canceled: one to each payer, with the total', async () => {
    const { ada, sam, kim, id, of } = await collecting();
    await fixture.pay(await fixture.hold(of(1), ada));
    await fixture.pay(await fixture.hold(of(0), ada));
    await fixture.world.call('POST', `/v1/checkouts/${id}/cancel`, { key: fixture.key });
    await notifyAndSend();
    // A covered or unpaid member gets the cancellation, without a word about a hold.
    expect([await kinds(ada), await kinds(sam), await kinds(kim)]).toEqual([
      ['released'],
      ['invite', 'ended'],
      ['invite', 'ended'],
    ]);
    for (const person of [sam, kim]) {
      expect(await newest(person)).toMatch(/^Cabana 3 at Harbor Club was canceled\. You were not charged anything\./);
    }
    expect(await newest(ada)).toMatch(/^Cabana 3 at Harbor Club was canceled\. Your hold of \$66\.67 is released/);
  });

  it('that the hold was released when the party changed', async () => {
    const { ada, sam, kim, id, of } = await collecting();
    await fixture.pay(await fixture.hold(of(1), sam));
    await fixture.pay(await fixture.hold(of(2), kim));
    await fixture.party(id, ada, [{ user_id: kim.id }], { custom: { organizer: 6_667, [kim.id]: 3_333 } });
    await notifyAndSend();
    expect(await kinds(sam)).toEqual(['invite', 'released']);
    expect(await newest(sam)).toMatch(/^Ada changed who pays for Cabana 3/);
    expect(await kinds(kim)).toEqual(['invite']);
    await fixture.party(id, ada, [{ user_id: sam.id }, { user_id: kim.id }]);
    await notifyAndSend();
    expect(await kinds(sam)).toEqual(['invite', 'released', 'invite']);
  });

  it('that the hold was lost and must be paid again, each time', async () => {
    const { ada, sam, kim, id, of } = await collecting();
    await loseHold(await payShare(of(1), sam));
    await fixture.world.db.query("update holds set due_at = to_timestamp(0) where status = 'held'");
    await fixture.world.work();
    await Promise.all([notifyAndSend(), notifyAndSend()]);
    expect(await kinds(sam)).toEqual(['invite', 'lost']);
    // The second loss is found when every share is held.
    await payShare(of(0), ada);
    await loseHold(await payShare(of(1), sam));
    await payShare(of(2), kim);
    expect((await fixture.view(id, ada)).status).toBe('collecting');
    await notifyAndSend();
    expect(await kinds(sam)).toEqual(['invite', 'lost', 'lost']);
    expect(await newest(sam)).toMatch(/^Your bank has let go of your hold of \$33\.33 .+ Please pay again by .+\/s\//);
    await fixture.pay(await fixture.hold(of(1), sam));
    await notifyAndSend();
    expect(await fixture.view(id, sam)).toMatchObject({ status: 'completed' });
    expect([await kinds(ada), await kinds(kim)]).toEqual([['completed'], ['invite', 'completed']]);
  });

  it('that the hold with which they covered a share was lost, with the page where they can cover it again', async () => {
    const { ada, sam, id, of } = await collecting();
    await loseHold(await payShare(of(1), ada));
    await fixture.world.db.query("update holds set due_at = to_timestamp(0) where status = 'held'");
    await fixture.world.work();
    await notifyAndSend();
    expect([await kinds(ada), await kinds(sam)]).toEqual([['lost'], ['invite']]);
    // Not the invite, which is Sam's own.
    expect(await newest(ada)).toContain(`/c/${id}`);
    expect(await newest(ada)).not.toContain('/s/');
  });

  it('that everyone is in, and who covered the share', async () => {
    const { ada, sam, kim, of } = await collecting();
    await fixture.pay(await fixture.hold(of(1), sam));
    await fixture.pay(await fixture.hold(of(2), ada));
    await fixture.pay(await fixture.hold(of(0), ada));
    await Promise.all([notifyAndSend(), notifyAndSend()]);
    expect([await kinds(ada), await kinds(sam), await kinds(kim)]).toEqual([
      ['completed'],
      ['invite', 'completed'],
      ['invite', 'completed'],
    ]);
    expect(await newest(ada)).toMatch(/^Everyone is in! .+ Your card was charged \$66\.67\./);
    expect(await newest(kim)).toContain('Ada covered your share.');
  });
});

describe('in the sandbox', () => {
  it('a phone that replies STOP on the outbox page gets nothing more until START', async () => {
    const { sam, kim, ada, id, of } = await collecting();
    const reply = (word: string) =>
      fixture.world.call('POST', '/sandbox/outbox', {
        body: new URLSearchParams({ phone: sam.phone, answer: word }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const page = await fixture.world.call('GET', '/sandbox/outbox');
    expect(page.text).toContain('name="answer" value="STOP"');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    const response = await reply('STOP');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sandbox/outbox']);
    await fixture.pay(await fixture.hold(of(1), sam));
    expect((await fixture.party(id, ada, [{ user_id: kim.id }])).status).toBe(200);
    await notifyAndSend();
    expect(await kinds(sam)).toEqual(['invite']);
    await reply('START');
    await fixture.party(await fixture.checkout(), ada, [{ user_id: sam.id }]);
    await notifyAndSend();
    expect((await fixture.outbox(sam.phone)).map(({ kind, status }) => [kind, status])[0]).toEqual(['invite', 'sent']);
  });
});
