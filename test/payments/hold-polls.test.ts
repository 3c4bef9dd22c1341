// When an open hold is polled: rarely once it is old, but shortly before its checkout expires in any case.

import { expect, it } from 'vitest';
import { nextPollAt } from '../../src/domain/checkouts/holds/hold-steps.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

it('an open hold is polled 30 and 2 seconds before its checkout expires, however old it is', () => {
  const hold = { createdAt: 0 };
  const expiresAt = 2 * HOUR + 8 * MINUTE;
  const polls = [2 * HOUR];
  while ((polls.at(-1) ?? 0) < expiresAt) polls.push(nextPollAt(hold, polls.at(-1) ?? 0, expiresAt));
  expect(polls.slice(1, 3)).toEqual([expiresAt - 30 * SECOND, expiresAt - 2 * SECOND]);
  expect(polls).toHaveLength(4);
});

it('long before that, the older it is the longer the wait, up to half an hour', () => {
  const waits = [0, MINUTE, 20 * MINUTE, 10 * HOUR].map((age) => nextPollAt({ createdAt: 0 }, age, 9_999 * HOUR) - age);
  expect(waits).toEqual([20 * SECOND, 30 * SECOND, 10 * MINUTE, 30 * MINUTE]);
});
