// The calendar file of a booking over HTTP: who gets it, when, and what is in it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

const BOOKING = { starts_at: '2027-06-12T10:00:00-04:00', location: '1 Pier Road; Miami' };
const calendarOf = (id: string): Promise<HttpResponse> => world.call('GET', `/c/${id}/event.ics`);

describe('the calendar file of a completed checkout', () => {
  it('has its description, times, place and venue, and no guest and no amount', async () => {
    const { id } = await venue.completed({ ...BOOKING, ends_at: '2027-06-12T18:00:00-04:00' });
    const response = await calendarOf(id);
    expect(response.status, response.text).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="booking.ics"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const lines = response.text.replaceAll('\r\n ', '').split('\r\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `UID:${id}@127.0.0.1`,
        'DTSTART:20270612T140000Z',
        'DTEND:20270612T220000Z',
        'SUMMARY:Cabana 3\\, Saturday 12 June',
        'LOCATION:1 Pier Road\\; Miami',
        'DESCRIPTION:Harbor Club',
        `URL:${world.urls[0]}/c/${id}`,
      ]),
    );
    expect(response.text).not.toMatch(/ATTENDEE|ORGANIZER|24001|240\.01/);
  });

  it('is the same at every load, so that a calendar replaces the earlier one', async () => {
    const { id } = await venue.completed(BOOKING);
    expect((await calendarOf(id)).text).toBe((await calendarOf(id)).text);
  });
});

describe('there is no calendar file', () => {
  it('before the checkout is completed, without a start, and for an unknown checkout', async () => {
    const collecting = await venue.collecting(BOOKING);
    const expired = await venue.runTestHelper((await venue.create(BOOKING)).id, 'expire');
    const withoutStart = await venue.completed();
    for (const id of [collecting.id, expired.id, withoutStart.id, 'chk_01jz3k8q7v5m2n9t4w6x8y0abc', 'x']) {
      const response = await calendarOf(id);
      expect([id, response.status]).toEqual([id, 404]);
      expect(response.headers.get('content-type')).toContain('text/html');
    }
  });

  it('after everything was refunded; a refund in part leaves it', async () => {
    const { id } = await venue.completed(BOOKING);
    await venue.post(`/v1/checkouts/${id}/refund`, { amount: 1_000 });
    expect((await calendarOf(id)).status).toBe(200);
    await venue.post(`/v1/checkouts/${id}/refund`, {});
    expect((await calendarOf(id)).status).toBe(404);
  });
});
