// A booking site that takes group payments: it creates a checkout for each booking with the SDK, shows the group's progress with
// the embed, and confirms the booking when the signed webhook arrives. `npm run example` runs it beside `npm start`.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Everyshare, SignatureVerificationError } from '@everyshare/sdk';
import { Bookings } from './bookings.js';
import { findOffer, OFFERS } from './offers.js';
import { bookingPage, homePage, messagePage } from './pages.js';
import { readSettings } from './settings.js';

const MAX_BODY_BYTES = 1024 * 1024;
const HOUR_MS = 3_600_000;

const settings = await readSettings(process.env);
const everyshare = new Everyshare({ apiKey: settings.secretKey, baseUrl: settings.apiUrl });
const bookings = new Bookings(settings.bookingsFile);

/** Only this site and Everyshare: no inline script or style. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' ${settings.apiUrl}`,
    `connect-src 'self' ${settings.apiUrl}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
};

const FILES = {
  '/site.css': { type: 'text/css', text: readFileSync(new URL('public/site.css', import.meta.url)) },
  '/booking.js': { type: 'text/javascript', text: readFileSync(new URL('public/booking.js', import.meta.url)) },
};

const page = (html, status = 200) => ({ status, type: 'text/html', body: html });
const message = (status, title, text) => page(messagePage(title, text), status);

async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A booking of this site, then a checkout of Everyshare. The SDK retries with one idempotency key. */
async function book(form) {
  const offer = findOffer(form.get('offer'));
  const guests = Number(form.get('guests'));
  const name = String(form.get('name') ?? '').trim();
  if (offer === undefined) return message(400, 'Choose what you would like to book', 'Go back and choose one.');
  if (!Number.isInteger(guests) || guests < 2 || guests > offer.maxGuests)
    return message(400, 'How many are you?', `${offer.title} is for 2 to ${offer.maxGuests} people.`);
  if (name === '' || name.length > 80) return message(400, 'Who is booking?', 'Write a name of 1 to 80 characters.');
  const booking = bookings.add({ offer: offer.id, guests, name, startsAt: offer.startsAt() });
  const payBy = Math.min(Date.now() + 48 * HOUR_MS, Date.parse(booking.startsAt) - 2 * HOUR_MS);
  const checkout = await everyshare.checkouts.create({
    amount: offer.amountFor(guests),
    currency: 'usd',
    party_size: guests,
    pay_by: new Date(payBy).toISOString(),
    description: `${offer.title}, ${guests} people`,
    starts_at: booking.startsAt,
    location: offer.location,
    return_url: `${settings.returnUrl}/bookings/${booking.id}`,
    external_booking_id: booking.id,
  });
  bookings.change(booking.id, { checkoutId: checkout.id, payUrl: checkout.url, amount: checkout.amount });
  return { status: 303, location: `/bookings/${booking.id}` };
}

const STATUS_OF = { completed: 'confirmed', expired: 'released', canceled: 'released' };

/** An event that came while this site was down is missed: what a waiting booking's checkout says now is applied. */
async function refresh(booking) {
  if (booking?.status !== 'waiting' || booking.checkoutId === undefined) return booking;
  try {
    const status = STATUS_OF[(await everyshare.checkouts.retrieve(booking.checkoutId)).status];
    // The webhook may have come meanwhile.
    if (status !== undefined && bookings.find(booking.id).status === 'waiting') bookings.change(booking.id, { status });
  } catch (error) {
    process.stderr.write(`the checkout of booking ${booking.id} could not be read: ${error.message}\n`);
  }
  return bookings.find(booking.id);
}

const STATUS_AFTER = {
  'checkout.completed': 'confirmed',
  'checkout.expired': 'released',
  'checkout.canceled': 'released',
};

/** Verified over the raw bytes, processed once, and answered at once. */
async function receiveWebhook(request) {
  const body = await readBody(request);
  if (body === null) return { status: 413 };
  let event;
  try {
    event = await everyshare.webhooks.constructEvent(body, request.headers, settings.webhookSecret());
  } catch (error) {
    if (error instanceof SignatureVerificationError) return { status: 400 };
    throw error;
  }
  const status = STATUS_AFTER[event.type];
  const booking = status === undefined ? undefined : bookings.find(event.data.object.external_booking_id);
  // A delivery can come twice, or after a later one: `sequence` counts the events of a checkout.
  if (booking !== undefined && event.sequence > (booking.sequence ?? 0)) {
    bookings.change(booking.id, { status, sequence: event.sequence });
    print(`${event.type}: booking ${booking.id} is ${status}`);
  }
  return { status: 204 };
}

async function route(request) {
  const { pathname } = new URL(request.url, settings.siteUrl);
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  const file = FILES[pathname];
  if (isGet && file !== undefined) return { status: 200, type: file.type, body: file.text };
  if (isGet && pathname === '/') return page(homePage(OFFERS));
  if (request.method === 'POST' && pathname === '/book') {
    const body = await readBody(request);
    return body === null ? { status: 413 } : book(new URLSearchParams(body.toString()));
  }
  if (request.method === 'POST' && pathname === '/hooks/everyshare') return receiveWebhook(request);
  const [, id, form] = /^\/bookings\/(bk-\w+)(\.json)?$/.exec(pathname) ?? [];
  const booking = isGet ? await refresh(bookings.find(id)) : undefined;
  if (!isGet || booking === undefined)
    return message(404, 'There is nothing here', 'Your booking’s address is in your browser’s history.');
  if (form !== undefined)
    return { status: 200, type: 'application/json', body: JSON.stringify({ status: booking.status }) };
  return page(bookingPage(booking, findOffer(booking.offer), settings));
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

async function answer(request, response) {
  let result;
  try {
    result = await route(request);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    result = message(502, 'Something went wrong', 'Nothing was booked, and no card was charged. Please try again.');
  }
  const { status, type, body, location } = result;
  response.writeHead(status, {
    ...HEADERS,
    'cache-control': 'no-store',
    ...(type === undefined ? {} : { 'content-type': `${type}; charset=utf-8` }),
    ...(location === undefined ? {} : { location }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const server = createServer((request, response) => void answer(request, response));
server.once('error', (error) => {
  process.stderr.write(`the booking site cannot listen on port ${settings.port}: ${error.message}\n`);
  process.exitCode = 1;
});
server.listen(settings.port, 'localhost', async () => {
  try {
    await settings.receiveEvents();
    print(`The booking site is ready at ${settings.siteUrl}`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
});
