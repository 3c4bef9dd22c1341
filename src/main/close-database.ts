// What happens with the database and the traces when the process stops.

import type { Db } from '../base/db.ts';
import type { Shutdown } from '../base/shutdown.ts';
import type { Tracing } from '../base/tracing/tracing.ts';

/** The traces are sent before the database closes, because the last export of the metrics reads the figures. */
export async function closeDatabaseAtStop(
  shutdown: Shutdown,
  db: Pick<Db, 'close'>,
  tracing: Pick<Tracing, 'close'> | null,
): Promise<void> {
  // Steps run in the reverse order.
  await shutdown.add(() => db.close());
  if (tracing !== null) await shutdown.add(() => tracing.close());
}
