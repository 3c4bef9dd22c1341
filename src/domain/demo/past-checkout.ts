// One planned checkout as the service would have written it: the real decisions, made at the times of the plan with the
// facts of the sandbox processor, and their steps as writes that are made later, in the order of their times. What the
// plan has after `until` has not happened. Nothing here touches the database or the processor.

import type { Actor } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { type FeeRate, feeOf } from '../../base/money.ts';
import type { Random } from '../../base/random.ts';
import type { Seal } from '../../base/seal.ts';
import { sha256 } from '../../base/sha256.ts';
import { beginCaptures, recordCaptures, recordRelease } from '../checkouts/capture/decide-capture.ts';
import { decideCancel } from '../checkouts/decide-cancel.ts';
import { decideExpire } from '../checkouts/decide-expire.ts';
import { decideFromFacts, decideHold, needsSavedCard } from '../checkouts/holds/decide-hold.ts';
import { nextPollAt } from '../checkouts/holds/hold-steps.ts';
import type { LockedCheckout } from '../checkouts/locked-checkout.ts';
import { decideParty } from '../checkouts/party/decide-party.ts';
import { insertCheckout } from '../checkouts/queries.ts';
import { decideRefund } from '../checkouts/refunds/decide-refund.ts';
import type { Step } from '../checkouts/steps.ts';
import { writeSteps } from '../checkouts/write-steps.ts';
import { countDecline } from '../payments/decline-queries.ts';
import type { HoldFacts, MadePayment, PastPayment } from '../payments/processor.ts';
import type { HoldUpdate } from '../payments/queries.ts';
import { statementSuffix } from '../payments/statement-suffix.ts';
import { audit } from '../venues/audit.ts';
import { idsAt } from './past-ids.ts';
import { PastMovements, WORKER_MS } from './past-movements.ts';
import type { PlannedCheckout, PlannedShare } from './plan.ts';
import { recheckPast, type SettleServices, settlePast } from './settle-past.ts';
import { withHolds } from './with-holds.ts';

export interface PastSettings {
  readonly venueId: string;
  readonly venueName: string;
  readonly mode: Mode;
  readonly fee: FeeRate;
  readonly returnUrl: string;
  readonly checkoutUrl: (checkoutId: string) => string;
  readonly payoutDelay: number;
  /** The key that created the checkouts. */
  readonly createdBy: string;
  /** Whom the audit log names for refunds. */
  readonly refundedBy: Actor;
  readonly until: number;
  readonly random: Random;
  readonly seal: Seal;
}

/** Something that was written to the database at a time in the past. */
export interface PastWrite {
  readonly at: number;
  /** It reads what was written before: everything before it is awaited, and so is it. */
  readonly mustWait: boolean;
  write(tx: Queryable, services: SettleServices): Promise<unknown>;
}

const DAY = 24 * 3_600_000;
/** The worker asks for a done refund again after this long. */
const RECHECK_MS = [5 * DAY, 20 * DAY].map((after) => after + 60_000);

interface PaidShare {
  readonly shareId: string;
  readonly holdId: string;
  readonly planned: PlannedShare;
  readonly requestedAt: number;
}

export class PastCheckout {
  readonly plan: PlannedCheckout;
  readonly writes: PastWrite[] = [];
  /** What is asked of the processor first, in the order of the answers that `replay` takes. */
  readonly payments: readonly PastPayment[];
  readonly movements = new PastMovements();
  readonly #settings: PastSettings;
  readonly #paid: readonly PaidShare[];
  #state: LockedCheckout;
  /** What is known of holds that were opened, and are written when they are held: one statement less for each. */
  readonly #unwritten = new Map<string, HoldUpdate>();

  constructor(plan: PlannedCheckout, settings: PastSettings) {
    this.plan = plan;
    this.#settings = settings;
    this.#state = newCheckout(plan, settings);
    this.writes.push({ at: plan.createdAt, mustWait: false, write: (tx) => this.#create(tx) });
    if (this.#has(plan.party?.at)) this.#chooseParty(plan.party);
    this.#paid = this.#state.shares.flatMap((share) => {
      const planned = plan.party?.shares[share.position];
      if (planned === undefined || !this.#has(planned.requestedAt)) return [];
      const { requestedAt } = planned;
      return [{ shareId: share.id, holdId: this.#ids(requestedAt).uuid(), planned, requestedAt }];
    });
    this.payments = this.#paid.map((paid) => this.#paymentOf(paid));
  }

  get id(): string {
    return this.#state.id;
  }

  #ids(at: number): Ids {
    return idsAt(at, this.#settings.random);
  }

  /** Whether it has happened. */
  #has<T extends number>(at: T | null | undefined): at is T {
    return at !== null && at !== undefined && at <= this.#settings.until;
  }

  async #create(tx: Queryable): Promise<void> {
    const { plan, id } = this;
    const content = JSON.stringify({
      amount: plan.amount,
      currency: 'usd',
      party_size: plan.partySize,
      pay_by: new Date(plan.payBy).toISOString(),
      description: plan.description,
      starts_at: new Date(plan.startsAt).toISOString(),
      ends_at: new Date(plan.endsAt).toISOString(),
      location: plan.location,
      external_booking_id: plan.bookingId,
      offering_external_id: plan.bookable.externalId,
      return_url: this.#settings.returnUrl,
      created_by: this.#settings.createdBy,
      metadata: { area: plan.location.toLowerCase().replaceAll(' ', '-') },
    });
    const { outcome } = await insertCheckout(tx, {
      venueId: this.#settings.venueId,
      mode: this.#settings.mode,
      checkoutId: id,
      eventId: this.#ids(plan.createdAt).prefixed('evt'),
      key: null,
      fingerprint: sha256(content),
      content,
      url: this.#settings.checkoutUrl(id),
      now: plan.createdAt,
      mayCreate: true,
    });
    if (outcome !== 'created') throw new Error(`the demo’s checkout ${plan.bookingId} was not created: ${outcome}`);
  }

  /** The decision leads to the next state. What is written may be less, or in another statement. */
  #decide(at: number, steps: readonly Step[], written: readonly Step[] = steps): void {
    const before = this.#state;
    const write = (tx: Queryable): Promise<void> => writeSteps(tx, { ids: this.#ids(at), now: at }, before, written);
    this.writes.push({ at, mustWait: false, write });
    this.#state = withHolds(before, steps, at);
    for (const dueAt of this.movements.follow(steps)) this.#settle(dueAt);
  }

  /** The worker sends what is due, and asks for refunds again later. */
  #settle(dueAt: number): void {
    const at = dueAt + WORKER_MS;
    const movements = this.movements.dueAt(dueAt);
    const refunded = movements.filter(({ kind }) => kind === 'refund').map(({ holdId }) => holdId);
    const mustWait = movements.some(({ kind }) => kind !== 'transfer');
    const scope = (now: number) => ({ ...this.#state, checkoutId: this.id, now });
    const add = (write: PastWrite): void => {
      if (this.#has(write.at)) this.writes.push(write);
    };
    // A refund may change or drop a transfer before it is sent: what is due is read when it is written.
    add({ at, mustWait, write: (tx, services) => settlePast(tx, services, scope(at), this.movements.dueAt(dueAt)) });
    for (const after of refunded.length > 0 ? RECHECK_MS : []) {
      const write: PastWrite['write'] = (tx, services) => recheckPast(tx, services, scope(at + after), refunded);
      add({ at: at + after, mustWait: true, write });
    }
  }

  #chooseParty(party: NonNullable<PlannedCheckout['party']>): void {
    const ids = this.#ids(party.at);
    const members = party.shares.map(({ name, amount }) => ({ memberId: ids.uuid(), displayName: name, amount }));
    const decided = decideParty(this.#state, members, party.at, () => ids.prefixed('shr'));
    if ('refusal' in decided) throw new Error(`the demo’s party was refused: ${decided.refusal}`);
    this.#decide(party.at, decided.steps);
  }

  #paymentOf({ shareId, holdId, planned, requestedAt }: PaidShare): PastPayment {
    const { venueId, venueName } = this.#settings;
    const savesCard = needsSavedCard(this.#state.expiresAt, requestedAt);
    const { end } = this.plan;
    return {
      hold: {
        amount: planned.amount,
        currency: 'usd',
        description: this.plan.description,
        metadata: { venueId, checkoutId: this.id, shareId, holdId },
        needsLongHold: savesCard,
        statementSuffix: statementSuffix(venueName),
      },
      savesCard,
      requestedAt,
      declined: planned.declined !== null && this.#has(planned.declined.at) ? planned.declined : null,
      held: this.#has(planned.heldAt) ? { card: planned.card, at: planned.heldAt } : null,
      end: this.#has(end.at + WORKER_MS)
        ? {
            kind: end.kind === 'completed' ? 'captured' : 'released',
            at: end.at + (end.kind === 'completed' ? 0 : WORKER_MS),
          }
        : null,
    };
  }

  /** Everything after the party was chosen, with the processor's answers to `payments`. */
  replay(made: readonly MadePayment[]): void {
    const { end, refund } = this.plan;
    const moments: { readonly at: number; readonly run: (at: number) => void }[] = [];
    const add = (at: number | null | undefined, run: (at: number) => void): void => {
      if (this.#has(at)) moments.push({ at, run });
    };
    this.#paid.forEach((paid, index) => {
      const payment = made[index];
      if (payment === undefined) throw new Error('the processor gave fewer answers than the demo has payments');
      add(paid.requestedAt, (at) => this.#requestHold(paid, payment, at));
      add(paid.planned.declined?.at, (at) => this.#learn(paid, payment.declined, at));
      add(paid.planned.heldAt, (at) => this.#learn(paid, payment.held, at));
    });
    const ends = { completed: this.#capture, expired: this.#expire, canceled: this.#cancel };
    add(end.at, (at) => ends[end.kind].call(this, at, made));
    add(refund?.at, (at) => this.#refund(at));
    for (const { at, run } of moments.sort((a, b) => a.at - b.at)) run(at);
  }

  #requestHold({ shareId, holdId, planned }: PaidShare, made: MadePayment, at: number): void {
    const decided = decideHold(this.#state, shareId, at, () => holdId);
    if (!('holdId' in decided)) throw new Error('the demo’s hold was refused');
    const { intentId, clientSecret, customerId } = made;
    const sealed = this.#settings.seal.seal(clientSecret, `hold ${this.#settings.venueId} ${holdId}`);
    const update = { intentId, clientSecret: sealed, customerId };
    const dueAt = nextPollAt({ createdAt: at }, at, this.#state.expiresAt);
    const opened = { step: 'transition hold', id: holdId, from: 'requested', to: 'open', update, dueAt } as const;
    const isHeldNext = planned.declined === null && this.#has(planned.heldAt);
    this.#decide(at, [...decided.steps, opened], isHeldNext ? decided.steps : undefined);
    if (isHeldNext) this.#unwritten.set(holdId, update);
  }

  #learn({ holdId }: PaidShare, facts: HoldFacts | null, at: number): void {
    if (facts === null) return;
    const steps = decideFromFacts(this.#state, holdId, facts, at);
    const opened = this.#unwritten.get(holdId);
    const written = steps.map((step) =>
      opened !== undefined && step.step === 'transition hold' && step.id === holdId
        ? { ...step, from: 'requested' as const, update: { ...opened, ...withoutNull(step.update) } }
        : step,
    );
    this.#decide(at, steps, written);
    const { decline, declineCode: reason } = facts;
    if (decline === null) return;
    const { venueId, mode } = this.#settings;
    const declined = { venueId, holdId, mode, declineId: decline.chargeId, at, reason };
    this.writes.push({ at, mustWait: false, write: (tx) => countDecline(tx, declined) });
  }

  /** A capture that lies before `until` by less than the worker's time is left to the worker. */
  #capture(at: number, made: readonly MadePayment[]): void {
    if (!this.#has(at + WORKER_MS)) return;
    const facts = new Map(this.#paid.flatMap(({ holdId }, index) => entryOf(holdId, made[index]?.held)));
    this.#decide(at, beginCaptures(this.#state, facts, at));
    const captured = new Map(this.#paid.flatMap(({ holdId }, index) => entryOf(holdId, made[index]?.captured)));
    const outcomes = new Map(
      [...captured].map(([holdId, { chargeId, processorFee }]) => [
        holdId,
        { outcome: 'captured', chargeId, processorFee } as const,
      ]),
    );
    const ids = this.#ids(at);
    const { payoutDelay } = this.#settings;
    const settings = { now: at, newId: () => ids.uuid(), payoutDelay, retryAt: at };
    this.#decide(at, recordCaptures(this.#state, outcomes, settings));
    if (this.#state.status !== 'completed')
      throw new Error(`the demo’s checkout ${this.plan.bookingId} did not complete`);
  }

  #expire(at: number): void {
    this.#decide(at, decideExpire(this.#state, at));
    this.#releaseAll(at);
  }

  #cancel(at: number): void {
    const decided = decideCancel(this.#state, at);
    if ('refusal' in decided) throw new Error(`the demo’s cancellation was refused: ${decided.refusal}`);
    this.#decide(at, decided.steps);
    this.#releaseAll(at);
  }

  #releaseAll(endedAt: number): void {
    const at = endedAt + WORKER_MS;
    if (!this.#has(at)) return;
    const settings = { now: at, newId: () => this.#ids(at).uuid(), payoutDelay: 0, retryAt: at };
    for (const { id, status } of this.#state.holds) {
      if (status === 'releasing') this.#decide(at, recordRelease(this.#state, id, 'released', settings));
    }
  }

  #refund(at: number): void {
    if (this.#state.status !== 'completed' || this.plan.refund === null) return;
    const { amount, reason } = this.plan.refund;
    const ids = this.#ids(at);
    const request = { amount, reason, now: at, newId: () => ids.uuid() };
    this.#decide(at, decideRefund(this.#state, this.movements.transfersAt(at), request));
    const { venueId, refundedBy: actor } = this.#settings;
    const entry = { venueId, action: 'checkout.refund', subject: this.id, detail: { amount, reason } };
    this.writes.push({ at, mustWait: false, write: (tx) => audit(tx, { ids, actor, now: at }, entry) });
  }

  /** A charge that was neither refunded nor is to be paid out still; null: there is none. */
  settledCharge(): { readonly intentId: string; readonly amount: number } | null {
    const { until } = this.#settings;
    const isPaidOut = this.movements.transfersAt(until).every(({ status }) => status === 'done');
    if (this.#state.status !== 'completed' || this.#state.refundedAmount > 0 || !isPaidOut) return null;
    const hold = this.#state.holds.at(-1);
    return hold === undefined ? null : { intentId: this.holdFacts(hold.id).intentId, amount: hold.amount };
  }

  /** The processor's charge and intent of a hold. */
  holdFacts(holdId: string): { readonly intentId: string; readonly chargeId: string } {
    const hold = this.#state.holds.find(({ id }) => id === holdId);
    if (hold?.intentId == null || hold.chargeId === null) throw new Error(`the demo’s hold ${holdId} has no charge`);
    return { intentId: hold.intentId, chargeId: hold.chargeId };
  }
}

/** A null of the later facts must not hide what was known. */
function withoutNull(update: HoldUpdate | undefined): HoldUpdate {
  return Object.fromEntries(Object.entries(update ?? {}).filter(([, value]) => value !== null));
}

function entryOf(id: string, facts: HoldFacts | null | undefined): [string, HoldFacts][] {
  return facts === null || facts === undefined ? [] : [[id, facts]];
}

function newCheckout(plan: PlannedCheckout, settings: PastSettings): LockedCheckout {
  return {
    venueId: settings.venueId,
    id: idsAt(plan.createdAt, settings.random).prefixed('chk'),
    mode: settings.mode,
    status: 'open',
    amount: plan.amount,
    currency: 'usd',
    feeAmount: feeOf(plan.amount, settings.fee),
    refundedAmount: 0,
    partySize: plan.partySize,
    expiresAt: plan.payBy,
    payBy: plan.payBy,
    clockAhead: 0,
    description: plan.description,
    startsAt: plan.startsAt,
    offeringExternalId: plan.bookable.externalId,
    organizerId: null,
    leaseToken: 0,
    isVenuePayable: true,
    shares: [],
    holds: [],
  };
}
