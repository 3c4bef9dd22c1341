// Each rule of deploy/prometheus/rules.yml is silent in a healthy world, and fires when the world is driven into the state
// that it is about. It is evaluated over real scrapes: a rule over a series that does not exist never fires.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { makeMetricsRegistry } from '../../src/base/monitoring/metrics-registry.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { DEFAULT_RETENTION } from '../../src/base/retention.ts';
import { MailUnreachable } from '../../src/domain/mail/send.ts';
import { SmsUnreachable, sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { registerFigureSeries } from '../../src/domain/monitoring/figure-series.ts';
import { makeFiguresReader } from '../../src/domain/monitoring/figures.ts';
import { recordProcess } from '../../src/domain/monitoring/process-queries.ts';
import { queuesOf } from '../../src/domain/monitoring/queues.ts';
import type { Attempt } from '../../src/domain/webhooks/deliveries/attempt.ts';
import { dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { mailSender } from '../../src/main/mail-sender.ts';
import { smsSender } from '../../src/main/sms-sender.ts';
import type { WorkerServices } from '../../src/worker/loop.ts';
import { makeLoopMetrics, registerLoopHeartbeats } from '../../src/worker/loop-metrics.ts';
import { LOOPS } from '../../src/worker/loops.ts';
import { type ObserveStep, type RunningWorker, runLoops } from '../../src/worker/worker.ts';
import { disputeTools } from '../support/disputes.ts';
import { commandLine } from '../support/run-command.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  callUnreachableProcessor,
  leaveRefundUnaccepted,
  loseRequestLog,
  openMonitoredWorld,
  outdateFigures,
  queueToSend,
  unreachableProcessor,
  whileTransactionsWait,
} from './driven-world.ts';
import { Evaluation } from './promql.ts';
import { parseScrape, type Sample, scrape } from './scrape.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const read = (...path: string[]): string => readFileSync(join(packageRoot, ...path), 'utf8');
const { groups } = parse(read('deploy', 'prometheus', 'rules.yml')) as { groups: { rules: Rule[] }[] };
const RULES = groups.flatMap(({ rules }) => rules);

let opened: Awaited<ReturnType<typeof openMonitoredWorld>>;
let venue: TestVenue;
let url: string;
let observeStep: ObserveStep;
/** Before and after an hour of normal traffic. */
let began: Sample[];
let healthy: Sample[];
/** A healthy worker, and the loops that the heartbeats are about. */
let sleeper: RunningWorker;
const loops: Pick<RunningWorker, 'turnAges'> = { turnAges: () => [] };
const HOUR_LIMITS = { intervalSeconds: 3_600, batchSize: 1, maxStepSeconds: 3_600 };
const query = (sql: string): Promise<unknown> => opened.world.db.query(sql);

/** A scrape of new figures, with what Prometheus adds to each sample. */
async function prometheus(target = url): Promise<Sample[]> {
  await outdateFigures(opened);
  const added = { job: 'everyshare', instance: target };
  const found = await scrape(target).catch(() => null);
  const samples = (found ?? []).map((sample) => ({ ...sample, labels: { ...sample.labels, ...added } }));
  return [...samples, { name: 'up', labels: added, value: found === null ? 0 : 1 }];
}

beforeAll(async () => {
  opened = await openMonitoredWorld({ REQUEST_LOG: 'on', TEXTS_PER_HOUR: '5', ALLOW_INSECURE_TARGETS: '1' });
  url = opened.world.urls[0] ?? '';
  observeStep = makeLoopMetrics(opened.monitoring.metrics);
  const { log } = opened.world.context;
  venue = await openTestVenue(opened.world);
  const held = await venue.collecting();
  await venue.pay(held.id, held.shares[0].id, CARDS.good);
  const endpoint = { url: 'https://127.0.0.1:8443/hooks', events: ['checkout.created'] };
  expect((await venue.post('/v1/webhook_endpoints', endpoint)).status).toBe(201);
  for (const mode of ['test', 'live']) await commandLine(opened.world).run('reconcile', '--mode', mode);
  await commandLine(opened.world).json('ledger', 'check');
  sleeper = runLoops([{ name: 'sleeps', ...HOUR_LIMITS, step: async () => 0 }], { log } as unknown as WorkerServices);
  loops.turnAges = () => sleeper.turnAges();
  registerLoopHeartbeats(opened.monitoring.metrics, { turnAges: () => loops.turnAges() });
  await prometheus();
  began = await prometheus();
  await normalTraffic();
  healthy = await prometheus();
});
afterAll(async () => {
  await sleeper.close();
  await opened.shutdown.run();
  await opened.world.close();
});

/** Of everything that a counter counts: calls, also refused ones, payments, texts, mails, steps of loops, a reconcile. */
async function normalTraffic(): Promise<void> {
  for (const path of ['/v1/me', '/v1/offerings', '/v1/boats', '/v1/checkouts/chk_unknown']) await venue.get(path);
  await venue.runTestHelper((await venue.create()).id, 'complete');
  const { countTexts, countMails, countReconcile, onAttempt } = opened.monitoring.services;
  await countTexts(sandboxSender).send('+12015550123', 'a text', 60);
  const unreachable = { send: () => Promise.reject(new SmsUnreachable('Twilio answered 400 (21614)')) };
  await times(10, () =>
    countTexts(unreachable)
      .send('', '', 1)
      .catch(() => undefined),
  );
  const unknownMailbox = { send: () => Promise.reject(new MailUnreachable('refused with 550')) };
  await times(10, () =>
    countMails(unknownMailbox)
      .send({ to: '', title: '', text: '' })
      .catch(() => undefined),
  );
  for (const mode of ['test', 'live'] as const) countReconcile(mode, 'done');
  onAttempt({ delivered: true, answered: true, durationMs: 20 } as Attempt);
  // One failure now and then is normal.
  for (const { name: loop } of LOOPS) observeStep({ loop, rows: 3, seconds: 0.01, isFailed: false });
  observeStep({ loop: 'send-mails', rows: 0, seconds: 1, isFailed: true });
}

async function withoutTable<T>(table: string, work: () => Promise<T>): Promise<T> {
  await query(`alter table ${table} rename to renamed_table`);
  try {
    return await work();
  } finally {
    await query(`alter table renamed_table rename to ${table}`);
  }
}

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done++) await work();
}

async function failLoop(): Promise<void> {
  const loops = LOOPS.filter(({ name }) => name === 'link-ready-venues').map((loop) => ({
    ...loop,
    intervalSeconds: 0.01,
  }));
  const { log, services } = opened.world.context;
  let failures = 0;
  const worker = runLoops(loops, { log, payments: services } as unknown as WorkerServices, (step) => {
    failures += step.isFailed ? 1 : 0;
    observeStep(step);
  });
  await withoutTable('venue_go_live', async () => {
    for (let tries = 0; failures < 5 && tries < 500; tries++) await delay(10);
  });
  await worker.close();
}

/** A step that does not end. */
async function hangLoop(): Promise<Sample[]> {
  const step = (_services: WorkerServices, _batch: number, signal: AbortSignal): Promise<number> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(0)));
  const { log } = opened.world.context;
  const limits = { intervalSeconds: 60, batchSize: 1, maxStepSeconds: 0.01 };
  const worker = runLoops([{ name: 'hangs', ...limits, step }], { log } as unknown as WorkerServices);
  await waitFor('the loop is stalled', async () => worker.stalledLoops().length > 0);
  loops.turnAges = () => worker.turnAges();
  const samples = await prometheus();
  loops.turnAges = () => sleeper.turnAges();
  await worker.close();
  return samples;
}

/** The held cards end soon, and their renewals are due then. */
async function lapse(dueAt: string): Promise<void> {
  await query(
    `update holds set capture_before = now() + interval '10 minutes', due_at = ${dueAt} where status = 'held'`,
  );
}

async function failRefund(): Promise<void> {
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  await venue.payAll(checkout, ['4000000000007726', CARDS.good]);
  await venue.finishDueWork(checkout.id);
  await venue.post(`/v1/checkouts/${checkout.id}/refund`);
  await opened.world.work();
  await query(`update movements set status = 'failed', due_at = null, last_error = 'test' where status = 'pending'`);
}

async function completed(): Promise<Json> {
  return venue.runTestHelper((await venue.create()).id, 'complete');
}

async function openDispute(): Promise<void> {
  const [intent] = await venue.intents((await completed()).id);
  const disputes = disputeTools(opened.world, venue);
  await disputes.open(intent?.id ?? '', 1_000);
  await disputes.deliverEvents(intent?.id ?? '');
}

async function sendCodes(): Promise<void> {
  await times(5, () => queueToSend(opened.world, 0, 'code'));
  await sendDueMessages({ ...opened.world.context.services, sender: sandboxSender }, 50);
}

/** Drives the world into the state, and gives the scrape if it must be taken in that state. */
const STATES: Readonly<Record<string, () => Promise<unknown>>> = {
  EveryshareDown: () => prometheus('http://127.0.0.1:1'),
  async EveryshareNoWorker() {
    // Not its time: the process may write its heartbeat before the scrape.
    await query(`update processes set role = 'serve'`);
    const samples = await prometheus();
    await query(`update processes set role = 'start'`);
    return samples;
  },
  EveryshareFiguresMissing: () =>
    withoutTable('checks', async () => {
      await query('update figures set figures = null, computed_at = null');
      return prometheus();
    }),
  async EveryshareFiguresOld() {
    await query(
      `update figures set computed_at = now() - interval '10 minutes', leased_until = now() + interval '1 hour'`,
    );
    const samples = await prometheus();
    await query(`update figures set leased_until = '-infinity'`);
    return samples;
  },
  EveryshareServerErrors: () => withoutTable('offerings', () => times(7, () => venue.get('/v1/offerings'))),
  async EveryshareMoneyLoopBehind() {
    await query(`update holds set due_at = now() - interval '10 minutes' where status = 'held'`);
  },
  EveryshareLoopBehind: () => queueToSend(opened.world, -1_200_000),
  async EveryshareSlowLoopBehind() {
    await query(`update mails set created_at = now() - interval '32 days'`);
  },
  EveryshareLoopFailing: failLoop,
  EveryshareLoopStalled: hangLoop,
  async EveryshareCaptureStuck() {
    const funded = await venue.collecting();
    await venue.payAll(funded, [CARDS.captureFailsForAWhile]);
    await query(`update shares set held_at = now() - interval '1 hour' where checkout_id = '${funded.id}'`);
  },
  async EveryshareHoldsLapsing() {
    await lapse('null');
  },
  EveryshareMovementsFailed: failRefund,
  EveryshareMovementsRefused: () => leaveRefundUnaccepted(opened.world, venue, '2 hours'),
  EveryshareDisputesOpen: openDispute,
  async EveryshareDisputeDue() {
    await query(`update disputes set evidence_due_at = now() + interval '47 hours'`);
  },
  async EveryshareBooksDiffer() {
    const { id } = await completed();
    const refundMore = (amount: number): Promise<unknown> =>
      query(`update checkouts set refunded_amount = refunded_amount + ${amount} where checkout_id = '${id}'`);
    await refundMore(1);
    await commandLine(opened.world).run('ledger', 'check');
    await refundMore(-1);
  },
  async EveryshareReconcileOld() {
    await commandLine(opened.world).run('reconcile', '--mode', 'test');
    await query(`update checks set at = now() - interval '2 days' where name = 'reconcile'`);
  },
  async EveryshareLedgerCheckOld() {
    await query(`update checks set at = now() - interval '3 days' where name = 'ledger'`);
  },
  async EveryshareReconcileFailing() {
    const { log, services } = opened.world.context;
    const payments = { ...services, processors: { test: unreachableProcessor(opened.monitoring) } };
    const { countReconcile } = opened.monitoring.services;
    const step = LOOPS.find(({ name }) => name === 'reconcile')?.step;
    const parts = { log, payments, countReconcile } as unknown as WorkerServices;
    await step?.(
      parts,
      1,
      new AbortController().signal,
      () => undefined,
      () => undefined,
    );
  },
  EveryshareProcessorUnavailable: () => times(4, () => callUnreachableProcessor(opened.monitoring)),
  async EveryshareEndpointsFailing() {
    await query(
      `update endpoint_queues set failures = 5, due_at = now() - interval '1 second', last_success_at = null`,
    );
  },
  async EveryshareDeliveriesOld() {
    await venue.create();
    await dispatchDue({ db: opened.world.db, clock: opened.world.context.clock }, 100);
    await query(`update deliveries set created_at = created_at - interval '7 hours'`);
  },
  async EveryshareTextsFailing() {
    const sender = opened.monitoring.services.countTexts(smsSender({ twilio: null, sandboxSms: false }));
    await times(4, () => sender.send('', '', 1).catch(() => undefined));
  },
  async EveryshareMailsFailing() {
    const sender = opened.monitoring.services.countMails(mailSender({ mail: null, sandboxMail: false }));
    await times(4, () => sender.send({ to: '', title: '', text: '' }).catch(() => undefined));
  },
  EveryshareTextLimitNear: sendCodes,
  async EveryshareReviewWaits() {
    const [offering] = opened.world.context.registry.get('offering').examples as Json[];
    const live = await openTestVenue(opened.world, { mode: 'live' });
    for (const one of [venue, live]) expect((await one.post('/v1/offerings', offering)).status).toBeLessThan(300);
    // A test object does not fire it: test mode has no reviewer, and its objects may wait for good.
    await query(`update offerings set changed_at = now() - interval '3 days' where mode = 'test'`);
    expect(firing(rule('EveryshareReviewWaits'), [], await prometheus())).toEqual([]);
    await query(`update offerings set changed_at = now() - interval '3 days' where mode = 'live'`);
  },
  async EveryshareCallsRefused() {
    const { key } = await opened.world.key(venue.venueId, { readsPerHour: 1 });
    await times(103, () => opened.world.call('GET', '/v1/me', { key }));
  },
  EveryshareDatabasePoolFull: () => whileTransactionsWait(opened.world, prometheus),
  async EveryshareEventLoopSlow() {
    await prometheus();
    // Several times: the 99th percentile has to show it on a busy machine too, whose scrape takes a while.
    await times(4, async () => {
      const until = performance.now() + 600;
      while (performance.now() < until);
      await delay(15);
    });
  },
  EveryshareRequestLogDropped: () => loseRequestLog(opened.world, venue, url),
  async EveryshareVersionsDiffer() {
    const id = opened.world.context.ids.uuid();
    const row = { id, role: 'worker', version: '0.0.1', schemaVersion: 1, host: 'app-1', outcomes: {} } as const;
    await recordProcess(opened.world.db, row);
  },
};

/** Rules whose series another state has moved before. */
const SILENT_SINCE: Readonly<Record<string, 'the last scrape'>> = {
  // The reconcile that failed before has called the processor.
  EveryshareProcessorUnavailable: 'the last scrape',
};

const rule = (alert: string): string => RULES.find((one) => one.alert === alert)?.expr ?? '';
const firing = (expr: string, before: Sample[], after: Sample[]): readonly Sample[] =>
  new Evaluation(expr, { before, after, at: Date.now() / 1000 }).run();

describe('the alert rules', () => {
  it('each have a duration, a severity, a sentence, and a section of the guide that names them', () => {
    const guide = read('docs', 'guides', 'incidents.md');
    const sections = new Map(
      guide.split(/^## /m).map((section) => {
        const title = section.split('\n', 1)[0] ?? '';
        return [
          title
            .toLowerCase()
            .replaceAll(/[^a-z0-9 -]/g, '')
            .replaceAll(' ', '-'),
          section,
        ];
      }),
    );
    for (const rule of RULES) {
      expect(rule.for).toMatch(/^\d+[mh]$/);
      expect(['critical', 'warning', 'info']).toContain(rule.labels.severity);
      const [page, anchor = ''] = rule.annotations.runbook.split('#');
      expect([rule.alert, page, sections.get(anchor)?.includes(`\`${rule.alert}\``)]).toEqual([
        rule.alert,
        'docs/guides/incidents.md',
        true,
      ]);
    }
    expect(RULES.map(({ alert }) => alert).sort()).toEqual(Object.keys(STATES).sort());
  });

  it('are silent in a healthy world with normal traffic, single failures and wrong phone numbers included', () => {
    const counted = (samples: readonly Sample[]): number =>
      samples.filter(({ name }) => name.endsWith('_total')).reduce((sum, { value }) => sum + value, 0);
    expect(counted(healthy)).toBeGreaterThan(counted(began) + 30);
    const loud = RULES.filter(({ expr }) => firing(expr, began, healthy).length > 0);
    expect(loud.map(({ alert }) => alert)).toEqual([]);
  });

  it('have each loop with a backlog in exactly one rule about its age', () => {
    const patterns = RULES.flatMap(({ expr }) => {
      const [, pattern] = /oldest_due_age_seconds\{loop=~"([^"]+)"\}/.exec(expr) ?? [];
      return pattern === undefined ? [] : [new RegExp(`^(?:${pattern})$`)];
    });
    expect(patterns).toHaveLength(3);
    const wrong = Object.keys(queuesOf(DEFAULT_RETENTION)).filter(
      (loop) => patterns.filter((one) => one.test(loop)).length !== 1,
    );
    expect(wrong).toEqual([]);
    const named = patterns.flatMap((one) => one.source.slice(4, -2).split('|'));
    const names = LOOPS.map(({ name }) => name);
    expect(named.filter((one) => !names.some((name) => new RegExp(`^${one}$`).test(name)))).toEqual([]);
  });

  it('about money that moves carry the mode, so that test mode wakes no one', () => {
    const ofMoney = RULES.filter(({ expr }) => /money|holds|movements|disputes|funded|reconcile/.test(expr));
    expect(ofMoney.length).toBeGreaterThan(7);
    expect(ofMoney.filter(({ expr }) => !/by \([^)]*\bmode\b/.test(expr)).map(({ alert }) => alert)).toEqual([]);
  });

  it.each(RULES)('$alert fires in its state', async ({ alert, expr }) => {
    const before = await prometheus();
    // Other states may have left something: the rule is silent until its own state.
    expect(firing(expr, SILENT_SINCE[alert] === 'the last scrape' ? before : began, before)).toEqual([]);
    const scraped = await STATES[alert]?.();
    const after = Array.isArray(scraped) ? (scraped as Sample[]) : await prometheus();
    expect(firing(expr, before, after).length).toBeGreaterThan(0);
  });
});

describe('an alert', () => {
  it('about server errors fires for a first burst, also before the first scrape of a process', async () => {
    await withoutTable('boats', () => times(7, () => venue.get('/v1/boats')));
    const after = await prometheus();
    const isBoats = ({ labels }: Sample): boolean => labels.operation === 'listBoats';
    expect(firing(rule('EveryshareServerErrors'), healthy, after).filter(isBoats)).toHaveLength(1);
    expect(firing(rule('EveryshareServerErrors'), [], after).filter(isBoats)).toHaveLength(1);
    expect(firing(rule('EveryshareServerErrors'), after, after).filter(isBoats)).toHaveLength(0);
  });

  it('about a dispute to answer is silent until two days before the time, and once it is answered', async () => {
    const count = async (): Promise<number> => firing(rule('EveryshareDisputeDue'), [], await prometheus()).length;
    await openDispute();
    await query(`update disputes set evidence_due_at = now() + interval '49 hours'`);
    expect(await count()).toBe(0);
    await query(`update disputes set evidence_due_at = now() - interval '1 hour'`);
    expect(await count()).toBe(1);
    await query(`update disputes set status = 'under_review'`);
    expect(await count()).toBe(0);
    await query(`update disputes set status = 'appeal_needs_response'`);
    expect(await count()).toBe(1);
    await query(`update disputes set status = 'under_review'`);
  });

  it('about lapsing holds is silent while their renewal is still to come, and fires when it is late or was refused', async () => {
    const count = async (): Promise<number> => {
      const scraped = await prometheus();
      return firing(rule('EveryshareHoldsLapsing'), scraped, scraped).length;
    };
    await lapse(`now() + interval '5 minutes'`);
    expect(await count()).toBe(0);
    await lapse(`now() - interval '20 minutes'`);
    expect(await count()).toBe(1);
    await lapse(`now() + interval '5 minutes'`);
    await query(`update holds set renewal_refused_at = now() where status = 'held'`);
    expect(await count()).toBe(1);
    await query(`update checkouts set expires_at = now() + interval '2 minutes' where status = 'collecting'`);
    expect(await count(), 'the checkout ends before its hold').toBe(0);
  });

  it('about the ledger fires before its first check, and names the check that found a difference', async () => {
    await query(`delete from checks where name = 'ledger'`);
    expect(firing(rule('EveryshareLedgerCheckOld'), [], await prometheus())).toHaveLength(1);
    await commandLine(opened.world).run('ledger', 'check');
    const checked = await prometheus();
    expect(firing(rule('EveryshareLedgerCheckOld'), [], checked)).toHaveLength(0);
    const isLedger = ({ labels }: Sample): boolean => labels.check === 'ledger' && labels.mode === 'all';
    expect(firing(rule('EveryshareBooksDiffer'), [], checked).filter(isLedger)).toHaveLength(0);
    await query(
      `update checkouts set refunded_amount = refunded_amount + 1 where checkout_id = '${(await completed()).id}'`,
    );
    await commandLine(opened.world).run('ledger', 'check');
    expect(firing(rule('EveryshareBooksDiffer'), [], await prometheus()).filter(isLedger)).toHaveLength(1);
  });

  it('about an old reconcile fires before a first success, and never for a mode without a processor', async () => {
    await query(`delete from checks where name = 'reconcile'`);
    const modesOf = (samples: readonly Sample[]): unknown[] =>
      firing(rule('EveryshareReconcileOld'), [], [...samples]).map(({ labels }) => labels.mode);
    expect(modesOf(await prometheus()).sort()).toEqual(['live', 'test']);
    await query(
      `insert into checks (name, mode, at, differences) values ('reconcile', 'test', now() - interval '3 days', 0)`,
    );
    await outdateFigures(opened);
    const own = makeMetricsRegistry();
    const figures = makeFiguresReader({ ...opened.world.context, elapsed: opened.clock });
    registerFigureSeries(own, figures, ['live']);
    expect(modesOf(parseScrape(await own.text()))).toEqual(['live']);
  });
});

describe('the dashboard', () => {
  interface Panel {
    readonly title: string;
    readonly type: string;
    readonly targets?: readonly { readonly expr: string }[];
  }
  const dashboard = JSON.parse(read('deploy', 'grafana', 'everyshare.json')) as { panels: Panel[] };
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  it('asks in every panel for series that exist', () => {
    const names = opened.monitoring.metrics.registry.getMetricsAsArray().map(({ name }) => name);
    const known = new Set(names.flatMap((name) => [name, `${name}_count`, `${name}_sum`, `${name}_bucket`]));
    const scrapes = { before: healthy, after: healthy, at: 0 };
    expect(panels.length).toBeGreaterThan(15);
    const unknown = panels.flatMap(({ title, targets = [] }) => {
      expect([title, targets.length > 0]).toEqual([title, true]);
      return targets.flatMap(({ expr }) => {
        const evaluation = new Evaluation(expr, scrapes);
        evaluation.run();
        return [...evaluation.names].filter((name) => !known.has(name) && name !== 'up');
      });
    });
    expect(unknown).toEqual([]);
  });

  it('has each series of money and of queues in a panel', () => {
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' ');
    const names = opened.monitoring.metrics.registry.getMetricsAsArray().map(({ name }) => name);
    const wanted = names.filter((name) => /_(money|loop|checkouts|holds|movements|disputes|review|deliver)/.test(name));
    expect(wanted.filter((name) => !asked.includes(name))).toEqual([]);
  });
});
