// What the seeds of one process share: a real database with open connections, and objects that are expensive to make
// (the contract, the processor's clients). Seeds run one after the other; each leaves the database empty.

import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { rules, rulesWhenNew } from '../../schemas/rules/rules.ts';
import type { Mode } from '../../src/base/config.ts';
import { isoFromPostgres } from '../../src/base/db.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { makeContract } from '../../src/base/schema/contract.ts';
import { readRegistry } from '../../src/base/schema/registry.ts';
import { makeValidator } from '../../src/base/schema/validate.ts';
import { CachedShapeQuery } from './cached-shape-query.ts';
import { makeProcessorClient, type ProcessorClient } from './processor-client.ts';
import { type SnapshotPart, type SnapshotTexts, snapshotStatement } from './snapshot.ts';

/** Deleted after each seed, children first. */
const TABLES = [
  'ledger_entries',
  'undispatched_events',
  'deliveries',
  'endpoint_queues',
  'webhook_endpoints',
  'venue_timestamps',
  'events',
  'processor_events',
  'disputes',
  'payouts',
  'payout_accounts',
  'debt_offsets',
  'movements',
  'holds',
  'shares',
  'checkout_routes',
  'checkouts',
  'idempotency_keys',
  'audit_log',
  'notices',
  'venues',
];
const CONNECTIONS = 24;
const TRUNCATE_EVERY = 50;

const SETTINGS = [
  // The simulation detects waits from the lock table, so no result depends on the speed of the machine. The statement
  // that completes a deadlock fails at once.
  'deadlock_timeout=1ms',
  'lock_timeout=0',
  'statement_timeout=30s',
  'plan_cache_mode=force_generic_plan',
  'jit=off',
  'synchronous_commit=off',
  // No part of the simulation reads these.
  'track_activities=off',
  'track_counts=off',
  'update_process_title=off',
];

export interface DatabaseConnection {
  readonly client: pg.Client;
  readonly pid: number;
}

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const statementNames = new Map<string, string>();
function nameOf(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
    statementNames.set(text, name);
  }
  return name;
}

const UNPREPARED_STATEMENTS = new Set(['begin', 'commit', 'rollback', 'savepoint s', 'rollback to savepoint s']);

export function send(connection: DatabaseConnection, { text, values }: Statement): Promise<pg.QueryResult> {
  if (UNPREPARED_STATEMENTS.has(text)) return connection.client.query(text);
  return new Promise((resolve, reject) => {
    const response = (error: Error | undefined, result: pg.QueryResult): void =>
      error == null ? resolve(result) : reject(error);
    connection.client.query(
      new CachedShapeQuery(nameOf(text), text, [...values], response) as unknown as pg.Submittable,
    );
  });
}

/** Sends several statements in one packet. */
export function sendAll(connection: DatabaseConnection, statements: readonly Statement[]): Promise<pg.QueryResult>[] {
  const { stream } = (connection.client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  const sent = statements.map((statement) => send(connection, statement));
  stream.uncork();
  return sent;
}

export class SimulationEnvironment {
  readonly contract;
  readonly registry;
  readonly validator;
  /** Connections that are not in use. */
  readonly freeConnections: DatabaseConnection[] = [];
  readonly #connections: DatabaseConnection[];
  readonly #monitor: DatabaseConnection;
  readonly #cleaner: DatabaseConnection;
  readonly #processorClients: Readonly<Record<Mode, ProcessorClient[]>> = { test: [], live: [] };
  #runs = 0;

  private constructor(connections: DatabaseConnection[], monitor: DatabaseConnection, cleaner: DatabaseConnection) {
    this.#connections = connections;
    this.#monitor = monitor;
    this.#cleaner = cleaner;
    this.freeConnections.push(...connections);
    this.registry = readRegistry(join(packageRoot, 'schemas', 'v1'));
    this.validator = makeValidator(this.registry);
    this.contract = makeContract(this.registry, this.validator, { always: rules, whenNew: rulesWhenNew });
  }

  static async open(url: string): Promise<SimulationEnvironment> {
    const monitor = await connect(url);
    for (const table of TABLES) await monitor.client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    const cleaner = await connect(url);
    await cleaner.client.query('set session_replication_role = replica');
    const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(url)));
    return new SimulationEnvironment(connections, monitor, cleaner);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections, this.#monitor, this.#cleaner].map(({ client }) => client.end()));
  }

  /** The processor client with this number; reused, because making one is expensive. */
  processorClient(mode: Mode, number: number): ProcessorClient {
    const client = this.#processorClients[mode][number] ?? makeProcessorClient(mode);
    this.#processorClients[mode][number] = client;
    return client;
  }

  /** Reads the committed rows between two steps, on a separate connection. */
  async readSnapshot(parts: readonly SnapshotPart[]): Promise<SnapshotTexts> {
    const { rows } = await send(this.#monitor, { text: snapshotStatement(parts), values: [] });
    return rows[0] as SnapshotTexts;
  }

  /** The connections that block each of these connections, by pid. */
  async blockers(pids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const { rows } = await send(this.#monitor, {
      text: `select pid, by from unnest($1::integer[]) as pid, pg_blocking_pids(pid) as by where cardinality(by) > 0`,
      values: [pids],
    });
    return new Map((rows as { pid: number; by: number[] }[]).map(({ pid, by }) => [pid, by]));
  }

  /** Cancels the connection's statement, as a time limit would. */
  async cancel(pid: number): Promise<void> {
    await send(this.#monitor, { text: 'select pg_cancel_backend($1)', values: [pid] });
  }

  async write(text: string, values: readonly unknown[]): Promise<void> {
    await this.#cleaner.client.query(text, [...values]);
  }

  async deleteAll(): Promise<void> {
    this.#runs++;
    const text =
      this.#runs % TRUNCATE_EVERY === 0
        ? `truncate ${TABLES.join(', ')} cascade`
        : TABLES.map((table) => `delete from ${table}`).join('; ');
    await this.#cleaner.client.query(text);
  }
}

async function connect(url: string): Promise<DatabaseConnection> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'simulation',
    options: SETTINGS.map((setting) => `-c ${setting}`).join(' '),
    types: { getTypeParser: parserFor as typeof pg.types.getTypeParser },
    pipeline: true,
  } as pg.ClientConfig);
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return { client, pid: (rows[0] as { pid: number }).pid };
}

function parserFor(oid: number, format?: string): (text: string) => unknown {
  if (oid === 1184) return isoFromPostgres;
  if (oid === 20) return Number;
  return pg.types.getTypeParser(oid, (format ?? 'text') as 'text');
}
