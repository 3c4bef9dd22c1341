// What must always hold about events on their way to the partners, checked after every commit against what the receivers
// themselves know; and what must hold in the end.

import type { Endpoint, Receivers } from './receivers.ts';
import { Violation } from './scheduler.ts';
import type { Snapshot } from './snapshot.ts';

type Delivery = Snapshot['deliveries'][number];

const HOUR = 3_600_000;
/** The longest gap between two tries, with what chance may add, and the minute that is kept free. */
const LAST_GAP = 4.5 * HOUR;

function insist(holds: boolean, message: () => string): void {
  if (!holds) throw new Violation(message());
}

const keyOf = ({ endpoint, event }: Delivery): string => `${endpoint} ${event}`;

export class DeliveryInvariants {
  readonly #receivers: Receivers;
  /** How far two clocks can be apart. */
  readonly #apart: number;
  /** When each endpoint was last written down to have said yes, by the true time. */
  readonly #yes = new Map<string, number>();
  readonly met = new Set<string>();

  constructor(receivers: Receivers, apart: number) {
    this.#receivers = receivers;
    this.#apart = apart;
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
      for (const key of olds.keys()) throw new Violation(`the delivery ${key} is gone`);
    }
    if (before.endpoints !== next.endpoints) this.#checkDisabled(before, next);
  }

  #check(delivery: Delivery, old: Delivery | undefined, next: Snapshot, isOneCommit: boolean, now: number): void {
    const { event, endpoint, status, attempts, ends, endedAs } = delivery;
    this.met.add(`delivery ${old?.status ?? 'new'} → ${status}`);
    insist(
      next.events.some(({ id }) => id === event),
      () => `${event} is delivered, and was never told`,
    );
    if (old === undefined) return;
    insist(old.status === 'pending', () => `${event} was ${old.status} and became ${status} (${attempts} attempts)`);
    if (attempts > old.attempts) this.#checkWriter(delivery, old, next, isOneCommit);
    if (status === 'delivered') {
      insist(
        this.#heard(delivery)?.acknowledged === true,
        () => `${event} is delivered, and ${endpoint} never said yes`,
      );
      this.#yes.set(endpoint, now);
    }
    if (status !== 'failed') return;
    const isDisabled = next.endpoints.some(({ id, status }) => id === endpoint && status === 'disabled');
    const isOver = now + this.#apart >= ends - LAST_GAP;
    insist(
      endedAs === 'endpoint_disabled' ? isDisabled : isOver,
      () => `${event} was given up ${((ends - now) / HOUR).toFixed(1)} h before its time`,
    );
  }

  /** Whoever writes down an attempt has made it, and still has the lane on which it was made. */
  #checkWriter(delivery: Delivery, old: Delivery, next: Snapshot, isOneCommit: boolean): void {
    const { event, endpoint, attempts, lastAt } = delivery;
    const heard = this.#heard(delivery);
    insist(
      attempts <= (heard?.posts ?? 0),
      () => `${event}: ${attempts} attempts are written, ${heard?.posts} were made`,
    );
    // Two commits in one look: of the first of them nothing can be said.
    if (!isOneCommit) return;
    insist(attempts === old.attempts + 1, () => `${event}: one commit has counted ${attempts - old.attempts} attempts`);
    const turns = heard?.turnsAt.get(lastAt ?? 0) ?? [];
    const turn = next.lanes.find((lane) => lane.endpoint === endpoint)?.turn ?? 0;
    insist(
      turns.includes(turn),
      () => `${event}: turn ${turns.join()} has written, and the lane is at ${turn}: too late`,
    );
  }

  /** An endpoint is given up after one delivery had all its time, and not one said yes in that time. */
  #checkDisabled(before: Snapshot, next: Snapshot): void {
    for (const { id, status } of next.endpoints) {
      if (status !== 'disabled' || before.endpoints.some((one) => one.id === id && one.status === status)) continue;
      this.met.add('endpoint active → disabled');
      const failed = next.deliveries.filter((one) => one.endpoint === id && one.status === 'failed');
      const begun = Math.max(...failed.map(({ ends }) => ends - 72 * HOUR));
      const yes = this.#yes.get(id) ?? Number.NEGATIVE_INFINITY;
      insist(failed.length > 0 && yes < begun + this.#apart, () => `${id} was disabled, and had said yes`);
    }
  }

  #heard({ endpoint, event }: Delivery) {
    return this.#endpoint(endpoint)?.heard.get(event);
  }

  #endpoint(id: string): Endpoint | undefined {
    return this.#receivers.endpoints.find((endpoint) => endpoint.id === id);
  }

  /** Every event has come to every endpoint at least once, or was given up in its time: the endpoint's own book says so. */
  checkEnd(present: Snapshot): void {
    insist(present.queue.length === 0, () => 'an event was never dispatched');
    const response = present.events.filter(({ type }) => type !== 'webhook_endpoint.disabled');
    for (const endpoint of this.#receivers.endpoints) {
      const mine = new Map(
        present.deliveries.filter((one) => one.endpoint === endpoint.id).map((one) => [one.event, one]),
      );
      for (const { id, type, subject, sequence } of response) {
        const status = mine.get(id)?.status;
        insist(status === 'delivered' || status === 'failed', () => `${type} ${id} is ${status} in the end`);
        const heard = endpoint.heard.get(id);
        insist(status === 'failed' || heard?.taken === true, () => `${type} ${id} never came to ${endpoint.id}`);
        const isSame = heard === undefined || (heard.subject === subject && heard.sequence === sequence);
        insist(isSame, () => `${id} came as ${heard?.sequence} of ${heard?.subject}`);
      }
      insist(mine.size === response.length, () => `${mine.size} deliveries of ${response.length} events`);
      this.#checkGaps(endpoint, mine);
    }
  }

  /** What came, of each subject, is all of 1 to the last, but for what was given up. */
  #checkGaps(endpoint: Endpoint, mine: ReadonlyMap<string, Delivery>): void {
    const came = new Map<string, Set<number>>();
    for (const [event, { subject, sequence, taken }] of endpoint.heard) {
      if (!taken && mine.get(event)?.status !== 'failed') continue;
      came.set(subject, (came.get(subject) ?? new Set()).add(sequence));
    }
    for (const [subject, sequences] of came) {
      const last = Math.max(...sequences);
      const isWhole = sequences.size === last || [...mine.values()].some(({ status }) => status === 'failed');
      insist(isWhole, () => `${endpoint.id} has ${sequences.size} of ${last} events of ${subject}`);
    }
  }
}
