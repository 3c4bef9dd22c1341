// The actors of a seed: a partner's servers that create, retry, cancel and refund; the organizer, who chooses the party
// and may choose again; guests with cards of every kind; and the processor's events, which are duplicated, late, out
// of order or lost. workers.ts has the workers.

import type { WebhookEvent } from '../../sandbox/processor/webhook-queue.ts';
import { isUnavailable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { splitEqually } from '../../src/base/money.ts';
import { confirmWithSavedCard } from '../../src/domain/checkouts/holds/confirm-saved-card.ts';
import { holdShare } from '../../src/domain/checkouts/holds/hold-share.ts';
import { settleHoldNow } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { holdOf } from '../../src/domain/checkouts/locked-checkout.ts';
import { decideParty, type PartyShare } from '../../src/domain/checkouts/party/decide-party.ts';
import { decideUnderLock, type PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import { readCheckout } from '../../src/domain/checkouts/queries.ts';
import { ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { readProcessorEvent } from '../../src/domain/payments/processor-event.ts';
import { receiveProcessorEvent } from '../../src/domain/payments/receive-processor-event.ts';
import { startLeaving } from './leaving.ts';
import { hasFinanceOperators } from './operator.ts';
import { PROCESSOR_KEYS } from './processor-client.ts';
import { type Actor, Violation } from './scheduler.ts';
import { type ActorServices, type CallResult, HOUR_MS, type Simulation, START_MS, servicesFor } from './simulation.ts';

/** An error after which a caller may try again: it is not a violation. */
function isRetryable(error: unknown): boolean {
  if (error instanceof Problem) return error.status === 503 || error.status === 409;
  return error instanceof ProcessorUnavailable || isUnavailable(error);
}

/** The checkout that was created last. With skewed clocks its id need not be the largest. */
const newestCheckout = ({ invariants: { current, newestCheckoutId: newest } }: Simulation) =>
  current.checkouts.find(({ id }) => id === newest);
const partyOf = (simulation: Simulation, checkout: string) =>
  simulation.invariants.current.shares.filter((share) => share.checkout === checkout && !share.isDropped);

function bodyFor(simulation: Simulation, booking: string, amount: number): string {
  return JSON.stringify({
    amount,
    currency: 'usd',
    party_size: simulation.plan.partySize,
    pay_by: new Date(simulation.scheduler.now + simulation.plan.payByMs).toISOString(),
    description: 'Cabana 3',
    return_url: 'https://harbor.example/done',
    external_booking_id: booking,
  });
}

export function startPartner(simulation: Simulation): void {
  const { random, plan, memory } = simulation;
  const key = random.often(0.6) ? 'order-1' : null;
  const body = bodyFor(simulation, 'bk-1', plan.amount);
  const other = bodyFor(simulation, 'bk-1', plan.amount + 1);
  startServer(simulation, 'partner', async (actor, services) => {
    if (key !== null && random.often(0.2)) {
      const bad = JSON.stringify({ ...(JSON.parse(body) as object), amount: 1 });
      const response = await callOnce(services, 'createCheckout', {}, bad, key);
      if (response?.ok === true) throw new Violation('an invalid body was accepted');
    }
    await createUntilFinal(simulation, actor, services, body, key);
  });
  if (random.often(0.5)) {
    startServer(simulation, 'twin', async (_, services) => {
      await createOnce(simulation, services, body, key);
      await createOnce(simulation, services, body, key);
    });
  }
  if (random.often(0.2)) {
    startServer(simulation, 'other body', async (actor, services) => {
      await simulation.scheduler.waitForStep(actor, 'waits', () => memory.created.length > 0);
      const response = await callOnce(services, 'createCheckout', {}, other, key);
      const current = newestCheckout(simulation)?.status;
      if (response?.ok === true && current !== 'expired' && current !== 'canceled' && key !== null) {
        throw new Violation('another body under the same key was accepted');
      }
      if (
        response !== null &&
        !response.ok &&
        response.status !== 409 &&
        response.status !== 503 &&
        response.status !== 422 &&
        response.reason !== 'venue_not_linked'
      ) {
        throw new Violation(`another body got ${response.status} ${response.reason}`);
      }
    });
  }
  if (random.often(0.15)) startCanceling(simulation);
  if (random.often(0.7)) startRefunding(simulation, key);
  if (random.often(0.2)) startReading(simulation);
}

/** The first booking is refunded while another one is paid. Returns false if the first is not completed. */
export function startSecondBooking(simulation: Simulation): boolean {
  const { random, plan } = simulation;
  const first = newestCheckout(simulation);
  if (first?.status !== 'completed') return false;
  startServer(simulation, 'late refund', async (_, services) => {
    const body = random.often(0.7) ? '{}' : JSON.stringify({ amount: random.between(1, first.amount) });
    const response = await callOnce(services, 'refundCheckout', { id: first.id }, body, null);
    if (response !== null && !response.ok && ![409, 422, 503].includes(response.status))
      throw new Violation(`a late refund got ${response.status}`);
  });
  const body = bodyFor(simulation, 'bk-2', plan.amount);
  startServer(simulation, 'partner again', async (actor, services) => {
    await createUntilFinal(simulation, actor, services, body, null);
  });
  startServer(simulation, 'organizer again', async (actor) => {
    const isThere = (): boolean => newestCheckout(simulation)?.id !== first.id;
    await simulation.scheduler.waitForStep(actor, 'waits', isThere);
    startOrganizer(simulation);
  });
  return true;
}

/** Returns null without a response, or for one that asks to try again. */
async function callOnce(
  services: ActorServices,
  operation: string,
  params: Readonly<Record<string, string>>,
  body: string | null,
  key: string | null,
): Promise<CallResult | null> {
  try {
    return await services.call(operation, params, body, key);
  } catch (error) {
    if (isRetryable(error)) return null;
    throw error;
  }
}

/** A partner that never stops would keep time from passing, and with it the worker that would see an account active. */
const MAX_CREATES = 200;

async function createUntilFinal(
  simulation: Simulation,
  actor: Actor,
  services: ActorServices,
  body: string,
  key: string | null,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_CREATES; attempt++) {
    if (await createOnce(simulation, services, body, key)) return;
    await simulation.scheduler.waitForStep(actor, 'tries again');
  }
}

/** Returns true after a final response. */
async function createOnce(
  simulation: Simulation,
  services: ActorServices,
  body: string,
  key: string | null,
): Promise<boolean> {
  const response = await callOnce(services, 'createCheckout', {}, body, key);
  if (response === null || (!response.ok && response.status === 503)) return false;
  if (response.ok) {
    simulation.memory.rememberCreate(key, body, response.json);
    return true;
  }
  if (key !== null && response.reason === 'idempotency_key_reused') {
    throw new Violation(`key ${key} is in use, although only this request has used it`);
  }
  // The venue may be restricted at the moment.
  if (response.reason === 'venue_not_linked') return false;
  // pay_by may have passed before the create, and the booking may be in use.
  if (response.status === 422 || response.status === 409) return true;
  throw new Violation(`a create got ${response.status} ${response.reason}`);
}

function startServer(
  simulation: Simulation,
  name: string,
  work: (actor: Actor, services: ActorServices) => Promise<void>,
): void {
  simulation.scheduler.startActor(name, 'api', (actor) => work(actor, servicesFor(simulation, actor)));
}

function startCanceling(simulation: Simulation): void {
  startServer(simulation, 'canceler', async (actor, services) => {
    const firstStep = simulation.random.between(20, 150);
    await simulation.scheduler.waitForStep(
      actor,
      'waits',
      () => simulation.scheduler.step > firstStep && newestCheckout(simulation) !== undefined,
    );
    for (let times = 0; times < 2; times++) {
      const id = newestCheckout(simulation)?.id ?? '';
      const response = await callOnce(services, 'cancelCheckout', { id }, null, null);
      if (response?.ok === true) {
        const current = simulation.invariants.current.checkouts.find((checkout) => checkout.id === id);
        if (current?.status !== 'canceled')
          throw new Violation(`a cancel was acknowledged, and ${id} is ${current?.status}`);
      }
    }
  });
}

function startRefunding(simulation: Simulation, createKey: string | null): void {
  const { random, memory } = simulation;
  const wanted = random.between(1, 3);
  for (let number = 0; number < wanted; number++) {
    startServer(simulation, `refund ${number}`, async (actor, services) => {
      await simulation.scheduler.waitForStep(actor, 'waits', () => newestCheckout(simulation)?.status === 'completed');
      const { id = '', amount = 0 } = newestCheckout(simulation) ?? {};
      const body = random.often(0.3) ? '{}' : JSON.stringify({ amount: random.between(1, amount), reason: 'rain' });
      // Sometimes with the key of the create, which must be refused.
      const key = createKey !== null && random.often(0.1) ? createKey : random.often(0.6) ? `refund-${number}` : null;
      const tries = key === null ? 1 : 3;
      for (let attempt = 0; attempt < tries; attempt++) {
        const response = await callOnce(services, 'refundCheckout', { id }, body, key);
        if (response === null) continue;
        if (response.ok && key === createKey && key !== null)
          throw new Violation('the key of a create was used for a refund');
        if (response.ok && key !== null) {
          const before = memory.refunds.get(key);
          if (before !== undefined && before !== response.json)
            throw new Violation(`refund ${key} got two different responses`);
          memory.refunds.set(key, response.json);
        }
        if (!response.ok && ![409, 422, 503].includes(response.status))
          throw new Violation(`a refund got ${response.status}`);
      }
    });
  }
}

/** The partner refunds a completed checkout once more, in full or in part. */
export function startLateRefund(simulation: Simulation): void {
  const { random } = simulation;
  startServer(simulation, 'late refund', async (_, services) => {
    const { id = '', amount = 0, status } = newestCheckout(simulation) ?? {};
    if (status !== 'completed') return;
    const body = random.often(0.6) ? '{}' : JSON.stringify({ amount: random.between(1, amount) });
    const response = await callOnce(services, 'refundCheckout', { id }, body, null);
    if (response !== null && !response.ok && ![409, 422, 503].includes(response.status))
      throw new Violation(`a refund got ${response.status}`);
  });
}

function startReading(simulation: Simulation): void {
  startServer(simulation, 'reader', async (actor, services) => {
    for (let times = 0; times < 3; times++) {
      const from = simulation.scheduler.step + 25;
      await simulation.scheduler.waitForStep(
        actor,
        'waits',
        () => simulation.scheduler.step > from && newestCheckout(simulation) !== undefined,
      );
      const id = newestCheckout(simulation)?.id ?? '';
      const now = services.payments.clock.now();
      const response = await callOnce(services, 'getCheckout', { id }, null, null);
      if (response?.ok !== true) continue;
      const { status, pay_by: payBy } = JSON.parse(response.json) as { status: string; pay_by: string };
      if ((status === 'open' || status === 'collecting') && Date.parse(payBy) <= now) {
        throw new Violation(`${id} was shown as ${status} after its pay_by`);
      }
    }
  });
}

export function startOrganizer(simulation: Simulation): void {
  const { random, plan, scheduler, ids, venue } = simulation;
  const people = Array.from({ length: plan.partySize }, () => ids.uuid());
  const first = seatsOf(simulation, people);
  const choices = [first, ...(plan.choosesAgain ? [seatsOfSecondChoice(simulation, people)] : [])];
  scheduler.startActor('organizer', 'api', async (actor) => {
    const { payments } = servicesFor(simulation, actor);
    for (const seats of choices) {
      const from = scheduler.step + (seats === first ? 0 : random.between(5, 80));
      await scheduler.waitForStep(
        actor,
        'waits',
        () => scheduler.step >= from && newestCheckout(simulation) !== undefined,
      );
      for (let tries = 0; tries < 4; tries++) {
        const id = newestCheckout(simulation)?.id ?? '';
        const isDone = await chooseParty(simulation, payments, venue.id, id, seats);
        if (isDone) break;
      }
    }
  });
  for (const member of new Set(choices.flat().map(({ memberId }) => memberId))) {
    const payFrom =
      plan.hasLateGuest && member === people.at(-1) ? START_MS + random.between(130, 166) * HOUR_MS : START_MS;
    startGuest(simulation, member, payFrom);
  }
  if (random.often(0.3)) startCovering(simulation, people[0] ?? '');
  startLeaving(simulation, (member) => startGuest(simulation, member, START_MS));
}

/** The organizer covers unpaid shares, while their guests may pay too. */
function startCovering(simulation: Simulation, organizer: string): void {
  const { scheduler, random } = simulation;
  const unpaid = () => {
    const checkout = newestCheckout(simulation);
    if (checkout?.status !== 'collecting') return [];
    return partyOf(simulation, checkout.id).filter(
      ({ member, amount, status }) =>
        member !== organizer && amount > 0 && (status === 'invited' || status === 'failed'),
    );
  };
  const coversRest = random.often(0.6);
  scheduler.startActor('coverer', 'api', async (actor) => {
    for (let times = random.between(1, 4); times > 0; times--) {
      const from = scheduler.step + (coversRest ? random.between(0, 10) : random.between(3, 60));
      const fewest = coversRest ? random.between(1, 2) : 1;
      await scheduler.waitForStep(actor, 'waits', () => scheduler.step >= from && unpaid().length >= fewest);
      const [first, ...others] = unpaid();
      if (first === undefined) continue;
      const card = random.weighed(coversRest ? GOOD_CARDS : CARDS);
      await payShare(simulation, actor, organizer, first, card, coversRest);
      // With one card: the server confirms the others with the card of the first.
      for (const share of coversRest ? others : []) {
        await payWithSavedCard(simulation, actor, organizer, share, first.id);
      }
    }
  });
}

function seatsOf(simulation: Simulation, people: readonly string[]): PartyShare[] {
  const { random, plan } = simulation;
  const amounts = [...splitEqually(plan.amount, people.length)];
  const [from, to] = [random.below(amounts.length), random.below(amounts.length)];
  // One guest pays for another, whose share is zero.
  if (from !== to && random.often(0.25)) {
    amounts[to] = (amounts[to] ?? 0) + (amounts[from] ?? 0);
    amounts[from] = 0;
  }
  return people.map((memberId, index) => ({ memberId, displayName: `Guest ${index}`, amount: amounts[index] ?? 0 }));
}

/** One guest is left out or replaced, or only the amounts or the order change. */
function seatsOfSecondChoice(simulation: Simulation, people: readonly string[]): PartyShare[] {
  const { random, ids } = simulation;
  const variant = random.below(4);
  if (variant === 0 && people.length > 2) return seatsOf(simulation, people.slice(0, -1));
  if (variant === 1) return seatsOf(simulation, [...people.slice(0, -1), ids.uuid()]);
  if (variant === 2) return seatsOf(simulation, people);
  return seatsOf(simulation, [people[0] ?? '', ...people.slice(1).reverse()]);
}

async function chooseParty(
  simulation: Simulation,
  payments: PaymentServices,
  venue: string,
  id: string,
  seats: readonly PartyShare[],
): Promise<boolean> {
  try {
    await decideUnderLock(payments, venue, id, (checkout, now) => {
      const decision = decideParty(checkout, seats, now, () => simulation.ids.prefixed('shr'));
      return { steps: 'refusal' in decision ? [] : decision.steps, result: null };
    });
    return true;
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return false;
  }
}

const FAULTY_CARDS = [
  [2, 'pm_card_captureFailsForAWhile'],
  [4, 'pm_card_captureFailsForGood'],
  [1, 'pm_card_chargeDeclined'],
  [1, 'pm_card_chargeDeclinedProcessingError'],
  [1, 'pm_card_settlesLater'],
  [1, 'pm_card_pendingRefund'],
  [1, 'pm_card_refundFail'],
  [3, 'pm_card_holdLapses'],
  [1, 'pm_card_partialAuthorization'],
  [3, 'pm_card_renewalFails'],
  [2, 'pm_card_oneHoldAtATime'],
  [1, 'pm_card_authenticationRequired'],
] as const;
const CARDS = [[8, 'pm_card_visa'], ...FAULTY_CARDS] as const;
/** Cards whose hold mostly cannot be renewed. */
const LAPSING_CARDS = [
  [4, 'pm_card_renewalFails'],
  [2, 'pm_card_oneHoldAtATime'],
  [2, 'pm_card_visa'],
] as const;
const GOOD_CARDS = [[40, 'pm_card_visa'], ...FAULTY_CARDS] as const;
/** Refunds to most of these fail after they were done: operators pay them by hand. */
const REFUND_FAILS_CARDS = [
  [3, 'pm_card_refundFail'],
  [2, 'pm_card_visa'],
] as const;

/** The renewal of the share's hold was refused: its guest can give another card. */
const needsOtherCard = ({ invariants: { current } }: Simulation, share: string): boolean =>
  current.holds.some(
    (hold) => hold.share === share && hold.renews === null && hold.status === 'held' && hold.renewalRefusedAt !== null,
  );

/**
 * A guest pays as soon as they have an unpaid share, and again with another card after a failure. Most guests also give
 * another card when their hold was not renewed.
 */
function startGuest(simulation: Simulation, member: string, payFrom: number): void {
  const { scheduler, random } = simulation;
  const doesReplace = random.often(0.8);
  const unpaidShare = () => {
    const checkout = newestCheckout(simulation);
    if (checkout?.status !== 'collecting') return undefined;
    return partyOf(simulation, checkout.id).find(
      ({ id, member: owner, amount, status }) =>
        owner === member &&
        amount > 0 &&
        (status === 'invited' || status === 'failed' || (doesReplace && needsOtherCard(simulation, id))),
    );
  };
  const name = `guest ${scheduler.actors.length}`;
  scheduler.startActor(name, 'api', async (actor) => {
    const { hasEagerGuests, hasLateGuest } = simulation.plan;
    const tries = hasEagerGuests ? 8 : random.between(0, 5);
    for (let attempt = 0; attempt < tries; attempt++) {
      await scheduler.waitForStep(
        actor,
        'waits',
        () => scheduler.now + actor.skew >= payFrom && unpaidShare() !== undefined,
      );
      const share = unpaidShare();
      if (share === undefined) continue;
      const usual = hasFinanceOperators(simulation) ? REFUND_FAILS_CARDS : hasEagerGuests ? GOOD_CARDS : CARDS;
      const cards = hasLateGuest && attempt === 0 ? LAPSING_CARDS : usual;
      const card = attempt >= 3 ? 'pm_card_visa' : random.weighed(cards);
      await payShare(simulation, actor, member, share, card);
      const from = scheduler.step + random.between(3, 30);
      await scheduler.waitForStep(actor, 'waits', () => scheduler.step >= from);
    }
  });
}

async function payShare(
  simulation: Simulation,
  actor: Actor,
  payer: string,
  share: { readonly id: string; readonly checkout: string },
  card: string,
  isSaved = false,
): Promise<void> {
  const { payments } = servicesFor(simulation, actor);
  try {
    const wanted = { isSaved, ofShare: null };
    const secret = await holdShare(payments, simulation.venue.id, share.checkout, share.id, payer, wanted);
    simulation.memory.rememberSecret(secret.holdId, payer);
    // Some guests who are asked for another card leave the form open.
    if (needsOtherCard(simulation, share.id) && simulation.random.often(0.4)) return;
    await confirm(simulation, actor, secret.clientSecret, secret.publishableKey, card);
    // Half of the pages report the card at once; the others are closed, and the worker finds it.
    if (simulation.random.often(0.5)) await reportCard(payments, simulation.venue.id, share.checkout, secret.holdId);
  } catch (error) {
    // The organizer may have chosen a party without this share.
    const isDropped = error instanceof Problem && error.status === 404;
    if (!isDropped && !isRetryable(error)) throw error;
  }
}

/** As pollShare does for the guest's page. */
async function reportCard(
  payments: PaymentServices,
  venueId: string,
  checkoutId: string,
  holdId: string,
): Promise<void> {
  const seen = await readCheckout(payments.db, venueId, checkoutId);
  if (seen?.holds.find(({ id }) => id === holdId)?.status === 'open')
    await settleHoldNow(payments, venueId, holdId, seen);
}

/** The server confirms the hold with the card that the payer holds another share with. */
async function payWithSavedCard(
  simulation: Simulation,
  actor: Actor,
  payer: string,
  share: { readonly id: string; readonly checkout: string },
  ofShare: string,
): Promise<void> {
  const { payments } = servicesFor(simulation, actor);
  const venueId = simulation.venue.id;
  try {
    const checkout = await readCheckout(payments.db, venueId, share.checkout);
    const source = checkout === null ? undefined : holdOf(checkout, ofShare);
    if (source?.status === 'open') await settleHoldNow(payments, venueId, source.id);
    const wanted = { isSaved: false, ofShare };
    const secret = await holdShare(payments, venueId, share.checkout, share.id, payer, wanted);
    simulation.memory.rememberSecret(secret.holdId, payer);
    if (secret.savedMethodId === null) throw new Violation('a hold was requested with a saved card, and has none');
    const card = { paymentMethodId: secret.savedMethodId, returnUrl: 'https://harbor.example/back' };
    const { status } = await confirmWithSavedCard(payments, venueId, secret.holdId, card);
    if (status === 'held') checkOneHeldCard(simulation, secret.clientSecret.split('_secret_')[0] ?? '');
  } catch (error) {
    const isDropped = error instanceof Problem && error.status === 404;
    if (!isDropped && !isRetryable(error)) throw error;
  }
}

/** The guest's browser calls the processor directly. */
function confirm(simulation: Simulation, actor: Actor, secret: string, key: string, card: string): Promise<void> {
  const intent = secret.split('_secret_')[0] ?? '';
  const body = new URLSearchParams({ key, client_secret: secret, payment_method: card }).toString();
  return new Promise((resolve) => {
    simulation.scheduler.enqueue({
      actor,
      label: () => `pays ${intent} with ${card}`,
      run: async () => {
        const path = `/v1/payment_intents/${intent}/confirm`;
        const response = await simulation.processor.send({ method: 'POST', path, headers: {}, body });
        simulation.scheduler.log(`  ${response.fault ?? response.status}`);
        if (response.fault === undefined && response.status === 200) checkOneHeldCard(simulation, intent);
        resolve();
      },
    });
  });
}

/** If two guests pay one share at the same time, at most one card is held at any moment. */
function checkOneHeldCard(simulation: Simulation, intent: string): void {
  const intents = [...simulation.processor.books.intents.values()];
  const share = intents.find(({ id }) => id === intent)?.metadata.share_id;
  // A hold that was lost and paid again may still be in release. One that was not renewed holds a card until the other
  // card is seen to be held.
  const releasing = simulation.invariants.current.holds.filter(
    ({ status, heldAt, renewalRefusedAt }) => (status === 'releasing' && heldAt !== null) || renewalRefusedAt !== null,
  );
  const held = intents.filter(
    ({ id, status, metadata }) =>
      status === 'requires_capture' && metadata.share_id === share && releasing.every((hold) => hold.intent !== id),
  );
  if (held.length > 1) throw new Violation(`share ${share} has ${held.length} cards held at the same time`);
}

/** Delivers the processor's events to the service. */
export function startProcessorEvents(simulation: Simulation): void {
  const { scheduler, random, processor } = simulation;
  const pendingEvents: WebhookEvent[] = [];
  const isLossy = random.often(0.3);
  scheduler.startActor('processor events', 'external', async (actor) => {
    const { payments } = servicesFor(simulation, actor);
    // The scheduler limits the steps of a seed.
    while (!actor.isDead) {
      await scheduler.waitForStep(actor, 'a processor event', () => {
        pendingEvents.push(...processor.processor.webhooks.takeEvents());
        return pendingEvents.length > 0;
      });
      const at = random.often(0.6) ? 0 : random.below(pendingEvents.length);
      const [event] = pendingEvents.splice(at, 1);
      if (event === undefined) continue;
      if (!simulation.isHealed && random.often(0.1)) pendingEvents.push(event);
      if (!simulation.isHealed && isLossy && random.often(0.5)) {
        // The processor sends an event again for three days. The service learns of a dispute only from its events.
        if (event.body.includes('"charge.dispute.')) pendingEvents.push(event);
        continue;
      }
      const signature = processor.processor.webhooks.sign(event, scheduler.now);
      const processorEvent = readProcessorEvent(
        Buffer.from(event.body),
        signature,
        [PROCESSOR_KEYS[simulation.plan.mode].webhookSecret],
        payments.clock.now(),
      );
      if (processorEvent === null) throw new Violation('an event of the processor could not be read');
      try {
        await receiveProcessorEvent(payments.db, processorEvent, payments.clock.now());
      } catch (error) {
        if (!isRetryable(error)) throw error;
        pendingEvents.push(event);
      }
    }
  });
}
