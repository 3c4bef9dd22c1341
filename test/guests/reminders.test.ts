// The times of reminders (never in quiet hours, before the invite or after pay_by) and the decision about
// notifications.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideNotifications,
  type NotificationInput,
  type NotifiedShare,
} from '../../src/domain/checkouts/notifications/decide-notifications.ts';
import { inviteProgress } from '../../src/domain/checkouts/notifications/invite-progress.ts';
import { afterQuietHours, nextQuietHours, remindersFor } from '../../src/domain/checkouts/notifications/reminders.ts';
import { runs } from '../support/random-runs.ts';

const at = (text: string): number => Date.parse(text);
const reminderTimes = (invited: string, payBy: string, zone: string): string[] =>
  remindersFor(at(invited), at(payBy), zone).map(({ name, at }) => `${name} ${new Date(at).toISOString()}`);

const HOUR = 3_600_000;
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Europe/Berlin'];

function hourIn(zone: string, time: number): number {
  const text = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone: zone }).format(time);
  return Number(text);
}

describe('reminders', () => {
  it('come a day after the invite, a day before pay_by and three hours before', () => {
    expect(reminderTimes('2026-11-16T15:00:00Z', '2026-11-20T18:00:00Z', 'UTC')).toEqual([
      'day-after 2026-11-17T15:00:00.000Z',
      'day-before 2026-11-19T18:00:00.000Z',
      'hours-before 2026-11-20T15:00:00.000Z',
    ]);
  });

  it('wait for the morning in the venue’s zone', () => {
    // Invited at 23:00 in New York, to pay by 10:00.
    expect(reminderTimes('2026-11-17T04:00:00Z', '2026-11-20T15:00:00Z', 'America/New_York')).toEqual([
      'day-after 2026-11-18T13:00:00.000Z',
      'day-before 2026-11-19T15:00:00.000Z',
      'hours-before 2026-11-20T13:00:00.000Z',
    ]);
  });

  it('come the evening before when the morning is too late', () => {
    expect(reminderTimes('2026-11-10T12:00:00Z', '2026-11-20T07:30:00Z', 'UTC')).toContain(
      'hours-before 2026-11-19T20:44:00.000Z',
    );
  });

  it('that would come before the invite are left out', () => {
    expect(reminderTimes('2026-11-20T10:00:00Z', '2026-11-20T18:00:00Z', 'UTC')).toEqual([
      'hours-before 2026-11-20T15:00:00.000Z',
    ]);
    expect(reminderTimes('2026-11-20T16:00:00Z', '2026-11-20T18:00:00Z', 'UTC')).toEqual([]);
  });

  it('within half an hour of each other are one', () => {
    expect(reminderTimes('2026-11-16T12:00:00Z', '2026-11-18T12:05:00Z', 'UTC')).toEqual([
      'day-before 2026-11-17T12:05:00.000Z',
      'hours-before 2026-11-18T09:05:00.000Z',
    ]);
  });

  it('are outside quiet hours, in order, after the invite and before pay_by, in every zone and through daylight saving time', {
    tags: ['slow'],
  }, () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') }),
        fc.integer({ min: 1, max: 20 * 24 * 60 }),
        fc.constantFrom(...ZONES),
        (invited, minutes, zone) => {
          const payBy = invited + minutes * 60_000;
          const moments = remindersFor(invited, payBy, zone);
          for (const [index, { at: moment }] of moments.entries()) {
            expect(moment).toBeGreaterThan(invited);
            expect(moment).toBeLessThan(payBy);
            expect(hourIn(zone, moment)).toBeGreaterThanOrEqual(8);
            expect(hourIn(zone, moment)).toBeLessThan(21);
            if (index > 0) expect(moment).toBeGreaterThanOrEqual(moments[index - 1]?.at ?? 0);
          }
        },
      ),
      runs(2_000, 100, 400),
    );
  });

  it('wait for eight o’clock also when daylight saving time begins or ends in that night', () => {
    const morning = afterQuietHours(at('2026-03-08T04:00:00Z'), 'America/New_York');
    expect(new Date(morning).toISOString()).toBe('2026-03-08T12:00:00.000Z');
    expect(afterQuietHours(at('2026-11-16T12:00:00Z'), 'UTC')).toBe(at('2026-11-16T12:00:00Z'));
  });
});

describe('the next quiet hours', () => {
  it('begin at nine in the evening of the same day in the venue’s zone, also when daylight saving time begins or ends', () => {
    const next = (text: string, zone: string) => new Date(nextQuietHours(at(text), zone)).toISOString();
    expect(next('2026-11-16T12:34:56.789Z', 'UTC')).toBe('2026-11-16T21:00:00.000Z');
    expect(next('2026-11-16T20:59:59.999Z', 'UTC')).toBe('2026-11-16T21:00:00.000Z');
    expect(next('2026-11-16T15:00:00Z', 'America/New_York')).toBe('2026-11-17T02:00:00.000Z');
    for (const zone of ZONES) {
      for (let time = at('2026-10-01T00:00:00Z'); time < at('2027-05-01T00:00:00Z'); time += 31 * HOUR) {
        const day = afterQuietHours(time, zone);
        const night = nextQuietHours(day, zone);
        expect([hourIn(zone, night), night % 60_000, night > day, night - day <= 14 * HOUR]).toEqual([
          21,
          0,
          true,
          true,
        ]);
      }
    }
  });
});

describe('the progress of an invite', () => {
  const text = { kind: 'invite', status: 'sent', at: 1_000 } as const;

  it('is the last thing that is known of it', () => {
    const facts = { openedAt: null, remindedAt: null };
    expect(inviteProgress({ ...facts, text: null })).toBe(null);
    expect(inviteProgress({ ...facts, text })).toEqual({ state: 'texted', at: 1_000 });
    expect(inviteProgress({ ...facts, text: { ...text, kind: 'reminder' } })?.state).toBe('reminded');
    expect(inviteProgress({ ...facts, text: { ...text, status: 'waiting' } })?.state).toBe('queued');
    for (const status of ['failed', 'dropped'] as const)
      expect(inviteProgress({ ...facts, text: { ...text, status } })?.state).toBe('undelivered');
    expect(inviteProgress({ ...facts, openedAt: 2_000, text })).toEqual({ state: 'opened', at: 2_000 });
    expect(inviteProgress({ ...facts, openedAt: 2_000, text: null })?.state).toBe('opened');
  });

  it('asks for nothing when a later text fails for a guest who has opened the invite', () => {
    const facts = { openedAt: 500, remindedAt: 1_000 };
    expect(inviteProgress({ ...facts, text: { ...text, status: 'failed' } })).toEqual({ state: 'opened', at: 500 });
    expect(inviteProgress({ ...facts, text: { ...text, kind: 'reminder' } })).toEqual({ state: 'reminded', at: 1_000 });
  });
});

describe('a decision about notifications', () => {
  const share = (id: string, overrides: Partial<NotifiedShare> = {}): NotifiedShare => ({
    id,
    memberId: `member-${id}`,
    amount: 5_000,
    status: 'invited',
    isOrganizer: id === 'a',
    invitedAt: at('2026-11-16T12:00:00Z'),
    remindedAt: null,
    lostAt: null,
    droppedAt: null,
    dropReason: null,
    isAccepted: false,
    displayName: null,
    ...overrides,
  });
  const notificationInput = (overrides: Partial<NotificationInput> = {}): NotificationInput => ({
    id: 'chk',
    status: 'collecting',
    payBy: at('2026-11-20T12:00:00Z'),
    clockAhead: 0,
    zone: 'UTC',
    shares: [share('a'), share('b')],
    payers: new Map(),
    refusedRenewals: [],
    hasOpenSeat: false,
    ...overrides,
  });
  const keys = (decided: ReturnType<typeof decideNotifications>) =>
    decided.notifications.map(({ key, subject }) => `${key} ${subject}`);

  it('has one reminder when several are overdue, and the time of the next one', () => {
    const decided = decideNotifications(notificationInput({ shares: [share('b')] }), at('2026-11-19T13:00:00Z'));
    expect(keys(decided)).toEqual(['text.reminder b day-before']);
    expect(decided).toMatchObject({ reminded: ['b'], next: at('2026-11-20T09:00:00Z') });
    const repeated = decideNotifications(
      notificationInput({ shares: [share('b', { remindedAt: at('2026-11-19T13:00:00Z') })] }),
      at('2026-11-19T13:00:01Z'),
    );
    expect(repeated.notifications).toEqual([]);
  });

  it('leaves out a reminder that follows another one, such as the organizer’s, within half an hour', () => {
    const decide = (remindedAt: string) =>
      keys(
        decideNotifications(
          notificationInput({ shares: [share('b', { remindedAt: at(remindedAt) })] }),
          at('2026-11-19T12:00:01Z'),
        ),
      );
    expect(decide('2026-11-19T11:31:00Z')).toEqual([]);
    expect(decide('2026-11-19T11:29:00Z')).toEqual(['text.reminder b day-before']);
  });

  it('says until when a reminder is useful: until the night, or until pay_by', () => {
    const bounds = (now: string, clockAhead = 0) =>
      decideNotifications(
        notificationInput({ shares: [share('b')], clockAhead }),
        at(now) - clockAhead,
      ).notifications.map(({ sendBefore = 0 }) => new Date(sendBefore).toISOString());
    expect(bounds('2026-11-19T13:00:00Z')).toEqual(['2026-11-19T21:00:00.000Z']);
    expect(bounds('2026-11-20T09:00:00Z')).toEqual(['2026-11-20T12:00:00.000Z']);
    expect(bounds('2026-11-20T09:00:00Z', 24 * HOUR)).toEqual(['2026-11-19T12:00:00.000Z']);
  });

  it('waits for the morning when the worker is late and it is night', () => {
    const decided = decideNotifications(notificationInput(), at('2026-11-17T22:00:00Z'));
    expect(decided).toEqual({ notifications: [], reminded: [], next: at('2026-11-18T08:00:00Z') });
  });

  it('has no reminder for a paid share, a share of 0 or an ended checkout', () => {
    const paid = [share('a', { status: 'held' }), share('b', { amount: 0 })];
    expect(decideNotifications(notificationInput({ shares: paid }), at('2026-11-19T13:00:00Z'))).toMatchObject({
      notifications: [],
      next: 'later',
    });
    for (const status of ['completed', 'expired', 'canceled'] as const) {
      const decided = decideNotifications(
        notificationInput({ status, shares: [share('b')] }),
        at('2026-11-19T13:00:00Z'),
      );
      expect(decided.notifications.filter(({ kind }) => kind === 'reminder')).toEqual([]);
      expect(decided.next).toBe('never');
    }
    expect(decideNotifications(notificationInput({ status: 'funded' }), at('2026-11-19T13:00:00Z'))).toMatchObject({
      notifications: [],
      next: 'later',
    });
  });

  it('notifies each payer once, with the total of all shares paid', () => {
    const payers = new Map([['b', 'member-a']]);
    const captured = [share('a', { status: 'captured' }), share('b', { status: 'captured' })];
    const done = decideNotifications(
      notificationInput({ status: 'completed', shares: captured, payers }),
      at('2026-11-19T13:00:00Z'),
    );
    expect(done.notifications).toMatchObject([
      { key: 'text.completed', memberId: 'member-a', amount: 10_000, shareId: 'a' },
      { key: 'text.completed_covered', memberId: 'member-b', payerId: 'member-a' },
    ]);
    const released = captured.map((one) => ({ ...one, status: 'released' as const }));
    const ended = decideNotifications(
      notificationInput({ status: 'expired', shares: released, payers }),
      at('2026-11-21T13:00:00Z'),
    );
    expect(ended.notifications).toMatchObject([
      { key: 'text.expired', memberId: 'member-a', amount: 10_000 },
      { key: 'text.expired_unpaid', memberId: 'member-b' },
    ]);
  });

  it('notifies of both when a payer’s card was charged and held, and the checkout did not complete', () => {
    const payers = new Map([['b', 'member-a']]);
    const shares = [share('a', { status: 'captured' }), share('b', { status: 'released' })];
    const ended = decideNotifications(
      notificationInput({ status: 'canceled', shares, payers }),
      at('2026-11-19T13:00:00Z'),
    );
    expect(ended.notifications.map(({ key }) => key)).toEqual([
      'text.returned',
      'text.canceled',
      'text.canceled_unpaid',
    ]);
    expect(new Set(ended.notifications.map(({ subject }) => subject)).size).toBe(3);
  });

  it('notifies every invited member of the end, and the organizer even with nothing to pay', () => {
    const shares = [
      share('a', { amount: 0, status: 'released' }),
      share('b', { status: 'failed' }),
      share('c', { amount: 0 }),
    ];
    const ended = decideNotifications(notificationInput({ status: 'expired', shares }), at('2026-11-21T13:00:00Z'));
    expect(ended.notifications).toMatchObject([
      { kind: 'ended', key: 'text.expired_unpaid', memberId: 'member-a' },
      { kind: 'ended', key: 'text.expired_unpaid', memberId: 'member-b' },
    ]);
  });

  it('asks for another card after a refused renewal, by night only if the hold lapses before the morning', () => {
    const renewal = { shareId: 'b', holdId: 'hold', refusedAt: at('2026-11-17T01:00:00Z'), endsAt: 0 };
    const decide = (now: string, endsAt: string) => {
      const refusedRenewals = [{ ...renewal, endsAt: at(endsAt) }];
      const shares = [share('a', { status: 'held' }), share('b', { status: 'held' })];
      return decideNotifications(notificationInput({ shares, refusedRenewals }), at(now));
    };
    expect(decide('2026-11-17T02:00:00Z', '2026-11-18T01:00:00Z')).toMatchObject({
      notifications: [],
      next: at('2026-11-17T08:00:00Z'),
    });
    const asked = { kind: 'lost', key: 'text.renewal', subject: 'hold renewal', memberId: 'member-b' };
    const endsAt = '2026-11-17T05:00:00Z';
    expect(decide('2026-11-17T02:00:00Z', endsAt).notifications).toMatchObject([{ ...asked, until: at(endsAt) }]);
    expect(decide('2026-11-17T08:00:00Z', '2026-11-18T01:00:00Z').notifications).toMatchObject([asked]);
    expect(decide('2026-11-17T08:00:00Z', '2026-11-17T07:00:00Z').notifications).toEqual([]);
  });

  it('notifies of a changed party or a lost hold for a day', () => {
    const now = at('2026-11-17T11:00:00Z');
    const shares = [
      share('a'),
      share('b', { status: 'failed', lostAt: now - HOUR }),
      share('c', { status: 'released', droppedAt: now - HOUR }),
      share('d', { status: 'released', droppedAt: now - 25 * HOUR }),
      share('e', { status: 'failed', lostAt: now - 25 * HOUR }),
    ];
    expect(keys(decideNotifications(notificationInput({ shares }), now))).toEqual([
      'text.changed c',
      `text.lost b ${now - HOUR}`,
    ]);
  });

  describe('about a guest who has left', () => {
    const now = at('2026-11-17T11:00:00Z');
    const left = (overrides: Partial<NotifiedShare> = {}): NotifiedShare =>
      share('b', { droppedAt: now - HOUR, dropReason: 'declined', displayName: 'Ben', ...overrides });
    const decide = (dropped: NotifiedShare, more: Partial<NotificationInput> = {}, when = now) =>
      decideNotifications(notificationInput({ shares: [share('a'), dropped], hasOpenSeat: true, ...more }), when);
    const notified = (decided: ReturnType<typeof decideNotifications>) =>
      decided.notifications.map(({ key, memberId }) => `${key} to ${memberId}`);

    it('tells the organizer who it was and that a seat is open, for a day', () => {
      expect(decide(left()).notifications).toMatchObject([
        { kind: 'declined', key: 'text.declined', memberId: 'member-a', guestName: 'Ben', subject: 'chk member-b' },
      ]);
      expect(decide(left(), { hasOpenSeat: false }).notifications).toEqual([]);
      expect(decide(left({ droppedAt: now - 25 * HOUR })).notifications).toEqual([]);
      expect(decide(left(), { status: 'funded' }).notifications).toEqual([]);
    });

    it('tells each payer of a released hold, and an organizer who paid only once', () => {
      const held = { status: 'released' } as const;
      expect(notified(decide(left(held)))).toEqual(['text.left to member-b', 'text.withdrawn to member-a']);
      expect(notified(decide(left(held), { payers: new Map([['b', 'member-a']]) }))).toEqual([
        'text.declined_covered to member-a',
      ]);
      expect(notified(decide(left({ ...held, amount: 0 })))).toEqual(['text.declined to member-a']);
      // The payer is notified in any state: the money is the payer's.
      expect(notified(decide(left(held), { status: 'expired' }))).toContain('text.left to member-b');
    });

    it('tells a removed guest who had acted on the invite, or whose hold is released', () => {
      const removed = { dropReason: 'removed' } as const;
      expect(notified(decide(left(removed)))).toEqual([]);
      expect(notified(decide(left({ ...removed, isAccepted: true })))).toEqual(['text.removed to member-b']);
      const held = { ...removed, isAccepted: true, status: 'released' } as const;
      expect(notified(decide(left(held)))).toEqual(['text.changed to member-b']);
      expect(notified(decide(left(held), { payers: new Map([['b', 'member-a']]) }))).toEqual([
        'text.changed to member-a',
        'text.removed to member-b',
      ]);
    });

    it('waits for the morning, unless the deadline is before', () => {
      const night = at('2026-11-17T02:00:00Z');
      const dropped = left({ droppedAt: night - HOUR });
      expect(decide(dropped, {}, night)).toMatchObject({ notifications: [], next: at('2026-11-17T08:00:00Z') });
      expect(notified(decide(dropped, { payBy: at('2026-11-17T06:00:00Z') }, night))).toContain(
        'text.declined to member-a',
      );
      expect(notified(decide(dropped, {}, at('2026-11-17T08:00:00Z')))).toContain('text.declined to member-a');
    });
  });
});
