// Sends the series of /metrics by OTLP over HTTP, every minute (OTEL_METRIC_EXPORT_INTERVAL, in milliseconds). The registry
// of prom-client stays the one source: it is read at each export, as a scrape reads it. Loaded only with
// OTEL_EXPORTER_OTLP_ENDPOINT.

import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type HistogramMetricData,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Clock } from '../clock.ts';
import type { MetricsRegistry, RegisteredSeries } from '../monitoring/metrics-registry.ts';

export interface MetricsExport {
  readonly endpoint: string;
  readonly intervalMs: number;
  readonly resource: Resource;
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
}

/** Returns what sends the last values and stops. */
export function exportMetrics({ endpoint, intervalMs, resource, metrics, clock }: MetricsExport): () => Promise<void> {
  const startTime = millisToHrTime(clock.now());
  const collect = async (): Promise<CollectionResult> => {
    const times = { startTime, endTime: millisToHrTime(clock.now()) };
    const found = (await metrics.series()).map((series) => convert(series, times));
    const scopeMetrics = [{ scope: { name: 'everyshare' }, metrics: found }];
    return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
  };
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${endpoint}/v1/metrics` }),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, 10_000),
    metricProducers: [{ collect }],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function convert(series: RegisteredSeries, times: Times): MetricData {
  const { name, help, type, values } = series;
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE };
  const shared = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram')
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(series, times) };
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  return type === 'counter'
    ? { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...shared, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus counts each bucket with all smaller ones, OTLP each by itself. */
function histogramPoints({ name, values }: RegisteredSeries, times: Times): HistogramMetricData['dataPoints'] {
  const points = new Map<
    string,
    { attributes: Record<string, string>; bounds: number[]; counts: number[]; sum: number; count: number }
  >();
  for (const { metricName = name, labels, value } of values) {
    const { le, ...rest } = labels;
    const attributes = Object.fromEntries(Object.entries(rest).map(([label, text]) => [label, String(text)]));
    const key = JSON.stringify(attributes);
    const point = points.get(key) ?? { attributes, bounds: [], counts: [], sum: 0, count: 0 };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_count`) point.count = value;
    else {
      const smaller = point.counts.reduce((total, one) => total + one, 0);
      point.counts.push(value - smaller);
      if (le !== '+Inf') point.bounds.push(Number(le));
    }
  }
  return [...points.values()].map(({ attributes, bounds, counts, sum, count }) => ({
    ...times,
    attributes,
    value: { buckets: { boundaries: bounds, counts }, sum, count },
  }));
}
