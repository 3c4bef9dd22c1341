// The request metrics, in the text format that Prometheus scrapes. Names and labels are part of what operators rely on.

import { expect, it } from 'vitest';
import { makeMetrics } from '../../src/http/metrics.ts';

const figures = { inLastHour: 12, waiting: { code: 0, other: 345 } };
const texts = { perHour: 10_000, read: async () => figures };

it('a scrape shows requests by operation and status, and their duration in cumulative buckets', async () => {
  const metrics = makeMetrics(texts);
  for (const seconds of [0.001, 0.0011, 0.3, 12]) metrics.observe('createCheckout', 201, seconds);
  metrics.observe('createCheckout', 422, 0.004);
  metrics.observe('healthz', 200, 0.5);
  const lines = (await metrics.text()).split('\n');
  const of = (start: string): string[] => lines.filter((line) => line.startsWith(start));
  const bucket = (le: string): string =>
    `everyshare_http_request_seconds_bucket{le="${le}",operation="createCheckout"}`;
  const bounds = [
    '0.001',
    '0.0025',
    '0.005',
    '0.01',
    '0.025',
    '0.05',
    '0.1',
    '0.25',
    '0.5',
    '1',
    '2.5',
    '5',
    '10',
    '+Inf',
  ];
  const counts = [1, 2, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5];
  expect(bounds.flatMap((le) => of(bucket(le)))).toEqual(bounds.map((le, at) => `${bucket(le)} ${counts[at]}`));
  expect(of('everyshare_http_request_seconds_count')).toEqual([
    'everyshare_http_request_seconds_count{operation="createCheckout"} 5',
    'everyshare_http_request_seconds_count{operation="healthz"} 1',
  ]);
  expect(Number(of('everyshare_http_request_seconds_sum')[0]?.split(' ').at(-1))).toBeCloseTo(12.3061);
  expect(of('everyshare_http_requests_total')).toEqual([
    'everyshare_http_requests_total{operation="createCheckout",status="201"} 4',
    'everyshare_http_requests_total{operation="createCheckout",status="422"} 1',
    'everyshare_http_requests_total{operation="healthz",status="200"} 1',
  ]);
  expect(of('# TYPE everyshare_http')).toEqual([
    '# TYPE everyshare_http_request_seconds histogram',
    '# TYPE everyshare_http_requests_total counter',
    '# TYPE everyshare_http_server_errors_total counter',
    '# TYPE everyshare_http_connections_dropped_total counter',
  ]);
  expect(of('everyshare_process_cpu_seconds_total')).toHaveLength(1);
});

it('a second scrape adds only the requests since the first', async () => {
  const metrics = makeMetrics(texts);
  const line = async (): Promise<string | undefined> =>
    (await metrics.text()).split('\n').find((each) => each.startsWith('everyshare_http_requests_total{'));
  metrics.observe('healthz', 200, 0.001);
  await metrics.text();
  expect(await line()).toBe('everyshare_http_requests_total{operation="healthz",status="200"} 1');
  metrics.observe('healthz', 200, 0.001);
  expect(await line()).toBe('everyshare_http_requests_total{operation="healthz",status="200"} 2');
});

it('a scrape shows the texts of the last hour, their limit and those that wait; unknown figures are left out', async () => {
  let known: typeof figures | null = figures;
  const metrics = makeMetrics({ perHour: 10_000, read: async () => known });
  const lines = async (): Promise<string[]> =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith('everyshare_texts'));
  expect(await lines()).toEqual([
    'everyshare_texts_per_hour_limit 10000',
    'everyshare_texts_in_last_hour 12',
    'everyshare_texts_waiting{kind="code"} 0',
    'everyshare_texts_waiting{kind="other"} 345',
  ]);
  known = null;
  expect(await lines()).toEqual(['everyshare_texts_per_hour_limit 10000']);
});

it('a scrape shows the server errors of each operation from the start, at 0', async () => {
  const metrics = makeMetrics(texts, undefined, ['createCheckout', 'listBoats']);
  metrics.observe('createCheckout', 503, 0.1);
  metrics.observe('createCheckout', 422, 0.1);
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('everyshare_http_server_errors'));
  expect(lines).toEqual([
    'everyshare_http_server_errors_total{operation="createCheckout"} 1',
    'everyshare_http_server_errors_total{operation="listBoats"} 0',
  ]);
});
