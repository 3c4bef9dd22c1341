// The embedded database: for `start`, which keeps it running and locks its data directory, and for one command.

import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../base/clock.ts';
import { type Config, ConfigError } from '../base/config.ts';
import type { Log } from '../base/log.ts';
import type { Shutdown } from '../base/shutdown.ts';
import { RestartBackoff } from './restart-backoff.ts';

const WATCH_INTERVAL_MS = 500;

/** The URL of the database: DATABASE_URL, or the embedded PostgreSQL, locked for this process and kept running. */
export async function openDatabase(config: Config, log: Log, shutdown: Shutdown): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  let running = await startLocked(config);
  const stop = new AbortController();
  const backoff = new RestartBackoff();
  const watching = (async () => {
    while (await hasPassed(WATCH_INTERVAL_MS, stop.signal)) {
      if (await running.postgres.isRunning()) continue;
      const wait = backoff.nextDelayMs(performance.now());
      log.error({ wait_ms: wait }, 'PostgreSQL ended by itself; the process starts it again');
      if (wait > 0 && !(await hasPassed(wait, stop.signal))) break;
      try {
        running = await startLocked(config);
        log.info('PostgreSQL runs again');
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started again; the process keeps trying');
      }
    }
  })();
  await shutdown.add(async () => {
    stop.abort();
    await watching;
    await running.release();
    await running.postgres.stop();
  });
  return running.postgres.url;
}

/** False as soon as the signal is aborted. */
async function hasPassed(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
  return !signal.aborted;
}

async function startLocked(config: Config) {
  const { startEmbeddedPostgres } = await import('../../sandbox/postgres/embedded.ts');
  const { lockDataDir } = await import('../../sandbox/data-dir-lock.ts');
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir });
  const lock = await lockDataDir(postgres.url).catch(async (error: unknown) => {
    if (!postgres.isAdopted) await postgres.stop();
    throw error;
  });
  if (lock === null) {
    throw new ConfigError([
      `DATA_DIR ${config.dataDir} is in use by another everyshare: stop that one, or set DATA_DIR and PORT to others.`,
    ]);
  }
  return { postgres, release: () => lock.release() };
}

const COMMAND_LOCK_WAIT_MS = 60_000;
const COMMAND_LOCK_POLL_MS = 50;

/** The embedded database of a running server, or one started for this command while it holds the command lock. */
export async function findOrStartDatabase(config: Config, shutdown: Shutdown): Promise<string> {
  const { findEmbeddedPostgres, isUsedByOthers, startEmbeddedPostgres } = await import(
    '../../sandbox/postgres/embedded.ts'
  );
  const { acquireCommandLock, isCommandLockHeld } = await import('../../sandbox/command-lock.ts');
  for (
    const until = systemClock.now() + COMMAND_LOCK_WAIT_MS;
    systemClock.now() < until;
    await delay(COMMAND_LOCK_POLL_MS)
  ) {
    if (isCommandLockHeld(config.dataDir)) continue;
    const running = await findEmbeddedPostgres(config.dataDir);
    // Checked again: a database that another command has started in between stops with that command.
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
