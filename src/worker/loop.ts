// What a loop of the worker is, and what its steps are handed.

import type { Clock } from '../base/clock.ts';
import type { Mode } from '../base/config.ts';
import type { Db } from '../base/db.ts';
import type { PollInterval } from '../base/distribution/poll-interval.ts';
import type { Log } from '../base/log.ts';
import type { Outbound } from '../base/outbound/outbound.ts';
import type { Retention } from '../base/retention.ts';
import type { WorkSignal } from '../base/work-signal.ts';
import type { NotifyServices } from '../domain/accounts/notify-people.ts';
import type { GuestServices } from '../domain/checkouts/guests/guest-services.ts';
import type { LinkServices } from '../domain/go-live/link-when-ready.ts';
import type { ApplyServices } from '../domain/hooks/apply-due-deliveries.ts';
import type { ReadServices } from '../domain/hooks/readers/read-due-objects.ts';
import type { MailSender } from '../domain/mail/send.ts';
import type { SmsSender } from '../domain/members/messages/send.ts';
import type { QueueServices } from '../domain/webhooks/deliveries/endpoint-queue.ts';

export interface WorkerServices {
  readonly db: Db;
  readonly log: Log;
  readonly clock: Clock;
  readonly outbound: Outbound;
  readonly payments: GuestServices & NotifyServices & LinkServices;
  readonly sender: SmsSender;
  readonly mailSender: MailSender;
  readonly deliveries: QueueServices;
  readonly hooks: ApplyServices;
  readonly reads: ReadServices;
  readonly retention: Retention;
  readonly ledgerCheckHours: number;
  /** Absent: a loop looks at its next turn. */
  readonly workSignal?: WorkSignal;
  /** Of a distributed database. Absent: loops look at their own intervals, idle or not. */
  readonly pollInterval?: PollInterval;
  /** For the metrics. */
  readonly countReconcile: (mode: Mode, outcome: 'done' | 'failed') => void;
}

/** What one step did, or one round of a step that runs until the worker stops. */
export interface Round {
  readonly rows: number;
  readonly seconds: number;
  readonly isFailed: boolean;
}

export interface Loop {
  readonly name: string;
  readonly intervalSeconds: number;
  /** Looks at once when there may be work, and this long after its last step if it is notified often; absent: it does not. */
  readonly wakeMs?: number;
  /** Of a loop with `wakeMs`: a notified look begins this much later, after those of the loops that a partner waits for. */
  readonly yieldMs?: number;
  readonly batchSize: number;
  /** A step that takes longer is reported as stalled; absent: the limit of worker.ts. */
  readonly maxStepSeconds?: number;
  /**
   * Returns the number of rows processed. When the signal aborts, the step finishes its current work and returns. A step
   * that runs until the worker stops calls `onTurn` at each of its turns.
   */
  readonly step: (
    services: WorkerServices,
    batch: number,
    signal: AbortSignal,
    onTurn: () => void,
    observe: (round: Round) => void,
  ) => Promise<number>;
  /** The step observes its rounds itself, because it ends only when the worker stops. */
  readonly observesRounds?: true;
}
