// Chaos: `npm run chaos -- --minutes N --seed S`. Two API servers, two workers, the card processor and PostgreSQL
// (durability on), all real processes; partners, guests and outsiders who write down what they are told; and a nemesis in a
// process of its own that kills, stops, continues, restarts, cuts and slows them by a plan from the seed. Then quiet, and
// every promise is checked: against the database, the processor's books, and what the clients were told.
// Written to .chaos/<seed>/: timeline.html (the plot), verdict.json, timeline.jsonl, logs/, and violations.json if any.
// Ends with 0 when everything held, else with 1. The plan of a seed is always the same; how the machine answers is not.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, openDb } from '../../src/base/db.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { deliveryId } from '../../src/domain/webhooks/deliveries/delivery.ts';
import type { DeliveryRow } from '../../src/domain/webhooks/deliveries/queries.ts';
import { EVENT_TYPES } from '../../src/run/operations/events.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import type { Found, Violation } from '../support/violation.ts';
import { readBooks } from './books.ts';
import { checkGuests, readMembers } from './check-guests.ts';
import { checkLines } from './check-lines.ts';
import { checkMoney } from './check-money.ts';
import { checkEvents, checkResponses, checkShares } from './check-responses.ts';
import { checkWaits, readArrivals, tryInQuiet } from './check-waits.ts';
import { makeFinalRequests, secretsOf } from './final-requests.ts';
import { type ClientLoad, openVenues, startLoad } from './load.ts';
import { type Order, type Report, runNemesis } from './nemesis.ts';
import { type Options, readOptions } from './options.ts';
import { findPairPrograms } from './pair-runner.ts';
import { makePlan } from './plan.ts';
import { renderPage } from './plot.ts';
import { deadIds, type Endpoint, type Mood, openEndpoints, Receivers, undelivered } from './receivers.ts';
import { prepareRun, type RunSetup } from './run-setup.ts';
import { settle } from './settle.ts';
import { renderSummary, summarize, writeEvidence } from './summary.ts';
import { withClientFigures } from './tally.ts';
import type { Happening } from './timeline.ts';

const TOLD = EVENT_TYPES.filter((type) => /^(checkout|share|refund)\./.test(type));

/** The nemesis as seen from here: orders go out, reports come back, and its end is our end. */
class Hand {
  readonly happenings: Happening[] = [];
  readonly #child: ChildProcess;
  readonly #pids = new Map<string, number>();
  #awaited: { report: Report['report']; done: (report: Report) => void; fail: (why: Error) => void } | null = null;
  #gone = false;
  readonly #end: Promise<void>;
  readonly #receivers: Receivers;

  constructor(setup: RunSetup, receivers: Receivers) {
    this.#receivers = receivers;
    const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
    this.#child = spawn(process.execPath, [setup.chaosScript, 'nemesis'], {
      env: { PATH, HOME, ...(TMPDIR === '' ? {} : { TMPDIR }) },
      // A session of its own: a terminal's Ctrl-C is for us, and we tell it.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (report: Report) => this.#hear(report));
    this.#end = new Promise((resolve) => {
      this.#child.once('close', () => {
        this.#gone = true;
        this.#awaited?.fail(new Error('the nemesis has ended'));
        resolve();
      });
    });
  }

  #hear(report: Report): void {
    if (report.report === 'happened') {
      const { happening } = report;
      this.happenings.push(happening);
      if (happening.who === 'receivers' && happening.what === 'faults') this.#receivers.mood = happening.detail as Mood;
      if (happening.who === 'receivers' && happening.what === 'faults over') this.#receivers.mood = 'as usual';
      if (happening.what === 'start' || happening.what === 'ready') this.#pids.set(happening.who, happening.pid ?? 0);
      if (happening.what === 'exit') this.#pids.delete(happening.who);
    } else if (report.report === 'broken') this.#awaited?.fail(new Error(report.why));
    else if (this.#awaited?.report === report.report) this.#awaited.done(report);
  }

  tell(order: Order): void {
    this.#child.send(order);
  }

  async ask(order: Order, report: Report['report']): Promise<Report> {
    if (this.#gone) throw new Error('the nemesis has ended');
    const answer = new Promise<Report>((done, fail) => {
      this.#awaited = { report, done, fail };
    });
    this.tell(order);
    return answer;
  }

  async close(keep: boolean): Promise<void> {
    if (!this.#gone) {
      this.tell({ order: 'end', keep });
      const hard = setTimeout(() => this.slay(), 40_000);
      await this.#end;
      clearTimeout(hard);
    }
    this.slay();
  }

  /** The last resort: whatever it ran, and itself. */
  slay(): void {
    for (const pid of this.#gone ? this.#pids.values() : [...this.#pids.values(), this.#child.pid ?? 0]) {
      try {
        if (pid > 0) process.kill(pid, 'SIGKILL');
      } catch {
        // It is gone already.
      }
    }
  }
}

async function storm(options: Options, setup: RunSetup, hand: Hand, receivers: Receivers): Promise<boolean> {
  const { seed, minutes, lanes } = options;
  say(options, 'starting PostgreSQL, the card processor, two servers and two workers');
  const up = await hand.ask({ order: 'set up', setup }, 'up');
  const databaseUrl = up.report === 'up' ? up.databaseUrl : '';
  const db = openDb({
    url: databaseUrl,
    connections: 4,
    pooled: setup.pair !== null,
    applicationName: 'everyshare-chaos',
  });
  const violations: Violation[] = [];
  const found: Found = (rule, subject, what) => void violations.push({ rule, subject, what });
  try {
    const venues = await openVenues(db, setup);
    const { bookable } = venues;
    const endpoints = await openEndpoints(db, setup, bookable, await receivers.open(), TOLD, 'with a dead one');
    const load = startLoad(setup, venues, lanes);
    const plan = makePlan(seed, minutes * 60, { everySeconds: options.everySeconds });
    say(options, `${plan.length} deeds in ${minutes} minutes`);
    hand.tell({ order: 'begin', plan });
    await watch(options, load, hand);
    say(options, 'quiet');
    await hand.ask({ order: 'quiet' }, 'quiet');
    await load.stop(options.patienceSeconds * 1000);
    const ended = Date.now();
    const settled = await settle(db, setup, databaseUrl, options.patienceSeconds * 1000, found);
    const asked = await makeFinalRequests(db, load, venues, setup.apiUrls.length, found);
    await deliverRest(db, load, endpoints, options.patienceSeconds * 1000, found);
    const [venue = { venueId: '', key: '' }] = bookable;
    const inQuiet = await tryInQuiet({ db, api: load.context.api, venue, endpoints, receivers }, found);
    const longest = checkWaits(await readArrivals(db, endpoints, receivers), hand.happenings, found);
    for (const { who, what, detail, unasked } of hand.happenings) {
      if (unasked === true) found('no process ends by itself', who, `it was ready and ended with ${detail}`);
      if (what === 'trouble') found('the nemesis has no trouble of its own', who, detail ?? '');
    }
    const { ours, theirs } = await readBooks(db, setup);
    checkMoney(ours, theirs, found);
    checkShares(ours, found);
    checkEvents(ours, found);
    checkResponses(ours, load.bookings, found);
    for (const fault of await receivers.check(db, endpoints))
      found('every event reaches who wants it', 'receivers', fault);
    checkGuests(ours, theirs, await readMembers(db), load.bookings, found);
    for (const what of load.context.guests.people.wrong) found('guests are told the truth', 'sign-in', what);
    const logLines = await checkLines(setup, secretsOf(load, venues), found);
    const { recorder, bookings } = load;
    const facts = {
      seed,
      minutes,
      happenings: hand.happenings,
      bookings,
      recorder,
      ours,
      theirs,
      settled,
      violations,
      posts: receivers.posts,
      waits: { longest, inQuiet },
      logLines,
      standby: options.standby,
    };
    const verdict = withClientFigures(summarize(facts), load, asked);
    if (!verdict.ok) await writeEvidence(db, setup, { ...facts, violations: verdict.violations });
    const { began, seconds } = recorder;
    const story = { seed, began, ended, happenings: hand.happenings, seconds };
    writeFileSync(join(setup.folder, 'timeline.html'), renderPage(story, verdict));
    writeFileSync(join(setup.folder, 'verdict.json'), `${JSON.stringify(verdict, null, 2)}\n`);
    process.stdout.write(`${options.json ? JSON.stringify(verdict) : renderSummary(verdict, setup.folder)}\n`);
    return verdict.ok;
  } finally {
    await db.close().catch(() => undefined);
  }
}

/** Says now and then how it goes. */
async function watch(options: Options, load: ClientLoad, hand: Hand): Promise<void> {
  const end = Date.now() + options.minutes * 60_000;
  for (let next = Date.now() + 15_000; Date.now() < end; next += 15_000) {
    await delay(Math.max(0, Math.min(next, end) - Date.now()));
    const kills = hand.happenings.filter(({ what }) => what === 'kill').length;
    const { recorder } = load;
    const done = `${recorder.total('created')} created, ${recorder.total('completed')} completed, ${recorder.total('error')} calls failed`;
    say(options, `${Math.round((end - Date.now()) / 1000)} s left: ${kills} kills, ${done}`);
  }
}

/** A partner who does not want to wait for the next try asks for it. */
async function deliverRest(
  db: Db,
  { context }: ClientLoad,
  endpoints: readonly Endpoint[],
  patienceMs: number,
  found: Found,
): Promise<void> {
  context.api.giveUpAt = Date.now() + patienceMs;
  const late = await db.query<Pick<DeliveryRow, 'event_id' | 'endpoint_id'> & { venue_id: string }>(
    `select event_id, endpoint_id, venue_id from deliveries
     where due_at > now() + interval '3 seconds' and endpoint_id <> all($1)`,
    [deadIds(endpoints)],
  );
  for (const one of late) {
    const key = context.venues.find(({ venueId }) => venueId === one.venue_id)?.key ?? '';
    const path = `/v1/webhook_endpoints/${one.endpoint_id}/deliveries/${deliveryId(one)}/redeliver`;
    const response = await context.api.send({ method: 'POST', path, key });
    if (response?.status !== 202)
      found('what is asked for again is sent again', one.event_id, `answered ${response?.status}`);
  }
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(250)) {
    if ((await undelivered(db, endpoints)) === 0) return;
  }
}

function say({ json }: Options, line: string): void {
  if (!json) process.stderr.write(`chaos: ${line}\n`);
}

async function run(options: Options): Promise<number> {
  const folder = join(packageRoot, '.chaos', String(options.seed));
  say(options, `seed ${options.seed}: building`);
  const pair = options.standby ? findPairPrograms() : null;
  if (options.standby && pair === null) return 0; // It was said what is missing.
  const setup = await prepareRun(options.seed, folder, pair);
  const receivers = new Receivers(new SeededRandom(options.seed, 'partner'));
  const hand = new Hand(setup, receivers);
  process.once('exit', () => hand.slay());
  let leaving: Promise<void> | null = null;
  const leave = (keep: boolean): Promise<void> => {
    leaving ??= hand.close(keep).then(() => {
      keepLogOfPostgres(setup);
      if (keep) say(options, `the database is kept in ${setup.scratch}`);
      else rmSync(setup.scratch, { recursive: true, force: true });
    });
    return leaving;
  };
  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
    process.on(signal, () => void leave(false).finally(() => process.exit(code)));
  }
  try {
    return (await storm(options, setup, hand, receivers)) ? 0 : 1;
  } finally {
    await receivers.close();
    await leave(options.keep);
  }
}

function keepLogOfPostgres(setup: RunSetup): void {
  try {
    const log = readFileSync(join(setup.scratch, 'database', 'postgres', 'postgres.log'));
    writeFileSync(join(setup.folder, 'logs', 'postgres.log'), log);
  } catch {
    // It lies elsewhere, or went with its database.
  }
}

const [word] = process.argv.slice(2);
if (word === 'nemesis') runNemesis();
else {
  try {
    const options = readOptions(process.argv.slice(2));
    process.exitCode = options === null ? 0 : await run(options);
  } catch (error) {
    process.stderr.write(`chaos: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  }
}
