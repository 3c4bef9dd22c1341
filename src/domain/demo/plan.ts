// Plans a year of checkouts: when each was created, who was in the party, when each guest paid, and how it ended. Pure: the
// same seed and the same end give the same plan. The plan goes on past `until`; what lies after it has not happened yet, so
// that the newest checkouts are open or collecting.

import { percentOf } from '../../base/money.ts';
import { equalSplit } from '../checkouts/party/split.ts';
import { ruleByPolicy } from '../checkouts/refunds/decide-refund.ts';
import { BOOKABLE, type Bookable } from './bookable.ts';
import { fullName, shortName } from './names.ts';
import { makeSeeded, type Seeded } from './seeded.ts';
import { localTime } from './venue-time.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const YEAR_DAYS = 365;

export interface PlanOptions {
  readonly seed: number;
  /** The end of the year, in milliseconds. */
  readonly until: number;
  /** About how many. */
  readonly checkouts: number;
}

export interface PlannedShare {
  readonly name: string;
  readonly amount: number;
  readonly card: string;
  /** Null: this guest never began to pay. */
  readonly requestedAt: number | null;
  /** The card that was tried first, and declined. */
  readonly declined: { readonly card: string; readonly at: number } | null;
  /** Null: no card was held. */
  readonly heldAt: number | null;
}

export interface PlannedRefund {
  readonly at: number;
  readonly amount: number;
  readonly reason: string;
}

export interface PlannedCheckout {
  readonly bookingId: string;
  readonly bookable: Bookable;
  readonly description: string;
  readonly location: string;
  readonly createdAt: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly payBy: number;
  readonly partySize: number;
  readonly amount: number;
  /** Null: no party was chosen. */
  readonly party: { readonly at: number; readonly shares: readonly PlannedShare[] } | null;
  readonly end: { readonly kind: 'completed' | 'expired' | 'canceled'; readonly at: number };
  readonly refund: PlannedRefund | null;
}

/** By weekday of the booking's creation, Sunday first. */
const WEEKDAY_WEIGHTS = [0.95, 0.75, 0.75, 0.85, 1.1, 1.4, 1.2];

export function planYear({ seed, until, checkouts }: PlanOptions): readonly PlannedCheckout[] {
  const seeded = makeSeeded(seed);
  const usual = creationTimes(seeded, until, checkouts).map((at, index) => ({
    at,
    isLiving: false,
    course: FIRST_COURSES[index] ?? null,
  }));
  const created = [...usual, ...unfinishedTimes(seeded, until, checkouts)].sort((a, b) => a.at - b.at);
  return created.map((times, index) => planCheckout(seeded, `bk-${1001 + index}`, times));
}

interface CreationTime {
  readonly at: number;
  /** Created in the last hours, with days left to pay. */
  readonly isLiving: boolean;
  /** Null: it is drawn. */
  readonly course: Course | null;
}

/** The first of the year: a small demo has every end too, on any day. */
const FIRST_COURSES: readonly Course[] = ['canceled open', 'never chosen', 'completes'];

const LIVING_COURSES: readonly Course[] = ['completes', 'never chosen', 'completes', 'expires', 'completes'];

/** Checkouts of the last hours with days left to pay: most are open or collecting at the end of the year. */
function unfinishedTimes(seeded: Seeded, until: number, checkouts: number): readonly CreationTime[] {
  return Array.from({ length: Math.max(10, Math.round(checkouts * 0.018)) }, (_, index) => ({
    at: until - seeded.integer(8 * MINUTE, 30 * HOUR),
    isLiving: true,
    course: LIVING_COURSES[index % LIVING_COURSES.length] ?? null,
  }));
}

/** More on the days before a weekend, more in winter, and more at the end of the year than at its beginning. */
function creationTimes(seeded: Seeded, until: number, checkouts: number): readonly number[] {
  const weights = Array.from({ length: YEAR_DAYS }, (_, day) => {
    const date = new Date(until - (YEAR_DAYS - day) * DAY);
    const yearPart = (date.getUTCMonth() + date.getUTCDate() / 31) / 12;
    const season = 1 + 0.35 * Math.cos((yearPart - 0.12) * 2 * Math.PI);
    const growth = 0.75 + (0.5 * day) / YEAR_DAYS;
    return (WEEKDAY_WEIGHTS[date.getUTCDay()] ?? 1) * season * growth * (0.75 + 0.5 * seeded.next());
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const times = weights.flatMap((weight, day) => {
    const expected = (weight / total) * checkouts;
    const count = Math.floor(expected) + (seeded.chance(expected % 1) ? 1 : 0);
    const begins = until - (YEAR_DAYS - day) * DAY;
    return Array.from({ length: count }, () => begins + hourOfDay(seeded, begins) + seeded.integer(0, HOUR - 1));
  });
  return [...new Set(times)].filter((at) => at < until - 5 * MINUTE).sort((a, b) => a - b);
}

/** Few people book at night. `begins` may be any time of the day. */
function hourOfDay(seeded: Seeded, begins: number): number {
  for (let tries = 0; tries < 4; tries++) {
    const hours = seeded.integer(0, 23);
    if (localTime(begins + hours * HOUR).hour >= 8) return hours * HOUR;
  }
  return seeded.integer(0, 23) * HOUR;
}

const TIMES_TO_PAY = [
  { weight: 2, hours: 8 },
  { weight: 5, hours: 24 },
  { weight: 5, hours: 48 },
  { weight: 3, hours: 72 },
  { weight: 2, hours: 130 },
];

type Course = 'completes' | 'never chosen' | 'canceled open' | 'expires' | 'canceled';

const COURSES: readonly { readonly weight: number; readonly course: Course }[] = [
  { weight: 84, course: 'completes' },
  { weight: 4, course: 'never chosen' },
  { weight: 2, course: 'canceled open' },
  { weight: 6, course: 'expires' },
  { weight: 4, course: 'canceled' },
];

function planCheckout(
  seeded: Seeded,
  bookingId: string,
  { at: createdAt, isLiving, course: given }: CreationTime,
): PlannedCheckout {
  const bookable = seeded.weighted(BOOKABLE);
  const startsAt = startOf(seeded, bookable, createdAt) + (isLiving ? 5 * DAY : 0);
  // Small parties are more usual than large ones.
  const drawParty = (): number => seeded.integer(bookable.minParty, bookable.maxParty);
  const partySize = Math.min(drawParty(), drawParty());
  const amount = bookable.unit === 'per_person' ? bookable.amount * partySize : bookable.amount;
  const hours = Math.max(seeded.weighted(TIMES_TO_PAY).hours, isLiving ? 72 : 0);
  const wanted = createdAt + hours * HOUR + seeded.integer(0, 59) * MINUTE;
  const payBy = Math.max(createdAt + 90 * MINUTE, Math.min(wanted, startsAt - 2 * HOUR));
  const course = given ?? seeded.weighted(COURSES).course;
  const place = bookable.places === null ? '' : ` ${seeded.integer(1, bookable.places)}`;
  const base = {
    bookingId,
    bookable,
    description: `${bookable.title}${place}`,
    location: bookable.location,
    createdAt,
    startsAt,
    endsAt: startsAt + bookable.hours * HOUR,
    payBy,
    partySize,
    amount,
    refund: null,
  };
  if (course === 'never chosen') return { ...base, party: null, end: { kind: 'expired', at: payBy + 2 * SECOND } };
  if (course === 'canceled open') {
    const at = createdAt + Math.floor((payBy - createdAt) * (0.1 + 0.6 * seeded.next()));
    return { ...base, party: null, end: { kind: 'canceled', at } };
  }
  const planned = planParty(seeded, base, course);
  return planned.end.kind === 'completed' ? { ...planned, refund: planRefund(seeded, planned) } : planned;
}

/** The start of a booking: some days ahead, at one of the hours at which it begins. */
function startOf(seeded: Seeded, bookable: Bookable, createdAt: number): number {
  const days = 1 + Math.floor(seeded.next() ** 2 * bookable.maxDaysAhead);
  const { midnight } = localTime(createdAt + days * DAY);
  return midnight + seeded.pick(bookable.startHours) * HOUR;
}

type BaseCheckout = Omit<PlannedCheckout, 'party' | 'end'>;

function planParty(seeded: Seeded, base: BaseCheckout, course: Course): PlannedCheckout {
  const { createdAt, payBy, amount, partySize } = base;
  const partyAt = createdAt + Math.min(seeded.integer(2, 90) * MINUTE, Math.floor((payBy - createdAt) / 3));
  const latest = payBy - 4 * MINUTE;
  const canceledAt =
    course === 'canceled' ? partyAt + Math.floor((latest - partyAt) * (0.2 + 0.7 * seeded.next())) : null;
  const missing = course === 'expires' ? seeded.integer(1, Math.max(1, Math.floor(partySize / 2))) : 0;
  const amounts = equalSplit(amount, partySize);
  const shares = amounts.map((part, position) => {
    const name = position === 0 ? fullName(seeded) : shortName(seeded);
    return planShare(seeded, { name, amount: part, partyAt, latest, isMissing: position >= partySize - missing });
  });
  // A guest who would have paid after the partner canceled has not.
  const paid = shares.map((share) => (canceledAt === null ? share : withoutAfter(share, canceledAt)));
  const lastHeld = Math.max(...shares.map(({ heldAt }) => heldAt ?? 0));
  const isHeld = shares.every(({ heldAt }) => heldAt !== null);
  const party = { at: partyAt, shares: paid };
  if (canceledAt !== null && lastHeld > canceledAt)
    return { ...base, party, end: { kind: 'canceled', at: canceledAt } };
  return isHeld
    ? {
        ...base,
        party: { at: partyAt, shares },
        end: { kind: 'completed', at: lastHeld + seeded.integer(2, 6) * SECOND },
      }
    : { ...base, party, end: { kind: 'expired', at: payBy + 2 * SECOND } };
}

function withoutAfter(share: PlannedShare, at: number): PlannedShare {
  const { requestedAt, declined, heldAt } = share;
  return {
    ...share,
    requestedAt: requestedAt !== null && requestedAt < at ? requestedAt : null,
    declined: declined !== null && declined.at < at ? declined : null,
    heldAt: heldAt !== null && heldAt < at ? heldAt : null,
  };
}

const CARDS = [
  { weight: 62, card: 'pm_card_visa' },
  { weight: 26, card: 'pm_card_mastercard' },
  { weight: 12, card: 'pm_card_amex' },
];
const DECLINED_CARDS = [
  { weight: 5, card: 'pm_card_chargeDeclinedInsufficientFunds' },
  { weight: 3, card: 'pm_card_chargeDeclined' },
  { weight: 1, card: 'pm_card_chargeDeclinedExpiredCard' },
];

interface ShareOptions {
  readonly name: string;
  readonly amount: number;
  readonly partyAt: number;
  /** When the last guest has paid at the latest. */
  readonly latest: number;
  readonly isMissing: boolean;
}

/** Most guests pay soon, a few shortly before the end. */
function planShare(seeded: Seeded, { name, amount, partyAt, latest, isMissing }: ShareOptions): PlannedShare {
  const span = Math.max(0, latest - partyAt - 6 * MINUTE);
  const requestedAt = partyAt + MINUTE + Math.floor(span * seeded.next() ** 3) + seeded.integer(0, 999);
  const isDeclined = seeded.chance(isMissing ? 0.35 : 0.06);
  const declined = isDeclined
    ? { card: seeded.weighted(DECLINED_CARDS).card, at: requestedAt + seeded.integer(20, 50) * SECOND }
    : null;
  const heldAt = (declined?.at ?? requestedAt) + seeded.integer(35, 150) * SECOND;
  const { card } = seeded.weighted(CARDS);
  if (!isMissing) return { name, amount, card, requestedAt, declined, heldAt };
  return { name, amount, card, requestedAt: declined === null ? null : requestedAt, declined, heldAt: null };
}

const PART_REASONS = ['One lounger missing', 'Drinks were late', 'A guest could not come', 'Rain for the last hour'];
const WHOLE_REASONS = ['Storm warning, the harbor was closed', 'Double booking', 'The kitchen was closed'];

function planRefund(seeded: Seeded, { amount, bookable, startsAt, end }: PlannedCheckout): PlannedRefund | null {
  const kind = seeded.next();
  const later = end.at + seeded.integer(1, 90) * HOUR + seeded.integer(0, 3_599) * SECOND;
  if (kind > 0.075) return null;
  if (kind < 0.035) {
    const part = Math.max(100, Math.round((amount * seeded.integer(1, 5)) / 1_000) * 100);
    return {
      at: Math.max(later, startsAt + 5 * HOUR),
      amount: Math.min(part, amount),
      reason: seeded.pick(PART_REASONS),
    };
  }
  if (kind < 0.05) return { at: later, amount, reason: seeded.pick(WHOLE_REASONS) };
  const byPolicy = percentOf(amount, ruleByPolicy(bookable.cancellation, (startsAt - later) / HOUR)?.refund_pct ?? 0);
  return byPolicy === 0 ? null : { at: later, amount: byPolicy, reason: 'Canceled by the guests, refunded by policy' };
}
