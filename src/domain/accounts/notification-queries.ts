// The SQL of the mails that people choose.

import type { Queryable } from '../../base/db.ts';

export interface Preference {
  readonly accountId: string;
  readonly kind: string;
  readonly enabled: boolean;
}

const COLUMNS = 'account_id as "accountId", kind, enabled';

/** What one person has chosen in a venue. */
export async function preferencesOf(db: Queryable, venueId: string, accountId: string): Promise<Preference[]> {
  return db.query<Preference>(
    `select ${COLUMNS} from notification_preferences where venue_id = $1 and account_id = $2`,
    [venueId, accountId],
  );
}

/** What all people of a venue have chosen for mails of one kind. */
export async function preferencesFor(db: Queryable, venueId: string, kind: string): Promise<Preference[]> {
  return db.query<Preference>(`select ${COLUMNS} from notification_preferences where venue_id = $1 and kind = $2`, [
    venueId,
    kind,
  ]);
}

export async function setPreference(tx: Queryable, venueId: string, preference: Preference): Promise<void> {
  await tx.query(
    `insert into notification_preferences (venue_id, account_id, kind, enabled) values ($1, $2, $3, $4)
     on conflict (venue_id, account_id, kind) do update set enabled = excluded.enabled`,
    [venueId, preference.accountId, preference.kind, preference.enabled],
  );
}
