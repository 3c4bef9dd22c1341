// The `everyshare` command: joins the doors to the house, and nothing else. `start` is everything on one machine,
// `serve` and `worker` are the same parts apart, and every other word is the operator's command line.

import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from './base/clock.ts';
import { type Config, ConfigError, readConfig } from './base/config.ts';
import { openDb } from './base/db.ts';
import { keptSecret } from './base/kept-secret.ts';
import { type Log, makeLog } from './base/log.ts';
import { migrate } from './base/migrate.ts';
import { packageRoot } from './base/package-root.ts';
import { randomText, systemRandom } from './base/random.ts';
import { proveEncryptionKey } from './domain/installation/key-proof.ts';
import type { Act } from './domain/venues/audit.ts';
import { actIn, type House, makeHouse } from './run/house.ts';

/** Things to end, last one first. */
type Ending = () => Promise<void>;

interface OpenedHouse {
  readonly house: House;
  readonly newOperatorToken: string | null;
}

async function openHouse(config: Config, role: string, log: Log, url: string, endings: Ending[]): Promise<OpenedHouse> {
  const token = keptSecret(
    join(config.dataDir, 'operator-token'),
    () => config.operatorToken ?? `opt_${randomText(systemRandom, 40)}`,
  );
  const sealKey =
    config.encryptionKey ??
    Buffer.from(
      keptSecret(join(config.dataDir, 'encryption-key'), () => systemRandom.bytes(32).toString('base64')).text,
      'base64',
    );
  const applied = await migrate(url, join(packageRoot, 'migrations'));
  if (applied > 0) log.info({ migrations: applied }, 'the database was migrated');
  const db = openDb({
    url,
    connections: config.databaseConnections,
    prepared: config.preparedStatements,
    applicationName: `everyshare-${role}`,
    onLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  });
  endings.push(() => db.close());
  const house = makeHouse({
    config,
    db,
    clock: systemClock,
    random: systemRandom,
    log,
    sealKey,
    operatorToken: config.operatorToken ?? token.text,
    schemaFolder: join(packageRoot, 'schemas', 'v1'),
  });
  await proveEncryptionKey(db, house.seal, house.clock.now());
  return { house, newOperatorToken: token.isNew && config.operatorToken === null ? token.text : null };
}

function actOf(house: House, via: 'start' | 'cli', actor: string): Act {
  return actIn(house, { actor, via, address: null, requestId: null });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The database of this installation: the one that was named, or the embedded one, claimed for this process. */
async function openDatabase(config: Config, endings: Ending[]): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const { startEmbeddedPostgres } = await import('./sandbox/postgres/embedded.ts');
  const { claimDataDir } = await import('./sandbox/claim.ts');
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
  const claim = await claimDataDir(postgres.url);
  if (claim === null) {
    throw new ConfigError([
      `DATA_DIR ${config.dataDir} is in use by another everyshare: stop that one, or set DATA_DIR and PORT to others.`,
    ]);
  }
  endings.push(async () => {
    await claim.release();
    await postgres.stop();
  });
  return postgres.url;
}

async function runRole(role: 'start' | 'serve' | 'worker', config: Config): Promise<void> {
  const log = makeLog(config.logLevel, role);
  const endings: Ending[] = [];
  const stopped = onStopSignal(config, log, endings);
  // Loaded while the database is being reached; a failure to load is told where it is used.
  const door = role === 'worker' ? null : import('./http/server.ts');
  door?.catch(() => undefined);
  try {
    const url = role === 'start' ? await openDatabase(config, endings) : namedDatabase(config, role);
    const { house, newOperatorToken } = await openHouse(config, role, log, url, endings);
    if (role !== 'serve') {
      const { startWorker } = await import('./worker/loops.ts');
      const worker = startWorker(house.db, log);
      endings.push(() => worker.close());
    }
    if (door !== null) {
      const { startServer } = await door;
      const server = await startServer(house).catch((error: unknown) => {
        throw portTaken(error, config);
      });
      endings.push(() => server.close());
      const { announce } = await import('./cli/announce.ts');
      await announce({
        house,
        act: actOf(house, 'start', 'start'),
        urls: server.urls,
        newOperatorToken,
        firstVenue: role === 'start',
        say,
      });
    } else {
      say('everyshare worker is ready');
    }
  } catch (error) {
    await endAll(endings, log);
    throw error;
  }
  await stopped;
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

async function endAll(endings: Ending[], log: Log): Promise<void> {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) {
    try {
      await end();
    } catch (error) {
      log.error({ err: error }, 'something did not stop cleanly');
      process.exitCode = 1;
    }
  }
}

/** Resolves when SIGINT or SIGTERM came and everything has ended; a second signal, or too much time, ends it hard. */
function onStopSignal(config: Config, log: Log, endings: Ending[]): Promise<void> {
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
      void endAll(endings, log).then(() => {
        log.info('stopped');
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
  const log = makeLog('warn', 'cli');
  const endings: Ending[] = [];
  const open = async () => {
    const config = readConfig(process.env);
    const url = config.databaseUrl ?? (await embeddedBeside(config, endings));
    const { house } = await openHouse({ ...config, databaseConnections: 4 }, 'cli', log, url, endings);
    return { house, act: actOf(house, 'cli', `operator ${userInfo().username}`) };
  };
  try {
    return await runCommand(argv, open);
  } finally {
    await endAll(endings, log);
  }
}

const TRIES = 20;

/** Two commands at once may both find nothing running and both try to start it: whoever loses finds the other's. */
async function embeddedBeside(config: Config, endings: Ending[]): Promise<string> {
  const { findEmbeddedPostgres, isUsedByOthers, startEmbeddedPostgres } = await import(
    './sandbox/postgres/embedded.ts'
  );
  for (let attempt = 1; ; attempt++) {
    const running = await findEmbeddedPostgres(config.dataDir);
    if (running !== null) return running;
    try {
      const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
      endings.push(async () => {
        if (!(await isUsedByOthers(postgres.url))) await postgres.stop();
      });
      return postgres.url;
    } catch (error) {
      if (attempt >= TRIES) throw error;
      await delay(100);
    }
  }
}

async function main(argv: readonly string[]): Promise<void> {
  const [word, ...more] = argv;
  const isRole = word === 'start' || word === 'serve' || word === 'worker';
  try {
    if (isRole && more.length === 0) await runRole(word, readConfig(process.env));
    else process.exitCode = await runCommandLine(isRole ? ['help'] : argv);
  } catch (error) {
    const lines = (error instanceof Error ? error.message : String(error)).split('\n');
    process.stderr.write(`everyshare: ${isRole ? lines.join('\neveryshare: ') : lines.join(' ')}\n`);
    process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
