// What the demo venue sells, and how its bookings look.

export interface Bookable {
  readonly externalId: string;
  readonly title: string;
  readonly kind: string;
  readonly unit: 'per_person' | 'per_group';
  readonly amount: number;
  readonly minParty: number;
  readonly maxParty: number;
  /** How many places are numbered ("Poolside cabana 7"); null: there is one. */
  readonly places: number | null;
  readonly location: string;
  readonly startHours: readonly number[];
  readonly hours: number;
  readonly maxDaysAhead: number;
  readonly cancellation: readonly { readonly hours_before: number; readonly refund_pct: number }[];
  /** How often it is booked. */
  readonly weight: number;
}

const FLEXIBLE = [
  { hours_before: 72, refund_pct: 100 },
  { hours_before: 24, refund_pct: 50 },
];
const STRICT = [
  { hours_before: 168, refund_pct: 100 },
  { hours_before: 48, refund_pct: 50 },
];

export const BOOKABLE: readonly Bookable[] = [
  {
    externalId: 'cabana-day',
    title: 'Poolside cabana',
    kind: 'cabana',
    unit: 'per_group',
    amount: 48_000,
    minParty: 3,
    maxParty: 8,
    places: 9,
    location: 'South deck',
    startHours: [10],
    hours: 8,
    maxDaysAhead: 25,
    cancellation: FLEXIBLE,
    weight: 30,
  },
  {
    externalId: 'sunset-sail',
    title: 'Sunset sail',
    kind: 'ride',
    unit: 'per_person',
    amount: 9_500,
    minParty: 2,
    maxParty: 8,
    places: null,
    location: 'Pier 2',
    startHours: [16, 17],
    hours: 2,
    maxDaysAhead: 18,
    cancellation: FLEXIBLE,
    weight: 27,
  },
  {
    externalId: 'chefs-table',
    title: 'Chef’s table',
    kind: 'dining',
    unit: 'per_person',
    amount: 14_500,
    minParty: 4,
    maxParty: 10,
    places: null,
    location: 'The galley',
    startHours: [19],
    hours: 3,
    maxDaysAhead: 30,
    cancellation: STRICT,
    weight: 14,
  },
  {
    externalId: 'catamaran-day',
    title: 'Catamaran day',
    kind: 'boat_day',
    unit: 'per_group',
    amount: 145_000,
    minParty: 6,
    maxParty: 12,
    places: null,
    location: 'Pier 1',
    startHours: [9],
    hours: 8,
    maxDaysAhead: 40,
    cancellation: STRICT,
    weight: 8,
  },
  {
    externalId: 'daybed',
    title: 'Daybed for two',
    kind: 'daybed',
    unit: 'per_group',
    amount: 18_000,
    minParty: 2,
    maxParty: 2,
    places: 14,
    location: 'North deck',
    startHours: [11, 13],
    hours: 5,
    maxDaysAhead: 10,
    cancellation: FLEXIBLE,
    weight: 13,
  },
  {
    externalId: 'rooftop-yoga',
    title: 'Rooftop yoga',
    kind: 'class',
    unit: 'per_person',
    amount: 3_200,
    minParty: 2,
    maxParty: 6,
    places: null,
    location: 'Rooftop',
    startHours: [7, 18],
    hours: 1,
    maxDaysAhead: 8,
    cancellation: FLEXIBLE,
    weight: 12,
  },
];
