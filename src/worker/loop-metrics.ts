// The series of the worker's loops: how often each ran, how long its steps took, how many failed, and how many rows it
// processed. Their backlogs are read from the database (domain/monitoring).

import { Counter, Gauge, Histogram } from 'prom-client';
import type { MetricsRegistry } from '../base/monitoring/metrics-registry.ts';
import { LOOPS } from './loops.ts';
import type { ObserveStep, RunningWorker } from './worker.ts';

const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300];

export function makeLoopMetrics({ registry }: MetricsRegistry): ObserveStep {
  const options = { labelNames: ['loop'], registers: [registry] };
  const attempts = new Counter({
    name: 'everyshare_loop_attempts_total',
    help: 'How many steps a loop of the worker has run, failed ones included.',
    ...options,
  });
  const failures = new Counter({
    name: 'everyshare_loop_failures_total',
    help: 'How many steps of a loop failed. A failed step is retried after the interval of the loop.',
    ...options,
  });
  const rows = new Counter({
    name: 'everyshare_loop_rows_total',
    help: 'How many rows a loop has processed.',
    ...options,
  });
  const seconds = new Histogram({
    name: 'everyshare_loop_step_seconds',
    help: 'How long the steps of a loop took. Of deliver-events: how long the runs of endpoints’ queues took.',
    buckets: BUCKETS,
    ...options,
  });
  const lastTurn = new Gauge({
    name: 'everyshare_loop_last_step_timestamp_seconds',
    help: 'When the last step of a loop ended, in seconds since 1970.',
    ...options,
  });
  // A rate needs a first value: a counter that appears with its first failure shows no increase.
  for (const { name: loop } of LOOPS) for (const counter of [attempts, failures, rows]) counter.inc({ loop }, 0);
  return (step) => {
    const { loop } = step;
    attempts.inc({ loop });
    if (step.isFailed) failures.inc({ loop });
    rows.inc({ loop }, step.rows);
    seconds.observe({ loop }, step.seconds);
    lastTurn.setToCurrentTime({ loop });
  };
}

/** The heartbeat of each loop: a step that hangs ends no step, so no other series would show it. */
export function registerLoopHeartbeats({ registry }: MetricsRegistry, worker: Pick<RunningWorker, 'turnAges'>): void {
  const options = { labelNames: ['loop'], registers: [registry] };
  new Gauge({
    name: 'everyshare_loop_turn_age_seconds',
    help: 'How long ago a loop of the worker last turned: began or ended a step, or got on with a long one.',
    ...options,
    collect() {
      for (const { loop, seconds } of worker.turnAges()) this.set({ loop }, seconds);
    },
  });
  new Gauge({
    name: 'everyshare_loop_max_turn_age_seconds',
    help: 'After how long without a turn a loop counts as stalled, and /readyz of the worker is 503.',
    ...options,
    collect() {
      for (const { loop, maxSeconds } of worker.turnAges()) this.set({ loop }, maxSeconds);
    },
  });
}
