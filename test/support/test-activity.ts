// The members' app for tests: a venue with approved experiences, activity reported as the app would, and the slow,
// simple computation of the figures that every answer must equal.

import { expect } from 'vitest';
import type { Activity, Analytics } from '../../schemas/types.gen.ts';
import type { Mode } from '../../src/base/config.ts';
import type { HttpResponse, TestWorld } from './test-world.ts';

export type ActivityEvent = Activity['events'][number];

export interface TestActivity {
  readonly venueId: string;
  /** A secret key of the same mode as the experiences. */
  readonly key: string;
  readonly experiences: readonly { readonly id: string; readonly title: string; readonly startsAt: string }[];
  get(query?: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<HttpResponse>;
}

export async function reportActivity(
  world: TestWorld,
  events: readonly ActivityEvent[],
  server = 0,
): Promise<HttpResponse> {
  return world.call('POST', '/internal/activity', { key: world.operatorToken, body: { events }, server });
}

export async function openTestActivity(world: TestWorld, count: number, mode: Mode = 'test'): Promise<TestActivity> {
  const { venue } = await world.venue();
  const options = { mode, scopes: ['offerings:write', 'offerings:read', 'analytics:read'] };
  const limits = { writesPerHour: 100_000, readsPerHour: 100_000 };
  const { key } = await world.key(venue.id, { ...options, ...limits });
  const experiences: TestActivity['experiences'][number][] = [];
  for (let i = 0; i < count; i++) experiences.push(await createApprovedExperience(world, key, `Night ${i}`));
  return {
    venueId: venue.id,
    key,
    experiences,
    get: (query = {}, headers = {}) =>
      world.call('GET', `/v1/analytics?${new URLSearchParams(query)}`, { key, headers }),
  };
}

export async function createApprovedExperience(
  world: TestWorld,
  key: string,
  title: string,
): Promise<TestActivity['experiences'][number]> {
  const startsAt = new Date(Math.floor(Date.now() / 1000) * 1000 + 86_400_000).toISOString().replace('.000Z', 'Z');
  const submitted = await world.call('POST', '/v1/experiences', { key, body: { title, starts_at: startsAt } });
  expect(submitted.status, submitted.text).toBe(201);
  const { review } = await import('../../src/domain/review/review.ts');
  const reviewed = await world.db.transaction((tx) =>
    review(tx, world.command(), submitted.json.data.id, { status: 'approved', note: null }, null),
  );
  return { id: String(reviewed.experience_id), title, startsAt };
}

const DAY = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The expected answer, computed from the events: each id once, live events only, inside the window. */
export function expectedAnalytics(
  app: TestActivity,
  events: readonly ActivityEvent[],
  from: string,
  to: string,
  only?: string,
): Analytics {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const unique = [...new Map(events.toReversed().map((event) => [event.id, event])).values()];
  const inWindow = unique.filter(({ mode, at }) => mode === 'live' && Date.parse(at) >= start && Date.parse(at) < end);
  const chosen = app.experiences.filter(({ id }) => only === undefined || id === only).toReversed();
  const activity = inWindow.filter(({ experience_id }) => chosen.some(({ id }) => id === experience_id));
  const daily = [];
  for (let day = Date.parse(`${dayOf(start)}T00:00:00Z`); day < end; day += DAY) {
    const ofDay = activity.filter(({ at }) => dayOf(Date.parse(at)) === dayOf(day));
    daily.push({
      date: dayOf(day),
      views: ofDay.filter(({ type }) => type === 'view').length,
      bookings: ofDay.filter(({ type }) => type === 'booking').length,
    });
  }
  const totals = figuresOf(activity);
  return {
    from: expect.anything() as never,
    to: expect.anything() as never,
    totals: {
      experiences: chosen.length,
      ...totals,
      show_rate: rate(totals.checked_in, totals.bookings),
      venue_page_views: inWindow.filter(({ type, venue_id }) => type === 'venue_page_view' && venue_id === app.venueId)
        .length,
    },
    experiences: chosen.map(({ id, title, startsAt }) => ({
      experience_id: id,
      title,
      starts_at: startsAt,
      ...figuresOf(activity.filter(({ experience_id }) => experience_id === id)),
    })),
    daily,
  };
}

export function figuresOf(events: readonly ActivityEvent[]) {
  const ofType = (type: ActivityEvent['type']): readonly ActivityEvent[] =>
    events.filter((event) => event.type === type);
  const people = (type: ActivityEvent['type']): number => new Set(ofType(type).map(({ member_id }) => member_id)).size;
  const bookings = ofType('booking');
  return {
    views: ofType('view').length,
    unique_viewers: people('view'),
    booking_starts: people('booking_start'),
    saves: ofType('save').length,
    bookings: bookings.length,
    guests: bookings.reduce((sum, { guests = 1 }) => sum + guests, 0),
    booked_value: bookings.reduce((sum, { amount = 0 }) => sum + amount, 0) / 100,
    checked_in: ofType('check_in').length,
    view_to_booking_rate: rate(bookings.length, people('view')),
  };
}

function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, Number((part / whole).toFixed(4)));
}
