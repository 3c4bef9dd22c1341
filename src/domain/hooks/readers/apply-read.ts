// Applies what was read, as if it had come in the delivery: by the reader's objects, through the same merge, validation
// and upsert. In the same transaction the deliveries and catalogue runs that wait for the object get its outcome.

import type { Queryable } from '../../../base/db.ts';
import { applyChanges, combineOutcomes } from '../apply-delivery.ts';
import type { AppliedDelivery } from '../deliveries/queries.ts';
import { recordReadOutcome } from '../deliveries/reading-queries.ts';
import type { BodyScope } from '../mapping/body.ts';
import { allHold } from '../mapping/conditions.ts';
import { interpretObject } from '../mapping/interpret.ts';
import { mappingOf } from '../mapping/read-mappings.ts';
import { cancelOffering } from '../merge.ts';
import { contentOf, type HookContext, type Outcome, outcome, upsertFromHook } from '../upsert-from-hook.ts';
import {
  type DueRead,
  deleteEndedWait,
  deleteWaits,
  endWaits,
  finishRead,
  hasWaits,
  outcomesOf,
} from './read-queries.ts';
import { objectEntryOf, readEntryOf } from './read-readers.ts';
import type { ClaimedReader } from './reader-queries.ts';
import { nameOfObject } from './request-reads.ts';
import { countSynced, endSync } from './sync-queries.ts';
import type { Values } from './template.ts';

/** A menu has several hundred items; one read is one transaction. */
const MAX_OBJECTS = 500;

/** One outcome for each change. */
export async function applyDocument(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  read: DueRead,
  document: Values,
): Promise<Outcome[]> {
  const reader = context.readers.get(claimed.provider);
  if (reader === undefined) throw new Error(`provider ${claimed.provider} has no reader`);
  const entry = readEntryOf(reader, read.read_name);
  const scope: BodyScope = { root: document, bound: [] };
  const isCanceled = entry.cancel_where !== undefined && allHold(entry.cancel_where, scope);
  const object = objectEntryOf(reader, entry.object);
  const action = isCanceled ? 'cancel' : 'upsert';
  const interpretation = interpretObject(object, action, scope, claimed.defaults, MAX_OBJECTS);
  if (interpretation.result === 'whole' || interpretation.result === 'emptied')
    throw new Error('a reader has no whole objects and no bookings');
  if (interpretation.result !== 'change') return [outcome(interpretation.result, interpretation.reason, null)];
  const source: AppliedDelivery = { ...claimed, received_at: claimed.claimed_at };
  const outcomes = await applyChanges(tx, context, source, interpretation.changes);
  return outcomes.map((result) => readOutcome(result, isCanceled));
}

/** There is nothing more to read: what is still missing is missing in the API as well. */
function readOutcome(result: Outcome, isCanceled: boolean): Outcome {
  if (isCanceled && result.status === 'unmapped') return outcome('ignored', NOT_ON_SALE, result.offering);
  return result.status === 'needs_api_read' ? { ...result, status: 'unmapped' } : result;
}

const NOT_ON_SALE = 'The object is not on sale, and the venue has no offering of it.';

/** The object no longer exists: its offering can no longer be booked, where the reader says so. */
export async function applyGone(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  read: DueRead,
): Promise<Outcome> {
  const reader = context.readers.get(claimed.provider);
  const { name } = mappingOf(context.mappings, claimed.provider);
  const reason = `The object no longer exists in ${name}.`;
  const isCancel = reader !== undefined && readEntryOf(reader, read.read_name).gone === 'cancel';
  const externalId = read.offering_external_id;
  const before = isCancel && externalId !== null ? await contentOf(tx, context, externalId) : null;
  if (before === null) return outcome('ignored', reason, null);
  const result = await upsertFromHook(tx, context, cancelOffering(before));
  return result.status === 'applied' ? { ...result, reason: `${reason} It can no longer be booked.` } : result;
}

/** Ends the read, and records its outcome with everything that waits for it. */
export async function settleRead(
  tx: Queryable,
  claimed: ClaimedReader,
  read: DueRead,
  outcomes: readonly Outcome[],
  { isRead, now }: { readonly isRead: boolean; readonly now: number },
): Promise<void> {
  const combined = combineOutcomes(outcomes);
  const offering = outcomes.length === 1 ? combined.offering : null;
  await finishRead(tx, claimed, read, { isRead, offering, now });
  for (const { waiter_id: waiter } of await endWaits(tx, claimed, read, combined)) {
    if (waiter.startsWith('syn_')) await settleSync(tx, claimed, read, waiter, outcomes, now);
    else await settleDelivery(tx, claimed.venue_id, waiter, now);
  }
}

async function settleDelivery(tx: Queryable, venueId: string, deliveryId: string, now: number): Promise<void> {
  const outcomes = await outcomesOf(tx, venueId, deliveryId);
  if (outcomes === null) return;
  await recordReadOutcome(tx, venueId, deliveryId, combineOutcomes(outcomes), now);
  await deleteWaits(tx, venueId, deliveryId);
}

async function settleSync(
  tx: Queryable,
  claimed: ClaimedReader,
  read: DueRead,
  syncId: string,
  outcomes: readonly Outcome[],
  now: number,
): Promise<void> {
  const object = nameOfObject(read.read_name, read.variables);
  const count = (effect: Outcome['effect']): number => outcomes.filter((one) => one.effect === effect).length;
  const skipped = outcomes
    .filter(({ effect }) => effect === undefined)
    .map(({ offering, reason }) => ({ object: offering ?? object, reason: reason ?? 'It changes nothing.' }));
  await countSynced(tx, claimed.venue_id, syncId, {
    read: 1,
    created: count('created'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    skipped,
  });
  await deleteEndedWait(tx, claimed.venue_id, syncId, read.object_hash);
  if (!(await hasWaits(tx, claimed.venue_id, syncId)))
    await endSync(tx, claimed.venue_id, syncId, { status: 'finished', reason: null, now });
}
