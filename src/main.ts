// The `everyshare` command: joins the doors to the house, and nothing else. `start` is everything on one machine,
// `serve` and `worker` are the same parts apart, and every other word is the operator's command line.

import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { systemClock } from './base/clock.ts';
import type { CommandContext } from './base/command-context.ts';
import { type Config, ConfigError, readConfig } from './base/config.ts';
import { isUnavailable, openDb, sqlState } from './base/db.ts';
import { type Log, makeLog } from './base/log.ts';
import { beginMigration } from './base/migrate.ts';
import { makeOutbound } from './base/outbound/outbound.ts';
import { packageRoot } from './base/package-root.ts';
import { randomText, systemRandom } from './base/random.ts';
import { schemaFolders } from './base/schema-files.ts';
import { readOrCreateSecret } from './base/secret-file.ts';
import { Shutdown, ShutdownRequested } from './base/shutdown.ts';
import { proveEncryptionKey } from './domain/installation/key-proof.ts';
import { DispatchSignal } from './domain/webhooks/deliveries/dispatch-signal.ts';
import { type OpenedProcessors, openProcessors } from './main/processors.ts';
import { textSender } from './main/sender.ts';
import { type AppContext, commandContext, makeContext } from './run/context.ts';
import type { ToolServer, ToolServerContext } from './run/tool-server.ts';

interface OpenedContext {
  readonly context: AppContext;
  readonly newOperatorToken: string | null;
  readonly processor: OpenedProcessors;
}

/** The database is asked first: while it answers, `meanwhile` loads what is needed of the program, and the house is built. */
async function openContext(
  config: Config,
  role: Role | 'cli',
  log: Log,
  url: string,
  shutdown: Shutdown,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<OpenedContext> {
  const migration = beginMigration(url, schemaFolders(packageRoot));
  migration.done.catch(() => undefined); // Told below; should something else fail before, that is what is told.
  await shutdown.add(() => migration.stop());
  await turn();
  await meanwhile();
  await turn();
  const token =
    config.operatorToken === null ? readOrCreateSecret(join(config.dataDir, 'operator-token'), newToken) : null;
  const sealKey = config.encryptionKey ?? storedEncryptionKey(config);
  const processor = await openProcessors(config, role, sealKey, log, shutdown);
  const db = openDb({
    url,
    connections: config.databaseConnections,
    pooled: config.databasePooled,
    applicationName: `everyshare-${role}`,
    onLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  await shutdown.add(() => db.close());
  const outbound = makeOutbound({ allowInsecureTargets: config.allowInsecureTargets });
  await shutdown.add(() => outbound.close());
  const context = makeContext({
    config,
    db,
    clock: systemClock,
    random: systemRandom,
    log,
    outbound,
    sealKey,
    operatorToken: config.operatorToken ?? token?.text ?? '',
    schemaFolder: join(packageRoot, 'schemas', 'v1'),
    processors: processor.processors,
    processorAccess: processor.access,
  });
  const applied = await migration.done.catch((error: unknown) => {
    throw unreachable(error, config);
  });
  if (applied > 0) log.info({ files: applied }, 'the database was migrated');
  if (shutdown.isStopping) throw new ShutdownRequested();
  await proveEncryptionKey(db, context.seal, context.clock.now());
  return { context, processor, newOperatorToken: token?.isNew === true ? token.text : null };
}

function newToken(): string {
  return `opt_${randomText(systemRandom, 40)}`;
}

function storedEncryptionKey(config: Config): Buffer {
  const kept = readOrCreateSecret(join(config.dataDir, 'encryption-key'), () =>
    systemRandom.bytes(32).toString('base64'),
  );
  return Buffer.from(kept.text, 'base64');
}

/** A database that cannot be used is the setting's fault as long as nothing else is known. */
function unreachable(error: unknown, { databaseUrl }: Config): unknown {
  if (databaseUrl === null || !(error instanceof Error)) return error;
  const state = sqlState(error);
  if (!isUnavailable(error) && !/^(28|3D|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/.test(state)) return error;
  const place = new URL(databaseUrl).host || 'its address';
  return new ConfigError([
    `DATABASE_URL: the database at ${place} cannot be used (${error.message}): check the address, the name and the password, and that PostgreSQL is running.`,
  ]);
}

function systemCommandContext(context: AppContext, via: 'start' | 'cli', actor: string): CommandContext {
  return commandContext(context, { actor, via, address: null, requestId: null });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The database of this installation: the one that was named, or the embedded one, locked for this process. */
async function openDatabase(config: Config, shutdown: Shutdown): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const { startEmbeddedPostgres } = await import('../sandbox/postgres/embedded.ts');
  const { lockDataDir } = await import('../sandbox/data-dir-lock.ts');
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
  const lock = await lockDataDir(postgres.url);
  if (lock === null) {
    throw new ConfigError([
      `DATA_DIR ${config.dataDir} is in use by another everyshare: stop that one, or set DATA_DIR and PORT to others.`,
    ]);
  }
  await shutdown.add(async () => {
    await lock.release();
    await postgres.stop();
  });
  return postgres.url;
}

type Role = 'start' | 'serve' | 'worker';

async function runRole(role: Role, config: Config): Promise<void> {
  const log = makeLog(config.logLevel, role);
  const shutdown = new Shutdown(log);
  const stopped = onStopSignal(config, log, shutdown);
  try {
    await startRole(role, config, log, shutdown);
  } catch (error) {
    // A signal reaches what we had just started, too (initdb, say): that it then failed is not news.
    const overtaken = shutdown.isStopping || error instanceof ShutdownRequested;
    if (!(await shutdown.run())) process.exitCode = 1;
    if (!overtaken) throw error;
  }
  await stopped;
}

async function startRole(role: Role, config: Config, log: Log, shutdown: Shutdown): Promise<void> {
  const loadDoor = () => import('./http/server.ts');
  const url = role === 'start' ? await openDatabase(config, shutdown) : namedDatabase(config, role);
  const { context, processor, newOperatorToken } = await openContext(
    config,
    role,
    log,
    url,
    shutdown,
    role === 'worker' ? undefined : loadDoor,
  );
  if (role !== 'serve') {
    const { startWorker } = await import('./worker/loops.ts');
    const { services: money } = context;
    const worker = startWorker({
      db: context.db,
      log,
      clock: context.clock,
      outbound: money.outbound,
      payments: money,
      deliveries: { ...money, dispatchSignal: new DispatchSignal() },
      hooks: context,
      sender: textSender(config),
    });
    await shutdown.add(() => worker.close());
  }
  if (role === 'worker') {
    say('everyshare worker is ready');
    sayReady();
    return;
  }
  const { announce, openFirstVenue } = await import('./cli/announce.ts');
  // Before anybody can be told that it is ready: a script that waits for that may use the key at once.
  const firstVenue =
    role === 'start' ? await openFirstVenue(context, systemCommandContext(context, 'start', 'start')) : null;
  const { startServer } = await loadDoor();
  const openTools = async (inside: ToolServerContext): Promise<ToolServer> =>
    (await import('./mcp/tool-server.ts')).open(inside);
  const server = await startServer(context, openTools).catch((error: unknown) => {
    throw portTaken(error, config);
  });
  await shutdown.add(() => server.close());
  const told = processor.noticesTo(server.localUrl).catch((error: unknown) => {
    if (shutdown.isStopping) return;
    log.warn({ err: error }, 'the card processor does not know where its notices go: it is asked instead');
  });
  if (role === 'start') await told;
  announce({ context, urls: server.urls, newOperatorToken, firstVenue, say });
  sayReady();
}

/** To bin/load.js: what V8 has made of the program until now is what the next start needs. */
function sayReady(): void {
  (process as NodeJS.EventEmitter).emit('everyshare:ready');
}

function portTaken(error: unknown, { port, host }: Config): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE')
    return new ConfigError([`PORT ${port} is taken by another program: stop that one, or set PORT to another.`]);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError([`HOST ${host} is not an address of this machine: correct it.`]);
  return code === 'EACCES'
    ? new ConfigError([`PORT ${port} may not be opened by this user: set PORT to 1024 or more.`])
    : error;
}

function namedDatabase(config: Config, role: string): string {
  if (config.databaseUrl !== null) return config.databaseUrl;
  throw new ConfigError([
    `DATABASE_URL is not set: "everyshare ${role}" needs a PostgreSQL server to share (everyshare start brings its own).`,
  ]);
}

/** Resolves when SIGINT or SIGTERM came and everything has ended; a second signal, or too much time, ends it hard. */
function onStopSignal(config: Config, log: Log, shutdown: Shutdown): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (stopping) process.exit(130);
      stopping = true;
      log.info({ signal }, 'stopping');
      const hard = setTimeout(() => {
        log.error('stopping took too long');
        process.exit(1);
      }, config.shutdownSeconds * 1000);
      hard.unref();
      void shutdown.run().then((clean) => {
        log.info('stopped');
        if (!clean) process.exitCode = 1;
        resolve();
      });
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

/** The command line works beside a running server; without one the embedded database is up for the command alone. */
async function runCommandLine(argv: readonly string[]): Promise<number> {
  const { runCommand } = await import('./cli/command.ts');
  const log = makeLog('error', 'cli');
  const shutdown = new Shutdown(log);
  const settings = (): Config => readConfig(process.env);
  const open = async () => {
    const config = settings();
    const url = config.databaseUrl ?? (await embeddedBeside(config, shutdown));
    const { context } = await openContext({ ...config, databaseConnections: 4 }, 'cli', log, url, shutdown);
    return { context, command: systemCommandContext(context, 'cli', `operator ${userInfo().username}`) };
  };
  try {
    return await runCommand(argv, open, settings);
  } finally {
    await shutdown.run();
  }
}

const PATIENCE_MS = 60_000;
const PAUSE_MS = 50;

/** The database of a running server, or the embedded one for this command alone, once it holds the command lock. */
async function embeddedBeside(config: Config, shutdown: Shutdown): Promise<string> {
  const { findEmbeddedPostgres, isUsedByOthers, startEmbeddedPostgres } = await import(
    '../sandbox/postgres/embedded.ts'
  );
  const { acquireCommandLock, isCommandLockHeld } = await import('../sandbox/command-lock.ts');
  for (const until = systemClock.now() + PATIENCE_MS; systemClock.now() < until; await delay(PAUSE_MS)) {
    if (isCommandLockHeld(config.dataDir)) continue;
    const running = await findEmbeddedPostgres(config.dataDir);
    // A database that another command has started meanwhile stops with that command.
    if (isCommandLockHeld(config.dataDir)) continue;
    if (running !== null) return running;
    const lock = acquireCommandLock(config.dataDir);
    if (lock === null) continue;
    await shutdown.add(async () => lock.release());
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
    await shutdown.add(async () => {
      if (!(await isUsedByOthers(postgres.url))) await postgres.stop();
    });
    return postgres.url;
  }
  throw new ConfigError([`DATA_DIR ${config.dataDir} is in use by another command that does not end: stop that one.`]);
}

async function main(argv: readonly string[]): Promise<void> {
  const [word, ...more] = argv;
  const isRole = word === 'start' || word === 'serve' || word === 'worker';
  try {
    if (word === 'processor' && more.length === 0) {
      const { runProcessor } = await import('../sandbox/processor/process-main.ts');
      process.exitCode = await runProcessor(process.env, say, sayReady);
    } else if (isRole && more.length === 0) await runRole(word, readConfig(process.env));
    else process.exitCode = await runCommandLine(argv);
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).split('\n');
    process.stderr.write(`everyshare: ${isRole ? lines.join('\neveryshare: ') : lines.join(' ')}\n`);
    process.exitCode = 1;
  }
}

void main(process.argv.slice(2));
