// GET /c/<id>/changes and /s/<token>/changes: server-sent events that tell an open page to read itself again. A message has
// an id that differs after each change, and nothing else: what changed, and whether the guest may see it, is decided when
// the page is read. So a stream needs no further look at the guest's session, and lasts a few minutes at most.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { networkOf } from '../../base/network.ts';
import { readMarks } from '../../domain/checkouts/guests/change-queries.ts';
import { CheckoutChanges } from '../../domain/checkouts/guests/checkout-changes.ts';
import type { HttpContext } from '../context.ts';
import { EventStreams, type StreamLimit } from '../event-stream.ts';
import { setSecurityHeaders } from './layout.ts';
import { findPageRoute, type PageRequest, type PageRoute } from './page-request.ts';
import { countCall, handlePage } from './pages.ts';

const MAX_PAGE_STREAMS = 2_000;
const MAX_PER_ADDRESS = 60;
const MAX_PER_CHECKOUT = 120;
/** The browser opens the next one by itself. */
const LIFETIME_MS = 5 * 60_000;
/** A script cannot see a comment. A message without an id leaves the last id as it is. */
const HEARTBEAT = 'event: alive\ndata: 1\n\n';

interface PageStreams {
  /** Apart from the partners' streams: pages must not use up their places. */
  readonly streams: EventStreams;
  readonly changes: CheckoutChanges;
}

export function registerPageStreams(app: FastifyInstance, http: HttpContext): void {
  const streams = new EventStreams({ heartbeat: HEARTBEAT, maxStreams: MAX_PAGE_STREAMS });
  const changes = new CheckoutChanges(http.app);
  // A stream has no end of its own: it would keep the server from stopping.
  app.addHook('preClose', async () => {
    streams.closeAll();
    changes.close();
  });
  for (const path of ['/c/:id', '/s/:token']) {
    app.get(`${path}/changes`, (request, reply) =>
      handlePage(http, request, reply, 'page.changes', (page) => sendChanges(page, { streams, changes })),
    );
  }
}

async function sendChanges(page: PageRequest, { streams, changes }: PageStreams): Promise<FastifyReply> {
  await countCall(page, 'looks');
  const { http, request, reply } = page;
  const route = await findPageRoute(http, request);
  setSecurityHeaders(reply);
  // An ended checkout does not change: after 204 a browser does not ask again.
  const [now] = await readMarks(http.app.db, [route]);
  if (now === undefined || now.isOver) return reply.code(204).send();
  if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
  const sent = await streams.send(reply, {
    limits: limitsOf(route, request.ip),
    open: async (signal) => changes.watch(route, AbortSignal.any([signal, AbortSignal.timeout(LIFETIME_MS)])),
    isStillAllowed: async () => true,
  });
  request.streamBeganMs = reply.elapsedTime;
  return sent;
}

/** A page that is refused polls instead. */
function limitsOf({ checkoutId }: PageRoute, address: string): readonly StreamLimit[] {
  const message = 'Too many pages are open: this one asks for changes from time to time.';
  return [
    { subject: `address ${networkOf(address)}`, max: MAX_PER_ADDRESS, message },
    { subject: `checkout ${checkoutId}`, max: MAX_PER_CHECKOUT, message },
  ];
}
