// The partners' endpoints of a seed: how badly they answer, and a record of everything that they received, independent
// of ours. A time-out here fails at once, before or after the receiver got the event. Nothing is sent over a network.

import type { Mode } from '../../src/base/config.ts';
import type { Outbound, OutboundRequest } from '../../src/base/outbound/outbound.ts';
import { OutboundError } from '../../src/base/outbound/outbound-error.ts';
import { SIGNATURE_HEADER, secretRow, signatureOf } from '../../src/domain/webhooks/deliveries/signature.ts';
import { EVENT_TYPES } from '../../src/run/operations/events.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { SimulationEnvironment } from './environment.ts';
import type { Invariants } from './invariants.ts';
import { type Actor, type Scheduler, Violation } from './scheduler.ts';
import { sealFor } from './simulation.ts';

const DELIVERED_TYPES = EVENT_TYPES.filter((type) => /^(checkout|share|refund)\./.test(type));
/** Types that an endpoint may refuse: early ones, so that other events follow. */
const REFUSABLE_TYPES = ['checkout.created', 'checkout.collecting', 'share.held'];

type Reply = { readonly status: number; readonly body: string; readonly retryAfter?: string } | OutboundError;

interface ReplyKind {
  readonly name: string;
  /** The receiver has the event afterwards. */
  readonly receives: boolean;
  readonly makeReply: () => Reply;
}

const reply = (status: number, body: string, retryAfter?: string) => (): Reply =>
  retryAfter === undefined ? { status, body } : { status, body, retryAfter };

const GOOD_REPLIES: readonly ReplyKind[] = [
  { name: '200', receives: true, makeReply: reply(200, 'ok') },
  { name: '204', receives: true, makeReply: reply(204, '') },
  { name: '200 and garbage', receives: true, makeReply: reply(200, '\0\ufffd<html>{"') },
];

const BAD_REPLIES: readonly ReplyKind[] = [
  { name: '503', receives: false, makeReply: reply(503, 'busy') },
  { name: '503, retry after 90 s', receives: false, makeReply: reply(503, '', '90') },
  { name: '500', receives: false, makeReply: reply(500, 'oops') },
  { name: '500, received', receives: true, makeReply: reply(500, 'oops') },
  { name: 'a redirect', receives: false, makeReply: reply(302, '') },
  { name: 'not HTTP', receives: false, makeReply: () => new OutboundError('protocol') },
  { name: 'time-out, not received', receives: false, makeReply: () => new OutboundError('timeout') },
  { name: 'time-out, received', receives: true, makeReply: () => new OutboundError('timeout') },
  { name: 'connection refused', receives: false, makeReply: () => new OutboundError('connect') },
  { name: 'disconnected, received', receives: true, makeReply: () => new OutboundError('interrupted') },
];

/** Errors of an endpoint that answers: they are about one event. */
const REFUSALS = BAD_REPLIES.filter(({ name }) => /^(50\d|a redirect)/.test(name));

/** What one endpoint received of one event. */
export interface ReceivedEvent {
  readonly bytes: string;
  readonly subject: string;
  readonly sequence: number;
  posts: number;
  isReceived: boolean;
  isAcknowledged: boolean;
  /** The lease tokens of the attempts, by the start of the attempt on the sender's clock. */
  readonly leaseTokensByAttempt: Map<number, number[]>;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  /** Probability of a bad reply. Once the simulation is healed it is zero, unless the endpoint is dead. */
  readonly badReplyRate: number;
  readonly isDead: boolean;
  /** It refuses all events of this type, for ever, and acknowledges all others at once. Null: it has no such type. */
  readonly refusedType: string | null;
  readonly received: Map<string, ReceivedEvent>;
}

/** The lease tokens that a sender holds, by endpoint. */
export type LeaseTokens = Map<string, number>;

export class Receivers {
  readonly endpoints: readonly Endpoint[];
  isHealed = false;
  readonly #random: SeededRandom;
  readonly #scheduler: Scheduler;
  readonly #invariants: Invariants;

  constructor(random: SeededRandom, refusals: SeededRandom, scheduler: Scheduler, invariants: Invariants) {
    this.#random = random;
    this.#scheduler = scheduler;
    this.#invariants = invariants;
    // Most seeds have no endpoints, because those with endpoints take a third longer.
    const count = random.weighed([
      [15, 0],
      [4, 1],
      [1, 2],
    ] as const);
    this.endpoints = Array.from({ length: count }, (_, number) => {
      const isDead = random.often(0.04);
      const badReplyRate = isDead ? 1 : random.pick([0, 0.2, 0.5, 0.9]);
      const refusedType = !isDead && refusals.often(0.4) ? refusals.pick(REFUSABLE_TYPES) : null;
      return {
        id: `whe_${number}`,
        url: `https://receiver-${number}.example/hooks`,
        secret: `whsec_${number}`,
        badReplyRate: refusedType === null ? badReplyRate : 0,
        isDead,
        refusedType,
        received: new Map(),
      };
    });
  }

  async insertInto(environment: SimulationEnvironment, venueId: string, mode: Mode, at: number): Promise<void> {
    const seal = sealFor(this.#random);
    for (const { id, url, secret } of this.endpoints) {
      await environment.write(
        `insert into webhook_endpoints (venue_id, endpoint_id, mode, url, events, secret, created_at)
         values ($1, $2, $7, $3, $4, $5, to_timestamp($6 / 1000.0))`,
        [venueId, id, url, DELIVERED_TYPES, seal.seal(secret, secretRow(venueId, id)), at, mode],
      );
      await environment.write('insert into endpoint_queues (venue_id, endpoint_id) values ($1, $2)', [venueId, id]);
    }
  }

  /** The outbound client of an actor. */
  outboundFor(actor: Actor, leaseTokens: LeaseTokens): Outbound {
    const scheduler = this.#scheduler;
    return {
      request: (request) =>
        new Promise((resolve, reject) => {
          const endpoint = this.endpoints.find(({ url }) => url === request.url);
          if (endpoint === undefined) {
            scheduler.failure ??= new Violation(`a request was sent to ${request.url}`);
            return;
          }
          const at = scheduler.now + actor.skew;
          const leaseToken = leaseTokens.get(endpoint.id) ?? 0;
          scheduler.enqueue({
            actor,
            label: () => `posts to ${endpoint.id}`,
            run: () => {
              const { received, type } = this.#receive(endpoint, request, at, leaseToken);
              const { name, receives, makeReply } = this.#drawReply(endpoint, type);
              scheduler.log(`  ${name}`);
              const drawn = makeReply();
              received.isReceived ||= receives;
              received.isAcknowledged ||= receives && !(drawn instanceof OutboundError) && drawn.status < 300;
              if (drawn instanceof OutboundError) reject(drawn);
              else resolve(outboundResponse(drawn));
            },
          });
        }),
      refusal: async () => null,
      close: async () => undefined,
    };
  }

  #drawReply({ badReplyRate, isDead, refusedType }: Endpoint, type: string): ReplyKind {
    if (type === refusedType) return this.#random.pick(REFUSALS);
    const isBad = isDead || (!this.isHealed && this.#random.often(badReplyRate));
    const kinds = isBad ? BAD_REPLIES.filter(({ receives }) => !isDead || !receives) : GOOD_REPLIES;
    return this.#random.pick(kinds);
  }

  #receive(
    endpoint: Endpoint,
    { body, headers }: OutboundRequest,
    at: number,
    leaseToken: number,
  ): { readonly received: ReceivedEvent; readonly type: string } {
    const { current } = this.#invariants;
    const bytes = String(body);
    const { id, type, sequence } = JSON.parse(bytes) as { id: string; type: string; sequence: number };
    const event = current.events.find((candidate) => candidate.id === id);
    if (event === undefined) throw new Violation(`${type} ${id} was sent before it was committed`);
    if (event.sequence !== sequence || event.type !== type)
      throw new Violation(`${id} was sent with another type or sequence`);
    if (headers?.[SIGNATURE_HEADER] !== signatureOf([endpoint.secret], bytes, at)) {
      throw new Violation(`${id} was sent with an invalid signature`);
    }
    const earlier = endpoint.received.get(id);
    if (earlier !== undefined && earlier.bytes !== bytes) {
      throw new Violation(`${id} was sent twice with different bytes: ${earlier.bytes} and ${bytes}`);
    }
    const hasEnded = current.deliveries.some(
      (delivery) => delivery.endpoint === endpoint.id && delivery.event === id && delivery.status !== 'pending',
    );
    const holdsLease = current.queues.some(
      (queue) => queue.endpoint === endpoint.id && queue.leaseToken === leaseToken,
    );
    if (hasEnded && holdsLease) throw new Violation(`${id} was sent again after its delivery had ended`);
    const { subject } = event;
    const received = earlier ?? {
      bytes,
      subject,
      sequence,
      posts: 0,
      isReceived: false,
      isAcknowledged: false,
      leaseTokensByAttempt: new Map(),
    };
    received.posts++;
    received.leaseTokensByAttempt.set(at, [...(received.leaseTokensByAttempt.get(at) ?? []), leaseToken]);
    endpoint.received.set(id, received);
    return { received, type };
  }
}

function outboundResponse({ status, body, retryAfter }: Exclude<Reply, OutboundError>) {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { status, headers, body: Buffer.from(body), truncated: false, durationMs: 1 };
}
