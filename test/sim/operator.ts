// Operators at the desk. One tries captures, refunds, transfers and reversals again at any moment: beside the worker that
// tries them, after a failure, and twice. Two others pay failed refunds by hand and write off debts, each other's calls
// repeated, and any of them may die in the middle. Nothing may be charged, sent, refunded, paid or written off twice.

import { isUnavailable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import type { DeskCaller } from '../../src/domain/accounts/account.ts';
import type { PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import { giveBack, oweReversal, payByHand, reserve } from '../../src/domain/desk/by-hand.ts';
import { retryCapture, retryMovement, writeOffDebt } from '../../src/domain/desk/money-actions.ts';
import { ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { type Actor, Violation } from './scheduler.ts';
import { type Simulation, servicesFor } from './simulation.ts';

const ORIGIN = { via: 'http', address: null, requestId: null } as const;

interface MoneyCase {
  readonly kind: 'capture' | 'movement' | 'failed payment' | 'reserved payment' | 'failed reversal' | 'debt';
  readonly id: string;
  /** What is owed. */
  readonly amount: number;
}

/** In streams of their own: a seed without operators runs as if there were none. */
export function startOperators(simulation: Simulation): void {
  const random = new SeededRandom(simulation.seed, 'operator');
  if (random.often(0.25)) startOperator(simulation, 'operator', random, retryable);
  if (!hasFinanceOperators(simulation)) return;
  const finance = new SeededRandom(simulation.seed, 'finance actions');
  for (const name of ['finance operator 1', 'finance operator 2']) startOperator(simulation, name, finance, decidable);
}

/** In such a seed most refunds fail. */
export function hasFinanceOperators({ seed }: Simulation): boolean {
  return new SeededRandom(seed, 'finance operators').often(0.2);
}

/**
 * The loss of a dispute waits while an operator has reserved a refund of its charge. In the end each has paid it, and says
 * so, or gives it back.
 */
export function startEndOfReservations(simulation: Simulation): void {
  if (!hasFinanceOperators(simulation)) return;
  const { scheduler, seed } = simulation;
  const random = new SeededRandom(seed, 'end of reservations');
  const waiting = () => {
    const { movements, disputes } = simulation.invariants.current;
    const lost = new Set(
      disputes.flatMap(({ status, isDivided, hold }) => (status === 'lost' && !isDivided ? [hold] : [])),
    );
    return movements.find(({ status, byHandBy, hold }) => status === 'failed' && byHandBy !== null && lost.has(hold));
  };
  scheduler.startActor('returning operator', 'api', async (actor) => {
    for (let left = 100; left > 0; left--) {
      await scheduler.waitForStep(actor, 'waits', () => waiting() !== undefined);
      const found = waiting();
      if (found?.byHandBy == null) continue;
      const reserved = { kind: 'reserved payment', id: found.id, amount: found.amount } as const;
      await act(simulation, actor, found.byHandBy, reserved, random.often(0.5));
    }
  });
}

function startOperator(
  simulation: Simulation,
  name: string,
  random: SeededRandom,
  casesIn: (simulation: Simulation) => readonly MoneyCase[],
): void {
  const { scheduler } = simulation;
  scheduler.startActor(name, 'api', async (actor) => {
    for (let times = random.between(2, 8); times > 0; times--) {
      const from = scheduler.step + random.between(1, 40);
      await scheduler.waitForStep(actor, 'waits', () => scheduler.step >= from && casesIn(simulation).length > 0);
      const cases = casesIn(simulation);
      const found = cases[random.below(Math.max(1, cases.length))];
      if (found === undefined) continue;
      // One reserved payment in five is given back.
      const isGivenBack = found.kind === 'reserved payment' && random.often(0.2);
      await act(simulation, actor, name, found, isGivenBack);
      // The answer was lost, and the operator clicks again.
      if (casesIn === decidable && random.often(0.3)) await act(simulation, actor, name, found, isGivenBack);
    }
  });
}

async function act(
  simulation: Simulation,
  actor: Actor,
  operator: string,
  found: MoneyCase,
  isGivenBack: boolean,
): Promise<void> {
  const { payments } = servicesFor(simulation, actor);
  const origin = { ...ORIGIN, name: operator };
  const caller = { ids: payments.ids, actor: origin, now: payments.clock.now() } as unknown as DeskCaller;
  try {
    await run(payments, caller, simulation.venue.id, found, isGivenBack);
  } catch (error) {
    const isRefused = error instanceof Problem && error.status === 409;
    if (error instanceof Problem && !isRefused) throw new Violation(`an operator got ${error.status}`);
    if (!isRefused && !isUnavailable(error) && !(error instanceof ProcessorUnavailable)) throw error;
  }
}

async function run(
  payments: PaymentServices,
  caller: DeskCaller,
  venueId: string,
  { kind, id, amount }: MoneyCase,
  isGivenBack: boolean,
): Promise<void> {
  const params = { venue_id: venueId, id };
  if (kind === 'capture') await retryCapture(payments, caller, { params });
  else if (kind === 'movement') await retryMovement(payments, caller, { params });
  else if (kind === 'failed payment') await reserve(payments, caller, { params, body: {} });
  else if (isGivenBack) await giveBack(payments, caller, { params, body: { note: 'Not paid.' } });
  else if (kind === 'reserved payment')
    await payByHand(payments, caller, { params, body: { reference: `SEPA ${id}` } });
  else if (kind === 'failed reversal') await oweReversal(payments, caller, { params });
  else await writeOffDebt(payments, caller, { params, body: { amount, note: 'The venue has closed.' } });
}

/** What the desk lists to be tried again. */
function retryable({ invariants: { current } }: Simulation): readonly MoneyCase[] {
  return [
    ...current.checkouts
      .filter(({ status }) => status === 'funded')
      .map(({ id, amount }) => ({ kind: 'capture' as const, id, amount })),
    ...current.movements
      .filter(({ status }) => ['waiting', 'sending', 'pending', 'failed'].includes(status))
      .map(({ id, amount }) => ({ kind: 'movement' as const, id, amount })),
  ];
}

/** What the desk lists to be paid by hand or written off. */
function decidable({ invariants: { current } }: Simulation): readonly MoneyCase[] {
  return current.movements.flatMap(({ id, kind, status, amount, owed, settled, byHandBy }): MoneyCase[] => {
    if (status === 'failed' && kind === 'reversal') return [{ kind: 'failed reversal', id, amount }];
    if (status === 'failed') return [{ kind: byHandBy === null ? 'failed payment' : 'reserved payment', id, amount }];
    return owed > settled ? [{ kind: 'debt', id, amount: owed - settled }] : [];
  });
}
