// The files that guests' browsers and link previews load beside a page: pictures, the preview of a checkout, the calendar
// file of a booked one. Any person who has the address may load them, like the page itself: they have no names of guests
// and no amounts.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GuestCheckout } from '../../schemas/types.gen.ts';
import { calendarFile } from '../base/calendar-file.ts';
import { notFound } from '../base/errors.ts';
import { networkOf } from '../base/network.ts';
import {
  type GuestView,
  isRefundedInFull,
  refundTotalsOf,
  viewForGuest,
} from '../domain/checkouts/guests/guest-queries.ts';
import { readImageFile } from '../domain/images/image-queries.ts';
import { type FindPreview, makeFindPreview } from '../domain/images/preview.ts';
import type { HttpContext } from './context.ts';
import { setSecurityHeaders } from './pages/layout.ts';
import { findPageRoute, type PageRequest, type PageRoute } from './pages/page-request.ts';
import { countCall, countPageCall, handlePage } from './pages/pages.ts';

const FILES_PER_HOUR = 3_600;
const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable';
const COVER_CACHE = 'public, max-age=86400';
/** The cover may be fetched a moment later. */
const DRAWING_CACHE = 'public, max-age=60';

export function registerGuestFiles(app: FastifyInstance, http: HttpContext): void {
  const findPreview = makeFindPreview();
  app.get('/guest/images/:file', (request, reply) => sendImage(http, request, reply));
  app.get('/c/:id/preview.jpg', (request, reply) => sendPreview(http, request, reply, findPreview));
  app.get('/c/:id/event.ics', (request, reply) => handlePage(http, request, reply, 'page.calendar', sendCalendarFile));
}

function countFile(http: HttpContext, { ip }: FastifyRequest): Promise<void> {
  return countPageCall(http, `page files address ${networkOf(ip)}`, FILES_PER_HOUR);
}

async function sendImage(http: HttpContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  request.operation = 'guestImage';
  await countFile(http, request);
  const hash = /^([0-9a-f]{64})\.webp$/.exec((request.params as { file: string }).file)?.[1];
  const file = hash === undefined ? null : await readImageFile(http.app.db, hash);
  if (file === null || file.type !== 'image/webp') throw notFound();
  return sendPicture(reply, file.type, file.content, IMMUTABLE_CACHE);
}

async function sendPreview(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  findPreview: FindPreview,
): Promise<FastifyReply> {
  request.operation = 'checkoutPreview';
  await countFile(http, request);
  const route = await findPageRoute(http, request);
  const { mode, offeringExternalId } = await readView(http, route);
  const { db, clock } = http.app;
  const pictured = { venueId: route.venueId, mode, offeringExternalId };
  const { content, isCover } = await findPreview(db, pictured, clock.now());
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
  reply.header('etag', etag);
  const cacheControl = isCover ? COVER_CACHE : DRAWING_CACHE;
  if (request.headers['if-none-match'] === etag) return reply.header('cache-control', cacheControl).code(304).send();
  return sendPicture(reply, 'image/jpeg', content, cacheControl);
}

/** A picture that is opened alone must not run anything. */
function sendPicture(reply: FastifyReply, type: string, content: Buffer, cacheControl: string): FastifyReply {
  return reply
    .type(type)
    .header('cache-control', cacheControl)
    .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    .header('x-robots-tag', 'noindex')
    .send(content);
}

async function readView({ app }: HttpContext, { venueId, checkoutId }: PageRoute): Promise<GuestView> {
  const view = await viewForGuest(app.db, venueId, checkoutId, null, app.clock.now());
  if (view === null) throw notFound();
  return view;
}

/** Only of a completed checkout that was not refunded whole: otherwise nothing is booked. */
async function sendCalendarFile(page: PageRequest): Promise<FastifyReply> {
  await countCall(page, 'looks');
  const { http, request, reply } = page;
  const route = await findPageRoute(http, request);
  const view = await readView(http, route);
  const checkout = JSON.parse(view.json) as GuestCheckout;
  if (checkout.status !== 'completed' || checkout.starts_at === null) throw notFound();
  const refunds = await refundTotalsOf(http.app.db, route.venueId, route.checkoutId);
  if (isRefundedInFull(refunds, checkout.amount)) throw notFound();
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
