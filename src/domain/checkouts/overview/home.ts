// GET /console/api/home: what is held, completed and paid out, what needs a person, how bookings became money in thirty days,
// and what happened last. Days are those of the venue's time zone. The cost is that of thirty days, however many checkouts
// the venue has.

import type { ConsoleHome } from '../../../../schemas/types.gen.ts';
import type { Db } from '../../../base/db.ts';
import type { OperationResult } from '../../../base/operation.ts';
import { recentEvents } from '../../events/queries.ts';
import type { Caller } from '../../keys/caller.ts';
import { onItsWay, paidInDays } from '../../payments/overview-queries.ts';
import { findVenue } from '../../venues/queries.ts';
import { activityLine } from './activity.ts';
import { attentionOf } from './attention.ts';
import {
  type CompletedDay,
  completedDays,
  type Funnel,
  funnelOf,
  guestsToday,
  heldNow,
  lastDays,
} from './home-queries.ts';

const DAYS = 30;
const MAX_ACTIVITY = 20;

export async function getConsoleHome(db: Db, caller: Caller): Promise<OperationResult> {
  const { venue, mode, now } = caller;
  const scope = { venueId: venue.id, mode, now };
  const timezone = (await findVenue(db, venue.id))?.timezone ?? 'UTC';
  const [held, completed, days, guests, paidToday, paid, coming, funnel, events, attention] = await Promise.all([
    heldNow(db, scope),
    completedDays(db, scope, timezone, DAYS),
    lastDays(db, scope, timezone, DAYS),
    guestsToday(db, scope, timezone),
    paidInDays(db, venue.id, mode, timezone, now, 1),
    paidInDays(db, venue.id, mode, timezone, now, DAYS),
    onItsWay(db, venue.id, mode),
    funnelOf(db, scope, timezone, DAYS),
    recentEvents(db, venue.id, mode, MAX_ACTIVITY),
    attentionOf(db, caller),
  ]);
  const today = days.at(-1) ?? '';
  const currencies = byAmount(completed).map(({ currency }) => currency);
  const body: ConsoleHome = {
    object: 'home',
    mode,
    timezone,
    today,
    held,
    completed_today: completed
      .filter(({ date }) => date === today)
      .map(({ date: _date, ...figures }) => ({
        ...figures,
        guests: guests.find(({ currency }) => currency === figures.currency)?.guests ?? 0,
      })),
    completed_30_days: byAmount(completed),
    paid_today: paidToday,
    paid_30_days: paid,
    on_its_way: coming
      .filter(({ payouts }) => payouts > 0)
      .map(({ currency, amount, payouts, nextAt }) => ({ currency, amount, payouts, next_at: nextAt })),
    attention,
    funnel: funnelView(funnel, days[0] ?? today),
    daily: currencies.flatMap((currency) =>
      days.map((date) => {
        const day = completed.find((one) => one.date === date && one.currency === currency);
        return { date, currency, amount: day?.amount ?? 0, checkouts: day?.checkouts ?? 0 };
      }),
    ),
    activity: events.map(activityLine),
  };
  return { status: 200, body };
}

/** The sums of each currency, the largest first. */
function byAmount(days: readonly CompletedDay[]): ConsoleHome['completed_30_days'] {
  const sums = new Map<string, { amount: number; checkouts: number }>();
  for (const { currency, amount, checkouts } of days) {
    const sum = sums.get(currency) ?? { amount: 0, checkouts: 0 };
    sums.set(currency, { amount: sum.amount + amount, checkouts: sum.checkouts + checkouts });
  }
  return [...sums]
    .map(([currency, sum]) => ({ currency, ...sum }))
    .sort((one, other) => other.amount - one.amount || (one.currency < other.currency ? -1 : 1));
}

/** Each count is the next one plus its losses. */
function funnelView(funnel: Funnel, from: string): ConsoleHome['funnel'] {
  const { created, stillOpen, neverChosen, collecting, endedBeforeHeld, charging, refused, completed } = funnel;
  const allHeld = completed + charging + refused;
  return {
    from,
    created,
    party_chosen: allHeld + collecting + endedBeforeHeld,
    all_held: allHeld,
    completed,
    still_open: stillOpen,
    never_chosen: neverChosen,
    collecting,
    ended_before_held: endedBeforeHeld,
    charging,
    refused,
  };
}
