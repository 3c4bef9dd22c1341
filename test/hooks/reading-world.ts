// A world whose worker reads from test servers in place of the APIs of venue systems, and what tests of reading do there.

import { expect } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import type { Defaults } from '../../src/domain/hooks/integration.ts';
import { type ReadServices, readDueObjects } from '../../src/domain/hooks/readers/read-due-objects.ts';
import { readServicesOf } from '../../src/run/context.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { startVenueApis, type VenueApi, type VenueApis } from '../support/venue-apis/venue-api.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

export async function openReadingWorld(venueApis: readonly VenueApi[]): Promise<ReadingWorld> {
  const apis = await startVenueApis(venueApis);
  const world = await openTestWorld({ env: { ALLOW_INSECURE_TARGETS: '1', READER_BASE_URL: apis.url } });
  return new ReadingWorld(world, apis);
}

export class ReadingWorld {
  readonly world: TestWorld;
  readonly apis: VenueApis;
  readonly services: ReadServices;
  /** How long the worker would have waited between the requests of a read, in milliseconds. */
  readonly waits: number[] = [];

  constructor(world: TestWorld, apis: VenueApis) {
    this.world = world;
    this.apis = apis;
    this.services = { ...readServicesOf(world.context), wait: (ms) => Promise.resolve(void this.waits.push(ms)) };
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.apis.close();
  }

  reset(): void {
    this.waits.length = 0;
    this.apis.requests.length = 0;
    this.apis.faults.length = 0;
    this.apis.onRequest = () => undefined;
  }

  async connect(
    provider: string,
    defaults: Defaults,
    credentials: Readonly<Record<string, string>> | null,
  ): Promise<VenueSystem> {
    const system = await connectVenueSystem(this.world, provider, defaults);
    if (credentials !== null) {
      expect((await this.setCredentials(system, credentials)).status).toBe(200);
      await this.skipCheck(system);
    }
    return system;
  }

  /** The worker does not try the credentials before the first read. */
  async skipCheck({ id }: VenueSystem): Promise<void> {
    await this.world.db.query(
      'update integration_readers set is_checked = true, due_at = null where integration_id = $1',
      [id],
    );
  }

  setCredentials({ id, key }: VenueSystem, credentials: Readonly<Record<string, string>>) {
    return this.world.call('POST', `/v1/integrations/${id}/credentials`, { key, body: { credentials } });
  }

  apply(): Promise<number> {
    return applyDueDeliveries(this.world.context, 1_000);
  }

  /** The provider's pace and back-off are over. What is only to be read again tomorrow stays so. */
  async makeDue(): Promise<void> {
    await this.world.db.query(
      `update integration_readers r set next_request_at = to_timestamp($1 / 1000.0),
         due_at = case when due_at is null then null
           when not r.is_checked
             or exists (select 1 from hook_reads h where h.venue_id = r.venue_id and h.integration_id = r.integration_id
               and (h.due_at is not null or h.refresh_at <= to_timestamp($1 / 1000.0)))
             or exists (select 1 from hook_syncs s
               where s.venue_id = r.venue_id and s.integration_id = r.integration_id and s.status = 'running')
           then to_timestamp($1 / 1000.0) else due_at end`,
      [Date.now() - 1_000],
    );
  }

  /** A day has passed: the objects of the integration are read again. */
  async makeRefreshesDue({ id }: VenueSystem): Promise<void> {
    // Earlier than makeDue looks, which may be in the same millisecond: the database's clock shows microseconds.
    await this.world.db.query(
      `update hook_reads set refresh_at = now() - interval '2 seconds'
       where integration_id = $1 and refresh_at is not null`,
      [id],
    );
    await this.makeDue();
  }

  async makeReadsDue(): Promise<void> {
    await this.world.db.query(`update hook_reads set due_at = now() - interval '1 second' where due_at is not null`);
  }

  /** Services whose next transaction fails before it begins, and no other. */
  withFailingTransaction(error: Error): ReadServices {
    const { db } = this.services;
    let isNext = true;
    const transaction: typeof db.transaction = (run) => {
      if (!isNext) return db.transaction(run);
      isNext = false;
      return Promise.reject(error);
    };
    return { ...this.services, db: { ...db, transaction } };
  }

  /** What one step of the worker claims. */
  readOnce(services = this.services): Promise<number> {
    return readDueObjects(services, 20);
  }

  /** Reads until nothing is due. */
  async readAll(): Promise<void> {
    for (let rounds = 0; rounds < 40; rounds++) {
      await this.makeDue();
      if ((await this.readOnce()) === 0) return;
    }
    throw new Error('reads do not end');
  }

  async applyAndRead(): Promise<void> {
    await this.apply();
    await this.readAll();
  }

  async offering({ key }: VenueSystem, id: string) {
    return (await this.world.call('GET', `/v1/offerings/${encodeURIComponent(id)}`, { key })).json?.data;
  }

  async readsOf({ id, key }: VenueSystem) {
    const { json } = await this.world.call('GET', '/v1/integrations', { key });
    return json.data.find((one: { id: string }) => one.id === id).reads;
  }

  /** Status and reason of the deliveries, newest first. */
  async outcomes(system: VenueSystem): Promise<[string, string | null][]> {
    return (await system.deliveries()).map(({ status, reason }) => [status, reason]);
  }

  async statuses(system: VenueSystem): Promise<string[]> {
    return (await this.outcomes(system)).map(([status]) => status);
  }
}
