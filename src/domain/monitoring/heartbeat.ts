// A server or worker says every 20 seconds that it lives, with its version and how the card processor answered it. One
// that stops says so; one that dies is no longer listed after a minute.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { endProcess, type Outcome, type ProcessRole, type ProcessRow, recordProcess } from './process-queries.ts';

const INTERVAL_MS = 20_000;

export interface HeartbeatServices {
  readonly db: Db;
  readonly clock: Clock;
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

/** The first beat is written before this resolves. A beat that cannot be written is logged: the process goes on. */
export async function startHeartbeat(
  { db, clock, ids, log }: HeartbeatServices,
  identity: ProcessIdentity,
  outcomes: () => Record<string, Outcome>,
): Promise<Heartbeat> {
  const id = ids.uuid();
  const startedAt = clock.now();
  let writing: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    const row: ProcessRow = { ...identity, id, startedAt, seenAt: clock.now(), outcomes: outcomes() };
    await recordProcess(db.background, row).catch((error: unknown) =>
      log.warn({ err: error }, 'the process could not record that it lives'),
    );
  };
  await beat();
  const timer = setInterval(() => {
    writing = writing.then(beat);
  }, INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await writing;
      await endProcess(db.background, id, clock.now()).catch((error: unknown) =>
        log.warn({ err: error }, 'the process could not record that it stops'),
      );
    },
  };
}
