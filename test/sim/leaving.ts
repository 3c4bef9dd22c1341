// Guests who say no or give up a held place, at any moment: beside the last hold, a renewal, a cancel, the deadline, or
// another guest who leaves. Mostly another guest takes the seat and pays.

import { isUnavailable } from '../../src/base/db.ts';
import { decideLeave } from '../../src/domain/checkouts/party/decide-leave.ts';
import { decideUnderLock } from '../../src/domain/checkouts/payment-services.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { Violation } from './scheduler.ts';
import { type Simulation, servicesFor } from './simulation.ts';

/** In a stream of its own: a seed without a guest who leaves runs as if there were no such guests. */
export function startLeaving(simulation: Simulation, startGuest: (memberId: string) => void): void {
  const random = new SeededRandom(simulation.seed, 'leaving');
  const count = random.weighed([
    [7, 0],
    [2, 1],
    [1, 2],
  ] as const);
  for (let number = 0; number < count; number++) startLeaver(simulation, number, random, startGuest);
}

function startLeaver(
  simulation: Simulation,
  number: number,
  random: SeededRandom,
  startGuest: (memberId: string) => void,
): void {
  const { scheduler, ids } = simulation;
  const prefersHeld = random.often(0.7);
  scheduler.startActor(`leaver ${number}`, 'api', async (actor) => {
    const { payments } = servicesFor(simulation, actor);
    for (let times = random.between(1, 3); times > 0; times--) {
      const from = scheduler.step + random.between(2, 70);
      await scheduler.waitForStep(
        actor,
        'waits',
        () => scheduler.step >= from && sharesToLeave(simulation, prefersHeld).length > 0,
      );
      const shares = sharesToLeave(simulation, prefersHeld);
      const share = shares[random.below(Math.max(1, shares.length))];
      if (share === undefined) continue;
      const seat = { shareId: ids.prefixed('shr'), memberId: ids.uuid() };
      try {
        const hasLeft = await decideUnderLock(payments, simulation.venue.id, share.checkout, (checkout, now) => {
          const reason = random.often(0.7) ? 'declined' : 'removed';
          const request = { shareId: share.id, reason, isSeat: false, mayReleaseHold: true, seen: null } as const;
          const decided = decideLeave(checkout, request, now, seat);
          if ('refusal' in decided) return { steps: [], result: false };
          if (checkout.status !== 'collecting')
            throw new Violation(`a guest left a checkout that is ${checkout.status}`);
          return { steps: decided.steps, result: true };
        });
        if (hasLeft !== true) continue;
        requireReleased(simulation, share.id);
        if (random.often(0.8)) startGuest(seat.memberId);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
      }
    }
  });
}

/** The shares of the newest checkout whose guests may try to leave. */
function sharesToLeave({ invariants: { current, newestCheckoutId } }: Simulation, prefersHeld: boolean) {
  const checkout = current.checkouts.find(({ id }) => id === newestCheckoutId);
  if (checkout?.status !== 'collecting') return [];
  // The organizer is refused.
  const shares = current.shares.filter((share) => share.checkout === checkout.id && !share.isDropped);
  return prefersHeld ? shares.filter(({ status }) => status === 'held') : shares;
}

/** A guest who has left has no hold that could still be charged. */
function requireReleased({ invariants: { current } }: Simulation, shareId: string): void {
  const live = current.holds.filter(
    ({ share, status }) => share === shareId && ['requested', 'open', 'held', 'capturing'].includes(status),
  );
  if (live.length > 0) throw new Violation(`a guest left share ${shareId}, and its hold is ${live[0]?.status}`);
}
