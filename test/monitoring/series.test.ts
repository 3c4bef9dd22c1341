// Every series of /metrics: it gets values, it is documented, and reading it is cheap.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { leastId } from '../../src/base/ids.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { DEFAULT_RETENTION as RETENTION } from '../../src/base/retention.ts';
import { fundedSince } from '../../src/domain/checkouts/figure-queries.ts';
import { computeFigures } from '../../src/domain/monitoring/figures.ts';
import { queuesOf, readQueues } from '../../src/domain/monitoring/queues.ts';
import { countMovements, type MovementCount } from '../../src/domain/payments/figure-queries.ts';
import { LOOPS } from '../../src/worker/loops.ts';
import { type DrivenWorld, openDrivenWorld } from './driven-world.ts';
import type { Sample } from './scrape.ts';

let driven: DrivenWorld;
let samples: Sample[];
beforeAll(async () => {
  driven = await openDrivenWorld();
  // The delay of the event loop is sampled every 10 ms: without a sample it is 0.
  await new Promise((resolve) => setTimeout(resolve, 100));
  samples = await driven.scrape();
}, 120_000);
afterAll(() => driven.close());

describe('the series of /metrics', () => {
  it('are all moved away from 0 by what happens in a world: a new one needs a step that moves it', async () => {
    const names = driven.monitoring.metrics.registry.getMetricsAsArray().map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    const moved = (name: string): boolean =>
      samples.some((one) => one.value !== 0 && [name, `${name}_count`].includes(one.name));
    // Of a single sample between two scrapes the standard deviation is 0: chance, and nothing that a step can move.
    const isChance = (name: string): boolean => name === 'everyshare_nodejs_eventloop_lag_stddev_seconds';
    expect(names.filter((name) => !moved(name) && !isChance(name))).toEqual([]);
  });

  it.each<[string, readonly Readonly<Record<string, string>>[]]>([
    ['everyshare_checkouts', ['open', 'collecting', 'funded'].map((status) => ({ mode: 'test', status }))],
    [
      'everyshare_checkouts_ended_in_last_hour',
      ['completed', 'expired', 'canceled'].map((status) => ({ mode: 'test', status })),
    ],
    ['everyshare_checkouts_funded_oldest_age_seconds', [{ mode: 'test' }]],
    ['everyshare_money_owed_minor_units', [{ owed: 'to_venues' }, { owed: 'to_guests' }]],
    [
      'everyshare_movements',
      [
        { kind: 'refund', status: 'failed' },
        { kind: 'transfer', status: 'waiting' },
      ],
    ],
    ['everyshare_check_timestamp_seconds', [{ mode: 'test' }, { mode: 'live' }, { check: 'ledger' }]],
    ['everyshare_loop_attempts_total', LOOPS.map(({ name: loop }) => ({ loop }))],
    ['everyshare_loop_step_seconds_count', LOOPS.map(({ name: loop }) => ({ loop }))],
    ['everyshare_loop_rows_total', [{ loop: 'deliver-events' }, { loop: 'send-messages' }]],
    ['everyshare_loop_failures_total', [{ loop: 'link-ready-venues' }]],
    ['everyshare_loop_due_rows', [{ loop: 'settle-holds' }]],
    ['everyshare_money_loop_oldest_due_age_seconds', [{ loop: 'settle-holds', mode: 'test' }]],
    ['everyshare_processor_unavailable_total', [{ mode: 'test' }]],
    ['everyshare_delivery_attempt_seconds_count', [{ outcome: 'refused' }]],
  ])('%s is moved for the labels that the world drives', (name, wanted) => {
    const isMoved = (labels: Readonly<Record<string, string>>): boolean =>
      samples.some(
        (one) =>
          one.name === name &&
          one.value !== 0 &&
          Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      );
    expect(wanted.filter((labels) => !isMoved(labels))).toEqual([]);
  });

  it('are all in the guide with their kind and labels, and the guide names no other', async () => {
    const guide = readFileSync(join(packageRoot, 'docs', 'guides', 'monitoring.md'), 'utf8');
    const documented = [...guide.matchAll(/^\| `(everyshare_\w+)` \| (\w+) \| ([^|]*) \|/gm)].map(
      ([, name, type, labels = '']) => `${name} ${type} ${labels.replaceAll('`', '').trim()}`.trim(),
    );
    const metrics = driven.monitoring.metrics.registry.getMetricsAsArray() as unknown as {
      readonly name: string;
      readonly type: string;
      readonly labelNames: readonly string[];
    }[];
    const found = metrics.map(({ name, type, labelNames }) => `${name} ${type} ${labelNames.join(', ')}`.trim());
    expect(documented.sort()).toEqual(found.sort());
  });
});

describe('the figures that are read from the database', () => {
  /** Tables that do not grow with what guests and partners do, and those whose rows are deleted once they were processed. */
  const SMALL = [
    'migrations',
    'figures',
    'processes',
    'checks',
    'undispatched_events',
    'webhook_endpoints',
    'endpoint_queues',
  ];

  it('are read through indexes: no statement reads a table as a whole', async () => {
    const { db } = driven.world;
    const statements: { text: string; values: readonly unknown[] }[] = [];
    const recorder: Queryable = {
      query: (text, values = []) => {
        statements.push({ text, values });
        return db.query(text, values);
      },
    };
    await computeFigures(recorder, RETENTION);
    const scanned = new Set<string>();
    for (const { text, values } of statements) {
      const plan = await db.transaction(async (tx) => {
        await tx.query('set local enable_seqscan = off');
        return tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      });
      for (const line of plan) {
        const [, table] = /Seq Scan on (\w+)/.exec(line['QUERY PLAN']) ?? [];
        if (table !== undefined) scanned.add(table);
      }
    }
    expect([...scanned].filter((table) => !SMALL.includes(table))).toEqual([]);
  });

  it('count every movement that failed or is on its way, however many wait for their payout time', async () => {
    const { db } = driven.world;
    const isWaiting = ({ status }: MovementCount): boolean => status === 'waiting';
    const total = (rows: readonly MovementCount[]): number => rows.reduce((sum, { count }) => sum + count, 0);
    const all = await countMovements(db);
    expect(total(all.filter(isWaiting))).toBeGreaterThan(1);
    expect(all).toContainEqual(expect.objectContaining({ kind: 'refund', status: 'failed', count: 1 }));
    const bounded = await countMovements(db, 1);
    expect(total(bounded.filter(isWaiting))).toBe(1);
    const others = (rows: readonly MovementCount[]) => new Set(rows.filter((row) => !isWaiting(row)));
    expect(others(bounded)).toEqual(others(all));
  });

  it('have the age of a stuck checkout also when a thousand others are to be charged before it', async () => {
    const rolledBack = new Error('the test is done');
    const work = driven.world.db.transaction(async (tx) => {
      const { test: before } = await fundedSince(tx);
      expect(before).toBeDefined();
      await tx.query('alter table checkouts disable trigger user');
      await tx.query(
        `insert into checkouts select copy.* from (select * from checkouts where status = 'funded' limit 1) one
         cross join generate_series(1, 1001) n
         cross join lateral jsonb_populate_record(null::checkouts, to_jsonb(one) || jsonb_build_object(
           'checkout_id', one.checkout_id || n, 'external_booking_id', one.external_booking_id || n,
           'created_at', one.created_at - n * interval '1 second', 'capture_due_at', '2000-01-01T00:00:00Z')) copy`,
      );
      expect(await fundedSince(tx)).toEqual({ test: before });
      throw rolledBack;
    });
    await expect(work).rejects.toBe(rolledBack);
  });
});

describe('the loops of the worker', () => {
  /** Loops that have no rows of their own to wait for. */
  const WITHOUT_QUEUE: Readonly<Record<string, string>> = {
    'link-ready-venues': 'looks at venues that are not linked, whether anything changed or not',
    reconcile: 'compares everything of two days; everyshare_check_timestamp_seconds says when it did',
    'check-ledger': 'reads the whole ledger; everyshare_check_timestamp_seconds says when it did',
    'find-expiring-keys': 'looks at the keys that expire soon',
    'find-failing-endpoints': 'looks at the endpoints with something to send',
    'record-alive': 'writes one row',
    'delete-idle-windows': 'looks through a table without an index by age, a few times a day',
    'delete-old-events': 'remembers how far it got; without EVENT_LOG_DAYS it does nothing',
    'delete-old-requests': 'empties the partitions of past days, which are as many as ever',
  };

  /** What a row must be beside due, where not every row waits for the loop. */
  const MORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'expire-checkouts': { status: 'collecting' },
    'capture-funded': { status: 'funded' },
  };
  const HOUR_MS = 3_600_000;

  const QUEUES = queuesOf(RETENTION);

  it.each(Object.entries(QUEUES))('%s has the number and the age of its due rows', async (loop, queue) => {
    const rolledBack = new Error('the test is done');
    const work = driven.world.db.transaction(async (tx) => {
      const { table, dueAt, afterMs = 0 } = queue;
      // An empty table of the same columns hides the real one for this transaction.
      await tx.query(`create temporary table ${table} (like ${table}) on commit drop`);
      const required = await tx.query<{ name: string }>(
        `select attname as name from pg_attribute where attrelid = 'pg_temp.${table}'::regclass and attnotnull and attnum > 0`,
      );
      for (const { name } of required) await tx.query(`alter table ${table} alter column "${name}" drop not null`);
      const now = Date.now();
      const add = async (at: number): Promise<void> => {
        const due = queue.isId === true ? leastId('evt', at) : new Date(at - afterMs).toISOString();
        const columns = [...dueAt.matchAll(/\b(?:[a-z_]+_)?(?:at|id)\b/g)].map(([column]) => [column, due] as const);
        const values = {
          ...Object.fromEntries(columns),
          ...(queue.mode === undefined ? {} : { mode: 'live' }),
          ...MORE[loop],
        };
        await tx.query(
          `insert into ${table} (${Object.keys(values).join(', ')}) values (${Object.keys(values)
            .map((_, n) => `$${n + 1}`)
            .join(', ')})`,
          Object.values(values),
        );
      };
      await add(now - HOUR_MS);
      // Events that are to be dispatched are due as soon as they are there.
      if (queue.isId === undefined) await add(now + HOUR_MS);
      const [found] = (await readQueues(tx, now, RETENTION)).filter((one) => one.loop === loop);
      expect(found).toMatchObject({ waiting: 1, isCapped: false });
      expect(Math.abs((found?.oldestDueAt ?? 0) - (now - HOUR_MS))).toBeLessThan(1_000);
      if (queue.mode !== undefined) expect(Object.keys(found?.byMode ?? {})).toEqual(['live']);
      throw rolledBack;
    });
    await expect(work).rejects.toBe(rolledBack);
  });

  it('each have a backlog, or are listed with the reason why not', () => {
    const names = LOOPS.map(({ name }) => name);
    expect([...Object.keys(QUEUES), ...Object.keys(WITHOUT_QUEUE)].sort()).toEqual([...names].sort());
  });
});
