// What the tests of deliveries share: a world that may send to this machine, an https receiver that answers as told and
// keeps what it was sent, a clock that can be set, and the two loops of the worker, step by step.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import type { QueueServices } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';

export const ALL_EVENTS = [
  'checkout.created',
  'checkout.collecting',
  'share.held',
  'checkout.funded',
  'checkout.completed',
  'checkout.expired',
  'checkout.canceled',
];

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly signature: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into events of every shape.
  readonly event: any;
}

export type Responder = (post: ReceivedRequest, response: ServerResponse) => void;

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  at = Date.now();
  now(): number {
    return this.at;
  }
}

export class DeliveryFixture {
  readonly world: TestWorld;
  readonly requests: ReceivedRequest[] = [];
  readonly clock = new ManualClock();
  respond: Responder = (_post, response) => response.end('ok');
  #receiver: Listening | null = null;

  private constructor(world: TestWorld) {
    this.world = world;
  }

  static async open(): Promise<DeliveryFixture> {
    const fixture = new DeliveryFixture(await openTestWorld({ env: { ALLOW_INSECURE_TARGETS: '1' } }));
    fixture.#receiver = await startHttpsReceiver((request, response, body) => {
      const { url: path = '', headers } = request;
      const post = { path, headers, body, signature: String(headers['service-signature']), event: JSON.parse(body) };
      fixture.requests.push(post);
      fixture.respond(post, response);
    });
    return fixture;
  }

  /** What the loops work with, on the clock that can be set. */
  get services(): QueueServices {
    return { ...this.world.context.services, clock: this.clock };
  }

  url(path = '/hooks'): string {
    return `https://127.0.0.1:${this.#receiver?.port}${path}`;
  }

  requestsTo(path: string): ReceivedRequest[] {
    return this.requests.filter((post) => post.path === path);
  }

  openVenue(): Promise<TestVenue> {
    return openTestVenue(this.world);
  }

  async endpoint(venue: TestVenue, path = '/hooks', events: readonly string[] = ALL_EVENTS): Promise<Json> {
    const made = await venue.post('/v1/webhook_endpoints', { url: this.url(path), events });
    expect(made.status, made.text).toBe(201);
    return made.json;
  }

  dispatch(): Promise<number> {
    return runUntilIdle('dispatch', () => dispatchDue(this.services, 500));
  }

  /** Everything that is due at this moment of the clock. */
  async deliver(): Promise<number> {
    await this.dispatch();
    return runUntilIdle('delivery', () => deliverDue(this.services, new AbortController().signal));
  }

  async deliveries(venue: TestVenue, endpointId: string, query = ''): Promise<Json[]> {
    const response = await venue.get(`/v1/webhook_endpoints/${endpointId}/deliveries${query}`);
    expect(response.status, response.text).toBe(200);
    return response.json.data;
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.#receiver?.close();
  }
}
