// The program itself refuses a transition that does not exist, before it sends a statement.

import { expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { writeSteps } from '../../src/domain/checkouts/write-steps.ts';
import { dropTransfer, finishMovement, type MovementRow } from '../../src/domain/payments/movement-queries.ts';
import { MOVEMENT_TRANSITIONS, type MovementStatus } from '../../src/domain/payments/transitions.ts';

const noDatabase: Queryable = {
  query: () => {
    throw new Error('a statement was sent');
  },
};

it('a hold that is not capturing or releasing is not recorded as captured', async () => {
  const checkout = { venueId: 'v', id: 'chk', mode: 'test', currency: 'usd' } as Parameters<typeof writeSteps>[2];
  const context = { now: 0 } as Parameters<typeof writeSteps>[1];
  const step = {
    step: 'record captures',
    holds: [{ id: 'h', from: 'held', chargeId: null, processorFee: null }],
  } as const;
  await expect(writeSteps(noDatabase, context, checkout, [step])).rejects.toThrow(
    'a hold cannot go from held to captured',
  );
});

it('a transfer that was sent is not dropped', async () => {
  const statuses = Object.keys(MOVEMENT_TRANSITIONS) as MovementStatus[];
  const refused: MovementStatus[] = [];
  for (const from of statuses) {
    const error: unknown = await dropTransfer(noDatabase, 'v', { id: 'm', from, amount: 1 }).catch((reason) => reason);
    if (String(error) === `Error: a movement cannot go from ${from} to dropped`) refused.push(from);
  }
  expect(refused).toEqual(['sending', 'pending', 'done', 'owed', 'dropped', 'closed']);
});

it('a movement ends as done or failed and in no other way', async () => {
  const outcome = { status: 'dropped' as 'done', processorId: null, error: null };
  await expect(finishMovement(noDatabase, {} as MovementRow, outcome, 0)).rejects.toThrow(
    'a movement cannot go from sending to dropped',
  );
});
