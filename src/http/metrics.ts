// What an operator's monitoring reads: how many requests, how long they took, by operation and status; and the process.

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  observe(operation: string, status: number, seconds: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export function makeMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: 'everyshare_' });
  const duration = new Histogram({
    name: 'everyshare_http_request_seconds',
    help: 'How long requests took, by operation.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [register],
  });
  const count = new Counter({
    name: 'everyshare_http_requests_total',
    help: 'How many requests were answered, by operation and status.',
    labelNames: ['operation', 'status'],
    registers: [register],
  });
  // Looking a series up by its labels costs more than counting in it, so each one found is kept. There are as many as
  // operations and statuses.
  const series = new Map<string, Series>();
  return {
    observe(operation, status, seconds) {
      const found = kept(series, operation, () => ({ duration: duration.labels({ operation }), counts: new Map() }));
      found.duration.observe(seconds);
      kept(found.counts, status, () => count.labels({ operation, status: String(status) })).inc();
    },
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/** Of one operation. */
interface Series {
  readonly duration: Histogram.Internal<'operation'>;
  readonly counts: Map<number, Counter.Internal>;
}

function kept<K, T>(all: Map<K, T>, name: K, find: () => T): T {
  let found = all.get(name);
  if (found === undefined) {
    found = find();
    all.set(name, found);
  }
  return found;
}
