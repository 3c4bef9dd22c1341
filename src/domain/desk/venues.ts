// The desk's reads about venues: search by name, id, mail address or key, and one venue with what an operator needs.

import type { DeskVenue, DeskVenueItem } from '../../../schemas/types.gen.ts';
import type { Db } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { type DeskCaller, hashOfEmail, sealNameOfAccount } from '../accounts/account.ts';
import { listPeople, rolesOfAccount } from '../accounts/people-queries.ts';
import { findAccountByEmail } from '../accounts/queries.ts';
import { findReviewRoute } from '../catalogue/review-route-queries.ts';
import { venueOf } from '../checkouts/guests/guest-queries.ts';
import { checklist, type GoLiveSettings } from '../go-live/checklist.ts';
import { readFacts } from '../go-live/link-when-ready.ts';
import { statusOfKey } from '../keys/key.ts';
import { listKeys, venuesOfKey } from '../keys/queries.ts';
import { raisedLimits } from '../keys/raise-queries.ts';
import { findDebts } from '../payments/debt-queries.ts';
import { venuesOfMovement, venuesOfProcessorId } from '../payments/find-by-id-queries.ts';
import { compareWithListPrice, isBelowCost } from '../payments/list-price.ts';
import { findVenue, findVenues, searchVenues, type VenueRow } from '../venues/queries.ts';

export interface DeskVenueServices {
  readonly db: Db;
  readonly goLive: GoLiveSettings;
}

export async function listDeskVenues(
  { db }: Pick<DeskVenueServices, 'db'>,
  caller: DeskCaller,
  { query }: Input,
): Promise<OperationResult> {
  const text = typeof query.q === 'string' ? query.q.trim() : '';
  const limit = Number(query.limit);
  const exact = await findExactly(db, caller, text);
  const before = typeof query.before === 'string' ? query.before : null;
  const rows = exact ?? (await searchVenues(db, { text, before, limit }));
  const data = rows.slice(0, limit);
  const next_before = exact === null && rows.length > limit ? (data.at(-1)?.id ?? null) : null;
  return { status: 200, body: { data: data.map(itemView), next_before } };
}

/** The id of a venue, of what is reviewed, of a refund or transfer, or of a person with roles in venues. */
async function venuesOfUuid(db: Db, id: string): Promise<string[]> {
  const [route, movements, roles] = await Promise.all([
    findReviewRoute(db, id),
    venuesOfMovement(db, id),
    rolesOfAccount(db, id),
  ]);
  const reviewed = route === null ? [] : [route.venue_id];
  return [...new Set([id, ...reviewed, ...movements, ...roles.map(({ venueId }) => venueId)])];
}

/** An id, a mail address or a key names its venues; null: it is a part of a name. */
async function findExactly(db: Db, { seal }: DeskCaller, text: string): Promise<VenueRow[] | null> {
  if (isUuid(text)) return findVenues(db, await venuesOfUuid(db, text.toLowerCase()));
  if (/^(chk|shr)_/.test(text)) {
    const venueId = await venueOf(db, text);
    return venueId === null ? [] : findVenues(db, [venueId]);
  }
  const atProcessor = await venuesOfProcessorId(db, text);
  if (atProcessor !== null) return findVenues(db, [...new Set(atProcessor)]);
  if (text.includes('@')) {
    const account = await findAccountByEmail(db, hashOfEmail(seal, text));
    const roles = account === null ? [] : await rolesOfAccount(db, account.id);
    return findVenues(
      db,
      roles.map(({ venueId }) => venueId),
    );
  }
  return /^(key|svc|pk)_/.test(text) ? findVenues(db, await venuesOfKey(db, text)) : null;
}

export function stateOf({ revoked_at, suspended_at, linked }: VenueRow): DeskVenueItem['state'] {
  if (revoked_at !== null) return 'revoked';
  if (suspended_at !== null) return 'suspended';
  return linked ? 'linked' : 'sandbox';
}

function itemView(venue: VenueRow): DeskVenueItem {
  const { id, name, created_at } = venue;
  return { object: 'desk_venue_item', id, name, state: stateOf(venue), created_at };
}

export async function getDeskVenue(
  services: DeskVenueServices,
  caller: DeskCaller,
  { params }: Input,
): Promise<OperationResult> {
  return { status: 200, body: await deskVenueView(services, caller, params.id ?? '') };
}

export async function deskVenueView(
  { db, goLive }: DeskVenueServices,
  { seal, now }: DeskCaller,
  id: string,
): Promise<DeskVenue> {
  const venue = isUuid(id) ? await findVenue(db, id) : null;
  if (venue === null) throw notFound();
  const [keys, raised, people, debts, facts] = await Promise.all([
    listKeys(db, venue.id, null),
    raisedLimits(db, venue.id, now),
    listPeople(db, venue.id),
    findDebts(db, venue.id),
    readFacts(db, venue),
  ]);
  const raisedOf = new Map(raised.map(({ id: key, ...limits }) => [key, limits]));
  return {
    object: 'desk_venue',
    id: venue.id,
    name: venue.name,
    state: stateOf(venue),
    created_at: venue.created_at,
    suspended_at: venue.suspended_at,
    suspension_note: venue.suspension_note,
    fee: feeView({ bps: venue.fee_bps, fixed: venue.fee_fixed }),
    keys: keys.slice(0, MAX_KEYS).map((key) => {
      const limits = raisedOf.get(key.id);
      return {
        id: key.id,
        name: key.name,
        kind: key.kind,
        mode: key.mode,
        hint: key.hint,
        status: statusOfKey(key, now),
        writes_per_hour: key.writes_per_hour,
        reads_per_hour: key.reads_per_hour,
        raised:
          limits === undefined
            ? null
            : { writes_per_hour: limits.writesPerHour, reads_per_hour: limits.readsPerHour, until: limits.until },
        last_used_at: key.last_used_at,
      };
    }),
    people: people.map(({ accountId, email, name, role }) => ({
      id: accountId,
      email: seal.open(email, sealNameOfAccount(accountId)),
      name,
      role,
    })),
    debts: debts.map(({ mode, currency, amount }) => ({ mode, currency, amount })),
    go_live: [...checklist(facts, goLive)],
  };
}

const MAX_KEYS = 100;

/** The processor's fee comes out of ours: a fee below it loses money with every checkout. */
export function feeView(fee: { readonly bps: number; readonly fixed: number }): DeskVenue['fee'] {
  const parties = compareWithListPrice(fee).map((example) => ({
    guests: example.guests,
    share_amount: example.share,
    fee_amount: example.fee,
    processor_fee_amount: example.cost,
    is_below_cost: isBelowCost(example),
  }));
  return { ...fee, is_below_cost: parties.some(({ is_below_cost }) => is_below_cost), parties };
}
