// The list of benches, and the command-line options of `npm run bench`, which select from it.

import { parseArgs } from 'node:util';
import { activityIngest } from './activity-ingest.ts';
import { analyticsGrowth } from './analytics-growth.ts';
import type { Bench } from './bench.ts';
import { coldStart } from './cold-start.ts';
import { completePartyOf8 } from './complete-party-of-8.ts';
import { consoleGrowth } from './console-growth.ts';
import { consoleFirstLoad, consoleFurtherPage } from './console-load.ts';
import { createCheckout } from './create-checkout.ts';
import { createCheckoutBound } from './create-checkout-bound.ts';
import { deliverBesideFailingType, deliverBesideGarbage, deliverBesideHanging } from './deliver-beside-bad.ts';
import { deliverEvents } from './deliver-events.ts';
import { dueWorkGrowth } from './due-work-growth.ts';
import { createToEvent, lastShareToEvent } from './event-latency.ts';
import { eventLogGrowth } from './event-log-growth.ts';
import { expire100k } from './expire-100k.ts';
import { fleetBatch } from './fleet-batch.ts';
import { guestPage } from './guest-page.ts';
import { hookIntake } from './hook-intake.ts';
import { hookIntakeP99 } from './hook-intake-p99.ts';
import { idempotentReplay } from './idempotent-replay.ts';
import { listGrowth } from './list-growth.ts';
import { manyCores } from './many-cores.ts';
import { oneHotKey } from './one-hot-key.ts';
import { readCheckout } from './read-checkout.ts';
import { requestLogCreates, requestLogReads } from './request-log.ts';
import { rollingHourGrowth } from './rolling-hour-growth.ts';
import { silentReaders } from './silent-readers.ts';
import { standbyRelief } from './standby-relief.ts';
import { guestPageFirstByte, p99At70Percent, readLatency } from './steady-load.ts';
import { worstRequest } from './worst-request.ts';

const BENCHES: readonly Bench[] = [
  createCheckout,
  createCheckoutBound,
  readCheckout,
  requestLogReads,
  requestLogCreates,
  listGrowth,
  idempotentReplay,
  oneHotKey,
  manyCores,
  completePartyOf8,
  lastShareToEvent,
  createToEvent,
  p99At70Percent,
  readLatency,
  guestPageFirstByte,
  deliverEvents,
  deliverBesideHanging,
  deliverBesideGarbage,
  deliverBesideFailingType,
  expire100k,
  analyticsGrowth,
  activityIngest,
  fleetBatch,
  hookIntake,
  hookIntakeP99,
  coldStart,
  guestPage,
  consoleFirstLoad,
  consoleFurtherPage,
  ...consoleGrowth,
  dueWorkGrowth,
  eventLogGrowth,
  rollingHourGrowth,
  worstRequest,
  silentReaders,
  standbyRelief,
];

export interface Options {
  readonly json: boolean;
  readonly quick: boolean;
  readonly report: boolean;
  readonly benches: readonly Bench[];
  /** No bench was selected by name. */
  readonly isEveryBench: boolean;
}

/** `all`: the benches to select from. */
export function readOptions(args: readonly string[], all: readonly Bench[] = BENCHES): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const names = all.map(({ name }) => name);
  const unknown = values.only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no bench "${unknown}". There are: ${names.join(', ')}`);
  const benches = all.filter(({ name, isExtra }) =>
    values.only.length === 0 ? !(values.quick && isExtra) : values.only.includes(name),
  );
  const { json, quick, report, only } = values;
  return { json, quick, report, benches, isEveryBench: only.length === 0 };
}
