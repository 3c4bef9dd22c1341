// The `everyshare` command: connects the entry points to the application context, and nothing else. `start` runs
// everything on one machine, `serve` and `worker` run its parts apart, and any other word is an operator's command.

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setImmediate as yieldToIo } from 'node:timers/promises';
import { systemClock, systemMonotonicClock } from './base/clock.ts';
import type { CommandContext } from './base/command-context.ts';
import { type Config, ConfigError, readConfig } from './base/config.ts';
import { isUnavailable, openDb, type Queryable, sqlState } from './base/db.ts';
import { type Log, makeLog } from './base/log.ts';
import { beginMigration } from './base/migrate.ts';
import { makeOutbound } from './base/outbound/outbound.ts';
import { packageRoot, packageVersion } from './base/package-root.ts';
import { systemRandom } from './base/random.ts';
import { schemaFolders } from './base/schema-files.ts';
import { makeSeal } from './base/seal.ts';
import { Shutdown, ShutdownRequested } from './base/shutdown.ts';
import { traceDb } from './base/tracing/trace-db.ts';
import { userConfigFolder } from './base/user-folder.ts';
import { WorkSignal } from './base/work-signal.ts';
import { recordServerAddress } from './domain/installation/address-queries.ts';
import { verifyEncryptionKey } from './domain/installation/verify-encryption-key.ts';
import { processesBefore } from './domain/monitoring/earlier-processes.ts';
import { adoptProcessors, countStripeAccounts } from './domain/payments/former-account-queries.ts';
import { observeProcessors } from './domain/payments/observe-processor.ts';
import { makeBackups } from './main/backups.ts';
import { closeDatabaseAtStop } from './main/close-database.ts';
import { findOrStartDatabase, openDatabase } from './main/embedded-database.ts';
import { asListenError } from './main/listen-error.ts';
import type { Monitoring } from './main/monitoring.ts';
import { leaveGroup, type Member, memberFrom, ProcessGroup, reportReady, serverCount } from './main/process-group.ts';
import { type OpenedProcessors, openProcessors } from './main/processors.ts';
import { runWorker } from './main/run-worker.ts';
import { setAddressOfCommand, setAddressOfWorker } from './main/server-address.ts';
import { openReads } from './main/standby.ts';
import { encryptionKeysFor, storedEncryptionKeys, storedOperatorToken } from './main/stored-secrets.ts';
import { type AppContext, commandContext, makeContext, readSchemas } from './run/context.ts';
import type { ToolServer, ToolServerContext } from './run/tool-server.ts';

interface OpenedContext<M> {
  readonly monitoring: M;
  readonly context: AppContext;
  readonly newOperatorToken: string | null;
  readonly processor: OpenedProcessors;
}

/** Starts the migration first: while the database works on it, `loadMonitoring` loads code and the context is built. */
async function openContext<M extends Monitoring | null>(
  config: Config,
  role: Role | 'cli',
  log: Log,
  url: string,
  shutdown: Shutdown,
  loadMonitoring: () => Promise<M>,
): Promise<OpenedContext<M>> {
  const migration = beginMigration(url, schemaFolders(packageRoot), { processesBefore });
  migration.done.catch(() => undefined); // Awaited below. If another step fails before that, its error is reported.
  await shutdown.add(() => migration.stop());
  await yieldToIo();
  const monitoring = await loadMonitoring();
  await yieldToIo();
  const token = config.operatorToken === null ? storedOperatorToken(config) : null;
  const sealKeys = await encryptionKeysFor(config, url);
  const processor = await openProcessors(config, role, sealKeys, log, shutdown);
  const plainDb = openDb({
    url,
    connections: config.databaseConnections,
    pooled: config.databasePooled,
    applicationName: `everyshare-${role}`,
    onLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  const tracing = monitoring?.tracing ?? null;
  const db = tracing === null ? plainDb : traceDb(plainDb, tracing);
  await closeDatabaseAtStop(shutdown, db, tracing);
  // To sign in takes several round trips: done while the migration looks. What fails here fails again where it is awaited.
  if (role !== 'cli') void Promise.allSettled([db.query('select 1'), db.monitoring.query('select 1')]);
  const reads = await openReads(config, db, log, shutdown);
  const outbound = makeOutbound({ allowInsecureTargets: config.allowInsecureTargets });
  await shutdown.add(() => outbound.close());
  const context = makeContext({
    config,
    db,
    reads,
    clock: systemClock,
    random: systemRandom,
    log,
    outbound,
    sealKeys,
    operatorToken: config.operatorToken ?? token?.text ?? '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
    processors:
      monitoring === null ? processor.processors : observeProcessors(processor.processors, monitoring.observeCall),
    processorAccess: processor.access,
    workSignal: new WorkSignal(config.databasePooled ? null : { db: db.priority, log }),
  });
  const applied = await migration.done.catch((error: unknown) => {
    throw asDatabaseError(error, config);
  });
  if (applied > 0) log.info({ files: applied }, 'the process migrated the database');
  if (shutdown.isStopping) throw new ShutdownRequested();
  await verifyEncryptionKey(db, context.seal, context.clock.now());
  if (config.sandboxProcessor) await keepFromStripeAccounts(db, role, processor);
  if (role !== 'cli') await adoptProcessors(db, processor.processors, context.clock.now());
  return { context, processor, monitoring, newOperatorToken: token?.isNew === true ? token.text : null };
}

/**
 * Without Stripe's keys a process has the embedded processor, which knows nothing of the venues' live accounts at Stripe: it
 * would put them aside for all servers. A command goes on without a processor, so that it does not compare the books with
 * nothing.
 */
async function keepFromStripeAccounts(
  db: Queryable,
  role: Role | 'cli',
  { processors }: OpenedProcessors,
): Promise<void> {
  const count = await countStripeAccounts(db, 'live');
  if (count === 0) return;
  if (role === 'cli') {
    for (const mode of ['test', 'live'] as const) delete processors[mode];
    return;
  }
  const accounts = count === 1 ? '1 venue has its payout account' : `${count} venues have their payout accounts`;
  throw new ConfigError([
    `STRIPE_LIVE_SECRET_KEY and STRIPE_LIVE_PUBLISHABLE_KEY are not set, and ${accounts} at Stripe: set both, as the other servers have them. Do not start a copy of that installation: its worker would move real money.`,
  ]);
}

/** Turns a connection failure into an error about DATABASE_URL, because that setting is the usual cause. */
function asDatabaseError(error: unknown, { databaseUrl }: Config): unknown {
  if (databaseUrl === null || !(error instanceof Error)) return error;
  const state = sqlState(error);
  if (!isUnavailable(error) && !/^(28|3D|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/.test(state)) return error;
  const host = new URL(databaseUrl).host || 'its address';
  return new ConfigError([
    `DATABASE_URL: the database at ${host} cannot be used (${error.message}): check the address, the name and the password, and that PostgreSQL is running.`,
  ]);
}

function systemCommandContext(context: AppContext, via: 'start' | 'cli', actor: string): CommandContext {
  return commandContext(context, { name: actor, via, address: null, requestId: null });
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Role = 'start' | 'serve' | 'worker';

async function runRole(role: Role, config: Config): Promise<void> {
  const member = memberFrom(process.env);
  const log = makeLog(config.logLevel, role, undefined, member?.name);
  const shutdown = new Shutdown(log);
  const { stopped, stop } = onStopSignal(config, log, shutdown);
  const servers = role === 'worker' || member !== null ? 1 : serverCount(config);
  try {
    if (servers > 1 && role !== 'worker') await startGroup(role, servers, config, log, shutdown);
    else await startRole(role, config, log, shutdown, stop, member);
  } catch (error) {
    // A signal also reaches child processes such as initdb. Their failure during a shutdown is expected, not an error.
    const isStopRequested = shutdown.isStopping || error instanceof ShutdownRequested;
    if (!(await shutdown.run())) process.exitCode = 1;
    if (!isStopRequested) throw error;
  }
  await stopped;
  leaveGroup();
}

/** Several servers on one port, and for `start` a worker, each in a process of its own. */
async function startGroup(
  command: 'start' | 'serve',
  servers: number,
  config: Config,
  log: Log,
  shutdown: Shutdown,
): Promise<void> {
  const isEmbedded = command === 'start' && config.databaseUrl === null;
  const url = command === 'start' ? await openDatabase(config, log, shutdown) : requireDatabaseUrl(config, command);
  // With DATABASE_URL, every process must be given the keys.
  const keys = isEmbedded ? await encryptionKeysFor(config, url) : [];
  const env = { DATABASE_URL: url, ENCRYPTION_KEY: keys.map((key) => key.toString('base64')).join(',') };
  const group = new ProcessGroup({ config, command, servers, env: isEmbedded ? env : {}, log });
  await shutdown.add(() => group.stop());
  await group.start();
  log.info({ servers, worker: command === 'start' }, 'all processes are ready');
}

async function startRole(
  role: Role,
  config: Config,
  log: Log,
  shutdown: Shutdown,
  stop: StopControl['stop'],
  member: Member | null,
): Promise<void> {
  const loadServer = () => import('./http/server.ts');
  const url = role === 'start' ? await openDatabase(config, log, shutdown) : requireDatabaseUrl(config, role);
  const loadMonitoring = async (): Promise<Monitoring> => {
    const { makeMonitoring, openTracingFor } = await import('./main/monitoring.ts');
    if (role !== 'worker') await loadServer();
    return makeMonitoring(systemClock, await openTracingFor(config, role));
  };
  const opened = await openContext(config, role, log, url, shutdown, loadMonitoring);
  const { context, processor, newOperatorToken, monitoring } = opened;
  await monitoring.watch(context, role, shutdown, (error) => {
    log.error({ err: error }, 'the database no longer serves this release');
    process.exitCode = 1;
    stop('the database no longer serves this release');
  });
  if (role === 'worker') {
    await setAddressOfWorker(context);
    const port = await runWorker(context, monitoring, log, shutdown);
    if (member === null) printLine('everyshare worker is ready');
    if (port !== null) printLine(`  monitoring port ${port} of ${config.workerHost}: /healthz, /readyz, /metrics`);
    emitReady();
    reportReady(member, log);
    return;
  }
  const { announce, createFirstLink, createFirstVenue } = await import('./cli/announce.ts');
  // Created before the server reports ready: a script that waits for that line may use the key immediately.
  const command = systemCommandContext(context, 'start', 'start');
  const isStart = role === 'start' || (member?.command === 'start' && member.isAnnouncer);
  const firstVenue = isStart ? await createFirstVenue(context, command) : null;
  const { startServer } = await loadServer();
  const openTools = async (toolContext: ToolServerContext): Promise<ToolServer> =>
    (await import('./mcp/tool-server.ts')).open(toolContext);
  const server = await startServer(context, openTools, monitoring.metrics, monitoring.tracing).catch(
    (error: unknown) => {
      throw asListenError(error, config);
    },
  );
  let closing: Promise<void> | null = null;
  const closeServer = (): Promise<void> => {
    closing ??= server.close();
    return closing;
  };
  await shutdown.add(closeServer);
  await recordServerAddress(context.db, context.address);
  // After the server listens: only then is the address known with which the worker's links begin.
  const workerPort = role === 'start' ? await runWorker(context, monitoring, log, shutdown) : null;
  // Stopping takes no new requests first: the worker's loops may need a while to end.
  if (role === 'start') await shutdown.add(closeServer);
  const registered = processor.registerWebhookEndpoints(server.localUrl).catch((error: unknown) => {
    if (shutdown.isStopping) return;
    log.warn(
      { err: error },
      'the process could not register its webhook endpoint; the worker polls the processor instead',
    );
  });
  // The next server of a group finds what this one has registered.
  if (role === 'start' || member !== null) await registered;
  const firstLink = await createFirstLink(context, command, firstVenue);
  const { urls, metricsPort } = server;
  if (member === null || member.isAnnouncer)
    announce({ context, urls, metricsPort, workerPort, newOperatorToken, firstVenue, firstLink, printLine });
  emitReady();
  reportReady(member, log);
}

/** Tells bin/load.js to store V8's code cache now: it holds the functions that the next start needs. */
function emitReady(): void {
  (process as NodeJS.EventEmitter).emit('everyshare:ready');
}

function requireDatabaseUrl(config: Config, role: string): string {
  if (config.databaseUrl !== null) return config.databaseUrl;
  throw new ConfigError([
    `DATABASE_URL is not set: "everyshare ${role}" needs a PostgreSQL server to share (everyshare start brings its own).`,
  ]);
}

/** A terminal signals the whole process group, and npm passes the signal on: one Ctrl-C arrives twice. */
const SAME_SIGNAL_MS = 1_000;

interface StopControl {
  /** Resolves when the shutdown is complete. */
  readonly stopped: Promise<void>;
  /** As SIGTERM does, once. */
  stop(reason: string): void;
}

/** Stops the process after SIGINT or SIGTERM. A later signal or a timeout exits immediately. */
function onStopSignal(config: Config, log: Log, shutdown: Shutdown): StopControl {
  let resolve = (): void => undefined;
  const stopped = new Promise<void>((done) => {
    resolve = done;
  });
  let stoppingSince: number | null = null;
  const stop = (reason: string): void => {
    if (stoppingSince !== null) return;
    stoppingSince = systemMonotonicClock.now();
    log.info({ reason }, 'the process was asked to stop');
    const forcedExit = setTimeout(() => {
      log.error('the process did not stop in time and exits');
      process.exit(1);
    }, config.shutdownSeconds * 1000);
    forcedExit.unref();
    void shutdown.run().then((isClean) => {
      log.info('the process has stopped');
      if (!isClean) process.exitCode = 1;
      resolve();
    });
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSince !== null && systemMonotonicClock.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(130);
    stop(signal);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  onEndOfNpm(() => stop('npm has ended'));
  return { stopped, stop };
}

/** A killed npm cannot pass a signal on. Without this, `npm start` would leave a server and a database behind. */
function onEndOfNpm(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) stop();
  }, 500).unref();
}

/** Who gives the command, for the audit log, and for what one operator reserves from the others. */
function operatorName(): string {
  const { OPERATOR_NAME, SUDO_USER } = process.env;
  return `operator ${OPERATOR_NAME?.slice(0, 100) || SUDO_USER || userInfo().username}`;
}

/** Works beside a running server. Without one, the embedded database runs for this command only. */
async function runCommandLine(argv: readonly string[]): Promise<number> {
  const { runCommand } = await import('./cli/command.ts');
  const log = makeLog('error', 'cli');
  const shutdown = new Shutdown(log);
  const readSettings = (): Config => readConfig(process.env);
  const open = async () => {
    const config = readSettings();
    const url = config.databaseUrl ?? (await findOrStartDatabase(config, shutdown));
    const settings = { ...config, databaseConnections: 4 };
    const { context } = await openContext(settings, 'cli', log, url, shutdown, async () => null);
    await setAddressOfCommand(context);
    return { context, command: systemCommandContext(context, 'cli', operatorName()) };
  };
  const openUnmigrated = async () => {
    const config = readSettings();
    const url = config.databaseUrl ?? (await findOrStartDatabase(config, shutdown));
    const { databasePooled: pooled } = config;
    const db = openDb({ url, connections: 2, pooled, applicationName: 'everyshare-cli' });
    await shutdown.add(() => db.close());
    return { db, config, now: systemClock.now() };
  };
  const openBackups = () => {
    const config = readSettings();
    return makeBackups({
      config,
      clock: systemClock,
      version: packageVersion(),
      encryptionKeys: () => {
        const isStored = existsSync(join(config.dataDir, 'encryption-key'));
        return config.encryptionKeys ?? (isStored ? storedEncryptionKeys(config) : null);
      },
      async verifyKeys(url, keys) {
        const db = openDb({ url, connections: 2, pooled: false, applicationName: 'everyshare-cli' });
        await verifyEncryptionKey(db, makeSeal(keys, systemRandom), systemClock.now()).finally(() => db.close());
      },
      findOrStartDatabase: () => findOrStartDatabase(config, shutdown),
    });
  };
  try {
    return await runCommand(argv, open, readSettings, userConfigFolder(process.env), openBackups, openUnmigrated);
  } finally {
    await shutdown.run();
  }
}

async function main(argv: readonly string[]): Promise<void> {
  const [first, ...rest] = argv;
  const isRole = first === 'start' || first === 'serve' || first === 'worker';
  try {
    if (first === 'processor' && rest.length === 0) {
      const { runProcessor } = await import('../sandbox/processor/process-main.ts');
      const { processorEnv } = await import('./main/processor-env.ts');
      process.exitCode = await runProcessor(processorEnv(process.env), printLine, emitReady);
    } else if (isRole && rest.length === 0) await runRole(first, readConfig(process.env));
    else process.exitCode = await runCommandLine(argv);
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).split('\n');
    process.stderr.write(`everyshare: ${isRole ? lines.join('\neveryshare: ') : lines.join(' ')}\n`);
    process.exitCode = 1;
  }
}

void main(process.argv.slice(2));
