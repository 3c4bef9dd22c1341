// The jobs of the delivery process: create endpoints and events, deliver them with our loops, or post the same signed
// bytes in a raw loop.

import { runJob } from './child-jobs.ts';
import type { ChildHandle } from './processes.ts';

/**
 * `hang` accepts every post and never answers; `garbage` answers bytes that are not HTTP, or a 500 with a long body;
 * `refuse` answers 500 to every checkout.created and 200 to all others.
 */
export type EndpointFault = 'hang' | 'garbage' | 'refuse';

/** Endpoints and their events; each venue has one endpoint. */
export interface DeliveryLoad {
  readonly venueIds: readonly string[];
  readonly eventsPerEndpoint: number;
  /** The faults of the first endpoints; all others answer 200. */
  readonly faults: readonly EndpointFault[];
  /**
   * Each checkout.completed comes after a checkout.created. All endpoints count, with the checkout.completed alone: those
   * that refuse the other type get them too.
   */
  readonly hasTwoTypes?: boolean;
}

export type DeliveryJob =
  | { readonly do: 'create endpoints'; readonly load: DeliveryLoad }
  | { readonly do: 'create events'; readonly load: DeliveryLoad }
  | { readonly do: 'deliver'; readonly load: DeliveryLoad }
  | { readonly do: 'post directly'; readonly load: DeliveryLoad; readonly concurrency: number };

export interface Deliveries {
  /** The address of the receiver. */
  readonly receiver: string;
  /** Creates the endpoints; called once for a load. */
  createEndpoints(load: DeliveryLoad): Promise<void>;
  /** Creates new events for the endpoints, after it has deleted all deliveries and reset all endpoint queues. */
  createEvents(load: DeliveryLoad): Promise<void>;
  /** Runs our loops until every healthy endpoint has acknowledged all its events. Returns deliveries a second. */
  deliver(load: DeliveryLoad): Promise<number>;
  /** Posts the same bytes, signed beforehand, in `concurrency` keep-alive loops. Returns posts a second. */
  postDirectly(load: DeliveryLoad, concurrency: number): Promise<number>;
}

export function deliveriesIn(child: ChildHandle, receiver: string): Deliveries {
  const run = <T>(job: DeliveryJob): Promise<T> => runJob<T>(child, job);
  return {
    receiver,
    createEndpoints: (load) => run({ do: 'create endpoints', load }),
    createEvents: (load) => run({ do: 'create events', load }),
    deliver: (load) => run({ do: 'deliver', load }),
    postDirectly: (load, concurrency) => run({ do: 'post directly', load, concurrency }),
  };
}
