// The figures that an operator's monitoring scrapes: requests by operation and status, their duration by operation, the
// texts of the installation and their limit, and the process. One registry of prom-client holds and renders all of them.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type MetricsRegistry, makeMetricsRegistry } from '../base/monitoring/metrics-registry.ts';
import type { TextFigures } from '../domain/members/messages/text-limit.ts';

export interface Metrics {
  /** `operation` is the name of one of our operations, never text from a caller: each name is a series of its own. */
  observe(operation: string, status: number, seconds: number): void;
  /** Shows how many connections are open, as `open` says at each scrape. */
  countConnections(open: () => number): void;
  /** A connection was refused (too many in all, or of its address), or dropped (its client did not read). */
  countDropped(reason: 'total' | 'address' | 'unread'): void;
  /** A call was refused with 429. `limit`: whose rolling hour is used up, or `other` for any other limit. */
  countRefusal(limit: string): void;
  /** The request log had no room for so many calls, or could not write them. */
  countUnlogged(lines: number): void;
  text(): Promise<string>;
  readonly contentType: string;
}

/** Whose rolling hour can be used up; `other`: any other limit. */
const LIMITS = ['key', 'publishable_key', 'address', 'member', 'account', 'integration', 'other'];
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the metrics of texts are read from. */
export interface TextSource {
  readonly perHour: number;
  /** Null: not known at the moment. */
  read(): Promise<TextFigures | null>;
}

/** `operations`: the names of our operations, which all have a count of server errors from the start. */
export function makeMetrics(
  texts: TextSource,
  process: MetricsRegistry = makeMetricsRegistry(),
  operations: readonly string[] = [],
): Metrics {
  const { registry: register } = process;
  const durations = new Histogram({
    name: 'everyshare_http_request_seconds',
    help: 'How long requests took, by operation.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers: [register],
  });
  const countRequest = registerRequestCounter(register);
  const serverErrors = new Counter({
    name: 'everyshare_http_server_errors_total',
    help: 'How many requests were answered with 5xx, by operation.',
    labelNames: ['operation'],
    registers: [register],
  });
  // An increase needs a first value: of a counter that appears with its first failure, a first burst would show none.
  for (const operation of operations) serverErrors.inc({ operation }, 0);
  const dropped = new Counter({
    name: 'everyshare_http_connections_dropped_total',
    help: 'How many connections were refused (total, address), or dropped because the client did not read (unread).',
    labelNames: ['reason'],
    registers: [register],
  });
  const refusals = new Counter({
    name: 'everyshare_rate_limit_refusals_total',
    help: 'How many calls were refused with 429, by the limit: the rolling hour of a key, address, …, or another limit.',
    labelNames: ['limit'],
    registers: [register],
  });
  // An increase needs a first value.
  for (const limit of LIMITS) refusals.inc({ limit }, 0);
  const unlogged = new Counter({
    name: 'everyshare_request_log_dropped_total',
    help: 'How many calls the request log dropped: it had no room for them, or could not write them.',
    registers: [register],
  });
  const setTextGauges = registerTextGauges(register, texts.perHour);
  process.beforeScrape(async () => setTextGauges(await texts.read()));
  return {
    observe(operation, status, seconds) {
      durations.observe({ operation }, seconds);
      countRequest(operation, status);
      if (status >= 500) serverErrors.inc({ operation });
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
    countRefusal: (limit) => refusals.inc({ limit }),
    countUnlogged: (lines) => unlogged.inc(lines),
    text: process.text,
    contentType: process.contentType,
  };
}

/** The figures are those of the whole installation, the same on every server. Unknown ones are left out. */
function registerTextGauges(register: Registry, perHour: number): (figures: TextFigures | null) => void {
  const registers = [register];
  new Gauge({
    name: 'everyshare_texts_per_hour_limit',
    help: 'TEXTS_PER_HOUR: the most texts in an hour. Only sign-in codes use the last fifth.',
    registers,
  }).set(perHour);
  const inLastHour = new Gauge({
    name: 'everyshare_texts_in_last_hour',
    help: 'Texts that the installation sent in the last hour, failed attempts included.',
    labelNames: [],
    registers,
  });
  const waiting = new Gauge({
    name: 'everyshare_texts_waiting',
    help: 'Texts that are not sent yet: sign-in codes and others.',
    labelNames: ['kind'],
    registers,
  });
  return (figures) => {
    inLastHour.remove();
    waiting.reset();
    if (figures === null) return;
    inLastHour.set(figures.inLastHour);
    for (const kind of ['code', 'other'] as const) waiting.set({ kind }, figures.waiting[kind]);
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
