// Mails due notices to the people of their venue. Notices are taken and their mails queued in one transaction, so that each
// person gets a notice once, from any number of workers. Several notices of one kind become one mail, and after some mails in
// a day they are joined into one an hour: none is lost.

import type { Clock } from '../../base/clock.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Seal } from '../../base/seal.ts';
import { queueMail } from '../mail/mail.ts';
import type { Notice } from '../notices/notice.ts';
import { takeDueNotices } from '../notices/queries.ts';
import { findVenue } from '../venues/queries.ts';
import { sealNameOfAccount } from './account.ts';
import { noticeMail } from './notice-mails.ts';
import { preferencesFor } from './notification-queries.ts';
import { wantsNotice } from './notifications.ts';
import { listPeople } from './people-queries.ts';

export interface NotifyServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  /** False: this installation sends no mail, and notices lead to none. */
  readonly hasMail: boolean;
  readonly consoleUrl: () => string;
}

const NOTICES_PER_MAIL = 100;

/** One step of the worker: up to `batch` mails' worth of notices. Returns how many notices it took. */
export async function notifyDuePeople(services: NotifyServices, batch: number): Promise<number> {
  let taken = 0;
  for (let group = 0; group < batch; group++) {
    const notices = await services.db.transaction(async (tx) => {
      const due = await takeDueNotices(tx, services.clock.now(), NOTICES_PER_MAIL);
      if (due !== null && due.length > 0 && services.hasMail) await queueMails(tx, services, due);
      return due?.length ?? null;
    });
    if (notices === null) return taken;
    taken += notices;
  }
  return taken;
}

async function queueMails(tx: Queryable, services: NotifyServices, notices: readonly Notice[]): Promise<void> {
  const [first] = notices;
  const venue = first === undefined ? null : await findVenue(tx, first.venueId);
  if (first === undefined || venue === null || venue.revoked_at !== null) return;
  const choices = new Map(
    (await preferencesFor(tx, venue.id, first.kind)).map(({ accountId, enabled }) => [accountId, enabled]),
  );
  for (const { accountId, email: sealed, role } of await listPeople(tx, venue.id)) {
    if (!wantsNotice(first.kind, role, choices.get(accountId))) continue;
    const email = services.seal.open(sealed, sealNameOfAccount(accountId));
    const mail = noticeMail({ email, role }, notices, venue, services.consoleUrl());
    await queueMail(tx, services, 'notice', `${first.id} ${accountId}`, mail);
  }
}
