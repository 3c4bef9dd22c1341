// The figures that an operator's monitoring scrapes: requests by operation and status, their duration by operation, and
// the process. One registry of prom-client holds and renders all of them.

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** `operation` is the name of one of our operations, never text from a caller: each name is a series of its own. */
  observe(operation: string, status: number, seconds: number): void;
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
  return {
    observe(operation, status, seconds) {
      durations.observe({ operation }, seconds);
      countRequest(operation, status);
    },
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
