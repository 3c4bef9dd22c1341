// Links a venue when every line of its checklist holds. The call that completes the last line does it in its transaction,
// under the lock of the venue's row. The worker does it for what completes elsewhere: the processor's answer, an origin,
// a setting of the operator, or two calls that completed two lines at once. One audit entry and one notice, because the
// venue's row changes once.

import type { Clock } from '../../base/clock.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { recordNotice } from '../notices/record-notice.ts';
import { findPayoutAccount, payableAmong } from '../payments/payout-account-queries.ts';
import { linkVenue } from '../venues/change-venue.ts';
import { findVenues, lockVenue, type VenueRow } from '../venues/queries.ts';
import { checklist, type GoLiveFacts, type GoLiveSettings } from './checklist.ts';
import { closeGoLive, findGoLive, openVenuesAfter } from './queries.ts';

type Command = Pick<CommandContext, 'ids' | 'actor' | 'now'>;

export async function readFacts(db: Queryable, venue: VenueRow): Promise<GoLiveFacts> {
  return {
    row: await findGoLive(db, venue.id),
    account: await findPayoutAccount(db, venue.id, 'live'),
    origins: venue.live_origins.filter((origin) => origin.startsWith('https://')),
  };
}

/** Whether the venue became linked. The payout account is not locked: its state may change at any time after. */
export async function linkWhenReady(
  tx: Queryable,
  command: Command,
  venueId: string,
  settings: GoLiveSettings,
): Promise<boolean> {
  const venue = await lockVenue(tx, venueId);
  if (venue === null || venue.revoked_at !== null) return false;
  if (venue.linked) {
    await closeGoLive(tx, venueId);
    return false;
  }
  const facts = await readFacts(tx, venue);
  if (!checklist(facts, settings).every(({ done }) => done)) return false;
  await linkVenue(tx, command, venueId, { by: 'checklist', domain: facts.row?.domain });
  await closeGoLive(tx, venueId);
  const notice = { venueId, mode: 'live', kind: 'live', subject: venueId, detail: {} } as const;
  await recordNotice(tx, command, notice);
  return true;
}

export interface LinkServices {
  readonly db: Db;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly goLive: GoLiveSettings;
}

const WORKER = { name: 'worker', via: 'worker', address: null, requestId: null } as const;

/** One step of the worker: looks at every venue with a verified domain that is not linked. Returns how many it linked. */
export async function linkReadyVenues({ db, ids, clock, log, goLive }: LinkServices, batch: number): Promise<number> {
  let linked = 0;
  let page = await openVenuesAfter(db, null, batch);
  while (page.length > 0) {
    const payable = new Set(await payableAmong(db, page, 'live'));
    const isLinked = new Set((await findVenues(db, page)).filter((venue) => venue.linked).map(({ id }) => id));
    for (const venueId of page.filter((id) => payable.has(id) || isLinked.has(id))) {
      const command = { ids, now: clock.now(), actor: WORKER };
      const isNew = await db.transaction((tx) => linkWhenReady(tx, command, venueId, goLive));
      if (isNew) log.info({ venue: venueId }, 'the checklist of a venue is complete; the worker linked it');
      linked += isNew ? 1 : 0;
    }
    page = page.length < batch ? [] : await openVenuesAfter(db, page.at(-1) ?? null, batch);
  }
  return linked;
}
