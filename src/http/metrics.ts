// The figures that an operator's monitoring scrapes: requests by operation and status, their duration by operation, and
// the process. One registry of prom-client holds and renders all of them.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** `operation` is the name of one of our operations, never text from a caller: each name is a series of its own. */
  observe(operation: string, status: number, seconds: number): void;
  /** Shows how many connections are open, as `open` says at each scrape. */
  countConnections(open: () => number): void;
  /** A connection was refused (too many in all, or of its address), or dropped (its client did not read). */
  countDropped(reason: 'total' | 'address' | 'unread'): void;
  text(): Promise<string>;
  readonly contentType: string;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function makeMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: 'everyshare_' });
  const durations = new Histogram({
    name: 'everyshare_http_request_seconds',
    help: 'How long requests took, by operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: [register],
  });
  const countRequest = registerRequestCounter(register);
  const dropped = new Counter({
    name: 'everyshare_http_connections_dropped_total',
    help: 'How many connections were refused (total, address), or dropped because the client did not read (unread).',
    labelNames: ['reason'],
    registers: [register],
  });
  return {
    observe(operation, status, seconds) {
      durations.observe({ operation }, seconds);
      countRequest(operation, status);
    },
    countConnections(open) {
      new Gauge({
        name: 'everyshare_http_connections',
        help: 'How many connections are open.',
        registers: [register],
        collect() {
          this.set(open());
        },
      });
    },
    countDropped: (reason) => dropped.inc({ reason }),
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/**
 * The counter takes its values when it is scraped: an `inc` with two labels at each request costs eight times as much.
 */
function registerRequestCounter(register: Registry): (operation: string, status: number) => void {
  const countsByOperation = new Map<string, Map<number, number>>();
  new Counter({
    name: 'everyshare_http_requests_total',
    help: 'How many requests were answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [register],
    collect() {
      this.reset();
      for (const [operation, counts] of countsByOperation)
        for (const [status, count] of counts) this.inc({ operation, status }, count);
    },
  });
  return (operation, status) => {
    let counts = countsByOperation.get(operation);
    if (counts === undefined) {
      counts = new Map();
      countsByOperation.set(operation, counts);
    }
    counts.set(status, (counts.get(status) ?? 0) + 1);
  };
}
