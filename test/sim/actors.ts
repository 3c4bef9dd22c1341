// Who takes part: a partner's servers that create, retry, cancel and refund; the organizer who chooses the party and may
// choose it again; guests with cards of every kind; and the bank's notices, doubled, late, out of
// order or lost. The workers are in workers.ts.

import type { WebhookEvent } from '../../sandbox/processor/webhook-queue.ts';
import { isUnavailable } from '../../src/base/db.ts';
import { Problem } from '../../src/base/errors.ts';
import { splitEqually } from '../../src/base/money.ts';
import { holdShare } from '../../src/domain/checkouts/holds/hold-share.ts';
import { decideParty, type Seat } from '../../src/domain/checkouts/party/decide-party.ts';
import { decideUnderLock, type PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import { readNotice } from '../../src/domain/payments/notice.ts';
import { ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { receiveNotice } from '../../src/domain/payments/receive-notice.ts';
import { BANK_KEYS } from './bank-client.ts';
import { type Actor, Violation } from './scheduler.ts';
import { type Desk, deskFor, type Stage, type Told } from './stage.ts';

/** What may go wrong for an outsider without anything being wrong: they are told to come back. */
function isPassing(error: unknown): boolean {
  if (error instanceof Problem) return error.status === 503 || error.status === 409;
  return error instanceof ProcessorUnavailable || isUnavailable(error);
}

/** The one that was made last: by the ids it may be another, where clocks are not right. */
const checkoutOf = ({ invariants: { present, newest } }: Stage) => present.checkouts.find(({ id }) => id === newest);
const partyOf = (stage: Stage, checkout: string) =>
  stage.invariants.present.shares.filter((share) => share.checkout === checkout && !share.dropped);

function bodyFor(stage: Stage, booking: string, amount: number): string {
  return JSON.stringify({
    amount,
    currency: 'usd',
    party_size: stage.plan.people,
    pay_by: new Date(stage.scheduler.now + stage.plan.payIn).toISOString(),
    description: 'Cabana 3',
    return_url: 'https://harbor.example/done',
    external_booking_id: booking,
  });
}

export function beginPartner(stage: Stage): void {
  const { chance, plan, memory } = stage;
  const key = chance.often(0.6) ? 'order-1' : null;
  const body = bodyFor(stage, 'bk-1', plan.amount);
  const other = bodyFor(stage, 'bk-1', plan.amount + 1);
  // Somebody asks until they know.
  beginServer(stage, 'partner', async (actor, desk) => {
    if (key !== null && chance.often(0.2)) {
      const bad = JSON.stringify({ ...(JSON.parse(body) as object), amount: 1 });
      const told = await callOnce(desk, 'createCheckout', {}, bad, key);
      if (told?.ok === true) throw new Violation('a body that is not right was accepted');
    }
    while (!(await createOnce(stage, desk, body, key))) await stage.scheduler.turn(actor, 'tries again');
  });
  if (chance.often(0.5)) {
    beginServer(stage, 'twin', async (_, desk) => {
      await createOnce(stage, desk, body, key);
      await createOnce(stage, desk, body, key);
    });
  }
  if (chance.often(0.2)) {
    beginServer(stage, 'other body', async (actor, desk) => {
      await stage.scheduler.turn(actor, 'waits', () => memory.created.length > 0);
      const told = await callOnce(desk, 'createCheckout', {}, other, key);
      const present = checkoutOf(stage)?.status;
      if (told?.ok === true && present !== 'expired' && present !== 'canceled' && key !== null) {
        throw new Violation('another body under the same key was accepted');
      }
      if (told !== null && !told.ok && told.status !== 409 && told.status !== 503 && told.status !== 422) {
        throw new Violation(`another body was answered with ${told.status} ${told.reason}`);
      }
    });
  }
  if (chance.often(0.15)) beginCanceling(stage);
  if (chance.often(0.7)) beginRefunding(stage, key);
  if (chance.often(0.2)) beginReading(stage);
}

/** Null: no answer, or one that says to come back. */
async function callOnce(
  desk: Desk,
  operation: string,
  params: Readonly<Record<string, string>>,
  body: string | null,
  key: string | null,
): Promise<Told | null> {
  try {
    return await desk.call(operation, params, body, key);
  } catch (error) {
    if (isPassing(error)) return null;
    throw error;
  }
}

/** True: there is nothing more to ask. */
async function createOnce(stage: Stage, desk: Desk, body: string, key: string | null): Promise<boolean> {
  const told = await callOnce(desk, 'createCheckout', {}, body, key);
  if (told === null || (!told.ok && told.status === 503)) return false;
  if (told.ok) {
    stage.memory.told(key, body, told.json);
    return true;
  }
  if (key !== null && told.reason === 'idempotency_key_reused') {
    throw new Violation(`key ${key} is taken, and nothing was ever made under it but this`);
  }
  // Its time may be up before it was made, and with a key the booking may be in use.
  if (told.status === 422 || told.status === 409) return true;
  throw new Violation(`a create was answered with ${told.status} ${told.reason}`);
}

function beginServer(stage: Stage, name: string, work: (actor: Actor, desk: Desk) => Promise<void>): void {
  stage.scheduler.begin(name, 'api', (actor) => work(actor, deskFor(stage, actor)));
}

function beginCanceling(stage: Stage): void {
  beginServer(stage, 'canceler', async (actor, desk) => {
    const after = stage.chance.between(20, 150);
    await stage.scheduler.turn(actor, 'waits', () => stage.scheduler.step > after && checkoutOf(stage) !== undefined);
    for (let times = 0; times < 2; times++) {
      const id = checkoutOf(stage)?.id ?? '';
      const told = await callOnce(desk, 'cancelCheckout', { id }, null, null);
      if (told?.ok === true) {
        const present = stage.invariants.present.checkouts.find((checkout) => checkout.id === id);
        if (present?.status !== 'canceled')
          throw new Violation(`a cancel was answered, and ${id} is ${present?.status}`);
      }
    }
  });
}

function beginRefunding(stage: Stage, createKey: string | null): void {
  const { chance, memory } = stage;
  const wanted = chance.between(1, 3);
  for (let number = 0; number < wanted; number++) {
    beginServer(stage, `refund ${number}`, async (actor, desk) => {
      await stage.scheduler.turn(actor, 'waits', () => checkoutOf(stage)?.status === 'completed');
      const { id = '', amount = 0 } = checkoutOf(stage) ?? {};
      const body = chance.often(0.3) ? '{}' : JSON.stringify({ amount: chance.between(1, amount), reason: 'rain' });
      // Sometimes with the key that made the checkout: that key is taken.
      const key = createKey !== null && chance.often(0.1) ? createKey : chance.often(0.6) ? `refund-${number}` : null;
      const tries = key === null ? 1 : 3;
      for (let attempt = 0; attempt < tries; attempt++) {
        const told = await callOnce(desk, 'refundCheckout', { id }, body, key);
        if (told === null) continue;
        if (told.ok && key === createKey && key !== null)
          throw new Violation('the key of a create was used for a refund');
        if (told.ok && key !== null) {
          const before = memory.refunds.get(key);
          if (before !== undefined && before !== told.json)
            throw new Violation(`refund ${key} was answered differently`);
          memory.refunds.set(key, told.json);
        }
        if (!told.ok && ![409, 422, 503].includes(told.status))
          throw new Violation(`a refund was answered with ${told.status}`);
      }
    });
  }
}

function beginReading(stage: Stage): void {
  beginServer(stage, 'reader', async (actor, desk) => {
    for (let times = 0; times < 3; times++) {
      const from = stage.scheduler.step + 25;
      await stage.scheduler.turn(actor, 'waits', () => stage.scheduler.step > from && checkoutOf(stage) !== undefined);
      const id = checkoutOf(stage)?.id ?? '';
      const now = desk.money.clock.now();
      const told = await callOnce(desk, 'getCheckout', { id }, null, null);
      if (told?.ok !== true) continue;
      const { status, pay_by: payBy } = JSON.parse(told.json) as { status: string; pay_by: string };
      if ((status === 'open' || status === 'collecting') && Date.parse(payBy) <= now) {
        throw new Violation(`${id} was shown as ${status} after its time`);
      }
    }
  });
}

export function beginOrganizer(stage: Stage): void {
  const { chance, plan, scheduler, ids, venue } = stage;
  const people = Array.from({ length: plan.people }, () => ids.uuid());
  const first = seatsOf(stage, people);
  const choices = [first, ...(plan.again ? [chosenAgain(stage, people)] : [])];
  scheduler.begin('organizer', 'api', async (actor) => {
    const { money } = deskFor(stage, actor);
    for (const seats of choices) {
      const from = scheduler.step + (seats === first ? 0 : chance.between(5, 80));
      await scheduler.turn(actor, 'waits', () => scheduler.step >= from && checkoutOf(stage) !== undefined);
      for (let tries = 0; tries < 4; tries++) {
        const id = checkoutOf(stage)?.id ?? '';
        const isDone = await choose(stage, money, venue.id, id, seats);
        if (isDone) break;
      }
    }
  });
  for (const member of new Set(choices.flat().map(({ memberId }) => memberId))) beginGuest(stage, member);
  if (chance.often(0.3)) beginCovering(stage, people[0] ?? '');
}

/** The organizer takes out their card for others, who may be typing theirs. */
function beginCovering(stage: Stage, organizer: string): void {
  const { scheduler, chance } = stage;
  const unpaid = () => {
    const checkout = checkoutOf(stage);
    if (checkout?.status !== 'collecting') return [];
    return partyOf(stage, checkout.id).filter(
      ({ member, amount, status }) =>
        member !== organizer && amount > 0 && (status === 'invited' || status === 'failed'),
    );
  };
  scheduler.begin('coverer', 'api', async (actor) => {
    for (let times = chance.between(1, 4); times > 0; times--) {
      const from = scheduler.step + chance.between(3, 60);
      await scheduler.turn(actor, 'waits', () => scheduler.step >= from && unpaid().length > 0);
      const share = unpaid()[0];
      if (share !== undefined) await payShare(stage, actor, organizer, share, chance.weighed(CARDS));
    }
  });
}

function seatsOf(stage: Stage, people: readonly string[]): Seat[] {
  const { chance, plan } = stage;
  const amounts = [...splitEqually(plan.amount, people.length)];
  const [from, to] = [chance.below(amounts.length), chance.below(amounts.length)];
  // One pays for another: a share of nothing.
  if (from !== to && chance.often(0.25)) {
    amounts[to] = (amounts[to] ?? 0) + (amounts[from] ?? 0);
    amounts[from] = 0;
  }
  return people.map((memberId, place) => ({ memberId, displayName: `Guest ${place}`, amount: amounts[place] ?? 0 }));
}

/** Somebody is left out, or somebody else comes, or only the amounts change. */
function chosenAgain(stage: Stage, people: readonly string[]): Seat[] {
  const { chance, ids } = stage;
  const how = chance.below(4);
  if (how === 0 && people.length > 2) return seatsOf(stage, people.slice(0, -1));
  if (how === 1) return seatsOf(stage, [...people.slice(0, -1), ids.uuid()]);
  if (how === 2) return seatsOf(stage, people);
  return seatsOf(stage, [people[0] ?? '', ...people.slice(1).reverse()]);
}

async function choose(
  stage: Stage,
  money: PaymentServices,
  venue: string,
  id: string,
  seats: readonly Seat[],
): Promise<boolean> {
  try {
    await decideUnderLock(money, venue, id, (standing, now) => {
      const decided = decideParty(standing, seats, now, () => stage.ids.prefixed('shr'));
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
function beginGuest(stage: Stage, member: string): void {
  const { scheduler, chance } = stage;
  const mine = () => {
    const checkout = checkoutOf(stage);
    if (checkout?.status !== 'collecting') return undefined;
    return partyOf(stage, checkout.id).find(
      (share) =>
        share.member === member && share.amount > 0 && (share.status === 'invited' || share.status === 'failed'),
    );
  };
  const name = `guest ${scheduler.actors.length}`;
  scheduler.begin(name, 'api', async (actor) => {
    const { eager } = stage.plan;
    const tries = eager ? 8 : chance.between(0, 5);
    for (let attempt = 0; attempt < tries; attempt++) {
      await scheduler.turn(actor, 'waits', () => mine() !== undefined);
      const share = mine();
      if (share === undefined) continue;
      const card = attempt >= 3 ? 'pm_card_visa' : chance.weighed(eager ? GOOD_CARDS : CARDS);
      await payShare(stage, actor, member, share, card);
      const from = scheduler.step + chance.between(3, 30);
      await scheduler.turn(actor, 'waits', () => scheduler.step >= from);
    }
  });
}

async function payShare(
  stage: Stage,
  actor: Actor,
  payer: string,
  share: { readonly id: string; readonly checkout: string },
  card: string,
): Promise<void> {
  const { money } = deskFor(stage, actor);
  try {
    const secret = await holdShare(money, stage.venue.id, share.checkout, share.id, payer);
    stage.memory.givenSecret(secret.holdId, payer);
    await confirm(stage, actor, secret.clientSecret, secret.publishableKey, card);
  } catch (error) {
    // The organizer may have chosen again, without this share.
    const isDropped = error instanceof Problem && error.status === 404;
    if (!isDropped && !isPassing(error)) throw error;
  }
}

/** The guest's browser speaks to the bank itself. */
function confirm(stage: Stage, actor: Actor, secret: string, key: string, card: string): Promise<void> {
  const intent = secret.split('_secret_')[0] ?? '';
  const body = new URLSearchParams({ key, client_secret: secret, payment_method: card }).toString();
  return new Promise((resolve) => {
    stage.scheduler.wish({
      actor,
      label: () => `pays ${intent} with ${card}`,
      grant: async () => {
        const path = `/v1/payment_intents/${intent}/confirm`;
        const response = await stage.bank.carry({ method: 'POST', path, headers: {}, body });
        stage.scheduler.note(`  ${response.fault ?? response.status}`);
        if (response.fault === undefined && response.status === 200) checkOnlyCard(stage, intent);
        resolve();
      },
    });
  });
}

/** Of two people who wanted to pay one share at once, one card at the most is held, at every moment. */
function checkOnlyCard(stage: Stage, intent: string): void {
  const all = [...stage.bank.books.intents.values()];
  const share = all.find(({ id }) => id === intent)?.metadata.share_id;
  // One that was lost, and paid anew by its person, may still be on its way out.
  const leaving = stage.invariants.present.holds.filter(
    ({ status, heldAt }) => status === 'releasing' && heldAt !== null,
  );
  const held = all.filter(
    ({ id, status, metadata }) =>
      status === 'requires_capture' && metadata.share_id === share && leaving.every((hold) => hold.intent !== id),
  );
  if (held.length > 1) throw new Violation(`share ${share} holds ${held.length} cards at once`);
}

/** Notices of the bank on their way to us. */
export function beginNotices(stage: Stage): void {
  const { scheduler, chance, bank } = stage;
  const underway: WebhookEvent[] = [];
  const isLossy = chance.often(0.3);
  scheduler.begin('notices', 'outside', async (actor) => {
    const { money } = deskFor(stage, actor);
    for (;;) {
      await scheduler.turn(actor, 'a notice', () => {
        underway.push(...bank.bank.webhooks.takeEvents());
        return underway.length > 0;
      });
      const at = chance.often(0.6) ? 0 : chance.below(underway.length);
      const [event] = underway.splice(at, 1);
      if (event === undefined) continue;
      if (!stage.healed && chance.often(0.1)) underway.push(event);
      if (!stage.healed && isLossy && chance.often(0.5)) continue;
      const signature = bank.bank.webhooks.sign(event, scheduler.now);
      const notice = readNotice(Buffer.from(event.body), signature, BANK_KEYS.test.webhookSecret, money.clock.now());
      if (notice === null) throw new Violation('a notice of the bank could not be read');
      try {
        await receiveNotice(money.db, notice, money.clock.now());
      } catch (error) {
        if (!isPassing(error)) throw error;
        underway.push(event);
      }
    }
  });
}
