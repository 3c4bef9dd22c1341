// What needs a person of the venue, the most urgent first: checkouts whose guests do not pay, money that did not arrive,
// disputes, endpoints that fail, offerings that were rejected. Each list is bounded.

import type { Checkout, ConsoleHome } from '../../../../schemas/types.gen.ts';
import type { Db } from '../../../base/db.ts';
import { showActors } from '../../accounts/actors.ts';
import type { Caller } from '../../keys/caller.ts';
import { listOfferingRows } from '../../offerings/queries.ts';
import { moneyInNeed, unrenewedHolds } from '../../payments/overview-queries.ts';
import { failingEndpoints } from '../../webhooks/deliveries/queries.ts';
import { checkoutsNeedingAttention, collectingIds, viewsOf } from './attention-queries.ts';
import { checkoutRow, keyOf } from './checkout-row.ts';

type Item = ConsoleHome['attention']['data'][number];
type Found = Omit<Item, 'checkout'> & { readonly checkoutId: string | null };

/** Of each kind, and of the whole list. */
const MAX_OF_A_KIND = 10;
const MAX_ITEMS = 20;
const MAX_COLLECTING = 500;

/** The most urgent first. */
const ORDER: readonly Item['kind'][] = [
  'share_missing',
  'payout_failed',
  'dispute_open',
  'card_declined',
  'hold_not_renewed',
  'charging',
  'refund_failed',
  'endpoint_disabled',
  'endpoint_failing',
  'party_not_chosen',
  'offering_rejected',
];

export async function attentionOf(db: Db, caller: Caller): Promise<ConsoleHome['attention']> {
  const lists = await Promise.all([
    unpaidCheckouts(db, caller),
    moneyProblems(db, caller),
    brokenEndpoints(db, caller),
    rejectedOfferings(db, caller),
  ]);
  const found = lists
    .flat()
    .sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) || (one.at < other.at ? -1 : 1));
  const shown = found.slice(0, MAX_ITEMS);
  const rows = await checkoutRows(db, caller, shown);
  const data = shown.map(({ checkoutId, ...item }): Item => {
    const checkout = checkoutId === null ? null : (rows.get(checkoutId) ?? null);
    return { ...item, checkout };
  });
  return { count: found.length, data };
}

const NOTHING = { shares: 0, share_id: null, display_name: null, reason: null, subject_id: null, name: null } as const;

/** One line for each checkout: a share that is missing and near its time says more than that its card was declined. */
async function unpaidCheckouts(db: Db, { venue, mode, now }: Caller): Promise<Found[]> {
  const scope = { venueId: venue.id, mode, now };
  const [needs, collecting] = await Promise.all([
    checkoutsNeedingAttention(db, scope, MAX_OF_A_KIND),
    collectingIds(db, scope, MAX_COLLECTING),
  ]);
  const lapsing = await unrenewedHolds(db, venue.id, collecting);
  const found = [
    ...needs.map(
      ({ kind, checkoutId, at, shares, shareId, displayName }): Found => ({
        ...NOTHING,
        kind,
        at,
        checkoutId,
        shares,
        share_id: shareId,
        display_name: displayName,
      }),
    ),
    ...lapsing.slice(0, MAX_OF_A_KIND).map(
      ({ kind, checkoutId, shareId, at, reason }): Found => ({
        ...NOTHING,
        kind,
        at,
        checkoutId,
        shares: 1,
        share_id: shareId,
        reason,
      }),
    ),
  ];
  return found.filter((item, index) => found.findIndex(({ checkoutId }) => checkoutId === item.checkoutId) === index);
}

async function moneyProblems(db: Db, { venue, mode }: Caller): Promise<Found[]> {
  const problems = await moneyInNeed(db, venue.id, mode, MAX_OF_A_KIND);
  return problems.map(({ kind, checkoutId, shareId, subjectId, at, reason }) => ({
    ...NOTHING,
    kind,
    at,
    checkoutId,
    shares: 1,
    share_id: shareId,
    subject_id: subjectId,
    reason,
  }));
}

async function brokenEndpoints(db: Db, { venue, mode }: Caller): Promise<Found[]> {
  const endpoints = await failingEndpoints(db, venue.id, mode, MAX_OF_A_KIND);
  return endpoints.map(({ id, url, isDisabled, at, lastError }) => ({
    ...NOTHING,
    kind: isDisabled ? 'endpoint_disabled' : 'endpoint_failing',
    at,
    checkoutId: null,
    subject_id: id,
    name: url,
    reason: lastError,
  }));
}

async function rejectedOfferings(db: Db, { venue, mode }: Caller): Promise<Found[]> {
  const page = { status: 'rejected', before: null, limit: MAX_OF_A_KIND };
  const rows = await listOfferingRows(db, venue.id, mode, page);
  return rows.slice(0, MAX_OF_A_KIND).map(({ external_id, content, review_note, changed_at }) => ({
    ...NOTHING,
    kind: 'offering_rejected',
    at: changed_at,
    checkoutId: null,
    subject_id: external_id,
    name: content.title,
    reason: review_note,
  }));
}

async function checkoutRows(db: Db, { venue, seal }: Caller, items: readonly Found[]) {
  const ids = items.flatMap(({ checkoutId }) => checkoutId ?? []);
  const views = await viewsOf(db, venue.id, ids);
  const named = views.flatMap(({ createdBy }) => (createdBy === null ? [] : [{ actor: createdBy }]));
  const actors = await showActors(db, seal, venue.id, named);
  return new Map(
    views.map(({ id, json, createdBy }) => [id, checkoutRow(JSON.parse(json) as Checkout, keyOf(actors, createdBy))]),
  );
}
