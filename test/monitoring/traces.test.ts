// Traces by OTLP: one trace from a request through its database statements and processor calls to the deliveries of its
// events, received by a real HTTP server. Without OTEL_EXPORTER_OTLP_ENDPOINT nothing of it is loaded.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config.ts';
import { Shutdown } from '../../src/base/shutdown.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { makeTraceMovement } from '../../src/domain/payments/trace-movement.ts';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { makeTraceAttempt } from '../../src/domain/webhooks/deliveries/trace-attempt.ts';
import { closeDatabaseAtStop } from '../../src/main/close-database.ts';
import { makeMonitoring, openTracingFor } from '../../src/main/monitoring.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { checkoutBody, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Json }[];
}

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const REFUND_TRACE_ID = 'a3ce929d0e0e47364bf92f3577b34da6';
const SECRET_WORDS = 'Cabana of the secret guest';

const spans: ReceivedSpan[] = [];
const paths = new Set<string>();
const bodies: string[] = [];
const metrics: Json[] = [];
const resourceOfSpans = new Map<string, string>();
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    bodies.push(text);
    paths.add(`${request.method} ${request.url}`);
    const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(text);
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const { key, value } of resource.attributes) resourceOfSpans.set(key, value.stringValue);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    for (const { scopeMetrics } of resourceMetrics) for (const scope of scopeMetrics) metrics.push(...scope.metrics);
    response.setHeader('content-type', 'application/json').end('{}');
  });
});

let world: TestWorld;
let venue: TestVenue;
let receiver: Listening;
const shutdown = new Shutdown({ error: () => undefined } as never);
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const config = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_SERVICE_NAME: 'payments',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging,service.name=other,team=pay%20out',
  });
  const tracing = await openTracingFor(config, 'start');
  const monitoring = makeMonitoring(systemClock, tracing);
  world = await openTestWorld({ monitoring, env: { ALLOW_INSECURE_TARGETS: '1' } });
  venue = await openTestVenue(world);
  let received = 0;
  receiver = await startHttpsReceiver((_request, response) => {
    received++;
    response.end('ok');
  });
  const url = `https://127.0.0.1:${receiver.port}/hooks`;
  const endpoint = await venue.post('/v1/webhook_endpoints', {
    url,
    events: ['checkout.created', 'checkout.completed'],
  });
  expect(endpoint.status, endpoint.text).toBe(201);
  const headers = { traceparent: TRACEPARENT };
  const body = checkoutBody({ description: SECRET_WORDS });
  const created = await venue.post('/v1/checkouts', body, { headers });
  expect(created.status, created.text).toBe(201);
  const path = `/v1/test_helpers/checkouts/${created.json.id}/complete`;
  expect((await venue.post(path, undefined, { headers })).status).toBe(200);
  if (tracing === null) throw new Error('there are no traces');
  const refund = await venue.post(`/v1/checkouts/${created.json.id}/refund`, undefined, {
    headers: { traceparent: `00-${REFUND_TRACE_ID}-00f067aa0ba902b7-01` },
  });
  expect(refund.status, refund.text).toBe(200);
  const payments = { ...world.context.services, traceMovement: makeTraceMovement(world.db, tracing) };
  expect(await settleDueMovements(payments, 100)).toBeGreaterThan(0);
  const deliveries = { ...world.context.services, traceAttempt: makeTraceAttempt(world.db, tracing) };
  await waitFor('both events are delivered', async () => {
    await dispatchDue(deliveries, 100);
    await deliverDue(deliveries, new AbortController().signal);
    return received >= 2;
  });
  await monitoring.watch(world.context, 'start', shutdown);
  await shutdown.run();
  // Sends what is left.
  await tracing.close();
}, 60_000);
afterAll(async () => {
  await world.close();
  await receiver.close();
  collector.close();
});

describe('a trace', () => {
  it('leads from a request through its statements and processor calls to the deliveries of its events', () => {
    expect([...paths].sort()).toEqual(['POST /v1/metrics', 'POST /v1/traces']);
    const ofTrace = spans.filter(({ traceId }) => traceId === TRACE_ID);
    const names = ofTrace.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['createCheckout', 'transaction', 'select', 'deliver event']));
    expect(names.some((name) => name.startsWith('processor '))).toBe(true);
    expect(names.filter((name) => name === 'deliver event').length).toBe(2);
    const request = ofTrace.find(({ name }) => name === 'createCheckout');
    expect(request?.parentSpanId, 'the span of the caller').toBe('00f067aa0ba902b7');
    const ids = new Set(ofTrace.map(({ spanId }) => spanId));
    const orphans = ofTrace.filter(
      ({ parentSpanId = '' }) => !ids.has(parentSpanId) && parentSpanId !== '00f067aa0ba902b7',
    );
    expect(orphans.map(({ name }) => name)).toEqual([]);
  });

  it('leads from the request of a refund to its event and to the worker’s call to the processor', async () => {
    const ofTrace = spans.filter(({ traceId }) => traceId === REFUND_TRACE_ID);
    const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
    const namesAbove = ({ parentSpanId = '' }: ReceivedSpan): string[] => {
      const parent = byId.get(parentSpanId);
      return parent === undefined ? [] : [parent.name, ...namesAbove(parent)];
    };
    const calls = ofTrace.filter(({ name }) => /^processor .*refund/i.test(name));
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls)
      expect(namesAbove(call)).toEqual(expect.arrayContaining(['settle refund', 'refundCheckout']));
    // No endpoint subscribes to refund.created: partners read it in the list of events.
    const events = await world.db.query<{ traceparent: string | null }>(
      `select traceparent from events where venue_id = $1 and type = 'refund.created'`,
      [venue.venueId],
    );
    expect(new Set(events.map(({ traceparent }) => traceparent?.slice(3, 35)))).toEqual(new Set([REFUND_TRACE_ID]));
  });

  it('holds no secret, no guest’s data and no value of a statement', () => {
    const text = bodies.join('\n');
    expect(text.length).toBeGreaterThan(1_000);
    for (const word of [SECRET_WORDS, venue.key, 'sk_test_for_tests', 'Bearer', 'whsec_'])
      expect(text).not.toContain(word);
    const keys = new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
    expect(
      [...keys].filter(
        (key) =>
          !/^(db\.(system\.name|query\.text)|http\.(request\.method|response\.status_code)|everyshare\.(request_id|operation|mode|outcome|endpoint|delivered)|error\.type)$/.test(
            key,
          ),
      ),
    ).toEqual([]);
  });

  it('is kept with the event, and only with events of a traced request', async () => {
    const rows = await world.db.query<{ traceparent: string | null }>(
      `select traceparent from events where venue_id = $1 and type = 'checkout.created'`,
      [venue.venueId],
    );
    expect(rows.map(({ traceparent }) => traceparent?.slice(3, 35))).toEqual([TRACE_ID]);
  });
});

describe('the metrics by OTLP', () => {
  it('are the series of /metrics: counters, gauges and histograms with their labels', () => {
    const named = (name: string): Json => metrics.find((one) => one.name === name);
    const requests = named('everyshare_http_requests_total').sum;
    expect([requests.isMonotonic, requests.dataPoints.length > 0]).toEqual([true, true]);
    expect(named('everyshare_build_info').gauge.dataPoints[0].attributes).toContainEqual({
      key: 'role',
      value: { stringValue: 'start' },
    });
    const [point] = named('everyshare_http_request_seconds').histogram.dataPoints;
    const counts = point.bucketCounts.reduce((sum: number, one: number | string) => sum + Number(one), 0);
    expect([counts, point.bucketCounts.length]).toEqual([Number(point.count), point.explicitBounds.length + 1]);
    expect(named('everyshare_checkouts').gauge.dataPoints).toHaveLength(6);
  });
});

describe('the resource of a trace', () => {
  it('has OTEL_RESOURCE_ATTRIBUTES, and its name is OTEL_SERVICE_NAME', () => {
    expect(resourceOfSpans.get('service.name')).toBe('payments');
    expect(resourceOfSpans.get('deployment.environment.name')).toBe('staging');
    expect(resourceOfSpans.get('team')).toBe('pay out');
    expect(resourceOfSpans.get('everyshare.role')).toBe('start');
  });

  it('refuses OTEL_RESOURCE_ATTRIBUTES that are no pairs, with what to do', () => {
    for (const wrong of ['staging', 'a=b,=c', 'a=%E0%A4%A'])
      expect(() => readConfig({ OTEL_RESOURCE_ATTRIBUTES: wrong })).toThrow(
        'OTEL_RESOURCE_ATTRIBUTES must be key=value pairs separated by commas',
      );
  });
});

describe('the last traces', () => {
  it('are sent before the database closes', async () => {
    const order: string[] = [];
    const stopping = new Shutdown(world.context.log);
    const closes = (name: string) => ({ close: async () => void order.push(name) });
    await closeDatabaseAtStop(stopping, closes('database'), closes('traces'));
    await stopping.run();
    expect(order).toEqual(['traces', 'database']);
  });

  it('do not delay the stop of a process for more than two seconds when the collector does not answer', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const config = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    const tracing = await openTracingFor(config, 'start');
    tracing?.begin({ name: 'left', kind: 'internal', attributes: {} }).end({}, null);
    const asked = new Promise<void>((resolve) => void silent.on('request', () => resolve()));
    // It resolves although the request has no answer: the exporter itself would wait for ten seconds and try again.
    await Promise.all([tracing?.close(), asked]);
    expect(silent.listening).toBe(true);
    silent.closeAllConnections();
    silent.close();
  });
});

describe('without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('there is no tracing', async () => {
    expect(await openTracingFor(readConfig({}), 'start')).toBeNull();
    expect(makeMonitoring(systemClock).tracing).toBeNull();
  });
});
