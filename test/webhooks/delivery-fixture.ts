// What the tests of deliveries share: a world that may send to this machine, an https receiver that answers as told and
// keeps what it was sent, a clock that can be set, and the two loops of the worker, step by step.

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import type { QueueServices } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { type Listening, startReceiver } from '../support/test-receivers.ts';
import { openShop, type Seen, type Shop } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

export const ALL_EVENTS = [
  'checkout.created',
  'checkout.collecting',
  'share.held',
  'checkout.funded',
  'checkout.completed',
  'checkout.expired',
  'checkout.canceled',
];

export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly signature: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into events of every shape.
  readonly event: any;
}

export type Receive = (post: Post, response: ServerResponse) => void;

/** A clock that stands still until it is moved. */
export class SetClock implements Clock {
  at = Date.now();
  now(): number {
    return this.at;
  }
}

export class PostOffice {
  readonly world: TestWorld;
  readonly posts: Post[] = [];
  readonly clock = new SetClock();
  receive: Receive = (_post, response) => response.end('ok');
  #receiver: Listening | null = null;

  private constructor(world: TestWorld) {
    this.world = world;
  }

  static async open(): Promise<PostOffice> {
    const office = new PostOffice(await openTestWorld({ env: { ALLOW_INSECURE_TARGETS: '1' } }));
    office.#receiver = await startReceiver((request, response, body) => {
      const { url: path = '', headers } = request;
      const post = { path, headers, body, signature: String(headers['service-signature']), event: JSON.parse(body) };
      office.posts.push(post);
      office.receive(post, response);
    });
    return office;
  }

  /** What the loops work with, on the clock that can be set. */
  get parts(): QueueServices {
    return { ...this.world.context.services, clock: this.clock };
  }

  url(path = '/hooks'): string {
    return `https://127.0.0.1:${this.#receiver?.port}${path}`;
  }

  postsTo(path: string): Post[] {
    return this.posts.filter((post) => post.path === path);
  }

  shop(): Promise<Shop> {
    return openShop(this.world);
  }

  async endpoint(shop: Shop, path = '/hooks', events: readonly string[] = ALL_EVENTS): Promise<Seen> {
    const made = await shop.post('/v1/webhook_endpoints', { url: this.url(path), events });
    expect(made.status, made.text).toBe(201);
    return made.json;
  }

  async dispatch(): Promise<number> {
    let taken = 0;
    for (let done = 1; done > 0; taken += done) done = await dispatchDue(this.parts, 500);
    return taken;
  }

  /** Everything that is due at this moment of the clock. */
  async deliver(): Promise<number> {
    await this.dispatch();
    let made = 0;
    for (let done = 1; done > 0; made += done) done = await deliverDue(this.parts, new AbortController().signal);
    return made;
  }

  async deliveries(shop: Shop, endpointId: string, query = ''): Promise<Seen[]> {
    const told = await shop.get(`/v1/webhook_endpoints/${endpointId}/deliveries${query}`);
    expect(told.status, told.text).toBe(200);
    return told.json.data;
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.#receiver?.close();
  }
}
