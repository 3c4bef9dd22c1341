// The partners' endpoints: what a seed has of them, how badly they answer, and a book of all that came to them, kept apart
// from ours. A time-out is a refusal of the moment here, before or after the receiver took what was sent. Nothing is sent
// for real.

import type { Outbound, OutboundRequest } from '../../src/base/outbound/outbound.ts';
import { OutboundError } from '../../src/base/outbound/outbound-error.ts';
import { SIGNATURE_HEADER, secretRow, signatureOf } from '../../src/domain/webhooks/deliveries/signature.ts';
import { EVENT_TYPES } from '../../src/run/operations/events.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { SimulationEnvironment } from './environment.ts';
import type { Invariants } from './invariants.ts';
import { type Actor, type Scheduler, Violation } from './scheduler.ts';
import { sealFor } from './simulation.ts';

const TOLD = EVENT_TYPES.filter((type) => /^(checkout|share|refund)\./.test(type));

type Answer = { readonly status: number; readonly body: string; readonly retryAfter?: string } | OutboundError;

interface Mood {
  readonly name: string;
  /** Whether the receiver has it afterwards. */
  readonly takes: boolean;
  readonly answer: () => Answer;
}

const answers = (status: number, body: string, retryAfter?: string) => (): Answer =>
  retryAfter === undefined ? { status, body } : { status, body, retryAfter };

const WELL: readonly Mood[] = [
  { name: '200', takes: true, answer: answers(200, 'ok') },
  { name: '204', takes: true, answer: answers(204, '') },
  { name: '200 and garbage', takes: true, answer: answers(200, '\0\ufffd<html>{"') },
];

const BADLY: readonly Mood[] = [
  { name: '503', takes: false, answer: answers(503, 'busy') },
  { name: '503, come back in 90 s', takes: false, answer: answers(503, '', '90') },
  { name: '500', takes: false, answer: answers(500, 'oops') },
  { name: '500, and it has it', takes: true, answer: answers(500, 'oops') },
  { name: 'a redirect', takes: false, answer: answers(302, '') },
  { name: 'no HTTP', takes: false, answer: () => new OutboundError('protocol') },
  { name: 'a time-out before it came', takes: false, answer: () => new OutboundError('timeout') },
  { name: 'a time-out, and it has it', takes: true, answer: () => new OutboundError('timeout') },
  { name: 'connection refused', takes: false, answer: () => new OutboundError('connect') },
  { name: 'cut, and it has it', takes: true, answer: () => new OutboundError('interrupted') },
];

/** What one endpoint knows of one event. */
export interface ReceivedEvent {
  readonly bytes: string;
  readonly subject: string;
  readonly sequence: number;
  posts: number;
  taken: boolean;
  acknowledged: boolean;
  /** By when its sender says that the attempt began: the turns under which that was. */
  readonly turnsAt: Map<number, number[]>;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  /** How often it answers badly; it answers well once the world is healed, unless it is dead. */
  readonly bad: number;
  readonly isDead: boolean;
  readonly heard: Map<string, ReceivedEvent>;
}

/** The turns that whoever sends has been given, by endpoint. */
export type LeaseTokens = Map<string, number>;

export class Receivers {
  readonly endpoints: readonly Endpoint[];
  healed = false;
  readonly #random: SeededRandom;
  readonly #scheduler: Scheduler;
  readonly #invariants: Invariants;

  constructor(random: SeededRandom, scheduler: Scheduler, invariants: Invariants) {
    this.#random = random;
    this.#scheduler = scheduler;
    this.#invariants = invariants;
    // Most seeds are about money alone: those with endpoints take a third longer.
    const count = random.weighed([
      [15, 0],
      [4, 1],
      [1, 2],
    ] as const);
    this.endpoints = Array.from({ length: count }, (_, number) => {
      const isDead = random.often(0.04);
      return {
        id: `whe_${number}`,
        url: `https://receiver-${number}.example/hooks`,
        secret: `whsec_${number}`,
        bad: isDead ? 1 : random.pick([0, 0.2, 0.5, 0.9]),
        isDead,
        heard: new Map(),
      };
    });
  }

  async writeTo(environment: SimulationEnvironment, venueId: string, at: number): Promise<void> {
    const seal = sealFor(this.#random);
    for (const { id, url, secret } of this.endpoints) {
      await environment.write(
        `insert into webhook_endpoints (venue_id, endpoint_id, mode, url, events, secret, created_at)
         values ($1, $2, 'test', $3, $4, $5, to_timestamp($6 / 1000.0))`,
        [venueId, id, url, TOLD, seal.seal(secret, secretRow(venueId, id)), at],
      );
      await environment.write('insert into endpoint_queues (venue_id, endpoint_id) values ($1, $2)', [venueId, id]);
    }
  }

  /** The way out of a process. */
  outboundFor(actor: Actor, turns: LeaseTokens): Outbound {
    const scheduler = this.#scheduler;
    return {
      request: (wanted) =>
        new Promise((resolve, reject) => {
          const endpoint = this.endpoints.find(({ url }) => url === wanted.url);
          if (endpoint === undefined) {
            scheduler.failure ??= new Violation(`something was sent to ${wanted.url}`);
            return;
          }
          const at = scheduler.now + actor.skew;
          const turn = turns.get(endpoint.id) ?? 0;
          scheduler.enqueue({
            actor,
            label: () => `posts to ${endpoint.id}`,
            grant: () => {
              const { name, takes, answer } = this.#mood(endpoint);
              scheduler.note(`  ${name}`);
              const heard = this.#hear(endpoint, wanted, at, turn);
              const said = answer();
              heard.taken ||= takes;
              heard.acknowledged ||= takes && !(said instanceof OutboundError) && said.status < 300;
              if (said instanceof OutboundError) reject(said);
              else resolve(answerOf(said));
            },
          });
        }),
      refusal: async () => null,
      close: async () => undefined,
    };
  }

  #mood({ bad, isDead }: Endpoint): Mood {
    const isBad = isDead || (!this.healed && this.#random.often(bad));
    const moods = isBad ? BADLY.filter(({ takes }) => !isDead || !takes) : WELL;
    return this.#random.pick(moods);
  }

  #hear(endpoint: Endpoint, { body, headers }: OutboundRequest, at: number, turn: number): ReceivedEvent {
    const { present } = this.#invariants;
    const bytes = String(body);
    const { id, type, sequence } = JSON.parse(bytes) as { id: string; type: string; sequence: number };
    const event = present.events.find((one) => one.id === id);
    if (event === undefined) throw new Violation(`${type} ${id} was sent, and is not committed`);
    if (event.sequence !== sequence || event.type !== type) throw new Violation(`${id} was sent as something else`);
    if (headers?.[SIGNATURE_HEADER] !== signatureOf([endpoint.secret], bytes, at)) {
      throw new Violation(`${id} was sent with a signature that does not hold`);
    }
    const known = endpoint.heard.get(id);
    if (known !== undefined && known.bytes !== bytes) {
      throw new Violation(`${id} was sent twice, and differently: ${known.bytes} and ${bytes}`);
    }
    const isWritten = present.deliveries.some(
      (one) => one.endpoint === endpoint.id && one.event === id && one.status !== 'pending',
    );
    const isPresentTurn = present.lanes.some((lane) => lane.endpoint === endpoint.id && lane.turn === turn);
    if (isWritten && isPresentTurn) throw new Violation(`${id} was sent again after it was over`);
    const { subject } = event;
    const heard = known ?? {
      bytes,
      subject,
      sequence,
      posts: 0,
      taken: false,
      acknowledged: false,
      turnsAt: new Map(),
    };
    heard.posts++;
    heard.turnsAt.set(at, [...(heard.turnsAt.get(at) ?? []), turn]);
    endpoint.heard.set(id, heard);
    return heard;
  }
}

function answerOf({ status, body, retryAfter }: Exclude<Answer, OutboundError>) {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { status, headers, body: Buffer.from(body), truncated: false, durationMs: 1 };
}
