// The files of a checkout that guests load beside its page: the calendar file of a booked checkout. Any person who has
// the address may load it, like the page itself: it has no names of guests and no amounts.

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { GuestCheckout } from '../../schemas/types.gen.ts';
import { calendarFile } from '../base/calendar-file.ts';
import { notFound } from '../base/errors.ts';
import { viewForGuest } from '../domain/checkouts/guests/guest-queries.ts';
import type { HttpContext } from './context.ts';
import { setSecurityHeaders } from './pages/layout.ts';
import { findPageRoute, type PageRequest } from './pages/page-request.ts';
import { countCall, handlePage } from './pages/pages.ts';

export function registerGuestFiles(app: FastifyInstance, http: HttpContext): void {
  app.get('/c/:id/event.ics', (request, reply) => handlePage(http, request, reply, 'page.calendar', sendCalendarFile));
}

/** Only of a completed checkout: before that nothing is booked. */
async function sendCalendarFile(page: PageRequest): Promise<FastifyReply> {
  await countCall(page, 'looks');
  const { http, request, reply } = page;
  const { venueId, checkoutId } = await findPageRoute(http, request);
  const view = await viewForGuest(http.app.db, venueId, checkoutId, null, http.app.clock.now());
  const checkout = view === null ? null : (JSON.parse(view.json) as GuestCheckout);
  if (checkout === null || checkout.status !== 'completed' || checkout.starts_at === null) throw notFound();
  const { checkoutPages } = http.urls();
  const file = calendarFile({
    uid: `${checkout.id}@${new URL(checkoutPages).hostname}`,
    title: checkout.description,
    startsAt: Date.parse(checkout.starts_at),
    endsAt: checkout.ends_at === null ? null : Date.parse(checkout.ends_at),
    location: checkout.location,
    details: checkout.venue.name,
    url: `${checkoutPages}/c/${checkout.id}`,
    changedAt: Date.parse(checkout.completed_at ?? checkout.created_at),
  });
  return setSecurityHeaders(reply)
    .type('text/calendar; charset=utf-8')
    .header('content-disposition', 'attachment; filename="booking.ics"')
    .send(file);
}
