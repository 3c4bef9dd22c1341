// Records a notice for each endpoint that has failed for an hour. One for each day of a last success: an endpoint that
// fails for three days is reported once, and one that works now and then at most once a day.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { recordNotice } from '../notices/record-notice.ts';
import { endpointsToAnnounce } from './failing-queries.ts';

/** One step of the worker. Returns how many notices are new. */
export async function noticeFailingEndpoints(
  { db, clock, ids }: { readonly db: Db; readonly clock: Clock; readonly ids: Ids },
  batch: number,
): Promise<number> {
  const now = clock.now();
  let recorded = 0;
  let page = await endpointsToAnnounce(db, null, now, batch);
  while (page.length > 0) {
    for (const { venueId, id, mode, url, lastSuccessDay } of page) {
      const subject = `${id} failing since ${lastSuccessDay ?? 'the first delivery'}`;
      const detail = { state: 'failing', endpoint: id, host: new URL(url).host };
      const notice = { venueId, mode, kind: 'endpoint', subject, detail } as const;
      if (await recordNotice(db, { ids, now }, notice)) recorded += 1;
    }
    page = page.length < batch ? [] : await endpointsToAnnounce(db, page.at(-1) ?? null, now, batch);
  }
  return recorded;
}
