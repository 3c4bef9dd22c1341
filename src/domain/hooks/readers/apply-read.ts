// Applies what was read, as if it had come in the delivery: by the reader's objects, through the same merge, validation
// and upsert. In the same transaction the deliveries and catalogue runs that wait for the object get its outcome.

import type { Reader } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { applyChanges, combineOutcomes, lockOfferings } from '../apply-delivery.ts';
import { type AppliedDelivery, findObject, findSharedObject, storeObject } from '../deliveries/queries.ts';
import { forgetMissingObjects, recordReadOutcome } from '../deliveries/reading-queries.ts';
import { hashOf } from '../delivery-order.ts';
import { type BodyScope, itemScopes, valueAt } from '../mapping/body.ts';
import { areAllMet } from '../mapping/conditions.ts';
import { type Change, interpretObject, type UnreadableObject } from '../mapping/interpret.ts';
import { mappingOf } from '../mapping/read-mappings.ts';
import { cancelOffering } from '../merge.ts';
import {
  contentOf,
  type HookContext,
  NEWER_WAS_APPLIED,
  type Outcome,
  outcome,
  ownershipConflict,
  upsertFromHook,
} from '../upsert-from-hook.ts';
import { ReadFailure } from './call-provider.ts';
import { stopOfRead } from './fetch-object.ts';
import {
  type DueRead,
  deleteEndedWait,
  deleteWaits,
  endWaits,
  finishRead,
  hasWaits,
  outcomesOf,
  type ReadEnd,
} from './read-queries.ts';
import { objectEntryOf, type ReadEntry, type ReadObject, readEntryOf } from './read-readers.ts';
import type { ClaimedReader } from './reader-queries.ts';
import { nameOfObject } from './request-reads.ts';
import { countSynced, finishSync } from './sync-queries.ts';
import type { Values } from './template.ts';

/** A menu has several hundred items, of which some are in several groups. */
const MAX_OBJECTS = 5_000;

/** What a read changes, or its outcome if it changes nothing. */
export interface DocumentChanges {
  readonly changes: readonly ReadChange[];
  readonly isCanceled: boolean;
  /** The answers name every object of a list: what is known from an earlier read and not among them is off sale. */
  readonly isWholeList: boolean;
  readonly otherwise: Outcome | null;
}

type ReadChange = Change | UnreadableObject;

/** Interprets the answers of a read. Pure. */
export function changesOf(claimed: ClaimedReader, reader: Reader, read: DueRead, document: Values): DocumentChanges {
  const entry = readEntryOf(reader, read.read_name);
  const scope: BodyScope = { root: document, bound: [] };
  const stop = stopOfRead(entry, document);
  const isCanceled = stop?.means === 'cancel';
  if (stop?.means === 'fail') throw new ReadFailure('failed', stop.why ?? STOPPED);
  if (stop?.means === 'ignore')
    return { changes: [], isCanceled, isWholeList: false, otherwise: outcome('ignored', stop.why ?? STOPPED, null) };
  // The list was not read, and everything that it has named before is off sale.
  if (isCanceled && entry.whole_list === true)
    return { changes: [], isCanceled, isWholeList: true, otherwise: outcome('ignored', LIST_NOT_ON_SALE, null) };
  const { each_where, ...every } = objectEntryOf(reader, entry.object);
  const object = isCanceled || each_where === undefined ? every : { ...every, each_where };
  const action = isCanceled ? 'cancel' : 'upsert';
  const interpretation = interpretObject(object, action, scope, claimed.defaults, MAX_OBJECTS);
  if (interpretation.result === 'whole' || interpretation.result === 'emptied')
    throw new Error('a reader has no whole objects and no bookings');
  if (interpretation.result !== 'change') {
    const otherwise = outcome(interpretation.result, interpretation.reason, null);
    return { changes: [], isCanceled, isWholeList: isEmptyList(entry, object, scope), otherwise };
  }
  const changes = withoutRepetitions(interpretation.changes);
  return { changes, isCanceled, isWholeList: entry.whole_list === true, otherwise: null };
}

/** A whole list that is there, and of which nothing is sold. An answer of another shape says nothing of what is sold. */
function isEmptyList(entry: ReadEntry, { each, each_where }: ReadObject, scope: BodyScope): boolean {
  if (entry.whole_list !== true || each === undefined) return false;
  if (itemScopes(scope, each).some((item) => areAllMet(each_where, item))) return false;
  const collected = entry.steps.flatMap(({ name, collect = {} }) =>
    (collect[each.slice(0, -2)] ?? []).map((path) => `${name}.${path}`),
  );
  const lists = (collected.length > 0 ? collected : [each]).map((path) => valueAt(scope, path.split('[]', 1)[0] ?? ''));
  return lists.some((list) => Array.isArray(list) || (list === undefined && entry.empty_list_is_left_out === true));
}

/** An item of a menu can be in several groups: it is one offering, and the first counts. */
function withoutRepetitions(changes: readonly ReadChange[]): ReadChange[] {
  const names = new Set<string>();
  return changes.filter((change) => {
    if ('problem' in change) return true;
    const isNew = !names.has(change.object.name);
    names.add(change.object.name);
    return isNew;
  });
}

/** A read is at least as new as the delivery that caused it, also if the clocks of the server and the database differ. */
function sourceOf(claimed: ClaimedReader, read: DueRead): AppliedDelivery {
  return { ...claimed, received_at: claimed.claimed_at > read.wanted_at ? claimed.claimed_at : read.wanted_at };
}

/** Applies some of the changes: one outcome for each. */
export async function applyPart(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  read: DueRead,
  { isCanceled, isWholeList }: DocumentChanges,
  part: readonly ReadChange[],
): Promise<Outcome[]> {
  const source = { ...sourceOf(claimed, read), ...(isWholeList ? { readHash: read.object_hash } : {}) };
  const outcomes = await applyChanges(tx, context, source, part);
  return outcomes.map((result) => readOutcome(result, isCanceled));
}

/** Takes objects off sale that an earlier read of the whole list named and this one does not: at most `limit`. */
export async function applyMissing(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  read: DueRead,
  { changes }: DocumentChanges,
  limit: number,
): Promise<Outcome[]> {
  const named = changes.flatMap(({ externalId }) => (externalId === null ? [] : [externalId]));
  const { name } = mappingOf(context.mappings, claimed.provider);
  const outcomes: Outcome[] = [];
  for (const missing of await forgetMissingObjects(tx, claimed, read.object_hash, named, limit))
    outcomes.push(await takeOffSale(tx, context, sourceOf(claimed, read), missing, `${name} no longer lists it.`));
  return outcomes;
}

/** There is nothing more to read: what is still missing is missing in the API as well. */
function readOutcome(result: Outcome, isCanceled: boolean): Outcome {
  if (isCanceled && result.status === 'unmapped') return outcome('ignored', NOT_ON_SALE, result.offering);
  return result.status === 'needs_api_read' ? { ...result, status: 'unmapped' } : result;
}

const STOPPED = 'The answers of the venue system change no offering.';
const LIST_NOT_ON_SALE = 'Nothing of this list is on sale.';
const NOT_ON_SALE = 'The object is not on sale, and the venue has no offering of it.';

/** The object no longer exists: its offering can no longer be booked, where the reader says so. */
export async function applyGone(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  reader: Reader,
  read: DueRead,
): Promise<Outcome> {
  const { name } = mappingOf(context.mappings, claimed.provider);
  const reason = `The object no longer exists in ${name}.`;
  const { gone, gone_ids, object } = readEntryOf(reader, read.read_name);
  if (gone !== 'cancel') return outcome('ignored', reason, null);
  const { thing } = objectEntryOf(reader, object).order;
  // Another read than this one may have made the offering, so the object is looked up by its own ids.
  const hash =
    gone_ids === undefined ? null : hashOf(JSON.stringify([thing, ...gone_ids.map((id) => read.variables[id] ?? '')]));
  const known = hash === null ? null : await findSharedObject(tx, claimed, hash);
  const offering = known?.offering_external_id ?? read.offering_external_id;
  if (offering === null) return outcome('ignored', reason, null);
  return takeOffSale(tx, context, sourceOf(claimed, read), { hash, offering }, reason);
}

/** Ends what can be booked of an offering, unless something newer was applied or another system owns it. */
async function takeOffSale(
  tx: Queryable,
  context: HookContext,
  source: AppliedDelivery,
  { hash, offering }: { readonly hash: Buffer | null; readonly offering: string },
  reason: string,
): Promise<Outcome> {
  await lockOfferings(tx, context);
  const known = hash === null ? null : await findObject(tx, source, hash);
  if (known !== null && source.received_at < known.received_at)
    return outcome('superseded', NEWER_WAS_APPLIED, offering);
  const refusal = await ownershipConflict(tx, context, offering);
  if (refusal !== null) return outcome('failed', refusal, offering);
  const before = await contentOf(tx, context, offering);
  if (before === null) return outcome('ignored', reason, offering);
  if (hash !== null)
    await storeObject(tx, source, hash, { version: null, receivedAt: source.received_at, offering, optionSeats: null });
  const result = await upsertFromHook(tx, context, cancelOffering(before));
  return result.status === 'applied' ? { ...result, reason: `${reason} It can no longer be booked.` } : result;
}

/** Ends the read, and records its outcome with everything that waits for it. */
export async function settleRead(
  tx: Queryable,
  claimed: ClaimedReader,
  read: DueRead,
  outcomes: readonly Outcome[],
  end: ReadEnd,
): Promise<void> {
  const combined = combineOutcomes(outcomes);
  const offering = outcomes.length === 1 ? combined.offering : null;
  const ended = await endWaits(tx, claimed, read, combined);
  const isOutdated = outcomes.some((one) => one.isOutdated === true);
  await finishRead(tx, claimed, read, { ...end, isOutdated }, offering);
  for (const { waiter_id: waiter } of ended) {
    if (waiter.startsWith('syn_')) await settleSync(tx, claimed, read, waiter, outcomes, end.now);
    else await settleDelivery(tx, claimed.venue_id, waiter, end.now);
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
  if (!(await hasWaits(tx, claimed.venue_id, syncId))) await finishSync(tx, claimed.venue_id, syncId, now);
}
