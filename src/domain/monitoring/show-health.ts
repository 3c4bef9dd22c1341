// The health of the installation as operators see it, from the figures that /metrics shows too.

import type { DeskHealth } from '../../../schemas/types.gen.ts';
import type { Db } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import type { OperationResult } from '../../base/operation.ts';
import type { SendOutcomes } from '../../base/send-outcomes.ts';
import type { Processors } from '../payments/processor.ts';
import { isOldCheck } from './check-age.ts';
import type { Check } from './check-queries.ts';
import type { Figures, FiguresReader } from './figures.ts';
import { type Outcome, recentProcesses } from './process-queries.ts';
import type { QueueFigures } from './queues.ts';

export interface HealthServices {
  readonly db: Db;
  readonly processors: Processors;
  readonly figures: FiguresReader;
  readonly installation: InstallationSettings;
}

/** What the settings and the build of this process say. */
export interface InstallationSettings {
  readonly version: string;
  readonly schemaVersion: number;
  readonly textSender: 'twilio' | 'sandbox' | 'none';
  readonly mailSender: 'smtp' | 'sandbox' | 'none';
}

type Status = DeskHealth['senders'][number]['status'];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** For how long the rows of a loop may be due before a person should look; a dozen times that is a failure. */
const MAX_WAIT_MS = 5 * MINUTE_MS;
/** Of loops that delete what is old, and of those that ask others' servers. */
const MAX_SLOW_WAIT_MS = 6 * HOUR_MS;
const SLOW_LOOPS = /^(delete-|refresh-payout-accounts|read-calendars|fetch-images)/;
const FAILING_FACTOR = 12;

export async function showHealth(services: HealthServices): Promise<OperationResult> {
  const figures = await services.figures.read();
  if (figures === null)
    throw new Problem('service_unavailable', {
      message: 'The figures are being computed for the first time. Try again in a few seconds.',
      headers: { 'retry-after': '5' },
    });
  const { now } = figures;
  const parts = {
    queues: figures.queues.map((queue) => queueView(queue, now)),
    senders: sendersOf(figures, services.installation, now),
    processors: await processorsOf(services, now),
    checks: checksOf(figures.checks, services.processors, now),
  };
  const { installation } = services;
  const statuses = Object.values(parts).flatMap((part) => part.map(({ status }) => status));
  const health: DeskHealth = {
    object: 'health',
    computed_at: timeText(figures.computedAt),
    status: worstOf([...statuses, ...wholeStatuses(figures, installation, now)]),
    ...parts,
    review: {
      waiting: figures.review.waiting,
      is_capped: figures.review.isCapped,
      oldest_at: timeOrNull(figures.review.oldestDueAt),
      oldest_age_seconds: ageSeconds(figures.review.oldestDueAt, now),
    },
    endpoints: figures.endpoints,
    processes: figures.processes.map(({ id, role, version, schemaVersion, host, startedAt, seenAt }) => ({
      id,
      role,
      version,
      schema_version: schemaVersion,
      host,
      started_at: timeText(startedAt),
      seen_at: timeText(seenAt),
      is_current: version === installation.version,
    })),
    schema: { version: figures.schemaVersion, expected: installation.schemaVersion },
  };
  return { status: 200, body: health };
}

const timeText = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeText(ms));
const ageSeconds = (at: number | null, now: number): number =>
  at === null ? 0 : Math.max(0, Math.floor((now - at) / 1000));

function worstOf(statuses: readonly Status[]): DeskHealth['status'] {
  return (['failing', 'attention'] as const).find((status) => statuses.includes(status)) ?? 'ok';
}

/** What no single part shows: nothing works without a worker, and during an upgrade the schema differs for a while. */
function wholeStatuses(figures: Figures, { schemaVersion }: InstallationSettings, now: number): Status[] {
  const { processes, endpoints, oldestFundedAt } = figures;
  return [
    processes.some(({ role }) => role !== 'serve') ? 'ok' : 'failing',
    figures.schemaVersion === schemaVersion ? 'ok' : 'attention',
    endpoints.failing > 0 ? 'attention' : 'ok',
    waitStatus(oldestFundedAt === null ? 0 : now - oldestFundedAt, MAX_WAIT_MS),
  ];
}

function waitStatus(wait: number, max: number): 'ok' | 'attention' | 'failing' {
  return wait > max * FAILING_FACTOR ? 'failing' : wait > max ? 'attention' : 'ok';
}

function queueView(queue: QueueFigures, now: number): DeskHealth['queues'][number] {
  const { loop, waiting, isCapped, oldestDueAt } = queue;
  const wait = oldestDueAt === null ? 0 : now - oldestDueAt;
  const max = SLOW_LOOPS.test(loop) ? MAX_SLOW_WAIT_MS : MAX_WAIT_MS;
  return {
    name: loop,
    waiting,
    is_capped: isCapped,
    oldest_due_at: timeOrNull(oldestDueAt),
    oldest_age_seconds: ageSeconds(oldestDueAt, now),
    status: waitStatus(wait, max),
  };
}

function sendersOf(figures: Figures, { textSender, mailSender }: InstallationSettings, now: number) {
  const view = (
    kind: 'texts' | 'mails',
    sender: DeskHealth['senders'][number]['sender'],
    loop: string,
    outcomes: SendOutcomes,
  ): DeskHealth['senders'][number] => {
    const queue = figures.queues.find((one) => one.loop === loop);
    const { lastHour, lastSentAt, lastFailedAt, lastError } = outcomes;
    return {
      kind,
      sender,
      waiting: queue?.waiting ?? 0,
      oldest_due_at: timeOrNull(queue?.oldestDueAt ?? null),
      sent_last_hour: (lastHour.sent ?? 0) + (lastHour.stored ?? 0),
      failed_last_hour: lastHour.failed ?? 0,
      last_sent_at: timeOrNull(lastSentAt),
      last_failed_at: timeOrNull(lastFailedAt),
      last_error: lastError,
      status: outcomeStatus(lastSentAt, lastFailedAt, now),
    };
  };
  return [
    view('texts', textSender, 'send-messages', figures.texts),
    view('mails', mailSender, 'send-mails', figures.mails),
  ];
}

/** A failure since the last success: it does not work now; an old one is for a person to look at. */
function outcomeStatus(succeededAt: number | null, failedAt: number | null, now: number): Status {
  if (succeededAt === null && failedAt === null) return 'unknown';
  if (failedAt === null || (succeededAt ?? 0) >= failedAt) return 'ok';
  return now - failedAt < HOUR_MS ? 'failing' : 'attention';
}

/** The newest outcome of any process that ran in the last day. */
async function processorsOf({ db, processors }: HealthServices, now: number) {
  const processes = await recentProcesses(db);
  return (['test', 'live'] as const).flatMap((mode): DeskHealth['processors'] => {
    const processor = processors[mode];
    if (processor === undefined) return [];
    const outcomes = processes.flatMap(({ outcomes: { [mode]: outcome } }) => (outcome === undefined ? [] : [outcome]));
    const succeededAt = newestOf(outcomes.map((outcome) => outcome.succeededAt));
    const failed = outcomes.reduce<Outcome | null>(
      (newest, one) => ((one.failedAt ?? 0) > (newest?.failedAt ?? 0) ? one : newest),
      null,
    );
    return [
      {
        mode,
        name: processor.isSandbox ? 'sandbox' : 'stripe',
        last_success_at: timeOrNull(succeededAt),
        last_failure_at: timeOrNull(failed?.failedAt ?? null),
        last_failure: failed?.failure ?? null,
        status: outcomeStatus(succeededAt, failed?.failedAt ?? null, now),
      },
    ];
  });
}

function newestOf(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** A check that never ran is listed too. */
function checksOf(checks: readonly Check[], processors: Processors, now: number): DeskHealth['checks'] {
  const modes = (['test', 'live'] as const).filter((mode) => processors[mode] !== undefined);
  const wanted = [
    ...modes.map((mode) => ({ name: 'reconcile', mode }) as const),
    { name: 'ledger', mode: 'all' } as const,
  ];
  return wanted.map(({ name, mode }) => {
    const found = checks.find((check) => check.name === name && check.mode === mode);
    const shown = { name, mode: mode === 'all' ? null : mode };
    if (found === undefined) return { ...shown, at: null, differences: null, status: 'unknown' };
    const status = found.differences > 0 || isOldCheck(found, now) ? 'attention' : 'ok';
    return { ...shown, at: timeText(found.at), differences: found.differences, status };
  });
}
