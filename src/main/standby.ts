// Opens the standby of DATABASE_READ_URL for a server. A standby that is down when the server starts is read once it is up.

import { systemMonotonicClock } from '../base/clock.ts';
import type { Config } from '../base/config.ts';
import { type Db, openDb } from '../base/db.ts';
import type { Log } from '../base/log.ts';
import type { Shutdown } from '../base/shutdown.ts';
import { type Reads, readFromPrimary, readFromStandby } from '../base/standby-reads.ts';

export async function openReads(config: Config, primary: Db, log: Log, shutdown: Shutdown): Promise<Reads> {
  if (config.databaseReadUrl === null) return readFromPrimary(primary);
  const standby = openDb({
    url: config.databaseReadUrl,
    connections: config.databaseConnections,
    pooled: config.databasePooled,
    applicationName: 'everyshare-reads',
    acceptsStandby: true,
    onLost: (error) => log.info({ err: error }, 'a connection to the standby was lost'),
  });
  await shutdown.add(() => standby.close());
  return readFromStandby({ primary, standby, elapsed: systemMonotonicClock, log });
}
