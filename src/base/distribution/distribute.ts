// Turns a migrated database into a distributed one, on PostgreSQL with the extension Citus, and says what is where. Each
// step looks at what is there first, so a run after an interrupted one goes on, and a run on a distributed database changes
// only what is missing: tables and functions of later migrations. Nothing may use the database meanwhile.

import pg from 'pg';
import type { FunctionPlacement, Placement } from './placement.ts';
import {
  type Client,
  type FoundTable,
  type NodeAddress,
  readNodes,
  readPlacements,
  readTables,
} from './read-tables.ts';
import { sortByDependency } from './sort-by-dependency.ts';

export interface DistributeOptions {
  readonly url: string;
  readonly placementOf: (table: string, hasVenue: boolean) => Placement;
  readonly functionPlacementOf: (name: string) => FunctionPlacement;
  readonly workers: readonly NodeAddress[];
  /** Where the workers reach the coordinator; null: Citus knows it already. */
  readonly coordinator: NodeAddress | null;
  readonly onStep: (step: string) => void;
}

export interface Distribution {
  readonly workers: readonly string[];
  readonly tables: Readonly<Record<Placement['by'], number>>;
  readonly delegated: number;
  /** How many tables and functions this run placed. */
  readonly changed: number;
}

/** Says in one sentence what the operator has to do first. */
export class CannotDistribute extends Error {}

const DRIVER_TIMEOUT_MS = 10_000;

export async function distribute(options: DistributeOptions): Promise<Distribution> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'everyshare-distribute',
    connectionTimeoutMillis: DRIVER_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // The statement reports a lost connection.
  await client.connect();
  try {
    await requireCitus(client);
    await setSession(client);
    const workers = await addWorkers(client, options);
    const tables = await placeTables(client, options);
    const functions = await placeFunctions(client, options);
    return {
      workers,
      tables: tables.counts,
      delegated: functions.delegated,
      changed: tables.changed + functions.changed,
    };
  } finally {
    await client.end();
  }
}

async function requireCitus(client: Client): Promise<void> {
  const { rows } = await client.query<{ isOffered: boolean; preloaded: string; isSuperuser: boolean }>(
    `select exists (select from pg_available_extensions where name = 'citus') as "isOffered",
       current_setting('shared_preload_libraries') as preloaded,
       (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser"`,
  );
  const [found] = rows;
  if (found?.isOffered !== true)
    throw new CannotDistribute(
      'this is a PostgreSQL without Citus, and only Citus can distribute the tables: install the extension on every node ' +
        'and add citus to shared_preload_libraries, or go on as you are: nothing was changed.',
    );
  if (!found.preloaded.split(',').some((name) => name.trim() === 'citus'))
    throw new CannotDistribute(
      'Citus is installed and not loaded: put citus first in shared_preload_libraries and restart PostgreSQL; nothing was changed.',
    );
  if (!found.isSuperuser)
    throw new CannotDistribute(
      'only a superuser may add nodes and place triggers on shards: give DATABASE_URL such a role for this command.',
    );
  const { rows: tables } = await client.query(
    "select from pg_tables where schemaname = 'public' and tablename = 'migrations'",
  );
  if (tables.length === 0)
    throw new CannotDistribute('this database is not migrated: start the program once, then stop it.');
  await client.query('create extension if not exists citus');
}

/** Settings that shards need on every node, for this session and, by the database, for all later ones. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Illegal transitions and changed evidence are refused by triggers, also on shards.
  'citus.enable_unsafe_triggers': 'on',
  // A function that runs on a worker for one venue reads that venue's shards there.
  'citus.allow_nested_distributed_execution': 'on',
  // What a transaction sets for itself (time limits, what a trigger may let through) holds on the workers too.
  'citus.propagate_set_commands': 'local',
  // A look across venues is many small queries: a second connection to a node costs more than it saves.
  'citus.max_adaptive_executor_pool_size': '1',
  // The program switches it off for its own connections, and not for those from node to node.
  jit: 'off',
};

async function setSession(client: Client): Promise<void> {
  for (const [name, value] of Object.entries(SETTINGS)) await client.query(`set ${name} = '${value}'`);
  // One connection to each worker: a table with foreign keys is placed in one transaction with the tables it refers to.
  await client.query("set citus.multi_shard_modify_mode = 'sequential'");
  await client.query('set statement_timeout = 0; set lock_timeout = 0');
}

async function addWorkers(client: Client, { workers, coordinator, onStep }: DistributeOptions): Promise<string[]> {
  const before = await readNodes(client);
  if (!before.some(({ isCoordinator }) => isCoordinator)) {
    if (coordinator === null)
      throw new CannotDistribute('name the address of this node for its workers: --coordinator HOST:PORT.');
    onStep(`coordinator ${coordinator.host}:${coordinator.port}`);
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
  }
  const names = before.map(({ host, port }) => `${host}:${port}`);
  for (const { host, port } of workers) {
    if (names.includes(`${host}:${port}`)) continue;
    onStep(`add worker ${host}:${port}`);
    await addWorker(client, { host, port });
  }
  const all = (await readNodes(client)).filter(({ isCoordinator }) => !isCoordinator);
  if (all.length === 0)
    throw new CannotDistribute(
      'there is no worker node: name each with --worker HOST:PORT. It must have a database of this name with the extension citus.',
    );
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  const database = pg.escapeIdentifier(rows[0]?.name ?? '');
  for (const [name, value] of Object.entries(SETTINGS))
    await setEverywhere(client, `alter database ${database} set ${name} = '${value}'`);
  return all.map(({ host, port }) => `${host}:${port}`);
}

/**
 * Applies the statement on every node. Citus before 13.1 applies it on the coordinator only. Later ones hand it on, and
 * refuse it at a worker unless that worker's session has propagation off.
 */
async function setEverywhere(client: Client, statement: string): Promise<void> {
  await client.query(statement);
  const { rows } = await client.query<{ node: string; success: boolean; result: string }>(
    "select nodename || ':' || nodeport as node, success, result from run_command_on_workers($1)",
    [`do $do$ begin set local citus.enable_ddl_propagation = off; ${statement}; end $do$`],
  );
  const failed = rows.find(({ success }) => !success);
  if (failed !== undefined) throw new CannotDistribute(`${failed.node} refused "${statement}": ${failed.result}`);
}

/** Citus says what it could not do there; the operator has to know what the node must have. */
async function addWorker(client: Client, { host, port }: NodeAddress): Promise<void> {
  try {
    await client.query('select citus_add_node($1, $2)', [host, port]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CannotDistribute(
      `the worker ${host}:${port} could not be added: ${why.replaceAll(/\s+/g, ' ')}. It must run the same version of PostgreSQL and Citus, ` +
        'let the role of DATABASE_URL sign in from this node, and have an empty database of this name in which "create extension citus" was run.',
    );
  }
}

async function placeTables(
  client: Client,
  { placementOf, onStep }: DistributeOptions,
): Promise<{ counts: Record<Placement['by'], number>; changed: number }> {
  const counts = { venue: 0, key: 0, copy: 0, coordinator: 0 };
  let changed = 0;
  const wanted = (await readTables(client)).map((table) => ({ ...table, to: placementOf(table.name, table.hasVenue) }));
  const byName = new Map(wanted.map((table) => [table.name, table]));
  for (const table of wanted) counts[table.to.by]++;
  for (const table of wanted) {
    // Rows of different nodes cannot refer to each other; the program keeps these references in the transaction that writes.
    for (const { constraint, target } of table.references) {
      if (canRefer(table.to, byName.get(target)?.to ?? { by: 'coordinator' })) continue;
      onStep(`drop ${constraint} of ${table.name}`);
      await client.query(`alter table ${table.name} drop constraint ${constraint}`);
    }
  }
  const missing = wanted.filter(({ to, isPlaced }) => to.by !== 'coordinator' && !isPlaced);
  // A table is placed beside one that is placed already.
  for (const table of [...missing.filter(({ to }) => !isBeside(to)), ...missing.filter(({ to }) => isBeside(to))]) {
    onStep(`${table.name}: ${describe(table.to)}`);
    await placeTable(client, table.name, table.to);
    changed++;
  }
  await verify(client, wanted);
  return { counts, changed };
}

/** Reads the catalogue of Citus again: statements would be slow or wrong where an operator has placed a table in another way. */
async function verify(client: Client, wanted: readonly (FoundTable & { readonly to: Placement })[]): Promise<void> {
  const found = await readPlacements(client);
  const wrong = wanted.flatMap(({ name, to }) => {
    const is = found.get(name) ?? 'on the coordinator';
    return is === describe(to) ? [] : [`${name} is ${is}, not ${describe(to)}`];
  });
  if (wrong.length > 0)
    throw new CannotDistribute(`the tables are not where this release wants them: ${wrong.join('; ')}.`);
}

function isBeside(to: Placement): boolean {
  return to.by === 'key' && to.beside !== undefined;
}

function canRefer(from: Placement, to: Placement): boolean {
  if (from.by === 'coordinator') return to.by === 'coordinator';
  return from.by === 'venue' ? to.by === 'venue' || to.by === 'copy' : from.by === 'copy' && to.by === 'copy';
}

async function placeTable(client: Client, name: string, to: Placement): Promise<void> {
  if (to.by === 'copy') await client.query('select create_reference_table($1)', [name]);
  else if (to.by === 'key')
    await client.query('select create_distributed_table($1, $2, colocate_with => $3)', [
      name,
      to.column,
      to.beside ?? 'none',
    ]);
  else
    await client.query('select create_distributed_table($1, $2, colocate_with => $3)', [
      name,
      'venue_id',
      name === 'venues' ? 'none' : 'venues',
    ]);
}

function describe(to: Placement): string {
  if (to.by === 'coordinator') return 'on the coordinator';
  if (to.by === 'copy') return 'on every node';
  return `by ${to.by === 'key' ? to.column : 'venue_id'}`;
}

interface FoundFunction {
  readonly signature: string;
  readonly name: string;
  readonly isOnEveryNode: boolean;
  readonly isDelegated: boolean;
  readonly body: string;
}

const FUNCTIONS = `
  select p.oid::regprocedure::text as signature, p.proname as name, o.objid is not null as "isOnEveryNode",
    o.distribution_argument_index is not null as "isDelegated", p.prosrc as body
  from pg_proc p left join pg_dist_object o on o.classid = 'pg_proc'::regclass and o.objid = p.oid
  where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname`;

async function placeFunctions(
  client: Client,
  { functionPlacementOf, onStep }: DistributeOptions,
): Promise<{ delegated: number; changed: number }> {
  const { rows } = await client.query<FoundFunction>(FUNCTIONS);
  let changed = 0;
  // A worker checks the body of a function when it gets it.
  const calls = ({ body }: FoundFunction): FoundFunction[] => rows.filter(({ name }) => body.includes(`${name}(`));
  for (const { signature, name, isOnEveryNode, isDelegated } of sortByDependency(rows, calls)) {
    const to = functionPlacementOf(name);
    if (to.by === 'coordinator' || (to.by === 'copy' ? isOnEveryNode : isDelegated)) continue;
    onStep(`function ${name}`);
    if (to.by === 'copy') await client.query('select create_distributed_function($1)', [signature]);
    else
      await client.query(
        'select create_distributed_function($1, $2, colocate_with => $3, force_delegation => nullif($4, false))',
        [signature, to.argument, to.beside, to.isAlways],
      );
    changed++;
  }
  return { delegated: rows.filter(({ name }) => functionPlacementOf(name).by === 'argument').length, changed };
}
