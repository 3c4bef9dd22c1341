// Limits how many new phones an organizer names in a day, because each may get an invite. A phone is new if this
// organizer has not named it before. Whether a member has it makes no difference, so the limit reveals nothing about it.

import type { Queryable } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';
import { requireDailyUses } from '../keys/daily-limit.ts';
import { hashOfPhone } from './phone.ts';
import { insertNamedPhones } from './queries.ts';

const NEW_PHONES_PER_DAY = 100;

/** Throws 429 over the limit; a party that is refused later counts nothing. */
export async function countNewPhones(
  tx: Queryable,
  { seal, now }: { readonly seal: Seal; readonly now: number },
  organizerId: string,
  phones: readonly string[],
): Promise<void> {
  if (phones.length === 0) return;
  const hashes = phones.map((phone) => hashOfPhone(seal, phone));
  const added = await insertNamedPhones(tx, organizerId, hashes, now);
  const rule = `An organizer can name at most ${NEW_PHONES_PER_DAY} new phones in a day. Leave seats open and share the link, or name people you named before.`;
  await requireDailyUses(tx, { subject: `new phones ${organizerId}`, limit: NEW_PHONES_PER_DAY }, added, rule);
}
