// What a server or worker says about itself: its series, the figures of the installation, and its heartbeat.

import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import { type MetricsRegistry, makeMetricsRegistry } from '../base/monitoring/metrics-registry.ts';
import { registerProcessSeries } from '../base/monitoring/process-series.ts';
import { packageRoot, packageVersion } from '../base/package-root.ts';
import { buildSchemaVersion } from '../base/schema-check.ts';
import { schemaFolders } from '../base/schema-files.ts';
import type { Shutdown } from '../base/shutdown.ts';
import { registerFigureSeries } from '../domain/monitoring/figure-series.ts';
import { makeFiguresReader } from '../domain/monitoring/figures.ts';
import { startHeartbeat } from '../domain/monitoring/heartbeat.ts';
import type { ProcessRole } from '../domain/monitoring/process-queries.ts';
import { makeServiceMetrics, type ServiceMetrics } from '../domain/monitoring/service-metrics.ts';
import type { AppContext } from '../run/context.ts';

export interface Monitoring {
  readonly metrics: MetricsRegistry;
  readonly services: ServiceMetrics;
  /** Adds the series of the process and the figures of the installation, and starts the heartbeat. */
  watch(context: AppContext, role: ProcessRole, shutdown: Shutdown): Promise<void>;
}

/** Made before the context, whose calls to the card processor it observes. */
export function makeMonitoring(clock: Clock): Monitoring {
  const metrics = makeMetricsRegistry();
  const services = makeServiceMetrics(metrics.registry, () => clock.now());
  return {
    metrics,
    services,
    async watch(context, role, shutdown) {
      const version = packageVersion();
      const schemaVersion = buildSchemaVersion(schemaFolders(packageRoot));
      registerProcessSeries(metrics, context.db, { role, version, schemaVersion });
      registerFigureSeries(metrics, makeFiguresReader({ ...context, clock }), () => clock.now());
      const identity = { role, version, schemaVersion, host: hostname() };
      const heartbeat = await startHeartbeat(context, identity, services.processorOutcomes);
      await shutdown.add(() => heartbeat.stop());
    },
  };
}
