// `everyshare guest erase`: takes a person out of the database. Names, phone, mail address, texts, mails and sessions go;
// amounts, states, times, cards' last digits and the audit log stay, with an id that leads to no one. One transaction erases
// the rows, and stores what they had, sealed; the sealed values that only reading finds follow, and then that copy goes.
// After a crash the same command goes on; when nothing is left it changes nothing.

import type { CommandContext } from '../../base/command-context.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Seal, SealedColumn } from '../../base/seal.ts';
import {
  type CheckoutText,
  eraseShares,
  lockCheckoutTexts,
  replaceCheckoutText,
} from '../checkouts/guests/privacy-queries.ts';
import { allowErasure, type EventText, eventsAbout, replaceEventData } from '../events/privacy-queries.ts';
import { deleteReceipts } from '../mail/privacy-queries.ts';
import { eraseMembers } from '../members/privacy-queries.ts';
import { reasonsOf, replaceReason } from '../payments/privacy-queries.ts';
import { auditInstallation, removeRefundReasons } from '../venues/audit.ts';
import {
  type DeliveryText,
  deleteInboxCopies,
  deliveriesOf,
  replaceDeliveryText,
} from '../webhooks/privacy-queries.ts';
import { endErasure, lockErasure, saveErasure, sealNameOfErasure } from './erasure-queries.ts';
import {
  type FoundGuest,
  findGuest,
  hashOfPerson,
  joinMarks,
  marksOf,
  memberIdsOf,
  type Person,
  type SweepMarks,
} from './find-guest.ts';
import { makeScrubs, scrubAllValues, scrubOwnJson, scrubTheirJson } from './scrub-json.ts';
import { scrubUrl } from './scrub-text.ts';
import { eraseSealed, type SweepResult } from './sweep-sealed.ts';

const ENDED = new Set(['completed', 'expired', 'canceled']);

/** Nothing was erased: money of the person is moving, or bytes about them are being sent. */
export class ErasureMustWait extends Error {
  /** Of the checkouts or deliveries. */
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'ErasureMustWait';
    this.remedy = remedy;
  }
}

interface ErasedRows {
  readonly people: number;
  readonly shares: number;
  readonly mails: number;
  readonly events: number;
  /** With a text that named the person. */
  readonly bookings: number;
}

export interface Erasure {
  /** Rows that had something of the person, by kind. */
  readonly erased: ErasedRows & { readonly sealed: number };
  readonly checkouts: number;
  readonly waiting: SweepResult['waiting'];
  readonly unreadable: SweepResult['unreadable'];
  readonly firstUnreadable: SweepResult['firstUnreadable'];
}

export async function eraseGuest(
  db: Db,
  command: CommandContext,
  person: Person,
  sealedColumns: readonly SealedColumn[],
): Promise<Erasure> {
  const { seal } = command;
  const personHash = hashOfPerson(seal, person);
  const { rows, found, marks, run } = await db.transaction(async (tx) => {
    const earlier = await readMarks(tx, seal, personHash);
    const current = await findGuest(tx, seal, person);
    const own = await marksOf(tx, current);
    const joined = earlier === null ? own : joinMarks(own, earlier);
    const erasedRows = await eraseRows(tx, current, joined);
    if (Object.values(erasedRows).some((count) => count > 0))
      await auditErasure(tx, command, current, { ...erasedRows, checkouts: current.checkouts.length });
    const text = seal.seal(JSON.stringify(joined), sealNameOfErasure(personHash.toString('hex')));
    return {
      rows: erasedRows,
      found: current,
      marks: joined,
      run: await saveErasure(tx, personHash, text, command.now),
    };
  });
  const swept = await eraseSealed({ db, seal, marks, sealed: sealedColumns });
  const { erased: sealed, waiting, unreadable } = swept;
  await db.transaction(async (tx) => {
    if (waiting + unreadable === 0) await endErasure(tx, personHash, run);
    if (sealed > 0) await auditErasure(tx, command, found, { sealed, waiting, unreadable });
  });
  const { firstUnreadable } = swept;
  return { erased: { ...rows, sealed }, checkouts: found.checkouts.length, waiting, unreadable, firstUnreadable };
}

/** Of an earlier run that has not ended. */
async function readMarks(tx: Queryable, seal: Seal, personHash: Buffer): Promise<SweepMarks | null> {
  const sealed = await lockErasure(tx, personHash);
  return sealed === null
    ? null
    : (JSON.parse(seal.open(sealed, sealNameOfErasure(personHash.toString('hex')))) as SweepMarks);
}

async function auditErasure(
  tx: Queryable,
  command: CommandContext,
  found: FoundGuest,
  detail: Readonly<Record<string, number>>,
): Promise<void> {
  const subject = memberIdsOf(found).join(' ') || 'a mail address';
  await auditInstallation(tx, command, { action: 'guest.erase', subject, detail });
}

function requireEnded(checkouts: readonly CheckoutText[]): void {
  const open = checkouts.filter(({ status }) => !ENDED.has(status)).map(({ checkoutId }) => checkoutId);
  if (open.length > 0)
    throw new ErasureMustWait(
      `the guest has ${open.length} checkouts that have not ended: ${open.join(', ')}`,
      'wait until they have ended, or cancel them',
    );
}

async function eraseRows(tx: Queryable, found: FoundGuest, marks: SweepMarks): Promise<ErasedRows> {
  const checkouts = await lockCheckoutTexts(tx, found.checkouts);
  requireEnded(checkouts);
  await allowErasure(tx);
  let events = 0;
  let bookings = 0;
  for (const checkout of checkouts) {
    const { venueId, checkoutId } = checkout;
    if (await eraseCheckoutTexts(tx, checkout, marks)) bookings++;
    events += await eraseEvents(tx, venueId, await eventsAbout(tx, venueId, checkoutId), marks);
    await removeRefundReasons(tx, venueId, checkoutId);
  }
  const mails = await deleteReceipts(tx, found.mailHash, found.receiptSubjects);
  const memberIds = memberIdsOf(found);
  const shares = await eraseShares(tx, memberIds);
  const people = await eraseMembers(tx, memberIds, found.phoneHash);
  return { people, shares, mails, events, bookings };
}

/** True: a text named the person. */
async function eraseCheckoutTexts(tx: Queryable, checkout: CheckoutText, marks: SweepMarks): Promise<boolean> {
  const { all } = makeScrubs(marks.identifiers);
  const { location, cancelUrl } = checkout;
  const changed = {
    ...checkout,
    description: all(checkout.description),
    location: location === null ? null : all(location),
    metadata: scrubAllValues(checkout.metadata, all),
    returnUrl: scrubUrl(checkout.returnUrl, all),
    cancelUrl: cancelUrl === null ? null : scrubUrl(cancelUrl, all),
  };
  let isNamed = JSON.stringify(changed) !== JSON.stringify(checkout);
  if (isNamed) await replaceCheckoutText(tx, changed);
  for (const movement of await reasonsOf(tx, checkout.venueId, checkout.checkoutId)) {
    const reason = all(movement.reason);
    if (reason === movement.reason) continue;
    await replaceReason(tx, { ...movement, reason });
    isNamed = true;
  }
  return isNamed;
}

/** Returns how many events named the person. */
async function eraseEvents(
  tx: Queryable,
  venueId: string,
  events: readonly EventText[],
  marks: SweepMarks,
): Promise<number> {
  const named = events
    .map((event) => ({ event, data: scrubOwnJson(event.data, marks) }))
    .filter(({ event, data }) => data !== event.data);
  const ids = named.map(({ event }) => event.id);
  const deliveries = await deliveriesOf(tx, venueId, events);
  requireNotRetried(deliveries.filter(({ eventId, isRetried }) => isRetried && ids.includes(eventId)));
  for (const { event, data } of named) await replaceEventData(tx, { ...event, data });
  for (const delivery of deliveries) {
    const changed = scrubDelivery(delivery, marks);
    if (JSON.stringify(changed) !== JSON.stringify(delivery)) await replaceDeliveryText(tx, changed);
  }
  if (ids.length > 0) await deleteInboxCopies(tx, venueId, ids);
  return named.length;
}

/** A receiver may compare the bytes of a retry with those of the first try, so they must not change between the two. */
function requireNotRetried(deliveries: readonly DeliveryText[]): void {
  if (deliveries.length === 0) return;
  const names = deliveries.map(({ eventId, endpointId }) => `${eventId} to ${endpointId}`).join(', ');
  throw new ErasureMustWait(
    `${deliveries.length} webhook deliveries about the guest are being tried again: ${names}`,
    'wait until they are delivered or have failed (72 hours at most), or delete their endpoint',
  );
}

/** What the receiver answered: it can repeat the event. */
function scrubDelivery(delivery: DeliveryText, marks: SweepMarks): DeliveryText {
  const { lastResponse, lastError, earlierAttempts } = delivery;
  const scrub = (text: string | null): string | null => (text === null ? null : scrubTheirJson(text, marks));
  return {
    ...delivery,
    lastResponse: scrub(lastResponse),
    lastError: scrub(lastError),
    earlierAttempts: scrub(earlierAttempts),
  };
}
