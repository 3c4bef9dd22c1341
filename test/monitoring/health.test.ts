// What operators see of the health of the installation, and the heartbeats behind it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemMonotonicClock } from '../../src/base/clock.ts';
import type { Queryable } from '../../src/base/db.ts';
import type { Check } from '../../src/domain/monitoring/check-queries.ts';
import { computeFigures, type Figures, makeFiguresReader } from '../../src/domain/monitoring/figures.ts';
import { startHeartbeat } from '../../src/domain/monitoring/heartbeat.ts';
import { runningProcesses } from '../../src/domain/monitoring/process-queries.ts';
import { showHealth } from '../../src/domain/monitoring/show-health.ts';
import { createOperator, deskOf } from '../support/desk-client.ts';
import { commandLine } from '../support/run-command.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';
import { callUnreachableProcessor, openMonitoredWorld, queueToSend } from './driven-world.ts';

let opened: Awaited<ReturnType<typeof openMonitoredWorld>>;
let venue: TestVenue;
beforeAll(async () => {
  opened = await openMonitoredWorld();
  venue = await openTestVenue(opened.world);
});
afterAll(async () => {
  await opened.shutdown.run();
  await opened.world.close();
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const checked = (name: Check['name'], mode: Check['mode'], at: number): Partial<Figures> => ({
  checks: [{ name, mode, at, differences: 0 }],
});

const IDENTITY = { role: 'worker', version: '0.0.1', schemaVersion: 12, host: 'app-2' } as const;
const { processorOutcomes } = { processorOutcomes: () => opened.monitoring.services.processorOutcomes() };
const beat = () => startHeartbeat(opened.world.context, IDENTITY, processorOutcomes);

/** With figures of this moment, changed as given. */
async function health(change: (figures: Figures) => Partial<Figures> = () => ({})): Promise<Json> {
  const computed = await computeFigures(opened.world.db, opened.world.context.retention);
  const figures = { ...computed, ...change(computed) };
  const reader = { read: async () => ({ ...figures, now: figures.computedAt }) };
  return (await showHealth({ ...opened.world.context.services, figures: reader })).body;
}

describe('the health of the installation', () => {
  it('is shown to an operator: queues, endpoints, senders, processors, processes, schema and checks', async () => {
    const desk = deskOf(opened.world, await createOperator(opened.world.context, 'support'));
    const response = await desk('GET', '/health');
    expect(response.status, response.text).toBe(200);
    const { json } = response;
    expect(json).toMatchObject({ object: 'health', status: 'ok', endpoints: { active: 0, failing: 0, disabled: 0 } });
    expect(json.queues.map(({ name }: Json) => name)).toContain('capture-funded');
    expect(json.senders).toMatchObject([
      { kind: 'texts', sender: 'sandbox', status: 'unknown' },
      { kind: 'mails', sender: 'sandbox', status: 'unknown' },
    ]);
    expect(json.processes).toMatchObject([{ role: 'start', is_current: true }]);
    expect(json.schema.version).toBe(json.schema.expected);
    expect(json.checks).toEqual([
      { name: 'reconcile', mode: 'test', at: null, differences: null, status: 'unknown' },
      { name: 'reconcile', mode: 'live', at: null, differences: null, status: 'unknown' },
      { name: 'ledger', mode: null, at: null, differences: null, status: 'unknown' },
    ]);
  });

  it.each<[string, string, (figures: Figures) => Partial<Figures>]>([
    ['ok', 'nothing needs a person', () => ({})],
    [
      'failing',
      'no worker runs',
      ({ processes }) => ({ processes: processes.map((one) => ({ ...one, role: 'serve' })) }),
    ],
    ['attention', 'the schema is of another release', ({ schemaVersion }) => ({ schemaVersion: schemaVersion - 1 })],
    ['attention', 'an endpoint fails', ({ endpoints }) => ({ endpoints: { ...endpoints, failing: 1 } })],
    ['attention', 'a capture waits', ({ computedAt }) => ({ oldestFundedAt: computedAt - 6 * MINUTE_MS })],
    ['failing', 'a capture is stuck', ({ computedAt }) => ({ oldestFundedAt: computedAt - 61 * MINUTE_MS })],
    ['ok', 'a reconcile ended today', ({ computedAt }) => checked('reconcile', 'test', computedAt - 23 * HOUR_MS)],
    ['attention', 'a reconcile is old', ({ computedAt }) => checked('reconcile', 'test', computedAt - 25 * HOUR_MS)],
    ['ok', 'the ledger was checked yesterday', ({ computedAt }) => checked('ledger', 'all', computedAt - 47 * HOUR_MS)],
    ['attention', 'a ledger check is old', ({ computedAt }) => checked('ledger', 'all', computedAt - 49 * HOUR_MS)],
  ])('is %s when %s', async (status, _, change) => {
    // Rows and outcomes of other tests are left out.
    const quiet = ({ texts }: Figures) => ({ queues: [], texts: { ...texts, lastFailedAt: null } });
    const shown = await health((figures) => ({ ...quiet(figures), checks: [], ...change(figures) }));
    expect(shown.status).toBe(status);
  });

  it('says what needs a person: an old row, a text that failed, a processor without an answer, books that differ', async () => {
    const held = await venue.collecting();
    await venue.pay(held.id, held.shares[0].id, CARDS.good);
    const { db } = opened.world;
    await db.query(`update holds set due_at = now() - interval '10 minutes' where status = 'held'`);
    await queueToSend(opened.world, 0);
    await db.query(`update messages set status = 'failed', last_error = 'no such number', due_at = null`);
    await commandLine(opened.world).json('ledger', 'check');
    await db.query('update checks set differences = 2');
    await callUnreachableProcessor(opened.monitoring);
    const heartbeat = await beat();
    const shown = await health();
    await heartbeat.stop();
    expect(shown.status).toBe('failing');
    expect(shown.queues).toContainEqual(
      expect.objectContaining({ name: 'settle-holds', waiting: 1, is_capped: false, status: 'attention' }),
    );
    expect(shown.senders[0]).toMatchObject({ failed_last_hour: 1, last_error: 'no such number', status: 'failing' });
    expect(shown.processors[0]).toMatchObject({ mode: 'test', name: 'sandbox', status: 'failing' });
    expect(shown.processors[0].last_success_at < shown.processors[0].last_failure_at).toBe(true);
    expect(shown.checks[2]).toMatchObject({ name: 'ledger', differences: 2, status: 'attention' });
  });

  it('lists a process while it lives, with its version, and no longer when it stopped or died', async () => {
    const { db } = opened.world;
    const names = async (): Promise<string[]> => (await runningProcesses(db)).map(({ version }) => version);
    const heartbeat = await beat();
    const { processes } = await health();
    expect(processes.filter(({ is_current }: Json) => !is_current)).toMatchObject([
      { role: 'worker', version: '0.0.1', schema_version: 12, host: 'app-2' },
    ]);
    await heartbeat.stop();
    expect(await names()).not.toContain('0.0.1');
    const died = await beat();
    await db.query(`update processes set seen_at = now() - interval '61 seconds' where version = '0.0.1'`);
    expect(await names()).not.toContain('0.0.1');
    await db.query(`update processes set seen_at = now() - interval '25 hours' where version = '0.0.1'`);
    const other = await beat();
    expect(await db.query(`select 1 from processes where version = '0.0.1'`)).toHaveLength(1);
    await died.stop();
    await other.stop();
  });
});

describe('a heartbeat', () => {
  it('does not delay the stop of its process beyond the given time when the database does not answer', async () => {
    const { db, ids, log } = opened.world.context;
    let isSilent = false;
    const monitoring: Queryable = {
      query: (...statement) => (isSilent ? new Promise(() => undefined) : db.query(...statement)),
    };
    const services = { db: { ...db, monitoring }, ids, log };
    const heartbeat = await startHeartbeat(services, IDENTITY, processorOutcomes, { maxStopMs: 50 });
    isSilent = true;
    // Without the bound this would never end.
    await heartbeat.stop();
    await db.query(`delete from processes where version = '0.0.1'`);
  });

  it('stops its process when a newer release has taken away what the process reads, and keeps such a one from starting', async () => {
    const { db, context } = opened.world;
    let refusal: Error | null = null;
    const onUnsupported = (error: Error): void => {
      refusal = error;
    };
    const options = { intervalMs: 20, onUnsupported };
    const heartbeat = await startHeartbeat(context, IDENTITY, processorOutcomes, options);
    await db.query(`insert into releases (release, oldest_beside) values ('99.0.0', '0.1.0')`);
    try {
      await waitFor('the heartbeat finds the newer release', () => refusal !== null);
      expect(String(refusal)).toContain('serves releases from 0.1.0 on; this is 0.0.1: start 0.1.0 or a newer release');
      await heartbeat.stop();
      await expect(startHeartbeat(context, IDENTITY, processorOutcomes, options)).rejects.toThrow(/this is 0\.0\.1/);
      expect((await runningProcesses(db)).map(({ version }) => version)).not.toContain('0.0.1');
    } finally {
      await db.query(`delete from releases where release = '99.0.0'`);
    }
  });
});

describe('the figures', () => {
  it('have the time of the database, not that of the machine that reads them', async () => {
    const { db, context } = opened.world;
    // A machine whose clock says 1970.
    const reader = makeFiguresReader({ ...context, elapsed: { now: () => 0 } });
    const figures = await reader.read();
    const [row] = await db.query<{ now: number }>('select (extract(epoch from now()) * 1000)::float8 as now');
    expect(Math.abs((figures?.now ?? 0) - (row?.now ?? 0))).toBeLessThan(60_000);
    expect(Math.abs((figures?.computedAt ?? 0) - (row?.now ?? 0))).toBeLessThan(600_000);
  });

  it('do not wait behind the request log: they have a connection of their own', async () => {
    const { context } = opened.world;
    const background: Queryable = { query: () => new Promise(() => undefined) };
    const reader = makeFiguresReader({ ...context, db: { ...context.db, background }, elapsed: systemMonotonicClock });
    expect(await reader.read()).not.toBeNull();
  });

  it('are computed by one process at a time, and stored for the others', async () => {
    const { db, context } = opened.world;
    await db.query(`update figures set computed_at = now() - interval '1 minute'`);
    const count = (): number => opened.world.statements.filter((text) => text.includes('from ledger_entries')).length;
    const before = count();
    const readers = Array.from({ length: 4 }, () => makeFiguresReader({ ...context, elapsed: systemMonotonicClock }));
    const read = await Promise.all(readers.flatMap((reader) => [reader.read(), reader.read()]));
    expect(read.every((figures) => figures !== null)).toBe(true);
    expect(count() - before).toBe(1);
  });
});
