// What a server or worker says about itself: its series, the figures of the installation, and its heartbeat.

import { hostname } from 'node:os';
import { type Clock, type MonotonicClock, systemClock, systemMonotonicClock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import { type MetricsRegistry, makeMetricsRegistry } from '../base/monitoring/metrics-registry.ts';
import { registerProcessSeries } from '../base/monitoring/process-series.ts';
import { packageRoot, packageVersion } from '../base/package-root.ts';
import { buildSchemaVersion } from '../base/schema-check.ts';
import { schemaFolders } from '../base/schema-files.ts';
import type { Shutdown } from '../base/shutdown.ts';
import type { Tracing } from '../base/tracing/tracing.ts';
import { registerFigureSeries } from '../domain/monitoring/figure-series.ts';
import { makeFiguresReader } from '../domain/monitoring/figures.ts';
import { type HeartbeatOptions, startHeartbeat } from '../domain/monitoring/heartbeat.ts';
import type { ProcessRole } from '../domain/monitoring/process-queries.ts';
import { makeServiceMetrics, type ServiceMetrics } from '../domain/monitoring/service-metrics.ts';
import type { ObserveCall } from '../domain/payments/observe-processor.ts';
import type { AppContext } from '../run/context.ts';

const MODES = ['test', 'live'] as const;

export interface Monitoring {
  readonly metrics: MetricsRegistry;
  readonly services: ServiceMetrics;
  /** Null: OTEL_EXPORTER_OTLP_ENDPOINT is not set. */
  readonly tracing: Tracing | null;
  /** Of the metrics, and of the traces if there are any. */
  readonly observeCall: ObserveCall;
  /**
   * Adds the series of the process and the figures of the installation, and starts the heartbeat. `onUnsupported` is called
   * when the database no longer serves this release.
   */
  watch(
    context: AppContext,
    role: ProcessRole,
    shutdown: Shutdown,
    onUnsupported?: HeartbeatOptions['onUnsupported'],
  ): Promise<void>;
}

/** Made before the context, whose calls to the card processor it observes. */
export function makeMonitoring(
  clock: Clock,
  tracing: Tracing | null = null,
  elapsed: Pick<MonotonicClock, 'now'> = systemMonotonicClock,
): Monitoring {
  const metrics = makeMetricsRegistry();
  const services = makeServiceMetrics(metrics.registry, () => clock.now());
  return {
    metrics,
    services,
    tracing,
    observeCall: tracing === null ? services.observeCall : traceCalls(tracing, services.observeCall),
    async watch(context, role, shutdown, onUnsupported = () => undefined) {
      const version = packageVersion();
      const schemaVersion = buildSchemaVersion(schemaFolders(packageRoot));
      registerProcessSeries(metrics, context.db, { role, version, schemaVersion });
      const modes = MODES.filter((mode) => context.services.processors[mode] !== undefined);
      registerFigureSeries(metrics, makeFiguresReader({ ...context, elapsed }), modes);
      const identity = { role, version, schemaVersion, host: hostname() };
      const maxStopMs = context.config.shutdownSeconds * 1000;
      const options = { maxStopMs, onUnsupported };
      const heartbeat = await startHeartbeat(context, identity, services.processorOutcomes, options);
      await shutdown.add(() => heartbeat.stop());
      tracing?.exportMetrics(metrics);
    },
  };
}

/** Each call to the card processor as a span, without its arguments. */
function traceCalls(tracing: Tracing, observe: ObserveCall): ObserveCall {
  return (call) => {
    const end = observe(call);
    const attributes = { 'everyshare.mode': call.mode };
    const span = tracing.begin({ name: `processor ${call.name}`, kind: 'client', attributes });
    return (outcome, error) => {
      span.end({ 'everyshare.outcome': outcome }, error);
      end(outcome, error);
    };
  };
}

/** Loads the packages of OpenTelemetry only if traces are wanted. The caller closes what is returned. */
export async function openTracingFor(config: Config, role: ProcessRole): Promise<Tracing | null> {
  const { otlpEndpoint: endpoint, otlpServiceName: serviceName, otlpIntervalMs: intervalMs } = config;
  const { otlpResourceAttributes: resourceAttributes } = config;
  if (endpoint === null) return null;
  const { openTracing } = await import('../base/tracing/open-telemetry.ts');
  const version = packageVersion();
  return openTracing({ endpoint, serviceName, resourceAttributes, role, version, intervalMs, clock: systemClock });
}
