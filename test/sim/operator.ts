// An operator at the desk who tries captures, refunds, transfers and reversals again at any moment: beside the worker that
// tries them, after a failure, and twice. Nothing may be charged, sent or refunded twice.

import { isUnavailable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import type { DeskCaller } from '../../src/domain/accounts/account.ts';
import { retryCapture, retryMovement } from '../../src/domain/desk/money-actions.ts';
import { ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { Violation } from './scheduler.ts';
import { type Simulation, servicesFor } from './simulation.ts';

const OPERATOR = { name: 'operator sim', via: 'http', address: null, requestId: null } as const;

/** In a stream of its own: a seed without an operator runs as if there were none. */
export function startOperator(simulation: Simulation): void {
  const random = new SeededRandom(simulation.seed, 'operator');
  if (!random.often(0.25)) return;
  const { scheduler, venue } = simulation;
  scheduler.startActor('operator', 'api', async (actor) => {
    const { payments } = servicesFor(simulation, actor);
    for (let times = random.between(2, 8); times > 0; times--) {
      const from = scheduler.step + random.between(1, 40);
      await scheduler.waitForStep(actor, 'waits', () => scheduler.step >= from && casesIn(simulation).length > 0);
      const cases = casesIn(simulation);
      const found = cases[random.below(Math.max(1, cases.length))];
      if (found === undefined) continue;
      const caller = { ids: payments.ids, actor: OPERATOR, now: payments.clock.now() } as unknown as DeskCaller;
      const input = { params: { venue_id: venue.id, id: found.id } };
      try {
        if (found.kind === 'capture') await retryCapture(payments, caller, input);
        else await retryMovement(payments, caller, input);
      } catch (error) {
        const isRefused = error instanceof Problem && error.status === 409;
        if (error instanceof Problem && !isRefused) throw new Violation(`an operator got ${error.status}`);
        if (!isRefused && !isUnavailable(error) && !(error instanceof ProcessorUnavailable)) throw error;
      }
    }
  });
}

/** What the desk could list. */
function casesIn({
  invariants: { current },
}: Simulation): { readonly kind: 'capture' | 'movement'; readonly id: string }[] {
  return [
    ...current.checkouts
      .filter(({ status }) => status === 'funded')
      .map(({ id }) => ({ kind: 'capture' as const, id })),
    ...current.movements
      .filter(({ status }) => ['waiting', 'sending', 'pending', 'failed'].includes(status))
      .map(({ id }) => ({ kind: 'movement' as const, id })),
  ];
}
