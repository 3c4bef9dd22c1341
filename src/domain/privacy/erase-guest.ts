// `everyshare guest erase`: takes a person out of the database. Names, phone, mail address, texts, mails and sessions go;
// amounts, states, times, cards' last digits and the audit log stay, with an id that leads to no one. Values that only
// reading finds come first, while the names are still known; the rest is one transaction with its audit entry. After a
// crash the same command goes on; when nothing is left it changes nothing.

import type { CommandContext } from '../../base/command-context.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { SealedColumn } from '../../base/seal.ts';
import { eraseShares, lockCheckoutTexts, replaceCheckoutText } from '../checkouts/guests/privacy-queries.ts';
import { allowErasure, type EventText, eventsAbout, replaceEventData } from '../events/privacy-queries.ts';
import { deleteReceipts } from '../mail/privacy-queries.ts';
import { eraseMembers } from '../members/privacy-queries.ts';
import { auditInstallation } from '../venues/audit.ts';
import { deleteInboxCopies, deliveriesOf, replaceDeliveryText } from '../webhooks/privacy-queries.ts';
import { type FoundGuest, findGuest, memberIdsOf, type Person } from './find-guest.ts';
import { makeScrub, type Scrub, scrubJson, scrubValue } from './scrub-text.ts';
import { eraseSealed, makeSweep, sweptColumns } from './sweep-sealed.ts';

const ENDED = new Set(['completed', 'expired', 'canceled']);

/** A checkout of the person has not ended: its money is still moving. */
export class GuestIsPaying extends Error {
  readonly checkouts: readonly string[];

  constructor(checkouts: readonly string[]) {
    super(`the guest has ${checkouts.length} checkouts that have not ended: ${checkouts.join(', ')}`);
    this.name = 'GuestIsPaying';
    this.checkouts = checkouts;
  }
}

export interface Erasure {
  /** Rows that had something of the person, by kind. */
  readonly erased: {
    readonly people: number;
    readonly shares: number;
    readonly mails: number;
    readonly events: number;
    readonly sealed: number;
  };
  readonly checkouts: number;
}

export async function eraseGuest(
  db: Db,
  command: CommandContext,
  person: Person,
  sealedColumns: readonly SealedColumn[],
): Promise<Erasure> {
  const { seal } = command;
  const found = await findGuest(db, seal, person);
  requireEnded(found.shares.map(({ checkoutId, checkoutStatus }) => ({ checkoutId, status: checkoutStatus })));
  const sweep = await makeSweep(db, seal, found);
  let sealed = 0;
  for (const column of sweptColumns(sealedColumns)) sealed += await eraseSealed(sweep, column);
  return db.transaction(async (tx) => {
    // Found again: the person may have joined another party meanwhile.
    const current = await findGuest(tx, seal, person);
    const erasure = await eraseRows(tx, current, sealed);
    const { people, shares, mails, events } = erasure.erased;
    if (people + shares + mails + events + sealed > 0)
      await auditInstallation(tx, command, {
        action: 'guest.erase',
        subject: memberIdsOf(current).join(' ') || 'a mail address',
        detail: { ...erasure.erased, checkouts: erasure.checkouts },
      });
    return erasure;
  });
}

function requireEnded(checkouts: readonly { readonly checkoutId: string; readonly status: string }[]): void {
  const open = checkouts.filter(({ status }) => !ENDED.has(status)).map(({ checkoutId }) => checkoutId);
  if (open.length > 0) throw new GuestIsPaying([...new Set(open)]);
}

async function eraseRows(tx: Queryable, found: FoundGuest, sealed: number): Promise<Erasure> {
  const scrub = makeScrub(found.identifiers);
  const checkouts = await lockCheckoutTexts(tx, found.shares);
  requireEnded(checkouts);
  const shareIds = new Set(found.shares.map(({ shareId }) => shareId));
  await allowErasure(tx);
  let events = 0;
  for (const checkout of checkouts) {
    const { venueId, checkoutId, description, location, metadata } = checkout;
    const changed = {
      ...checkout,
      description: scrub(description),
      location: location === null ? null : scrub(location),
      metadata: metadata === null ? null : scrubJson(metadata, scrub),
    };
    if (JSON.stringify(changed) !== JSON.stringify(checkout)) await replaceCheckoutText(tx, changed);
    events += await eraseEvents(tx, await eventsAbout(tx, venueId, checkoutId), shareIds, scrub);
  }
  const mails = await deleteReceipts(tx, found.mailHash, found.receiptSubjects);
  const memberIds = memberIdsOf(found);
  const shares = await eraseShares(tx, memberIds);
  const people = found.phoneHash === null ? 0 : await eraseMembers(tx, memberIds, found.phoneHash);
  return { erased: { people, shares, mails, events, sealed }, checkouts: checkouts.length };
}

/** Returns how many events named the person. */
async function eraseEvents(
  tx: Queryable,
  events: readonly EventText[],
  shareIds: ReadonlySet<string>,
  scrub: Scrub,
): Promise<number> {
  const named: EventText[] = [];
  for (const event of events) {
    const parsed: unknown = JSON.parse(event.data);
    const without = scrubValue(withoutNames(parsed, shareIds), scrub);
    if (JSON.stringify(without) !== JSON.stringify(parsed)) {
      await replaceEventData(tx, { ...event, data: JSON.stringify(without) });
      named.push(event);
    }
    for (const delivery of await deliveriesOf(tx, event)) {
      const changed = {
        ...delivery,
        lastResponse: delivery.lastResponse === null ? null : scrub(delivery.lastResponse),
        lastError: delivery.lastError === null ? null : scrub(delivery.lastError),
        earlierAttempts: delivery.earlierAttempts === null ? null : scrubJson(delivery.earlierAttempts, scrub),
      };
      if (JSON.stringify(changed) !== JSON.stringify(delivery)) await replaceDeliveryText(tx, changed);
    }
  }
  const [first] = named;
  const ids = named.map(({ id }) => id);
  if (first !== undefined) await deleteInboxCopies(tx, first.venueId, ids);
  return named.length;
}

/** The shares of the person, in an object of an event, lose their `display_name`. Names of others stay. */
function withoutNames(value: unknown, shareIds: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, shareIds));
  if (typeof value !== 'object' || value === null) return value;
  const { id } = value as { readonly id?: unknown };
  const isTheirs = typeof id === 'string' && shareIds.has(id) && 'display_name' in value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isTheirs && key === 'display_name' ? null : withoutNames(item, shareIds),
    ]),
  );
}
