// The series that every process has: its build, and its database connections.

import { Gauge } from 'prom-client';
import type { Db } from '../db.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

export interface Build {
  readonly role: string;
  /** Of the package. */
  readonly version: string;
  /** The newest migration that the build has. */
  readonly schemaVersion: number;
}

export function registerProcessSeries({ registry }: MetricsRegistry, db: Db, build: Build): void {
  const registers = [registry];
  new Gauge({
    name: 'everyshare_build_info',
    help: 'Always 1; its labels say what runs: the role, the version, and the newest migration of the build.',
    labelNames: ['role', 'version', 'schema_version'],
    registers,
  }).set({ role: build.role, version: build.version, schema_version: String(build.schemaVersion) }, 1);
  const labelNames = ['use', 'state'];
  new Gauge({
    name: 'everyshare_database_connections',
    help: 'Database connections of this process by use. State: max (allowed), open, busy (statements or transactions on them).',
    labelNames,
    registers,
    collect() {
      for (const { use, max, open, busy } of db.connections?.() ?? []) {
        this.set({ use, state: 'max' }, max);
        this.set({ use, state: 'open' }, open);
        this.set({ use, state: 'busy' }, busy);
      }
    },
  });
  new Gauge({
    name: 'everyshare_database_waiting_transactions',
    help: 'Transactions of this process that wait for a database connection.',
    registers,
    collect() {
      this.set((db.connections?.() ?? []).reduce((sum, { waiting }) => sum + waiting, 0));
    },
  });
}
