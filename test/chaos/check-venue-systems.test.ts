// Tests of the rules about reading back in a chaos run: each rule finds what breaks it.

import { describe, expect, it } from 'vitest';
import { checkEvents, checkMenuReads, countDisturbances, type EventRecord, titleOf } from './check-venue-systems.ts';
import type { TimelineEvent } from './timeline.ts';

const right: EventRecord = {
  id: '1',
  version: 4,
  isGone: false,
  isAcknowledged: true,
  offering: { title: titleOf(4), slots: 1 },
  shown: [1, 3, 3, 4],
};

const violations = (change: Partial<EventRecord>): string[] => {
  const rules: string[] = [];
  checkEvents([{ ...right, ...change }], (rule) => void rules.push(rule));
  return rules;
};

describe('a chaos run', () => {
  it('finds an event that was lost, and none that was read', () => {
    expect(violations({})).toEqual([]);
    expect(violations({ version: 12, offering: { title: titleOf(12), slots: 1 } })).toEqual([]);
    const lost = ['what a ping names is read'];
    expect(violations({ version: 5 })).toEqual(lost);
    expect(violations({ offering: null })).toEqual(lost);
    expect(violations({ offering: { title: titleOf(4), slots: 0 } })).toEqual(lost);
    expect(violations({ isGone: true })).toEqual(lost);
    expect(violations({ isGone: true, offering: { title: titleOf(4), slots: 0 } })).toEqual([]);
    expect(violations({ version: 5, isAcknowledged: false })).toEqual([]);
  });

  it('finds an older version that was applied after a newer one', () => {
    expect(violations({ shown: [1, 3, 2, 4] })).toEqual(['nothing that was read is applied out of order']);
  });

  it('finds a version that was read twice without a disturbance of a worker or of the database', () => {
    const check = (reads: number, isQuiet: boolean, disturbances: number): string[] => {
      const rules: string[] = [];
      checkMenuReads([{ version: 'v', reads, isQuiet }], disturbances, (rule) => void rules.push(rule));
      return rules;
    };
    expect(check(1, true, 0)).toEqual([]);
    expect(check(2, false, 1)).toEqual([]);
    expect(check(2, false, 0)).toEqual(['a version is read once']);
    expect(check(2, true, 9)).toEqual(['a version is read once']);
    expect(check(0, false, 9)).toEqual(['what a ping names is read']);
    const timeline = [
      { at: 1, who: 'worker-1', what: 'kill' },
      { at: 2, who: 'api-1', what: 'kill' },
      { at: 3, who: 'postgres', what: 'cut' },
      { at: 4, who: 'worker-2', what: 'done' },
    ] as TimelineEvent[];
    expect(countDisturbances(timeline)).toBe(2);
  });
});
