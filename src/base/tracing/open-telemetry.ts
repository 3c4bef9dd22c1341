// Sends traces by OTLP over HTTP with the packages of OpenTelemetry. It is loaded only when OTEL_EXPORTER_OTLP_ENDPOINT is
// set. The exporter reads the other OTEL_EXPORTER_OTLP_… variables (headers, time-out, compression) itself.

import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context, context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Clock } from '../clock.ts';
import { exportMetrics } from './export-metrics.ts';
import type { SpanKind as Kind, Span, SpanRequest, Tracing } from './tracing.ts';

export interface TracingOptions {
  /** The base address, to which /v1/traces is added. */
  readonly endpoint: string;
  /** Null: that of the resource attributes, or `everyshare`. */
  readonly serviceName: string | null;
  /** OTEL_RESOURCE_ATTRIBUTES. They take precedence over what the process knows of itself. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly role: string;
  readonly version: string;
  /** How often the metrics are sent. */
  readonly intervalMs: number;
  readonly clock: Clock;
}

/** A collector that does not answer must not delay the stop of the process. */
const MAX_FLUSH_MS = 2_000;

const KINDS: Readonly<Record<Kind, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
};

export function openTracing(options: TracingOptions): Tracing {
  const { endpoint, serviceName, resourceAttributes, role, version } = options;
  const resource = resourceFromAttributes({
    'service.version': version,
    // Without it the counters of two processes would be one series that jumps between them.
    'service.instance.id': `${hostname()}-${process.pid}`,
    'host.name': hostname(),
    'everyshare.role': role,
    'service.name': 'everyshare',
    ...resourceAttributes,
    ...(serviceName === null ? {} : { 'service.name': serviceName }),
  });
  const stops: (() => Promise<void>)[] = [];
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const tracer = provider.getTracer('everyshare', version);
  const start = ({ name, kind, attributes, parent }: SpanRequest, active: Context) => {
    const under = parent === undefined ? active : contextOf(parent);
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, under);
    return { span, under };
  };
  return {
    current() {
      const span = trace.getSpan(manager.active());
      if (span === undefined) return null;
      const { traceId, spanId, traceFlags } = span.spanContext();
      return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
    },
    begin: (request) => spanOf(start(request, manager.active()).span),
    run(request, work) {
      const { span, under } = start(request, manager.active());
      return manager.with(trace.setSpan(under, span), () => work(spanOf(span)));
    },
    exportMetrics: (metrics) => void stops.push(exportMetrics({ ...options, resource, metrics })),
    async close() {
      const sent = Promise.allSettled([provider.shutdown(), ...stops.map((stop) => stop())]);
      await Promise.race([sent, delay(MAX_FLUSH_MS, undefined, { ref: false })]);
      context.disable();
    },
  };
}

function contextOf(traceparent: string | null): Context {
  const parsed = traceparent === null ? null : parseTraceParent(traceparent);
  return parsed === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parsed, isRemote: true });
}

function spanOf(span: ReturnType<ReturnType<BasicTracerProvider['getTracer']>['startSpan']>): Span {
  return {
    rename: (name) => void span.updateName(name),
    end(attributes, error) {
      span.setAttributes({ ...attributes });
      if (error !== null && error !== undefined) {
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}
