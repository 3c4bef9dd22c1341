// Who takes part: a partner's servers that create, retry, cancel and refund; the organizer who chooses the party and may
// choose it again; guests with cards of every kind; and the bank's notices, doubled, late, out of
// order or lost. The workers are in workers.ts.

import type { WebhookEvent } from '../../sandbox/processor/webhook-queue.ts';
import { isUnavailable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { splitEqually } from '../../src/base/money.ts';
import { holdShare } from '../../src/domain/checkouts/holds/hold-share.ts';
import { decideParty, type PartyShare } from '../../src/domain/checkouts/party/decide-party.ts';
import { decideUnderLock, type PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import { ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { readProcessorEvent } from '../../src/domain/payments/processor-event.ts';
import { receiveProcessorEvent } from '../../src/domain/payments/receive-processor-event.ts';
import { PROCESSOR_KEYS } from './processor-client.ts';
import { type Actor, Violation } from './scheduler.ts';
import { type ActorServices, type CallResult, type Simulation, servicesFor } from './simulation.ts';

/** What may go wrong for an outsider without anything being wrong: they are told to come back. */
function isPassing(error: unknown): boolean {
  if (error instanceof Problem) return error.status === 503 || error.status === 409;
  return error instanceof ProcessorUnavailable || isUnavailable(error);
}

/** The one that was made last: by the ids it may be another, where clocks are not right. */
const checkoutOf = ({ invariants: { present, newest } }: Simulation) =>
  present.checkouts.find(({ id }) => id === newest);
const partyOf = (simulation: Simulation, checkout: string) =>
  simulation.invariants.present.shares.filter((share) => share.checkout === checkout && !share.dropped);

function bodyFor(simulation: Simulation, booking: string, amount: number): string {
  return JSON.stringify({
    amount,
    currency: 'usd',
    party_size: simulation.plan.people,
    pay_by: new Date(simulation.scheduler.now + simulation.plan.payIn).toISOString(),
    description: 'Cabana 3',
    return_url: 'https://harbor.example/done',
    external_booking_id: booking,
  });
}

export function beginPartner(simulation: Simulation): void {
  const { random, plan, memory } = simulation;
  const key = random.often(0.6) ? 'order-1' : null;
  const body = bodyFor(simulation, 'bk-1', plan.amount);
  const other = bodyFor(simulation, 'bk-1', plan.amount + 1);
  // Somebody asks until they know.
  beginServer(simulation, 'partner', async (actor, services) => {
    if (key !== null && random.often(0.2)) {
      const bad = JSON.stringify({ ...(JSON.parse(body) as object), amount: 1 });
      const response = await callOnce(services, 'createCheckout', {}, bad, key);
      if (response?.ok === true) throw new Violation('a body that is not right was accepted');
    }
    while (!(await createOnce(simulation, services, body, key))) await simulation.scheduler.turn(actor, 'tries again');
  });
  if (random.often(0.5)) {
    beginServer(simulation, 'twin', async (_, services) => {
      await createOnce(simulation, services, body, key);
      await createOnce(simulation, services, body, key);
    });
  }
  if (random.often(0.2)) {
    beginServer(simulation, 'other body', async (actor, services) => {
      await simulation.scheduler.turn(actor, 'waits', () => memory.created.length > 0);
      const response = await callOnce(services, 'createCheckout', {}, other, key);
      const present = checkoutOf(simulation)?.status;
      if (response?.ok === true && present !== 'expired' && present !== 'canceled' && key !== null) {
        throw new Violation('another body under the same key was accepted');
      }
      if (
        response !== null &&
        !response.ok &&
        response.status !== 409 &&
        response.status !== 503 &&
        response.status !== 422
      ) {
        throw new Violation(`another body was answered with ${response.status} ${response.reason}`);
      }
    });
  }
  if (random.often(0.15)) beginCanceling(simulation);
  if (random.often(0.7)) beginRefunding(simulation, key);
  if (random.often(0.2)) beginReading(simulation);
}

/** Null: no answer, or one that says to come back. */
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
    if (isPassing(error)) return null;
    throw error;
  }
}

/** True: there is nothing more to ask. */
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
    throw new Violation(`key ${key} is taken, and nothing was ever made under it but this`);
  }
  // Its time may be up before it was made, and with a key the booking may be in use.
  if (response.status === 422 || response.status === 409) return true;
  throw new Violation(`a create was answered with ${response.status} ${response.reason}`);
}

function beginServer(
  simulation: Simulation,
  name: string,
  work: (actor: Actor, services: ActorServices) => Promise<void>,
): void {
  simulation.scheduler.begin(name, 'api', (actor) => work(actor, servicesFor(simulation, actor)));
}

function beginCanceling(simulation: Simulation): void {
  beginServer(simulation, 'canceler', async (actor, services) => {
    const after = simulation.random.between(20, 150);
    await simulation.scheduler.turn(
      actor,
      'waits',
      () => simulation.scheduler.step > after && checkoutOf(simulation) !== undefined,
    );
    for (let times = 0; times < 2; times++) {
      const id = checkoutOf(simulation)?.id ?? '';
      const response = await callOnce(services, 'cancelCheckout', { id }, null, null);
      if (response?.ok === true) {
        const present = simulation.invariants.present.checkouts.find((checkout) => checkout.id === id);
        if (present?.status !== 'canceled')
          throw new Violation(`a cancel was answered, and ${id} is ${present?.status}`);
      }
    }
  });
}

function beginRefunding(simulation: Simulation, createKey: string | null): void {
  const { random, memory } = simulation;
  const wanted = random.between(1, 3);
  for (let number = 0; number < wanted; number++) {
    beginServer(simulation, `refund ${number}`, async (actor, services) => {
      await simulation.scheduler.turn(actor, 'waits', () => checkoutOf(simulation)?.status === 'completed');
      const { id = '', amount = 0 } = checkoutOf(simulation) ?? {};
      const body = random.often(0.3) ? '{}' : JSON.stringify({ amount: random.between(1, amount), reason: 'rain' });
      // Sometimes with the key that made the checkout: that key is taken.
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
            throw new Violation(`refund ${key} was answered differently`);
          memory.refunds.set(key, response.json);
        }
        if (!response.ok && ![409, 422, 503].includes(response.status))
          throw new Violation(`a refund was answered with ${response.status}`);
      }
    });
  }
}

function beginReading(simulation: Simulation): void {
  beginServer(simulation, 'reader', async (actor, services) => {
    for (let times = 0; times < 3; times++) {
      const from = simulation.scheduler.step + 25;
      await simulation.scheduler.turn(
        actor,
        'waits',
        () => simulation.scheduler.step > from && checkoutOf(simulation) !== undefined,
      );
      const id = checkoutOf(simulation)?.id ?? '';
      const now = services.payments.clock.now();
      const response = await callOnce(services, 'getCheckout', { id }, null, null);
      if (response?.ok !== true) continue;
      const { status, pay_by: payBy } = JSON.parse(response.json) as { status: string; pay_by: string };
      if ((status === 'open' || status === 'collecting') && Date.parse(payBy) <= now) {
        throw new Violation(`${id} was shown as ${status} after its time`);
      }
    }
  });
}

export function beginOrganizer(simulation: Simulation): void {
  const { random, plan, scheduler, ids, venue } = simulation;
  const people = Array.from({ length: plan.people }, () => ids.uuid());
  const first = seatsOf(simulation, people);
  const choices = [first, ...(plan.again ? [chosenAgain(simulation, people)] : [])];
  scheduler.begin('organizer', 'api', async (actor) => {
    const { payments: money } = servicesFor(simulation, actor);
    for (const seats of choices) {
      const from = scheduler.step + (seats === first ? 0 : random.between(5, 80));
      await scheduler.turn(actor, 'waits', () => scheduler.step >= from && checkoutOf(simulation) !== undefined);
      for (let tries = 0; tries < 4; tries++) {
        const id = checkoutOf(simulation)?.id ?? '';
        const isDone = await choose(simulation, money, venue.id, id, seats);
        if (isDone) break;
      }
    }
  });
  for (const member of new Set(choices.flat().map(({ memberId }) => memberId))) beginGuest(simulation, member);
  if (random.often(0.3)) beginCovering(simulation, people[0] ?? '');
}

/** The organizer takes out their card for others, who may be typing theirs. */
function beginCovering(simulation: Simulation, organizer: string): void {
  const { scheduler, random } = simulation;
  const unpaid = () => {
    const checkout = checkoutOf(simulation);
    if (checkout?.status !== 'collecting') return [];
    return partyOf(simulation, checkout.id).filter(
      ({ member, amount, status }) =>
        member !== organizer && amount > 0 && (status === 'invited' || status === 'failed'),
    );
  };
  scheduler.begin('coverer', 'api', async (actor) => {
    for (let times = random.between(1, 4); times > 0; times--) {
      const from = scheduler.step + random.between(3, 60);
      await scheduler.turn(actor, 'waits', () => scheduler.step >= from && unpaid().length > 0);
      const share = unpaid()[0];
      if (share !== undefined) await payShare(simulation, actor, organizer, share, random.weighed(CARDS));
    }
  });
}

function seatsOf(simulation: Simulation, people: readonly string[]): PartyShare[] {
  const { random, plan } = simulation;
  const amounts = [...splitEqually(plan.amount, people.length)];
  const [from, to] = [random.below(amounts.length), random.below(amounts.length)];
  // One pays for another: a share of nothing.
  if (from !== to && random.often(0.25)) {
    amounts[to] = (amounts[to] ?? 0) + (amounts[from] ?? 0);
    amounts[from] = 0;
  }
  return people.map((memberId, place) => ({ memberId, displayName: `Guest ${place}`, amount: amounts[place] ?? 0 }));
}

/** Somebody is left out, or somebody else comes, or only the amounts change. */
function chosenAgain(simulation: Simulation, people: readonly string[]): PartyShare[] {
  const { random, ids } = simulation;
  const how = random.below(4);
  if (how === 0 && people.length > 2) return seatsOf(simulation, people.slice(0, -1));
  if (how === 1) return seatsOf(simulation, [...people.slice(0, -1), ids.uuid()]);
  if (how === 2) return seatsOf(simulation, people);
  return seatsOf(simulation, [people[0] ?? '', ...people.slice(1).reverse()]);
}

async function choose(
  simulation: Simulation,
  money: PaymentServices,
  venue: string,
  id: string,
  seats: readonly PartyShare[],
): Promise<boolean> {
  try {
    await decideUnderLock(money, venue, id, (standing, now) => {
      const decided = decideParty(standing, seats, now, () => simulation.ids.prefixed('shr'));
      return { steps: 'refusal' in decided ? [] : decided.steps, result: null };
    });
    return true;
  } catch (error) {
    if (!isPassing(error)) throw error;
    return false;
  }
}

const TROUBLED = [
  [2, 'pm_card_captureFailsForAWhile'],
  [2, 'pm_card_captureFailsForGood'],
  [1, 'pm_card_chargeDeclined'],
  [1, 'pm_card_chargeDeclinedProcessingError'],
  [1, 'pm_card_holdLapses'],
  [1, 'pm_card_partialAuthorization'],
  [1, 'pm_card_renewalFails'],
  [1, 'pm_card_authenticationRequired'],
] as const;
const CARDS = [[8, 'pm_card_visa'], ...TROUBLED] as const;
const GOOD_CARDS = [[40, 'pm_card_visa'], ...TROUBLED] as const;

/** A guest pays as soon as there is a share of theirs, and again when they are asked again, with another card. */
function beginGuest(simulation: Simulation, member: string): void {
  const { scheduler, random } = simulation;
  const mine = () => {
    const checkout = checkoutOf(simulation);
    if (checkout?.status !== 'collecting') return undefined;
    return partyOf(simulation, checkout.id).find(
      (share) =>
        share.member === member && share.amount > 0 && (share.status === 'invited' || share.status === 'failed'),
    );
  };
  const name = `guest ${scheduler.actors.length}`;
  scheduler.begin(name, 'api', async (actor) => {
    const { eager } = simulation.plan;
    const tries = eager ? 8 : random.between(0, 5);
    for (let attempt = 0; attempt < tries; attempt++) {
      await scheduler.turn(actor, 'waits', () => mine() !== undefined);
      const share = mine();
      if (share === undefined) continue;
      const card = attempt >= 3 ? 'pm_card_visa' : random.weighed(eager ? GOOD_CARDS : CARDS);
      await payShare(simulation, actor, member, share, card);
      const from = scheduler.step + random.between(3, 30);
      await scheduler.turn(actor, 'waits', () => scheduler.step >= from);
    }
  });
}

async function payShare(
  simulation: Simulation,
  actor: Actor,
  payer: string,
  share: { readonly id: string; readonly checkout: string },
  card: string,
): Promise<void> {
  const { payments: money } = servicesFor(simulation, actor);
  try {
    const secret = await holdShare(money, simulation.venue.id, share.checkout, share.id, payer);
    simulation.memory.rememberSecret(secret.holdId, payer);
    await confirm(simulation, actor, secret.clientSecret, secret.publishableKey, card);
  } catch (error) {
    // The organizer may have chosen again, without this share.
    const isDropped = error instanceof Problem && error.status === 404;
    if (!isDropped && !isPassing(error)) throw error;
  }
}

/** The guest's browser speaks to the bank itself. */
function confirm(simulation: Simulation, actor: Actor, secret: string, key: string, card: string): Promise<void> {
  const intent = secret.split('_secret_')[0] ?? '';
  const body = new URLSearchParams({ key, client_secret: secret, payment_method: card }).toString();
  return new Promise((resolve) => {
    simulation.scheduler.enqueue({
      actor,
      label: () => `pays ${intent} with ${card}`,
      grant: async () => {
        const path = `/v1/payment_intents/${intent}/confirm`;
        const response = await simulation.processor.carry({ method: 'POST', path, headers: {}, body });
        simulation.scheduler.note(`  ${response.fault ?? response.status}`);
        if (response.fault === undefined && response.status === 200) checkOnlyCard(simulation, intent);
        resolve();
      },
    });
  });
}

/** Of two people who wanted to pay one share at once, one card at the most is held, at every moment. */
function checkOnlyCard(simulation: Simulation, intent: string): void {
  const all = [...simulation.processor.books.intents.values()];
  const share = all.find(({ id }) => id === intent)?.metadata.share_id;
  // One that was lost, and paid anew by its person, may still be on its way out.
  const leaving = simulation.invariants.present.holds.filter(
    ({ status, heldAt }) => status === 'releasing' && heldAt !== null,
  );
  const held = all.filter(
    ({ id, status, metadata }) =>
      status === 'requires_capture' && metadata.share_id === share && leaving.every((hold) => hold.intent !== id),
  );
  if (held.length > 1) throw new Violation(`share ${share} holds ${held.length} cards at once`);
}

/** Notices of the bank on their way to us. */
export function beginNotices(simulation: Simulation): void {
  const { scheduler, random, processor } = simulation;
  const underway: WebhookEvent[] = [];
  const isLossy = random.often(0.3);
  scheduler.begin('notices', 'outside', async (actor) => {
    const { payments: money } = servicesFor(simulation, actor);
    // The scheduler bounds the steps of a seed.
    while (!actor.dead) {
      await scheduler.turn(actor, 'a notice', () => {
        underway.push(...processor.processor.webhooks.takeEvents());
        return underway.length > 0;
      });
      const at = random.often(0.6) ? 0 : random.below(underway.length);
      const [event] = underway.splice(at, 1);
      if (event === undefined) continue;
      if (!simulation.healed && random.often(0.1)) underway.push(event);
      if (!simulation.healed && isLossy && random.often(0.5)) continue;
      const signature = processor.processor.webhooks.sign(event, scheduler.now);
      const notice = readProcessorEvent(
        Buffer.from(event.body),
        signature,
        PROCESSOR_KEYS.test.webhookSecret,
        money.clock.now(),
      );
      if (notice === null) throw new Violation('a notice of the bank could not be read');
      try {
        await receiveProcessorEvent(money.db, notice, money.clock.now());
      } catch (error) {
        if (!isPassing(error)) throw error;
        underway.push(event);
      }
    }
  });
}
