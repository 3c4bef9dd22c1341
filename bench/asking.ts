// How the bench and its own processes talk: one order at a time, one outcome each. A fault comes back as words, and is an
// error on the side that asked.

import type { Running } from './processes.ts';

type Outcome = { readonly done: unknown } | { readonly fault: string };

/** In the bench: sends an order and waits for its outcome. */
export function ask<T>({ process: other, complaints }: Running, order: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`a process of the bench ended: ${complaints()}`));
    other.once('exit', ended);
    other.once('message', (message) => {
      other.off('exit', ended);
      const outcome = message as Outcome;
      if ('fault' in outcome) reject(new Error(outcome.fault));
      else resolve(outcome.done as T);
    });
    other.send(order as object);
  });
}

/** In the other process: does what it is asked, until the bench lets go of it. */
export function answerOrders<O>(run: (order: O) => Promise<unknown>): void {
  process.on('message', (order: O) => {
    run(order).then(
      (done) => process.send?.({ done }),
      (error: unknown) => process.send?.({ fault: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}
