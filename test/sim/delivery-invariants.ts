// The invariants of deliveries, checked after every commit against what the receivers got; and what must hold at the
// end of a seed.

import type { Endpoint, Receivers } from './receivers.ts';
import { Violation } from './scheduler.ts';
import type { Snapshot } from './snapshot.ts';

type Delivery = Snapshot['deliveries'][number];

const HOUR_MS = 3_600_000;
/** The longest gap between two attempts, with its random part and a minute of tolerance. */
const MAX_RETRY_GAP_MS = 4.5 * HOUR_MS;
/** An untried delivery waits for the lease of a worker that may have died, and for nothing else. */
const MAX_LEASE_MS = 30_000;

function check(holds: boolean, message: () => string): void {
  if (!holds) throw new Violation(message());
}

const keyOf = ({ endpoint, event }: Delivery): string => `${endpoint} ${event}`;

export class DeliveryInvariants {
  readonly #receivers: Receivers;
  /** The largest difference between two clocks. */
  readonly #maxClockDifferenceMs: number;
  readonly #hasClockSkew: boolean;
  /** When a delivery to each endpoint was last recorded as delivered, in true time. */
  readonly #lastDelivered = new Map<string, number>();
  readonly transitions = new Set<string>();

  constructor(receivers: Receivers, maxClockDifferenceMs: number, hasClockSkew: boolean) {
    this.#receivers = receivers;
    this.#hasClockSkew = hasClockSkew;
    this.#maxClockDifferenceMs = maxClockDifferenceMs;
  }

  onCommit(before: Snapshot, next: Snapshot, isOneCommit: boolean, now: number): void {
    if (before.deliveries !== next.deliveries) {
      const olds = new Map(before.deliveries.map((delivery) => [keyOf(delivery), delivery]));
      for (const delivery of next.deliveries) {
        const old = olds.get(keyOf(delivery));
        olds.delete(keyOf(delivery));
        if (old !== undefined && old.attempts === delivery.attempts && old.status === delivery.status) continue;
        this.#check(delivery, old, next, isOneCommit, now);
      }
      for (const key of olds.keys()) throw new Violation(`the delivery ${key} was deleted`);
    }
    if (before.endpoints !== next.endpoints) this.#checkDisabled(before, next);
    if (before.queues !== next.queues || before.deliveries !== next.deliveries) this.#checkUntried(next, now);
  }

  /** An untried delivery never waits because other events failed, as long as the endpoint answers. */
  #checkUntried(next: Snapshot, now: number): void {
    const maxWaitMs = MAX_LEASE_MS + (this.#hasClockSkew ? this.#maxClockDifferenceMs : 0);
    for (const { id, refusedType } of this.#receivers.endpoints) {
      const untried = next.deliveries.find(
        ({ endpoint, status, attempts }) => endpoint === id && status === 'pending' && attempts === 0,
      );
      const queue = next.queues.find(({ endpoint }) => endpoint === id);
      if (refusedType === null || untried === undefined || queue === undefined) continue;
      const { due, availableAt } = queue;
      const wait = due === null ? Number.POSITIVE_INFINITY : Math.max(due, availableAt ?? due) - now;
      check(
        wait <= maxWaitMs,
        () => `${untried.event} was never tried, and waits ${(wait / 1000).toFixed(0)} s for ${id}, which answers`,
      );
    }
  }

  #check(delivery: Delivery, old: Delivery | undefined, next: Snapshot, isOneCommit: boolean, now: number): void {
    const { event, endpoint, status, attempts, endsAt, endReason } = delivery;
    this.transitions.add(`delivery ${old?.status ?? 'new'} → ${status}`);
    check(
      next.events.some(({ id }) => id === event),
      () => `${event} has a delivery, and was never recorded`,
    );
    if (old === undefined) return;
    check(old.status === 'pending', () => `${event} was ${old.status} and became ${status} (${attempts} attempts)`);
    if (attempts > old.attempts) this.#checkWriter(delivery, old, next, isOneCommit);
    if (status === 'delivered') {
      check(
        this.#received(delivery)?.isAcknowledged === true,
        () => `${event} is delivered, and ${endpoint} never acknowledged it`,
      );
      this.#lastDelivered.set(endpoint, now);
    }
    if (status !== 'failed') return;
    const isDisabled = next.endpoints.some(({ id, status }) => id === endpoint && status === 'disabled');
    const isOver = now + this.#maxClockDifferenceMs >= endsAt - MAX_RETRY_GAP_MS;
    check(
      endReason === 'endpoint_disabled' ? isDisabled : isOver,
      () => `${event} was given up ${((endsAt - now) / HOUR_MS).toFixed(1)} h before its time`,
    );
  }

  /**
   * A worker may record an attempt only if it made it, and still holds the lease of the queue under which it made it.
   */
  #checkWriter(delivery: Delivery, old: Delivery, next: Snapshot, isOneCommit: boolean): void {
    const { event, endpoint, attempts, lastAttemptAt } = delivery;
    const received = this.#received(delivery);
    check(
      attempts <= (received?.posts ?? 0),
      () => `${event}: ${attempts} attempts are recorded, ${received?.posts} were made`,
    );
    // With two commits in one snapshot, the state after the first is unknown.
    if (!isOneCommit) return;
    check(attempts === old.attempts + 1, () => `${event}: one commit has counted ${attempts - old.attempts} attempts`);
    const leaseTokens = received?.leaseTokensByAttempt.get(lastAttemptAt ?? 0) ?? [];
    const leaseToken = next.queues.find((queue) => queue.endpoint === endpoint)?.leaseToken ?? 0;
    check(
      leaseTokens.includes(leaseToken),
      () => `${event}: lease token ${leaseTokens.join()} has written, and the queue is at ${leaseToken}: too late`,
    );
  }

  /** An endpoint is disabled only after one delivery failed in all of its 72 hours, and none succeeded in that time. */
  #checkDisabled(before: Snapshot, next: Snapshot): void {
    for (const { id, status } of next.endpoints) {
      if (
        status !== 'disabled' ||
        before.endpoints.some((endpoint) => endpoint.id === id && endpoint.status === status)
      )
        continue;
      this.transitions.add('endpoint active → disabled');
      const failed = next.deliveries.filter((delivery) => delivery.endpoint === id && delivery.status === 'failed');
      const startedAt = Math.max(...failed.map(({ endsAt }) => endsAt - 72 * HOUR_MS));
      const lastDelivered = this.#lastDelivered.get(id) ?? Number.NEGATIVE_INFINITY;
      check(
        failed.length > 0 && lastDelivered < startedAt + this.#maxClockDifferenceMs,
        () => `${id} was disabled, although a delivery had succeeded`,
      );
    }
  }

  #received({ endpoint, event }: Delivery) {
    return this.#endpoint(endpoint)?.received.get(event);
  }

  #endpoint(id: string): Endpoint | undefined {
    return this.#receivers.endpoints.find((endpoint) => endpoint.id === id);
  }

  /** Every endpoint has received every event, or its delivery failed after its time. */
  checkEnd(current: Snapshot): void {
    check(current.undispatched.length === 0, () => 'an event was never dispatched');
    const events = current.events.filter(({ type }) => type !== 'webhook_endpoint.disabled');
    for (const endpoint of this.#receivers.endpoints) {
      const deliveries = new Map(
        current.deliveries
          .filter((delivery) => delivery.endpoint === endpoint.id)
          .map((delivery) => [delivery.event, delivery]),
      );
      for (const { id, type, subject, sequence } of events) {
        const status = deliveries.get(id)?.status;
        check(status === 'delivered' || status === 'failed', () => `${type} ${id} is ${status} at the end`);
        const received = endpoint.received.get(id);
        check(status === 'failed' || received?.isReceived === true, () => `${type} ${id} never reached ${endpoint.id}`);
        const isSame = received === undefined || (received.subject === subject && received.sequence === sequence);
        check(isSame, () => `${id} arrived as ${received?.sequence} of ${received?.subject}`);
      }
      check(deliveries.size === events.length, () => `${deliveries.size} deliveries of ${events.length} events`);
      this.#checkGaps(endpoint, deliveries);
    }
  }

  /** The received events of each subject have no gap, unless a delivery failed. */
  #checkGaps(endpoint: Endpoint, deliveries: ReadonlyMap<string, Delivery>): void {
    const sequencesBySubject = new Map<string, Set<number>>();
    for (const [event, { subject, sequence, isReceived }] of endpoint.received) {
      if (!isReceived && deliveries.get(event)?.status !== 'failed') continue;
      sequencesBySubject.set(subject, (sequencesBySubject.get(subject) ?? new Set()).add(sequence));
    }
    for (const [subject, sequences] of sequencesBySubject) {
      const last = Math.max(...sequences);
      const isComplete = sequences.size === last || [...deliveries.values()].some(({ status }) => status === 'failed');
      check(isComplete, () => `${endpoint.id} has ${sequences.size} of ${last} events of ${subject}`);
    }
  }
}
