// The workers: two that move money, and two that bring events to the partners, each with the loops of the real worker, one
// at a time, whenever one of them would find something by the worker's own clock.

import { isTemporary, isUnavailable } from '../../src/base/db.ts';
import { captureDue } from '../../src/domain/checkouts/capture/capture.ts';
import { expireDue } from '../../src/domain/checkouts/expire.ts';
import { settleDueHolds } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { applyDueProcessorEvents } from '../../src/domain/payments/apply-processor-events.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { type ActorServices, type Simulation, servicesFor } from './simulation.ts';

const LOOPS = {
  expire: ({ payments: money }: ActorServices) => expireDue(money, 100),
  holds: ({ payments: money }: ActorServices) => settleDueHolds(money, 100),
  captures: ({ payments: money }: ActorServices) => captureDue(money, 50),
  movements: ({ payments: money }: ActorServices) => settleDueMovements(money, 100),
  notices: ({ payments: money }: ActorServices) => applyDueProcessorEvents(money, 50),
  dispatch: ({ payments: money }: ActorServices) => dispatchDue(money, 500),
  deliver: (services: ActorServices) => deliverDue(services.queues(), new AbortController().signal),
} as const;
type LoopName = keyof typeof LOOPS;
type Trade = 'worker' | 'postman';

/** Which loops of a trade would find something at this time. */
export function dueLoops({ invariants: { present } }: Simulation, trade: Trade, now: number): LoopName[] {
  const isDue = (due: number | null): boolean => due !== null && due <= now;
  const due: LoopName[] = [];
  if (trade === 'postman') {
    if (present.queue.length > 0) due.push('dispatch');
    if (present.lanes.some((lane) => isDue(hourOf(lane)))) due.push('deliver');
    return due;
  }
  if (present.checkouts.some(({ status, ends }) => (status === 'open' || status === 'collecting') && ends <= now))
    due.push('expire');
  if (present.holds.some((hold) => isDue(hold.due))) due.push('holds');
  if (present.checkouts.some((checkout) => checkout.status === 'funded' && isDue(checkout.due))) due.push('captures');
  if (present.movements.some((movement) => isDue(movement.due))) due.push('movements');
  if (present.notices.some((notice) => isDue(notice.due))) due.push('notices');
  return due;
}

/** When a lane may be taken, if there is something on it. */
export function hourOf({ due, free }: { readonly due: number | null; readonly free: number | null }): number | null {
  return due === null ? null : Math.max(due, free ?? due);
}

/** What the clock says that is furthest ahead among those of a trade. */
export function latestClock({ scheduler }: Simulation, trade: Trade): number {
  const skews = scheduler.actors.flatMap(({ kind, dead, skew }) => (kind === trade && !dead ? skew : []));
  return scheduler.now + (skews.length === 0 ? 0 : Math.max(...skews));
}

export function beginWorker(simulation: Simulation, name: string, trade: Trade): void {
  const { scheduler, random } = simulation;
  scheduler.begin(name, trade, async (actor) => {
    const services = servicesFor(simulation, actor);
    const dueNow = () => dueLoops(simulation, trade, services.payments.clock.now());
    // The scheduler bounds the steps of a seed.
    while (!actor.dead) {
      await scheduler.turn(actor, 'begins', () => dueNow().length > 0);
      const due = dueNow();
      const loop = due.length === 0 ? (trade === 'worker' ? 'holds' : 'dispatch') : random.pick(due);
      // What the other one is at is mostly left to it: two that find nothing prove little, but sometimes they must meet.
      const isTaken = [...simulation.working].some(([other, name]) => !other.dead && other !== actor && name === loop);
      if (isTaken && random.often(0.7)) continue;
      scheduler.note(`  ${loop}`);
      simulation.working.set(actor, loop);
      try {
        await LOOPS[loop](services);
      } catch (error) {
        // A real worker tells of a deadlock and comes back, too.
        if (!isUnavailable(error) && !(trade === 'postman' && isTemporary(error))) throw error;
      }
      simulation.working.delete(actor);
    }
  });
}
