// A server or worker says every 20 seconds that it lives, with its version and how the card processor answered it. One
// that stops says so; one that dies is no longer listed after a minute. After each beat it looks whether the database still
// serves its release: a newer one that saw no beat (of a process that was just starting, or was stopped for a minute) may
// have taken away what it reads.

import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { readReleases, requireSupported, UnsupportedRelease } from '../../base/releases.ts';
import { endProcess, type Outcome, type ProcessRole, recordProcess } from './process-queries.ts';

const INTERVAL_MS = 20_000;
/** A database that does not answer must not delay the stop of the process. */
const MAX_STOP_MS = 2_000;

export interface HeartbeatServices {
  readonly db: Db;
  readonly ids: Ids;
  readonly log: Log;
}

export interface ProcessIdentity {
  readonly role: ProcessRole;
  readonly version: string;
  readonly schemaVersion: number;
  readonly host: string;
}

export interface Heartbeat {
  stop(): Promise<void>;
}

export interface HeartbeatOptions {
  readonly maxStopMs?: number;
  readonly intervalMs?: number;
  /** Called once, when the database no longer serves this release: the process must stop. */
  readonly onUnsupported?: (error: UnsupportedRelease) => void;
}

/**
 * The first beat is written before this resolves; throws UnsupportedRelease if the database does not serve this release. A
 * beat that cannot be written is logged: the process goes on.
 */
export async function startHeartbeat(
  { db, ids, log }: HeartbeatServices,
  identity: ProcessIdentity,
  outcomes: () => Record<string, Outcome>,
  { maxStopMs = MAX_STOP_MS, intervalMs = INTERVAL_MS, onUnsupported = () => undefined }: HeartbeatOptions = {},
): Promise<Heartbeat> {
  const id = ids.uuid();
  let writing: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    try {
      await recordProcess(db.monitoring, { ...identity, id, outcomes: outcomes() });
      requireSupported(identity.version, await readReleases(db.monitoring));
    } catch (error) {
      if (error instanceof UnsupportedRelease) throw error;
      log.warn({ err: error }, 'the process could not record that it lives');
    }
  };
  await beat().catch(async (error: unknown) => {
    await endProcess(db.monitoring, id);
    throw error;
  });
  const timer = setInterval(() => {
    writing = writing.then(beat).catch((error: unknown) => {
      clearInterval(timer);
      if (error instanceof UnsupportedRelease) onUnsupported(error);
    });
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      const ended = writing
        .then(() => endProcess(db.monitoring, id))
        .catch((error: unknown) => log.warn({ err: error }, 'the process could not record that it stops'));
      // The row is no longer listed after a minute in any case.
      await Promise.race([ended, delay(Math.min(maxStopMs, MAX_STOP_MS), undefined, { ref: false })]);
    },
  };
}
