// The explicit list of loops over work that is due. Each is a query over the domain's own rows, in batches; when a batch
// was full the next follows at once, else the loop sleeps. Any number of workers may run beside one another.

import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';
import type { Db } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import type { Outbound } from '../base/outbound/outbound.ts';
import { readDueCalendars } from '../domain/boats/read-calendars.ts';
import { reconcile } from '../domain/checkouts/accounting/reconcile.ts';
import { captureDue } from '../domain/checkouts/capture/capture.ts';
import { expireDue } from '../domain/checkouts/expire.ts';
import { settleDueHolds } from '../domain/checkouts/holds/settle-hold.ts';
import { notifyDueGuests } from '../domain/checkouts/notifications/notify-guests.ts';
import type { GuestServices } from '../domain/checkouts/party/guest-services.ts';
import type { PaymentServices } from '../domain/checkouts/payment-services.ts';
import { type ApplyServices, applyDueDeliveries } from '../domain/hooks/apply.ts';
import { deleteOldInbound } from '../domain/hooks/deliveries/queries.ts';
import { deleteOldResponses } from '../domain/idempotency/stored-responses.ts';
import { deleteExpiredCalls } from '../domain/keys/queries.ts';
import { deleteOldMessages } from '../domain/members/messages/queries.ts';
import { sendDueMessages, type TextSender } from '../domain/members/messages/send.ts';
import { deleteOldSignIns } from '../domain/members/queries.ts';
import { deleteOldDeclines } from '../domain/payments/decline-queries.ts';
import { deleteOldNotices } from '../domain/payments/dispute-queries.ts';
import { readDueNotices } from '../domain/payments/read-notices.ts';
import { settleDueMovements } from '../domain/payments/settle-movements.ts';
import { deliverUntilStopped, dispatchDue } from '../domain/webhooks/deliveries/deliver.ts';
import type { QueueServices } from '../domain/webhooks/deliveries/endpoint-queue.ts';
import { deleteOldDeliveries } from '../domain/webhooks/deliveries/queries.ts';

/** What the loops work with. */
export interface WorkerServices {
  readonly db: Db;
  readonly log: Log;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly payments: GuestServices;
  readonly sender: TextSender;
  readonly deliveries: QueueServices;
  readonly hooks: ApplyServices;
}

interface Loop {
  readonly name: string;
  readonly everySeconds: number;
  readonly batch: number;
  /** The signal says that the worker is stopping: what is under way is finished, nothing new is begun. */
  readonly step: (services: WorkerServices, batch: number, signal: AbortSignal) => Promise<number>;
}

/** What moves money is looked for twice a second: a guest is waiting. */
const SOON = 0.5;

const LOOPS: readonly Loop[] = [
  {
    name: 'expire-checkouts',
    everySeconds: SOON,
    batch: 1_000,
    step: ({ payments: money }, batch) => expireDue(money, batch),
  },
  {
    name: 'settle-holds',
    everySeconds: SOON,
    batch: 100,
    step: ({ payments: money }, batch) => settleDueHolds(money, batch),
  },
  {
    name: 'capture-funded',
    everySeconds: SOON,
    batch: 50,
    step: ({ payments: money }, batch) => captureDue(money, batch),
  },
  {
    name: 'move-money',
    everySeconds: SOON,
    batch: 100,
    step: ({ payments: money }, batch) => settleDueMovements(money, batch),
  },
  {
    name: 'compare-books',
    everySeconds: 6 * 3_600,
    batch: 1,
    step: ({ payments: money, log }) => compareBooks(money, log),
  },
  {
    name: 'tell-guests',
    everySeconds: 1,
    batch: 100,
    step: ({ payments: money }, batch) => notifyDueGuests(money, batch),
  },
  {
    name: 'send-messages',
    everySeconds: SOON,
    batch: 50,
    step: ({ payments: money, sender }, batch) => sendDueMessages({ ...money, sender }, batch),
  },
  {
    name: 'forget-old-sign-ins',
    everySeconds: 600,
    batch: 1_000,
    step: ({ payments: money }, batch) => deleteOldSignIns(money.db, money.clock.now(), batch),
  },
  {
    name: 'forget-old-messages',
    everySeconds: 3_600,
    batch: 1_000,
    step: ({ payments: money }, batch) => deleteOldMessages(money.db, money.clock.now(), batch),
  },
  {
    name: 'dispatch-events',
    everySeconds: 0.25,
    batch: 500,
    step: ({ deliveries }, batch) => dispatchDue(deliveries, batch),
  },
  {
    name: 'deliver-events',
    everySeconds: 1,
    batch: Number.POSITIVE_INFINITY,
    // One step as long as the worker runs: a delivery that takes long holds up no other.
    step: ({ deliveries }, _batch, signal) => deliverUntilStopped(deliveries, signal),
  },
  {
    name: 'forget-old-deliveries',
    everySeconds: 600,
    batch: 1_000,
    step: ({ db, clock }, batch) => deleteOldDeliveries(db, clock.now(), batch),
  },
  {
    name: 'apply-hooks',
    everySeconds: SOON,
    batch: 200,
    step: ({ hooks }, batch) => applyDueDeliveries(hooks, batch),
  },
  {
    name: 'forget-old-hooks',
    everySeconds: 3_600,
    batch: 1_000,
    step: ({ db, clock }, batch) => deleteOldInbound(db, clock.now(), batch),
  },
  {
    name: 'read-notices',
    everySeconds: 2,
    batch: 50,
    step: ({ payments: money }, batch) => readDueNotices(money, batch),
  },
  {
    name: 'forget-old-declines',
    everySeconds: 600,
    batch: 1_000,
    step: ({ payments: money }, batch) => deleteOldDeclines(money.db, money.clock.now(), batch),
  },
  {
    name: 'forget-old-notices',
    everySeconds: 3_600,
    batch: 1_000,
    step: ({ payments: money }, batch) => deleteOldNotices(money.db, money.clock.now(), batch),
  },
  {
    name: 'forget-spent-calls',
    everySeconds: 60,
    batch: 5_000,
    step: ({ db }, batch) => deleteExpiredCalls(db, batch),
  },
  {
    name: 'forget-old-answers',
    everySeconds: 600,
    batch: 1_000,
    step: ({ db, clock }, batch) => deleteOldResponses(db, clock.now(), batch),
  },
  {
    name: 'read-calendars',
    everySeconds: 10,
    batch: 10,
    step: ({ db, outbound, clock }, batch, signal) => readDueCalendars(db, outbound, () => clock.now(), batch, signal),
  },
];

const DAY = 24 * 3_600_000;

/** Lets go of holds that nobody waits for, and says where the processor's books and ours differ. */
async function compareBooks(money: PaymentServices, log: Log): Promise<number> {
  for (const mode of ['test', 'live'] as const) {
    if (money.processors[mode] === undefined) continue;
    const { differences } = await reconcile(money, { mode, since: money.clock.now() - 2 * DAY });
    for (const difference of differences)
      log[difference.done === null ? 'error' : 'warn'](difference, 'the books differ');
  }
  return 0;
}

export interface RunningWorker {
  /** The step under way finishes; nothing new begins. */
  close(): Promise<void>;
}

export function startWorker(services: WorkerServices): RunningWorker {
  const stop = new AbortController();
  // Every loop listens while it sleeps: that many are no leak.
  setMaxListeners(0, stop.signal);
  const running = LOOPS.map((loop) => runOnce(loop, services, stop.signal));
  return {
    async close() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

async function runOnce(loop: Loop, services: WorkerServices, signal: AbortSignal): Promise<void> {
  const { log } = services;
  while (!signal.aborted) {
    let done = 0;
    try {
      done = await loop.step(services, loop.batch, signal);
      if (done > 0) log.info({ loop: loop.name, rows: done }, 'worked');
    } catch (error) {
      log.error({ loop: loop.name, err: error }, 'a step failed and will be tried again');
    }
    if (done < loop.batch) await sleep(loop.everySeconds * 1000, signal);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish);
  });
}
