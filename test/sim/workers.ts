// The workers: two for payments and two for deliveries. Each runs the loops of the real worker one at a time, whenever
// a loop would find work by the worker's own clock.

import { isTemporary, isUnavailable } from '../../src/base/db.ts';
import { captureDue } from '../../src/domain/checkouts/capture/capture.ts';
import { applyDueProcessorEvents } from '../../src/domain/checkouts/disputes/apply-disputes.ts';
import { expireDue } from '../../src/domain/checkouts/expire.ts';
import { settleDueHolds } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { refreshDuePayoutAccounts } from '../../src/domain/payments/refresh-payout-accounts.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { type ActorServices, type Simulation, servicesFor } from './simulation.ts';

const LOOPS = {
  expire: ({ payments }: ActorServices) => expireDue(payments, 100),
  holds: ({ payments }: ActorServices) => settleDueHolds(payments, 100),
  captures: ({ payments }: ActorServices) => captureDue(payments, 50),
  movements: ({ payments }: ActorServices) => settleDueMovements(payments, 100),
  accounts: ({ payments }: ActorServices) => refreshDuePayoutAccounts(payments, 10),
  processorEvents: ({ payments }: ActorServices) => applyDueProcessorEvents(payments, 50),
  dispatch: ({ payments }: ActorServices) => dispatchDue(payments, 500),
  deliver: (services: ActorServices) => deliverDue(services.queues(), new AbortController().signal),
} as const;
type LoopName = keyof typeof LOOPS;
type WorkerKind = 'worker' | 'delivery worker';

/** The loops of this kind of worker that would find work at this time. */
export function dueLoops({ invariants: { current } }: Simulation, kind: WorkerKind, now: number): LoopName[] {
  const isDue = (due: number | null): boolean => due !== null && due <= now;
  const due: LoopName[] = [];
  if (kind === 'delivery worker') {
    if (current.undispatched.length > 0) due.push('dispatch');
    if (current.queues.some((queue) => isDue(claimableAt(queue)))) due.push('deliver');
    return due;
  }
  if (
    current.checkouts.some(
      ({ status, expiresAt }) => (status === 'open' || status === 'collecting') && expiresAt <= now,
    )
  )
    due.push('expire');
  if (current.holds.some((hold) => isDue(hold.due))) due.push('holds');
  if (current.checkouts.some((checkout) => checkout.status === 'funded' && isDue(checkout.due))) due.push('captures');
  if (current.movements.some((movement) => isDue(movement.due))) due.push('movements');
  if (current.processorEvents.some((event) => isDue(event.due))) due.push('processorEvents');
  if (current.accounts.some((account) => isDue(account.due))) due.push('accounts');
  return due;
}

/** When a worker may claim a queue; null if the queue is empty. */
export function claimableAt({
  due,
  availableAt,
}: {
  readonly due: number | null;
  readonly availableAt: number | null;
}): number | null {
  return due === null ? null : Math.max(due, availableAt ?? due);
}

/** The time of the fastest clock among the workers of this kind. */
export function latestClock({ scheduler }: Simulation, wanted: WorkerKind): number {
  const skews = scheduler.actors.flatMap(({ kind, isDead, skew }) => (kind === wanted && !isDead ? skew : []));
  return scheduler.now + (skews.length === 0 ? 0 : Math.max(...skews));
}

export function startWorker(simulation: Simulation, name: string, kind: WorkerKind): void {
  const { scheduler, random } = simulation;
  scheduler.startActor(name, kind, async (actor) => {
    const services = servicesFor(simulation, actor);
    const dueNow = () => dueLoops(simulation, kind, services.payments.clock.now());
    // The scheduler limits the steps of a seed.
    while (!actor.isDead) {
      await scheduler.waitForStep(actor, 'begins', () => dueNow().length > 0);
      const due = dueNow();
      const loop = due.length === 0 ? (kind === 'worker' ? 'holds' : 'dispatch') : random.pick(due);
      // A loop that another worker is running is mostly skipped, because two workers that find nothing prove little.
      const isRunning = [...simulation.runningLoops].some(
        ([other, name]) => !other.isDead && other !== actor && name === loop,
      );
      if (isRunning && random.often(0.7)) continue;
      scheduler.log(`  ${loop}`);
      simulation.runningLoops.set(actor, loop);
      try {
        await LOOPS[loop](services);
      } catch (error) {
        // The real worker also logs a deadlock and continues.
        if (!isUnavailable(error) && !(kind === 'delivery worker' && isTemporary(error))) throw error;
      }
      simulation.runningLoops.delete(actor);
    }
  });
}
