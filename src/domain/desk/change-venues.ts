// What an operator does to a venue at the desk: its fee, its limits for a time, suspend and resume, the approval to go
// live, and a look at it as its people see it. Each is in the audit log of the venue.

import type { DeskFee, LimitRaise, VenueSuspension } from '../../../schemas/types.gen.ts';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { FeeRate } from '../../base/money.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { formatMoney } from '../../base/translations.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { openView } from '../accounts/operator-queries.ts';
import { approveVenue as approve } from '../go-live/approve-venue.ts';
import { raiseLimits as raiseKeyLimits } from '../keys/raise-queries.ts';
import { compareWithListPrice, isBelowCost } from '../payments/list-price.ts';
import { audit } from '../venues/audit.ts';
import { changeFee, resumeVenue as resume, suspendVenue as suspend } from '../venues/change-venue.ts';
import { findVenue, lockVenue } from '../venues/queries.ts';
import { type DeskVenueServices, deskVenueView } from './venues.ts';

type Services = DeskVenueServices;

const DAY_MS = 86_400_000;
const MAX_RAISE_DAYS = 90;
const VIEW_MS = 30 * 60_000;

async function viewOf(services: Services, caller: DeskCaller, id: string): Promise<OperationResult> {
  return { status: 200, body: await deskVenueView(services, caller, id) };
}

function venueIdIn({ params: { id = '' } }: Pick<Input, 'params'>): string {
  if (!isUuid(id)) throw notFound();
  return id.toLowerCase();
}

/** For checkouts that are created from now on. A fee below cost is set only when the operator accepts exactly that. */
export async function setVenueFee(services: Services, caller: DeskCaller, input: Input<DeskFee>) {
  const id = venueIdIn(input);
  const { bps, fixed, accept_below_cost: isAccepted = false } = input.body;
  if (!isAccepted) requireCoveredCost({ bps, fixed });
  await services.db.transaction((tx) => changeFee(tx, caller, id, bps, fixed));
  return viewOf(services, caller, id);
}

function requireCoveredCost(fee: FeeRate): void {
  const losses = compareWithListPrice(fee).filter(isBelowCost);
  if (losses.length === 0) return;
  const dollars = (amount: number): string => formatMoney('en', amount, 'usd');
  const examples = losses.map(
    ({ guests, share, fee: earned, cost }) =>
      `${guests} guests of ${dollars(share)}: we get ${dollars(earned)}, the processor takes ${dollars(cost)}`,
  );
  const message = `This fee is below cost. ${examples.join('; ')}. Set a higher fee, or confirm this one (accept_below_cost).`;
  throw conflict('fee_below_cost', message);
}

export async function suspendVenue(services: Services, caller: DeskCaller, input: Input<VenueSuspension>) {
  const id = venueIdIn(input);
  await services.db.transaction((tx) => suspend(tx, caller, id, input.body.note.trim()));
  return viewOf(services, caller, id);
}

/** Where LIVE_NEEDS_APPROVAL=1 it is a line of the checklist: with it the venue may be ready, and is linked then. */
export async function approveVenue(services: Services, caller: DeskCaller, input: Input) {
  const id = venueIdIn(input);
  await services.db.transaction((tx) => approve(tx, caller, id, services.goLive));
  return viewOf(services, caller, id);
}

export async function resumeVenue(services: Services, caller: DeskCaller, input: Input) {
  const id = venueIdIn(input);
  await services.db.transaction((tx) => resume(tx, caller, id));
  return viewOf(services, caller, id);
}

/**
 * Of one key, or of every secret key of the venue, also of those that it makes later. Afterwards the keys' own count again.
 * Of a raise that still runs the higher limits and the later end stay.
 */
export async function raiseLimits(services: Services, caller: DeskCaller, input: Input<LimitRaise>) {
  const id = venueIdIn(input);
  const { key_id: keyId = null, writes_per_hour, reads_per_hour, until } = input.body;
  requireEnd(until, caller.now);
  await services.db.transaction(async (tx) => {
    // A key that is made at the same time has the raise as well: making one locks the venue too.
    if ((await lockVenue(tx, id)) === null) throw notFound();
    const raise = { keyId, writesPerHour: writes_per_hour, readsPerHour: reads_per_hour, until };
    const keys = await raiseKeyLimits(tx, id, raise, caller.now);
    if (keyId !== null && keys.length === 0) throw notFound();
    const detail = { keys, writes_per_hour, reads_per_hour, until };
    await audit(tx, caller, { venueId: id, action: 'venue.raise_limits', subject: keyId ?? id, detail });
  });
  return viewOf(services, caller, id);
}

function requireEnd(until: string, now: number): void {
  const at = Date.parse(until);
  if (at > now && at <= now + MAX_RAISE_DAYS * DAY_MS) return;
  throw invalid([
    {
      code: 'invalid_value',
      field: '/until',
      message: `The raise must end in the future, within ${MAX_RAISE_DAYS} days.`,
      expected: `a time within ${MAX_RAISE_DAYS} days from now`,
      example_fix: new Date(now + 7 * DAY_MS).toISOString(),
    },
  ]);
}

/** For half an hour this session reads the venue in the console as a viewer does; every write is refused. */
export async function viewVenue({ db }: Services, caller: DeskCaller, input: Input): Promise<OperationResult> {
  const id = venueIdIn(input);
  const venue = await findVenue(db, id);
  if (venue === null || venue.revoked_at !== null) throw notFound();
  const endsAt = caller.now + VIEW_MS;
  const until = new Date(endsAt).toISOString();
  await db.transaction(async (tx) => {
    await openView(tx, { sessionId: caller.session.id, venueId: id, endsAt });
    await audit(tx, caller, { venueId: id, action: 'venue.view', subject: id, detail: { until } });
  });
  return { status: 200, body: { venue_id: id, until } };
}
