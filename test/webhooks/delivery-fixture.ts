// The fixture of the delivery tests: a test world that may send to this machine, an https receiver that records its
// requests and responds as the test says, a manual clock, and single steps of the two worker loops.

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
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape.
  readonly event: any;
}

export type Responder = (request: ReceivedRequest, response: ServerResponse) => void;

/** A clock that changes only when a test sets it. */
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
  respond: Responder = (_request, response) => response.end('ok');
  #receiver: Listening | null = null;

  private constructor(world: TestWorld) {
    this.world = world;
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<DeliveryFixture> {
    const options = { connections: 12, env: { ALLOW_INSECURE_TARGETS: '1', ...env } };
    const fixture = new DeliveryFixture(await openTestWorld(options));
    fixture.#receiver = await startHttpsReceiver((request, response, body) => {
      const { url: path = '', headers } = request;
      const signature = String(headers['service-signature']);
      const received = { path, headers, body, signature, event: JSON.parse(body) };
      fixture.requests.push(received);
      fixture.respond(received, response);
    });
    return fixture;
  }

  /** The services of the worker loops, with the manual clock. */
  get services(): QueueServices {
    return { ...this.world.context.services, clock: this.clock };
  }

  url(path = '/hooks'): string {
    return `https://127.0.0.1:${this.#receiver?.port}${path}`;
  }

  requestsTo(path: string): ReceivedRequest[] {
    return this.requests.filter((request) => request.path === path);
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

  /** Dispatches and delivers everything that is due now. Returns how many attempts were made. */
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
