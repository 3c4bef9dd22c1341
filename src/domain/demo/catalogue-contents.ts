// The offerings, events and boats of the demo venue. The approved offerings are what its bookings name (bookable.ts).

import type { Boat, Event, Offering } from '../../../schemas/types.gen.ts';
import { BOOKABLE, type Bookable } from './bookable.ts';
import { localTime, VENUE_TIMEZONE } from './venue-time.ts';

export const MEDIA_BASE = 'https://media.harbor-club.example';
const SITE = 'https://harbor-club.example';
const DAY = 24 * 3_600_000;

const DESCRIPTIONS: Readonly<Record<string, readonly [text: string, category: string, alt: string]>> = {
  'cabana-day': [
    'A shaded cabana beside the pool, with towels and a fridge.',
    'pool',
    'A white cabana beside the pool',
  ],
  'sunset-sail': ['Two hours on the bay, home after dark.', 'boating', 'A sailboat before a low sun'],
  'chefs-table': [
    'Seven courses at the pass, with the people who cook them.',
    'dining',
    'A round table set for dinner',
  ],
  'catamaran-day': ['The whole catamaran for a day, with captain and lunch.', 'boating', 'A catamaran at anchor'],
  daybed: ['A wide daybed for two on the quiet deck.', 'beach', 'A daybed under a white roof'],
  'rooftop-yoga': ['An hour above the harbor. Mats are there.', 'wellness', 'The sun over the roof'],
};

const media = (name: string, alt: string) => [{ url: `${MEDIA_BASE}/${name}.jpg`, type: 'image' as const, alt }];

function offeringOf(bookable: Bookable, yearBegins: number): Offering {
  const [description, category, alt] = DESCRIPTIONS[bookable.externalId] ?? ['', 'other', ''];
  const { midnight } = localTime(yearBegins);
  return {
    external_id: bookable.externalId,
    kind: bookable.kind as Offering['kind'],
    title: bookable.title,
    description,
    category,
    tiers: [
      {
        external_id: 'standard',
        label: 'Standard',
        amount: bookable.amount,
        currency: 'usd',
        unit: bookable.unit,
        min_party: bookable.minParty,
        max_party: bookable.maxParty,
      },
    ],
    media: media(bookable.externalId, alt),
    availability: {
      timezone: VENUE_TIMEZONE,
      recurring: bookable.startHours.map((hour) => ({
        rrule: 'FREQ=DAILY',
        starts_at: new Date(midnight + hour * 3_600_000).toISOString(),
        duration_minutes: bookable.hours * 60,
        capacity: bookable.places ?? bookable.maxParty,
      })),
      lead_time_minutes: 120,
      cutoff_minutes: 60,
    },
    policy: { cancellation: [...bookable.cancellation], arrival_window_minutes: 15 },
    booking_url: `${SITE}/book/${bookable.externalId}`,
    metadata: { area: bookable.location },
  };
}

export function approvedOfferings(yearBegins: number): readonly Offering[] {
  return BOOKABLE.map((bookable) => offeringOf(bookable, yearBegins));
}

/** A change of an approved offering that waits for review: a new title and a better roof in the text. */
export function changedOffering(yearBegins: number): Offering {
  const [cabana] = approvedOfferings(yearBegins);
  if (cabana === undefined) throw new Error('the demo has no offering');
  return {
    ...cabana,
    title: 'Poolside cabana, all day',
    description: 'A shaded cabana beside the pool, with towels, a fridge and, since this week, a ceiling fan.',
  };
}

export const WAITING_OFFERING: Offering = {
  external_id: 'moon-dinner',
  kind: 'ticketed_event',
  title: 'Full-moon dinner',
  description: 'Long tables on the pier, once a month.',
  category: 'dining',
  tiers: [{ external_id: 'seat', label: 'Seat', amount: 12_000, currency: 'usd', unit: 'per_person' }],
  media: media('moon-dinner', 'The moon over the pier'),
  availability: { timezone: VENUE_TIMEZONE },
};

export const REJECTED_OFFERING: Offering = {
  external_id: 'salt-scrub',
  kind: 'spa_treatment',
  title: 'Salt scrub',
  description: 'Fifty minutes with sea salt and oil.',
  category: 'spa',
  tiers: [{ external_id: 'one', label: 'One person', amount: 14_000, currency: 'usd', unit: 'per_person' }],
  media: [...media('salt-scrub', 'A bowl of salt'), ...media('salt-scrub-2', 'The treatment room')],
};
export const REJECTION_NOTE = 'Photo 2 shows another venue’s logo. Please send one of your own room.';

/** Days from the end of the year, the hour of the start, and the price for a person; the last one waits for review. */
const EVENTS = [
  ['jazz-on-the-pier', 'Jazz on the pier', 'music', 9, 20, 4_500, 120],
  ['lobster-night', 'Lobster night', 'dining', 16, 19, 8_900, 60],
  ['regatta-brunch', 'Regatta brunch', 'racing', 24, 10, 5_500, 80],
  ['silent-cinema', 'Silent cinema by the pool', 'arts', 31, 21, 2_200, 90],
  ['new-year-on-the-water', 'New Year on the water', 'nightlife', 44, 21, 24_000, 140],
  ['full-moon-paddle', 'Full-moon paddle', 'outdoors', 12, 20, 3_800, 24],
] as const;

export function demoEvents(until: number): readonly Event[] {
  return EVENTS.map(([externalId, title, category, days, hour, amount, capacity]) => {
    const startsAt = localTime(until + days * DAY).midnight + hour * 3_600_000;
    return {
      external_id: externalId,
      title,
      category,
      capacity,
      starts_at: new Date(startsAt).toISOString(),
      ends_at: new Date(startsAt + 3 * 3_600_000).toISOString(),
      tiers: [{ external_id: 'general', label: 'General', amount, currency: 'usd', unit: 'per_person' }],
      media: media(externalId, title),
      booking_url: `${SITE}/events/${externalId}`,
    };
  });
}

const BOATS = [
  ['second-wind', 'Second Wind', 'catamaran', 42, 12, 145_000],
  ['little-heron', 'Little Heron', 'sailboat', 31, 8, 76_000],
  ['half-tide', 'Half Tide', 'pontoon', 26, 10, 58_000],
] as const;

export function demoBoats(): readonly Boat[] {
  return BOATS.map(([externalId, name, type, length, capacity, amount]) => ({
    external_id: externalId,
    name,
    type: type as Boat['type'],
    length_ft: length,
    capacity,
    captain: 'included',
    location: { city: 'Miami', region: 'FL', country: 'US', marina: 'Harbor Club pier' },
    pricing: [
      { duration_hours: 4, amount: Math.round(amount * 0.6), currency: 'usd', label: 'Half day' },
      { duration_hours: 8, amount, currency: 'usd', label: 'Day' },
    ],
    photo_urls: [`${MEDIA_BASE}/${externalId}.jpg`],
    description: `${name} lies at our own pier.`,
    amenities: ['Sound system', 'Cooler', 'Paddle board'],
  }));
}

/** The addresses of every picture of the catalogue. */
export function demoMedia(yearBegins: number, until: number): readonly string[] {
  const objects = [...approvedOfferings(yearBegins), changedOffering(yearBegins), WAITING_OFFERING, REJECTED_OFFERING];
  const pictured = [...objects, ...demoEvents(until), ...demoBoats()] as readonly Pick<Offering, 'media'>[];
  return pictured.flatMap(({ media: files = [] }) => files.map(({ url }) => url));
}
