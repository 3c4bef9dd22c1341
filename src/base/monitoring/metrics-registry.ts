// The series of one process, rendered as Prometheus text. Entry points and the domain add theirs; the series of Node.js
// itself (memory, event loop, garbage collection) are there from the start.

import { collectDefaultMetrics, Registry } from 'prom-client';

export interface MetricsRegistry {
  readonly registry: Registry;
  readonly contentType: string;
  /** Adds a step that runs before each rendering. It must not throw: the other series are wanted even then. */
  beforeScrape(step: () => Promise<void>): void;
  text(): Promise<string>;
  /** The same as objects. */
  series(): Promise<readonly RegisteredSeries[]>;
}

export interface RegisteredSeries {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    /** Of a histogram: the name with its ending. */
    readonly metricName?: string;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly value: number;
  }[];
}

export function makeMetricsRegistry(): MetricsRegistry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'everyshare_' });
  const steps: (() => Promise<void>)[] = [];
  return {
    registry,
    contentType: registry.contentType,
    beforeScrape: (step) => void steps.push(step),
    async text() {
      await Promise.all(steps.map((step) => step()));
      return registry.metrics();
    },
    async series() {
      await Promise.all(steps.map((step) => step()));
      return (await registry.getMetricsAsJSON()) as unknown as RegisteredSeries[];
    },
  };
}
