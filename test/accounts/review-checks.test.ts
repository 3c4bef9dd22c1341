// The checks beside an object that waits for review: each says what a reviewer must look at.

import { describe, expect, it } from 'vitest';
import { checksOf } from '../../web/console/desk/review-checks.ts';
import { BOAT, EVENT, OFFERING } from '../support/review-samples.ts';

const failing = (kind: 'offering' | 'event' | 'boat', content: object): string[] =>
  checksOf(kind, content as Record<string, unknown>)
    .filter(({ isGood }) => !isGood)
    .map(({ text }) => text);

describe('the checks of a review', () => {
  it('find nothing in a good boat and a good event', () => {
    expect(failing('boat', BOAT)).toEqual([]);
    expect(failing('event', EVENT)).toEqual([]);
  });

  it.each([
    ['Call us at +1 (305) 555-0100.', 'A phone number in the text'],
    ['Write to ada@harbor.example first.', 'A link or mail address in the text'],
    ['Cheaper at www.harbor.example', 'A link or mail address in the text'],
  ])('find a contact in “%s”', (description, expected) => {
    expect(failing('boat', { ...BOAT, description })).toEqual([expect.stringContaining(expected)]);
  });

  it.each(['For 4 to 6 people, from 10:30 to 14:00.', 'Built in 2019, 42 ft, 12 guests.'])(
    'take “%s” for no contact',
    (description) => {
      expect(failing('boat', { ...BOAT, description })).toEqual([]);
    },
  );

  it('find missing and unencrypted pictures, and prices that are 0 or far apart', () => {
    expect(failing('offering', OFFERING)).toEqual(['It has no pictures']);
    expect(failing('boat', { ...BOAT, photo_urls: ['http://cdn.fleet.example/1.jpg'] })).toEqual([
      'A picture without https: http://cdn.fleet.example/1.jpg',
    ]);
    expect(failing('boat', { ...BOAT, pricing: [{ amount: 0 }] })).toEqual(['A price is 0']);
    expect(failing('boat', { ...BOAT, pricing: [{ amount: 100 }, { amount: 120_000 }] })).toEqual([
      'One price is more than twenty times another',
    ]);
  });
});
