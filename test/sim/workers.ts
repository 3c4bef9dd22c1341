// The workers: two that move money, and two that bring events to the partners, each with the loops of the real worker, one
// at a time, whenever one of them would find something by the worker's own clock.

import { isTemporary, isUnavailable } from '../../src/base/db.ts';
import { captureDue } from '../../src/domain/checkouts/capture/capture.ts';
import { expireDue } from '../../src/domain/checkouts/expire.ts';
import { settleDueHolds } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { readDueNotices } from '../../src/domain/payments/read-notices.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { type Desk, deskFor, type Stage } from './simulation.ts';

const LOOPS = {
  expire: ({ money }: Desk) => expireDue(money, 100),
  holds: ({ money }: Desk) => settleDueHolds(money, 100),
  captures: ({ money }: Desk) => captureDue(money, 50),
  movements: ({ money }: Desk) => settleDueMovements(money, 100),
  notices: ({ money }: Desk) => readDueNotices(money, 50),
  dispatch: ({ money }: Desk) => dispatchDue(money, 500),
  deliver: (desk: Desk) => deliverDue(desk.lanes(), new AbortController().signal),
} as const;
type LoopName = keyof typeof LOOPS;
type Trade = 'worker' | 'postman';

/** Which loops of a trade would find something at this time. */
export function dueLoops({ invariants: { present } }: Stage, trade: Trade, now: number): LoopName[] {
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
export function latestClock({ scheduler }: Stage, trade: Trade): number {
  const skews = scheduler.actors.flatMap(({ kind, dead, skew }) => (kind === trade && !dead ? skew : []));
  return scheduler.now + (skews.length === 0 ? 0 : Math.max(...skews));
}

export function beginWorker(stage: Stage, name: string, trade: Trade): void {
  const { scheduler, chance } = stage;
  scheduler.begin(name, trade, async (actor) => {
    const desk = deskFor(stage, actor);
    const dueNow = () => dueLoops(stage, trade, desk.money.clock.now());
    for (;;) {
      await scheduler.turn(actor, 'begins', () => dueNow().length > 0);
      const due = dueNow();
      const loop = due.length === 0 ? (trade === 'worker' ? 'holds' : 'dispatch') : chance.pick(due);
      // What the other one is at is mostly left to it: two that find nothing prove little, but sometimes they must meet.
      const isTaken = [...stage.working].some(([other, name]) => !other.dead && other !== actor && name === loop);
      if (isTaken && chance.often(0.7)) continue;
      scheduler.note(`  ${loop}`);
      stage.working.set(actor, loop);
      try {
        await LOOPS[loop](desk);
      } catch (error) {
        // A real worker tells of a deadlock and comes back, too.
        if (!isUnavailable(error) && !(trade === 'postman' && isTemporary(error))) throw error;
      }
      stage.working.delete(actor);
    }
  });
}
