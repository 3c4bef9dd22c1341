// Every series of /metrics: it gets values, it is documented, and reading it is cheap.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { oldestFundedAt } from '../../src/domain/checkouts/figure-queries.ts';
import { computeFigures } from '../../src/domain/monitoring/figures.ts';
import { QUEUES } from '../../src/domain/monitoring/queues.ts';
import { countMovements, type MovementCount } from '../../src/domain/payments/figure-queries.ts';
import { LOOPS } from '../../src/worker/loops.ts';
import { type DrivenWorld, openDrivenWorld } from './driven-world.ts';
import type { Sample } from './scrape.ts';

let driven: DrivenWorld;
let samples: Sample[];
beforeAll(async () => {
  driven = await openDrivenWorld();
  samples = await driven.scrape();
}, 120_000);
afterAll(() => driven.close());

describe('the series of /metrics', () => {
  it('are all moved away from 0 by what happens in a world: a new one needs a step that moves it', async () => {
    const names = driven.monitoring.metrics.registry.getMetricsAsArray().map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    const moved = (name: string): boolean =>
      samples.some((one) => one.value !== 0 && [name, `${name}_count`].includes(one.name));
    expect(names.filter((name) => !moved(name))).toEqual([]);
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
    await computeFigures(recorder);
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
      const before = await oldestFundedAt(tx);
      expect(before).not.toBeNull();
      await tx.query('alter table checkouts disable trigger user');
      await tx.query(
        `insert into checkouts select copy.* from (select * from checkouts where status = 'funded' limit 1) one
         cross join generate_series(1, 1001) n
         cross join lateral jsonb_populate_record(null::checkouts, to_jsonb(one) || jsonb_build_object(
           'checkout_id', one.checkout_id || n, 'external_booking_id', one.external_booking_id || n,
           'created_at', one.created_at - n * interval '1 second', 'capture_due_at', '2000-01-01T00:00:00Z')) copy`,
      );
      expect(await oldestFundedAt(tx)).toBe(before);
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
    'delete-old-requests': 'empties the partitions of past days, which are as many as ever',
  };

  it('each have a backlog, or are listed with the reason why not', () => {
    const names = LOOPS.map(({ name }) => name);
    expect([...Object.keys(QUEUES), ...Object.keys(WITHOUT_QUEUE)].sort()).toEqual([...names].sort());
  });
});
