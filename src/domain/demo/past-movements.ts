// The movements of one checkout of the demo, as its steps add and change them: what the processor is asked for, and how
// each transfer stands when a refund is decided.

import type { TransferState } from '../checkouts/refunds/decide-refund.ts';
import type { Step } from '../checkouts/steps.ts';
import type { NewMovement } from '../payments/movement-queries.ts';

/** How soon the worker sends what is due, and releases holds. */
export const WORKER_MS = 3_000;

export class PastMovements {
  readonly #byId = new Map<string, NewMovement>();
  readonly #dropped = new Set<string>();

  /** Takes up the movements of the steps. Returns the times at which new ones are due. */
  follow(steps: readonly Step[]): ReadonlySet<number> {
    const dueTimes = new Set<number>();
    for (const step of steps) {
      if (step.step === 'add movements') {
        for (const movement of step.movements) {
          this.#byId.set(movement.id, movement);
          dueTimes.add(movement.dueAt);
        }
      }
      if (step.step === 'reduce transfer') this.#reduce(step.id, step.by);
      if (step.step === 'drop transfer') this.#dropped.add(step.id);
    }
    return dueTimes;
  }

  #reduce(id: string, by: number): void {
    const transfer = this.#byId.get(id);
    if (transfer !== undefined) this.#byId.set(id, { ...transfer, amount: transfer.amount - by });
  }

  /** What the worker sends of those that are due at this time. */
  dueAt(dueAt: number): readonly NewMovement[] {
    return [...this.#byId.values()].filter((movement) => movement.dueAt === dueAt && !this.#dropped.has(movement.id));
  }

  /** The transfers as a refund finds them at a time. */
  transfersAt(at: number): readonly TransferState[] {
    return [...this.#byId.values()]
      .filter(({ kind }) => kind === 'transfer')
      .map(({ id, holdId, amount, dueAt }) => {
        const status = this.#dropped.has(id) ? 'dropped' : dueAt + WORKER_MS <= at ? 'done' : 'waiting';
        return { id, holdId, amount, status, left: amount - this.#takenBack(id) };
      });
  }

  #takenBack(id: string): number {
    const reversals = [...this.#byId.values()].filter(({ reversedTransferId }) => reversedTransferId === id);
    return reversals.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** What the worker has sent up to a time. */
  sentUntil(until: number): readonly NewMovement[] {
    return [...this.#byId.values()].filter(({ id, dueAt }) => !this.#dropped.has(id) && dueAt + WORKER_MS <= until);
  }
}
