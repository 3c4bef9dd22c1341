// Chaos: `npm run chaos -- --minutes N --seed S`. Runs two API servers, two workers, the card processor and PostgreSQL
// (durability on) as real processes; partners, guests, outsiders and venue systems, which record every response; and a
// nemesis process that kills, stops, restarts and slows the others by a plan from the seed. When the nemesis has ended,
// it checks every promise against the database, the processor's records and the recorded responses.
// Writes to .chaos/<seed>/: timeline.html (the plot), summary.json, timeline.jsonl, logs/, and violations.json if any.
// Exits with 0 if every rule held, else with 1. A seed always gives the same plan, but not the same run.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, openDb } from '../../src/base/db.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { deliveryId } from '../../src/domain/webhooks/deliveries/delivery.ts';
import type { DeliveryRow } from '../../src/domain/webhooks/deliveries/queries.ts';
import { EVENT_TYPES } from '../../src/run/operations/events.ts';
import { findCitus } from '../support/citus-cluster.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import type { Found, Violation } from '../support/violation.ts';
import { checkGuests, readMembers } from './check-guests.ts';
import { checkLogs } from './check-logs.ts';
import { checkMoney } from './check-money.ts';
import { checkEvents, checkResponses, checkShares } from './check-responses.ts';
import { checkWaits, measureQuietWaits, readArrivals } from './check-waits.ts';
import { Client } from './client.ts';
import { withClientFigures } from './client-figures.ts';
import { makeFinalRequests, secretsOf } from './final-requests.ts';
import { type ClientLoad, createVenues, startLoad } from './load.ts';
import { type NemesisCommand, type NemesisReport, runNemesis } from './nemesis.ts';
import { type Options, readOptions } from './options.ts';
import { findPairPrograms } from './pair-runner.ts';
import { checkLeaderFaults, readFailovers, withFailovers } from './patroni/failovers.ts';
import { divideLosses, withLosses } from './patroni/losses.ts';
import { findPatroniPrograms } from './patroni/programs.ts';
import { checkRollingHour, LimitedCaller } from './patroni/rolling-hour.ts';
import { makePlan } from './plan.ts';
import { renderPage } from './plot.ts';
import {
  countUndelivered,
  createEndpoints,
  deadEndpointIds,
  type Endpoint,
  REFUSED_TYPE,
  type ReceiverBehavior,
  Receivers,
  refusingEndpointIds,
} from './receivers.ts';
import { readRecords } from './records.ts';
import { type DatabaseSetup, prepareRun, type RunSetup } from './run-setup.ts';
import { settle } from './settle.ts';
import { renderSummary, summarize, writeEvidence } from './summary.ts';
import type { TimelineEvent } from './timeline.ts';
import { VenueSystems } from './venue-systems.ts';

const DELIVERED_TYPES = EVENT_TYPES.filter((type) => /^(checkout|share|refund)\./.test(type));

/** Controls the nemesis process: sends commands and receives reports. A request fails if the nemesis ends. */
class NemesisClient {
  readonly timeline: TimelineEvent[] = [];
  readonly #child: ChildProcess;
  readonly #pids = new Map<string, number>();
  #awaited: {
    report: NemesisReport['report'];
    done: (report: NemesisReport) => void;
    fail: (why: Error) => void;
  } | null = null;
  #hasEnded = false;
  readonly #end: Promise<void>;
  readonly #receivers: Receivers;

  constructor(setup: RunSetup, receivers: Receivers) {
    this.#receivers = receivers;
    const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
    this.#child = spawn(process.execPath, [setup.chaosScript, 'nemesis'], {
      env: { PATH, HOME, ...(TMPDIR === '' ? {} : { TMPDIR }) },
      // In its own session, so that Ctrl-C in a terminal reaches only this process, which then ends the nemesis.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (report: NemesisReport) => this.#receive(report));
    this.#end = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.#hasEnded = true;
        this.#awaited?.fail(new Error('the nemesis has ended'));
        resolve();
      });
    });
  }

  #receive(report: NemesisReport): void {
    if (report.report === 'event') {
      const { event } = report;
      this.timeline.push(event);
      if (event.who === 'receivers' && event.what === 'faults')
        this.#receivers.behavior = event.detail as ReceiverBehavior;
      if (event.who === 'receivers' && event.what === 'faults over') this.#receivers.behavior = 'normal';
      if (event.what === 'start' || event.what === 'ready') this.#pids.set(event.who, event.pid ?? 0);
      if (event.what === 'exit') this.#pids.delete(event.who);
    } else if (report.report === 'failed') this.#awaited?.fail(new Error(report.why));
    else if (this.#awaited?.report === report.report) this.#awaited.done(report);
  }

  send(command: NemesisCommand): void {
    this.#child.send(command);
  }

  async request(command: NemesisCommand, report: NemesisReport['report']): Promise<NemesisReport> {
    if (this.#hasEnded) throw new Error('the nemesis has ended');
    const answered = new Promise<NemesisReport>((done, fail) => {
      this.#awaited = { report, done, fail };
    });
    this.send(command);
    return answered;
  }

  async close(keep: boolean): Promise<void> {
    if (!this.#hasEnded) {
      this.send({ command: 'end', keep });
      const kill = setTimeout(() => this.killAll(), 40_000);
      await this.#end;
      clearTimeout(kill);
    }
    this.killAll();
  }

  /** The last resort: kills the nemesis and every process that it started. */
  killAll(): void {
    for (const pid of this.#hasEnded ? this.#pids.values() : [...this.#pids.values(), this.#child.pid ?? 0]) {
      try {
        if (pid > 0) process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended already.
      }
    }
  }
}

async function runChaos(
  options: Options,
  setup: RunSetup,
  nemesis: NemesisClient,
  receivers: Receivers,
  systems: VenueSystems,
): Promise<boolean> {
  const { seed, minutes, concurrency } = options;
  const hasPatroni = options.patroni !== null;
  const hasLosses = options.patroni === 'asynchronous';
  log(options, 'starting PostgreSQL, the card processor, two servers and two workers');
  const ready = await nemesis.request({ command: 'start', setup }, 'ready');
  const databaseUrl = ready.report === 'ready' ? ready.databaseUrl : '';
  const db = openDb({
    url: databaseUrl,
    connections: 4,
    pooled: setup.database.kind === 'standby',
    applicationName: 'everyshare-chaos',
  });
  const violations: Violation[] = [];
  const found: Found = (rule, subject, what) => void violations.push({ rule, subject, what });
  try {
    const venues = await createVenues(db, setup);
    const { bookable } = venues;
    const endpoints = await createEndpoints(
      db,
      setup,
      bookable,
      await receivers.open(),
      DELIVERED_TYPES,
      'with bad ones',
    );
    const load = startLoad(setup, venues, concurrency);
    await systems.connect(new Client(setup.apiUrls, load.recorder, new SeededRandom(seed, 'pings')), bookable);
    systems.run(load.context.isStopping);
    const limited = new LimitedCaller(
      new Client(setup.apiUrls, load.recorder, new SeededRandom(seed, 'limited caller')),
      venues,
    );
    if (hasPatroni) limited.run(load.context.isStopping);
    const plan = makePlan(seed, minutes * 60, { everySeconds: options.everySeconds, hasPatroni });
    log(options, `${plan.length} actions in ${minutes} minutes`);
    nemesis.send({ command: 'run', plan });
    await showProgressUntilEnd(options, load, nemesis);
    log(options, 'the nemesis ends; waiting until all work is done');
    await nemesis.request({ command: 'heal' }, 'healed');
    await load.stop(options.settleSeconds * 1000);
    const ended = Date.now();
    await systems.settle(db, found);
    const settled = await settle(db, setup, databaseUrl, options.settleSeconds * 1000, found, hasLosses);
    const repeated = await makeFinalRequests(db, load, venues, setup.apiUrls.length, found);
    await deliverRemaining(db, load, endpoints, options.settleSeconds * 1000, found);
    const [venue = { venueId: '', key: '' }] = bookable;
    const inQuiet = await measureQuietWaits({ db, api: load.context.api, venue, endpoints, receivers }, found);
    const longest = checkWaits(await readArrivals(db, endpoints, receivers), nemesis.timeline, found);
    for (const { who, what, detail, isUnexpected } of nemesis.timeline) {
      if (isUnexpected === true) found('no process ends by itself', who, `it was ready and exited with ${detail}`);
      if (what === 'error') found('the nemesis runs without errors', who, detail ?? '');
    }
    const rollingHour = await limited.result();
    if (hasPatroni) {
      checkRollingHour(rollingHour, readFailovers(nemesis.timeline).resets, minutes / 60, found);
      violations.push(...checkLeaderFaults(nemesis.timeline, minutes));
    }
    const { ours, processor } = await readRecords(db, setup);
    checkMoney(ours, processor, found);
    checkShares(ours, found);
    checkEvents(ours, found);
    checkResponses(ours, load.bookings, found);
    for (const fault of await receivers.check(db, endpoints))
      found('every event reaches every subscribed endpoint', 'receivers', fault);
    checkGuests(ours, processor, await readMembers(db), load.bookings, found);
    for (const what of load.context.guests.pool.unexpected) found('guests get correct responses', 'sign-in', what);
    const repeatedReads = await systems.check(db, nemesis.timeline, found);
    const logLines = await checkLogs(setup, [...secretsOf(load, venues), ...systems.secrets], found);
    const { recorder, bookings } = load;
    const facts = {
      seed,
      minutes,
      timeline: nemesis.timeline,
      bookings,
      recorder,
      ours,
      processor,
      settled,
      violations,
      posts: receivers.posts,
      waits: { longest, inQuiet },
      logLines,
      hasStandby: options.standby,
      hasPatroni,
    };
    const figures = systems.withFigures(withClientFigures(summarize(facts), load, repeated), repeatedReads);
    const complete = hasPatroni ? withFailovers(figures, nemesis.timeline, rollingHour) : figures;
    const reported = new Set(settled.reported.map(({ subject }) => subject));
    const summary = hasLosses
      ? withLosses(complete, divideLosses(complete.violations, processor.holds, reported), reported.size)
      : complete;
    if (!summary.ok) await writeEvidence(db, setup, { ...facts, violations: summary.violations });
    const { startedAt, countsBySecond } = recorder;
    const plotData = { seed, startedAt, ended, timeline: nemesis.timeline, countsBySecond };
    writeFileSync(join(setup.folder, 'timeline.html'), renderPage(plotData, summary));
    writeFileSync(join(setup.folder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
    process.stdout.write(`${options.json ? JSON.stringify(summary) : renderSummary(summary, setup.folder)}\n`);
    return summary.ok;
  } finally {
    await db.close().catch(() => undefined);
  }
}

/** Logs the progress every 15 seconds until the nemesis is to end. */
async function showProgressUntilEnd(options: Options, load: ClientLoad, nemesis: NemesisClient): Promise<void> {
  const end = Date.now() + options.minutes * 60_000;
  for (let next = Date.now() + 15_000; Date.now() < end; next += 15_000) {
    await delay(Math.max(0, Math.min(next, end) - Date.now()));
    const kills = nemesis.timeline.filter(({ what }) => what === 'kill').length;
    const { recorder } = load;
    const done = `${recorder.total('created')} created, ${recorder.total('completed')} completed, ${recorder.total('error')} calls failed`;
    log(options, `${Math.round((end - Date.now()) / 1000)} s left: ${kills} kills, ${done}`);
  }
}

/**
 * Requests the redelivery of every delivery that waits for its next attempt, as a partner may, and waits for all of
 * them.
 */
async function deliverRemaining(
  db: Db,
  { context }: ClientLoad,
  endpoints: readonly Endpoint[],
  timeoutMs: number,
  found: Found,
): Promise<void> {
  context.api.giveUpAt = Date.now() + timeoutMs;
  const late = await db.query<Pick<DeliveryRow, 'event_id' | 'endpoint_id'> & { venue_id: string }>(
    `select event_id, endpoint_id, venue_id from deliveries
     where due_at > now() + interval '3 seconds' and endpoint_id <> all($1)
       and not (endpoint_id = any($2) and type = $3 and attempts > 0)`,
    [deadEndpointIds(endpoints), refusingEndpointIds(endpoints), REFUSED_TYPE],
  );
  for (const delivery of late) {
    const key = context.venues.find(({ venueId }) => venueId === delivery.venue_id)?.key ?? '';
    const path = `/v1/webhook_endpoints/${delivery.endpoint_id}/deliveries/${deliveryId(delivery)}/redeliver`;
    const response = await context.api.send({ method: 'POST', path, key });
    if (response?.status !== 202) found('a redelivery is accepted', delivery.event_id, `answered ${response?.status}`);
  }
  for (const end = Date.now() + timeoutMs; Date.now() < end; await delay(250)) {
    if ((await countUndelivered(db, endpoints)) === 0) return;
  }
}

function log({ json }: Options, line: string): void {
  if (!json) process.stderr.write(`chaos: ${line}\n`);
}

async function run(options: Options): Promise<number> {
  const folder = join(packageRoot, '.chaos', String(options.seed));
  log(options, `seed ${options.seed}: building`);
  const database = findDatabase(options);
  if (database === null) return 0; // What is missing has been printed.
  const systems = await VenueSystems.start(new SeededRandom(options.seed, 'venue systems'));
  const setup = await prepareRun(options.seed, folder, database, { READER_BASE_URL: systems.apis.url });
  const receivers = new Receivers(new SeededRandom(options.seed, 'partner'));
  const nemesis = new NemesisClient(setup, receivers);
  process.once('exit', () => nemesis.killAll());
  let leaving: Promise<void> | null = null;
  const leave = (keep: boolean): Promise<void> => {
    leaving ??= nemesis.close(keep).then(() => {
      copyPostgresLog(setup);
      if (keep) log(options, `the database stays in ${setup.scratch}`);
      else rmSync(setup.scratch, { recursive: true, force: true });
    });
    return leaving;
  };
  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
    process.on(signal, () => void leave(false).finally(() => process.exit(code)));
  }
  try {
    return (await runChaos(options, setup, nemesis, receivers, systems)) ? 0 : 1;
  } finally {
    await receivers.close();
    await systems.apis.close();
    await leave(options.keep);
  }
}

/** Null: the programs of a standby are missing. Throws if those of Patroni or Citus are. */
function findDatabase({ standby, patroni, citus }: Options): DatabaseSetup | null {
  if (patroni !== null)
    return { kind: 'patroni', programs: findPatroniPrograms(), isSynchronous: patroni === 'synchronous' };
  if (citus) {
    const bin = findCitus();
    if (bin === null) throw new Error('--citus needs a PostgreSQL with Citus.');
    return { kind: 'citus', bin };
  }
  if (!standby) return { kind: 'one server' };
  const programs = findPairPrograms();
  return programs === null ? null : { kind: 'standby', programs };
}

function copyPostgresLog(setup: RunSetup): void {
  try {
    const log = readFileSync(join(setup.scratch, 'database', 'postgres', 'postgres.log'));
    writeFileSync(join(setup.folder, 'logs', 'postgres.log'), log);
  } catch {
    // The log is in another folder, or was deleted with its database.
  }
}

const [command] = process.argv.slice(2);
if (command === 'nemesis') runNemesis();
else {
  try {
    const options = readOptions(process.argv.slice(2));
    process.exitCode = options === null ? 0 : await run(options);
  } catch (error) {
    process.stderr.write(`chaos: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  }
}
