// Venue systems that send pings of ids during the faults of a run: events of Eventbrite accounts that change, go and come
// back, and the menus of a Toast restaurant, each version of which is named several times. Their APIs answer as
// documented, and now and then with 429, 500 and 503. What the worker reads from them is checked at the end.

import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/base/db.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { EventbriteApi, eventbriteEvent, eventbritePing, TOKEN } from '../support/venue-apis/eventbrite.ts';
import { menusUpdated, TOAST_CREDENTIALS, ToastApi } from '../support/venue-apis/toast.ts';
import { startVenueApis, type VenueApis } from '../support/venue-apis/venue-api.ts';
import type { Found } from '../support/violation.ts';
import type { BookableVenue } from './booking.ts';
import {
  checkEvents,
  checkMenuReads,
  countDisturbances,
  type EventRecord,
  type MenuReads,
  titleOf,
  versionOfTitle,
} from './check-venue-systems.ts';
import type { Client, Json } from './client.ts';
import type { RunSummary } from './summary.ts';
import type { TimelineEvent } from './timeline.ts';

const EVENTS_PER_ACCOUNT = 4;
const ACCOUNTS_PER_VENUE = 2;
const SIGNING_SECRET = 'toast-signing-secret-of-the-chaos-run';
const FIRST_VERSION_AT = Date.parse('2027-01-01T00:00:00Z');
/** After the nemesis, longer than the lease of a read: another worker reads what a killed one had claimed. */
const MAX_READ_WAIT_MS = 180_000;
const QUIET_VERSIONS = 4;

interface Connected {
  readonly id: string;
  readonly venue: BookableVenue;
  readonly path: string;
}

interface Account extends Connected {
  readonly events: ChangingEvent[];
}

interface ChangingEvent {
  readonly id: string;
  version: number;
  isGone: boolean;
  isAcknowledged: boolean;
  readonly shown: number[];
}

interface MenuVersion {
  readonly version: string;
  reads: number;
  readonly isQuiet: boolean;
  readonly namedAt: number;
  waitedMs: number;
}

const timeOf = (version: number): string => new Date(FIRST_VERSION_AT + version * 1_000).toISOString();

export class VenueSystems {
  readonly apis: VenueApis;
  readonly #eventbrite: EventbriteApi;
  readonly #random: SeededRandom;
  readonly #toast: ToastApi;
  readonly #accounts: Account[] = [];
  readonly #menus: MenuVersion[] = [];
  #client: Client | null = null;
  #restaurant: Connected | null = null;
  #hasFaults = true;
  #pings = 0;
  #syncs = 0;
  #running: Promise<void>[] = [];

  private constructor(apis: VenueApis, eventbrite: EventbriteApi, toast: ToastApi, random: SeededRandom) {
    this.apis = apis;
    this.#eventbrite = eventbrite;
    this.#toast = toast;
    this.#random = random;
    apis.onRequest = () => this.#beforeAnswer();
  }

  /** Starts the servers of the APIs, whose address the workers get in READER_BASE_URL. */
  static async start(random: SeededRandom): Promise<VenueSystems> {
    const [eventbrite, toast] = [new EventbriteApi(), new ToastApi()];
    eventbrite.organizations = [];
    return new VenueSystems(await startVenueApis([eventbrite, toast]), eventbrite, toast, random);
  }

  /** No log may contain them. */
  get secrets(): string[] {
    const tokens = [...this.#accounts, this.#restaurant].map((one) => one?.path.split('/').at(-1) ?? '');
    return [TOKEN, TOAST_CREDENTIALS.client_secret, SIGNING_SECRET, ...tokens];
  }

  #connectedClient(): Client {
    if (this.#client === null) throw new Error('the venue systems are not connected');
    return this.#client;
  }

  #beforeAnswer(): void {
    const { path } = this.apis.requests.at(-1) ?? {};
    if (this.#hasFaults && this.#random.often(0.08)) {
      const status = this.#random.pick([429, 500, 503]);
      this.apis.faults.push({ status, body: {}, headers: status === 429 ? { 'retry-after': '1' } : {} });
    } else if (path === '/menus/v2/menus') {
      const menu = this.#menus.at(-1);
      if (menu === undefined) return;
      if (menu.reads === 0) menu.waitedMs = Date.now() - menu.namedAt;
      menu.reads += 1;
    }
  }

  async connect(client: Client, venues: readonly BookableVenue[]): Promise<void> {
    this.#client = client;
    for (const [index, venue] of venues.entries()) {
      for (let number = 0; number < ACCOUNTS_PER_VENUE; number++) {
        const organization = String(70 + index * ACCOUNTS_PER_VENUE + number);
        this.#eventbrite.organizations.push(organization);
        const connected = await connectSystem(client, venue, 'eventbrite', { kind: 'ticketed_event' });
        await setCredentials(client, connected, { token: TOKEN, organization_id: organization });
        const events = Array.from({ length: EVENTS_PER_ACCOUNT }, (_, event) => ({
          id: `${organization}00${event}`,
          version: 0,
          isGone: true,
          isAcknowledged: true,
          shown: [],
        }));
        this.#accounts.push({ ...connected, events });
      }
    }
    const [venue] = venues;
    if (venue === undefined) throw new Error('there is no venue to connect');
    this.#restaurant = await connectSystem(client, venue, 'toast', { kind: 'dining', currency: 'usd' });
    await setCredentials(client, this.#restaurant, TOAST_CREDENTIALS);
  }

  run(isStopping: () => boolean): void {
    const client = this.#connectedClient();
    this.#running = [
      ...this.#accounts.map((account) => this.#changeEventsUntil(client, account, isStopping)),
      this.#changeMenusUntil(client, isStopping),
    ];
  }

  async #changeEventsUntil(client: Client, account: Account, isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const event = this.#random.pick(account.events);
      await this.#changeEvent(client, account, event);
      await showEvent(client, account, this.#random.pick(account.events));
      if (this.#random.often(0.03)) await this.#sync(client, account);
      await delay(this.#random.between(100, 1_500));
    }
  }

  /** Changes the event at the provider, and then sends the ping until it is answered. */
  async #changeEvent(client: Client, account: Account, event: ChangingEvent): Promise<void> {
    event.version += 1;
    event.isGone = event.version > 1 && !event.isGone && this.#random.often(0.1);
    event.isAcknowledged = false;
    const { id, version } = event;
    const organization = id.slice(0, 2);
    if (event.isGone) this.#eventbrite.events.delete(id);
    else
      this.#eventbrite.add(
        eventbriteEvent(id, { name: titleOf(version), changed: timeOf(version), sold: version % 90, organization }),
      );
    const action = this.#random.pick(['event.updated', 'event.published', 'ticket_class.updated']);
    const response = await client.send({
      method: 'POST',
      path: account.path,
      body: JSON.stringify(eventbritePing(id, action)),
    });
    this.#pings += 1;
    if (response?.status === 200) event.isAcknowledged = true;
  }

  async #sync(client: Client, { id, venue }: Account): Promise<void> {
    await client.send({ method: 'POST', path: `/v1/integrations/${id}/sync`, key: venue.key });
    this.#syncs += 1;
  }

  async #changeMenusUntil(client: Client, isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      await this.#changeMenus(client, false);
      await this.#waitForMenus(isStopping);
      await delay(this.#random.between(50, 800));
    }
  }

  /** A new version of the menus, which several messages name. */
  async #changeMenus(client: Client, isQuiet: boolean): Promise<void> {
    const restaurant = this.#restaurant;
    if (restaurant === null) throw new Error('the restaurant is not connected');
    const number = this.#menus.length + 1;
    const version = timeOf(number);
    this.#toast.lastUpdated = version;
    this.#toast.items = [{ guid: 'dish-1', name: titleOf(number), price: number }];
    this.#menus.push({ version, reads: 0, isQuiet, namedAt: Date.now(), waitedMs: 0 });
    for (let copy = 0; copy < this.#random.between(1, 3); copy++) {
      const body = JSON.stringify(menusUpdated(`menus-${number}-${copy}`, version));
      const signature = createHmac('sha256', SIGNING_SECRET)
        .update(body + version)
        .digest('base64');
      await client.send({ method: 'POST', path: restaurant.path, body, headers: { 'toast-signature': signature } });
      this.#pings += 1;
    }
  }

  /**
   * The API answers with the newest version alone, so the next one waits until this one was read. Each worker that is
   * killed with the lease delays the read by two minutes: what the run does not read, settle() waits for.
   */
  async #waitForMenus(isStopping: () => boolean): Promise<void> {
    for (; !isStopping() && this.#menus.at(-1)?.reads === 0; await delay(100));
  }

  /** After the nemesis: waits until everything was read, and then names some versions that nothing disturbs. */
  async settle(db: Db, found: Found): Promise<void> {
    const client = this.#connectedClient();
    this.#hasFaults = false;
    await Promise.all(this.#running);
    await this.#waitUntilRead(db, found);
    for (let count = 0; count < QUIET_VERSIONS; count++) {
      await this.#changeMenus(client, true);
      await this.#waitUntilRead(db, found);
    }
  }

  /** What waits for the end of a back-off is due now. */
  async #waitUntilRead(db: Db, found: Found): Promise<void> {
    for (const until = Date.now() + MAX_READ_WAIT_MS; Date.now() < until; await delay(250)) {
      await db.query(
        `update hook_reads set due_at = now() - interval '1 second' where due_at > now() + interval '2 seconds'`,
      );
      await db.query(
        `update integration_readers set due_at = now() - interval '1 second' where due_at > now() + interval '5 seconds'`,
      );
      const [row] = await db.query<{ left: number }>(
        `select (select count(*) from inbound_deliveries where status in ('pending', 'reading'))
           + (select count(*) from hook_reads where due_at is not null)
           + (select count(*) from hook_syncs where status = 'running') as left`,
      );
      if (row?.left === 0) return;
    }
    found('everything that was named is read', 'venue systems', `not within ${MAX_READ_WAIT_MS / 1000} s`);
  }

  async check(db: Db, timeline: readonly TimelineEvent[], found: Found): Promise<number> {
    const client = this.#connectedClient();
    const records: EventRecord[] = [];
    for (const account of this.#accounts)
      for (const event of account.events) {
        const offering = await showEvent(client, account, event);
        records.push({ ...event, offering });
      }
    checkEvents(records, found);
    const outcomes = await db.query<{ status: string; reason: string | null; count: number }>(
      `select status, reason, count(*) from inbound_deliveries where status in ('failed', 'unmapped', 'needs_api_read')
       group by status, reason`,
    );
    for (const { status, reason, count } of outcomes)
      found('every ping is applied', status, `${count} times: ${reason}`);
    const failed = await db.query<{ id: string; reason: string }>(
      `select sync_id as id, reason from hook_syncs where status <> 'finished'`,
    );
    for (const { id, reason } of failed) found('every catalogue run finishes', id, reason);
    const menus: MenuReads[] = this.#menus;
    return checkMenuReads(menus, countDisturbances(timeline), found);
  }

  withFigures(summary: RunSummary, repeated: number): RunSummary {
    const figures = {
      pings: this.#pings,
      syncs: this.#syncs,
      requests: this.apis.requests.length,
      versions_of_menus: this.#menus.length,
      reads_repeated: repeated,
      longest_wait_ms: Math.max(0, ...this.#menus.map(({ waitedMs }) => waitedMs)),
    };
    const line =
      `venue systems: ${figures.pings} pings of ${this.#accounts.length + 1} integrations and ${figures.syncs} starts of catalogue runs led to ` +
      `${figures.requests} requests; ${figures.versions_of_menus} versions of menus were read, ${repeated} once more after a disturbance, ` +
      `after at most ${(figures.longest_wait_ms / 1000).toFixed(1)} s`;
    return {
      ...summary,
      figures: { ...summary.figures, venue_systems: figures },
      lines: [...summary.lines, line],
    };
  }
}

async function connectSystem(
  client: Client,
  venue: BookableVenue,
  provider: string,
  defaults: Readonly<Record<string, string>>,
): Promise<Connected> {
  const signed = provider === 'toast' ? { signing_secret: SIGNING_SECRET } : {};
  const { data } = await post(client, venue, '/v1/integrations', { provider, defaults, ...signed });
  return { id: data.id, venue, path: new URL(data.webhook_url).pathname };
}

async function setCredentials(client: Client, { id, venue }: Connected, credentials: object): Promise<void> {
  await post(client, venue, `/v1/integrations/${id}/credentials`, { credentials });
}

async function post(client: Client, { key }: BookableVenue, path: string, body: object): Promise<Json> {
  const response = await client.send({ method: 'POST', path, key, body: JSON.stringify(body) });
  if (response === null || response.status >= 300) throw new Error(`${path} answered ${response?.text}`);
  return response.json;
}

/** Reads the offering of an event, and records the version that it shows. Null: there is none. */
async function showEvent(client: Client, { venue }: Account, event: ChangingEvent): Promise<EventRecord['offering']> {
  const response = await client.send({ method: 'GET', path: `/v1/offerings/${event.id}`, key: venue.key });
  if (response?.status !== 200) return null;
  const { title, availability } = response.json.data;
  event.shown.push(versionOfTitle(title));
  return { title, slots: availability?.slots?.length ?? 0 };
}
