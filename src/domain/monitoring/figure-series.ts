// The series that are read from the database: gauges of the whole installation, the same on every server and worker. In
// rules take max() over the processes, not sum().

import { Gauge } from 'prom-client';
import type { Mode } from '../../base/config.ts';
import type { Backlog } from '../../base/due-rows.ts';
import type { MetricsRegistry } from '../../base/monitoring/metrics-registry.ts';
import type { SendOutcomes } from '../../base/send-outcomes.ts';
import type { MovementCount } from '../payments/figure-queries.ts';
import type { Check } from './check-queries.ts';
import { END_EVENTS, type Figures, type FiguresReader } from './figures.ts';

const MODES = ['test', 'live'] as const;

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

interface Series {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (figures: Figures, now: number) => readonly Sample[];
}

const ageSeconds = (at: number | null, now: number): number => (at === null ? 0 : Math.max(0, (now - at) / 1000));
const ageOf = ({ oldestDueAt }: Backlog, now: number): number => ageSeconds(oldestDueAt, now);

function reviewSamples({ review, testReview }: Figures, value: (backlog: Backlog) => number): readonly Sample[] {
  const live: Sample = [{ mode: 'live' }, value(review)];
  return testReview === undefined ? [live] : [live, [{ mode: 'test' }, value(testReview)]];
}

const QUEUE_SERIES: readonly Series[] = [
  {
    name: 'everyshare_loop_due_rows',
    help: 'Rows that wait for a loop of the worker and are due, counted up to 10,000.',
    labels: ['loop'],
    read: ({ queues }) => queues.map(({ loop, waiting }) => [{ loop }, waiting]),
  },
  {
    name: 'everyshare_loop_oldest_due_age_seconds',
    help: 'For how long the oldest row that waits for a loop has been due; 0: none is due.',
    labels: ['loop'],
    read: ({ queues }, now) => queues.map((queue) => [{ loop: queue.loop }, ageOf(queue, now)]),
  },
  {
    name: 'everyshare_money_loop_oldest_due_age_seconds',
    help: 'The same for the loops that move money, by mode, of the 10,000 rows that have been due for longest.',
    labels: ['loop', 'mode'],
    read: ({ queues }, now) =>
      queues.flatMap(({ loop, byMode }) =>
        byMode === undefined
          ? []
          : MODES.map((mode): Sample => [{ loop, mode }, ageSeconds(byMode[mode] ?? null, now)]),
      ),
  },
  {
    name: 'everyshare_review_waiting',
    help: 'Offerings, experiences and boats that wait for review, by mode, counted up to 10,000.',
    labels: ['mode'],
    read: (figures) => reviewSamples(figures, ({ waiting }) => waiting),
  },
  {
    name: 'everyshare_review_oldest_age_seconds',
    help: 'For how long the oldest object waits for review, by mode; 0: none waits.',
    labels: ['mode'],
    read: (figures, now) => reviewSamples(figures, (backlog) => ageOf(backlog, now)),
  },
  {
    name: 'everyshare_deliveries_waiting',
    help: 'Deliveries of events that are neither delivered nor given up, counted up to 100,000.',
    labels: [],
    read: ({ deliveriesWaiting }) => [[{}, deliveriesWaiting]],
  },
  {
    name: 'everyshare_deliveries_oldest_age_seconds',
    help: 'For how long the oldest delivery waits that is neither delivered nor given up, its next try included; 0: none waits.',
    labels: [],
    read: ({ oldestDeliveryAt = null }, now) => [[{}, ageSeconds(oldestDeliveryAt, now)]],
  },
  {
    name: 'everyshare_webhook_endpoints',
    help: 'Webhook endpoints by state: active, disabled, and failing (active, but no success in the last hour).',
    labels: ['state'],
    read: ({ endpoints }) => Object.entries(endpoints).map(([state, count]) => [{ state }, count]),
  },
];

const STATUSES = ['open', 'collecting', 'funded'] as const;

const CHECKOUT_SERIES: readonly Series[] = [
  {
    name: 'everyshare_checkouts',
    help: 'Checkouts that have not ended, by mode and status, counted up to 100,000.',
    labels: ['mode', 'status'],
    read: ({ checkouts }) =>
      MODES.flatMap((mode) =>
        STATUSES.map((status): Sample => {
          const found = checkouts.find((one) => one.mode === mode && one.status === status);
          return [{ mode, status }, found?.count ?? 0];
        }),
      ),
  },
  {
    name: 'everyshare_checkouts_ended_in_last_hour',
    help: 'Checkouts that ended in the last hour, by mode and status.',
    labels: ['mode', 'status'],
    read: ({ ended }) =>
      MODES.flatMap((mode) =>
        END_EVENTS.map((type): Sample => {
          const found = ended.find((one) => one.mode === mode && one.type === type);
          return [{ mode, status: type.replace('checkout.', '') }, found?.count ?? 0];
        }),
      ),
  },
  {
    name: 'everyshare_checkouts_funded_oldest_age_seconds',
    help: 'For how long the oldest funded checkout has had all its holds without being charged; 0: there is none.',
    labels: ['mode'],
    read: ({ fundedSince = {} }, now) => MODES.map((mode) => [{ mode }, ageSeconds(fundedSince[mode] ?? null, now)]),
  },
];

/** One sample for each combination of labels. */
function sums<T>(rows: readonly T[], labelsOf: (row: T) => Labels, amountOf: (row: T) => number): Sample[] {
  const found = new Map<string, { labels: Labels; value: number }>();
  for (const row of rows) {
    const labels = labelsOf(row);
    const key = JSON.stringify(labels);
    found.set(key, { labels, value: (found.get(key)?.value ?? 0) + amountOf(row) });
  }
  return [...found.values()].map(({ labels, value }) => [labels, value]);
}

const KINDS = ['refund', 'return', 'transfer', 'reversal'] as const;

const MONEY_SERIES: readonly Series[] = [
  {
    name: 'everyshare_holds_held',
    help: 'Holds on guests’ cards.',
    labels: ['mode', 'currency'],
    read: ({ held }) => held.map(({ mode, currency, holds }) => [{ mode, currency }, holds]),
  },
  {
    name: 'everyshare_holds_lapsing',
    help: 'Holds that the card’s bank ends within 24 hours, before their checkouts end, and that are not to be renewed.',
    labels: ['mode', 'currency'],
    read: ({ held }) => held.map(({ mode, currency, lapsing }) => [{ mode, currency }, lapsing]),
  },
  {
    name: 'everyshare_money_held_minor_units',
    help: 'Money held on guests’ cards, in minor units (cents) of the currency.',
    labels: ['mode', 'currency'],
    read: ({ held }) => held.map(({ mode, currency, amount }) => [{ mode, currency }, amount]),
  },
  {
    name: 'everyshare_money_captured_in_last_hour_minor_units',
    help: 'Money charged to guests’ cards in the last hour, in minor units of the currency.',
    labels: ['mode', 'currency'],
    read: ({ captured }) => captured.map(({ mode, currency, amount }) => [{ mode, currency }, amount]),
  },
  {
    name: 'everyshare_money_owed_minor_units',
    help: 'Money that is decided and not sent: to venues (transfers), to guests (refunds), or owed by venues, in minor units.',
    labels: ['mode', 'currency', 'owed'],
    read: ({ movements, venueDebts }) => [
      ...sums(
        movements.filter(({ kind, status }) => kind !== 'reversal' && status !== 'owed'),
        ({ mode, currency, kind }) => ({ mode, currency, owed: kind === 'transfer' ? 'to_venues' : 'to_guests' }),
        ({ amount }) => amount,
      ),
      ...venueDebts.map(({ mode, currency, amount }): Sample => [{ mode, currency, owed: 'by_venues' }, amount]),
    ],
  },
  {
    name: 'everyshare_movements',
    help: 'Refunds, returns, transfers and reversals that are not finished; waiting ones up to 200,000, all others without a bound.',
    labels: ['mode', 'kind', 'status'],
    read: ({ movements }) =>
      sums(
        movements,
        ({ mode, kind, status }) => ({ mode, kind, status }),
        ({ count }) => count,
      ),
  },
  {
    name: 'everyshare_movements_oldest_age_seconds',
    help: 'For how long the oldest refund, return, transfer or reversal is tried at the processor and not accepted; 0: none is.',
    labels: ['mode', 'kind'],
    read: ({ movements }, now) =>
      MODES.flatMap((mode) =>
        KINDS.map((kind): Sample => {
          const isSent = (one: MovementCount): boolean =>
            one.mode === mode && one.kind === kind && one.status === 'sending';
          const times = movements.filter(isSent).flatMap(({ firstDueAt = null }) => firstDueAt ?? []);
          return [{ mode, kind }, ageSeconds(times.length === 0 ? null : Math.min(...times), now)];
        }),
      ),
  },
  {
    name: 'everyshare_disputes_open',
    help: 'Disputes that are not decided.',
    labels: ['mode', 'currency'],
    read: ({ disputes }) => disputes.map(({ mode, currency, count }) => [{ mode, currency }, count]),
  },
  {
    name: 'everyshare_disputes_due',
    help: 'Disputes and appeals that must be answered within two days.',
    labels: ['mode', 'currency'],
    read: ({ disputes }) => disputes.map(({ mode, currency, due = 0 }) => [{ mode, currency }, due]),
  },
  {
    name: 'everyshare_money_disputed_minor_units',
    help: 'Money of disputes that are not decided, in minor units of the currency.',
    labels: ['mode', 'currency'],
    read: ({ disputes }) => disputes.map(({ mode, currency, amount }) => [{ mode, currency }, amount]),
  },
];

const byStatus = ({ lastHour }: SendOutcomes): Sample[] =>
  Object.entries(lastHour).map(([status, count]) => [{ status }, count]);

const OTHER_SERIES: readonly Series[] = [
  {
    name: 'everyshare_texts_created_in_last_hour',
    help: 'Texts of the last hour by status: waiting, sent, failed, dropped.',
    labels: ['status'],
    read: ({ texts }) => byStatus(texts),
  },
  {
    name: 'everyshare_mails_created_in_last_hour',
    help: 'Mails of the last hour by status: waiting, sent, stored, failed, dropped.',
    labels: ['status'],
    read: ({ mails }) => byStatus(mails),
  },
  {
    name: 'everyshare_processes',
    help: 'Servers and workers that were alive in the last minute, by role and version.',
    labels: ['role', 'version'],
    read: ({ processes }) =>
      sums(
        processes,
        ({ role, version }) => ({ role, version }),
        () => 1,
      ),
  },
  {
    name: 'everyshare_check_timestamp_seconds',
    help: 'When the last comparison with the processor (reconcile, of each mode with a processor) and check of the ledger ended, in seconds since 1970; 0: never.',
    labels: ['check', 'mode'],
    read: ({ checks }) => checks.map(({ name, mode, at }) => [{ check: name, mode }, at / 1000]),
  },
  {
    name: 'everyshare_check_differences',
    help: 'What the last comparison with the processor, and the last check of the ledger, found to be wrong.',
    labels: ['check', 'mode'],
    read: ({ checks }) => checks.map(({ name, mode, differences }) => [{ check: name, mode }, differences]),
  },
  {
    name: 'everyshare_database_schema_version',
    help: 'The newest migration that the database has.',
    labels: [],
    read: ({ schemaVersion }) => [[{}, schemaVersion]],
  },
  {
    name: 'everyshare_figures_age_seconds',
    help: 'How old the figures are that are read from the database. They are computed at most every 15 seconds.',
    labels: [],
    read: ({ computedAt }, now) => [[{}, ageSeconds(computedAt, now)]],
  },
  {
    name: 'everyshare_figures_compute_seconds',
    help: 'How long it took to compute the figures from the database.',
    labels: [],
    read: ({ seconds }) => [[{}, seconds]],
  },
];

const SERIES = [...QUEUE_SERIES, ...CHECKOUT_SERIES, ...MONEY_SERIES, ...OTHER_SERIES];

/**
 * Unknown figures are left out: a gauge that stays at its last value would hide that the database does not answer. `modes`
 * are those with a card processor: another mode is not compared any more, so it has no check that could be old.
 */
export function registerFigureSeries(metrics: MetricsRegistry, figures: FiguresReader, modes: readonly Mode[]): void {
  const gauges = SERIES.map(({ name, help, labels }) => {
    return new Gauge({ name, help, labelNames: [...labels], registers: [metrics.registry] });
  });
  metrics.beforeScrape(async () => {
    const known = await figures.read();
    for (const [index, series] of SERIES.entries()) {
      const gauge = gauges[index];
      // reset() would set a gauge without labels to 0 instead of removing it.
      gauge?.reset();
      if (series.labels.length === 0) gauge?.remove();
      if (known === null) continue;
      const shown = { ...known, checks: expectedChecks(known.checks, modes) };
      for (const [labels, value] of series.read(shown, known.now)) gauge?.set(labels, value);
    }
  });
}

/** A check that never succeeded has the time 0, so that an alert about its age fires for it as well. */
function expectedChecks(checks: readonly Check[], modes: readonly Mode[]): readonly Check[] {
  const expected = [
    ...modes.map((mode) => ({ name: 'reconcile', mode }) as const),
    { name: 'ledger', mode: 'all' } as const,
  ];
  return expected.map(({ name, mode }) => {
    const found = checks.find((check) => check.name === name && check.mode === mode);
    return found ?? { name, mode, at: 0, differences: 0 };
  });
}
