// Traces, as the program sees them: spans that follow one another through a request. Without
// OTEL_EXPORTER_OTLP_ENDPOINT there is no Tracing at all, and nothing below is called. Attributes never hold a secret, a
// guest's data or the values of a statement: callers pass names, counts and texts that are constants of the program.

import type { MetricsRegistry } from '../monitoring/metrics-registry.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanKind = 'server' | 'client' | 'internal' | 'producer';

export interface Span {
  rename(name: string): void;
  /** `error` not null: the span failed. Only the name of the error is recorded, because its message may hold data. */
  end(attributes: Attributes, error: unknown): void;
}

export interface SpanRequest {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** A W3C traceparent; null: a new trace. Absent: the current span. */
  readonly parent?: string | null;
}

export interface Tracing {
  /** The W3C traceparent of the current span; null: there is none. */
  current(): string | null;
  /** A span that does not become the current one. */
  begin(request: SpanRequest): Span;
  /** Runs `work` with the span as the current one. `work` ends the span, maybe later. */
  run<T>(request: SpanRequest, work: (span: Span) => T): T;
  /** Sends the series of this registry too, from now on. */
  exportMetrics(metrics: MetricsRegistry): void;
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>;
}

/** A span around the work; it ends with it. */
export async function inSpan<T>(tracing: Tracing, request: SpanRequest, work: () => Promise<T>): Promise<T> {
  return tracing.run(request, async (span) => {
    try {
      const result = await work();
      span.end({}, null);
      return result;
    } catch (error) {
      span.end({}, error);
      throw error;
    }
  });
}
