// GET /c/<id>/changes and /s/<token>/changes: server-sent events that tell an open page to read itself again. A message has
// an id that differs after each change, and nothing else: what changed, and whether the guest may see it, is decided when
// the page is read. So a stream needs no further look at the guest's session, and lasts a few minutes at most.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { readMarks } from '../../domain/checkouts/guests/change-queries.ts';
import type { HttpContext } from '../context.ts';
import { pageStreamLimits, withPageLifetime } from '../page-streams.ts';
import { setSecurityHeaders } from './layout.ts';
import { findPageRoute, type PageRequest } from './page-request.ts';
import { countCall, handlePage } from './pages.ts';

export function registerPageStreams(app: FastifyInstance, http: HttpContext): void {
  // A stream has no end of its own: it would keep the server from stopping.
  app.addHook('preClose', async () => {
    http.pageStreams.closeAll();
    http.app.services.checkoutChanges.close();
  });
  for (const path of ['/c/:id', '/s/:token']) {
    app.get(`${path}/changes`, (request, reply) => handlePage(http, request, reply, 'page.changes', sendChanges));
  }
}

async function sendChanges(page: PageRequest): Promise<FastifyReply> {
  await countCall(page, 'looks');
  const { http, request, reply } = page;
  const route = await findPageRoute(http, request);
  setSecurityHeaders(reply);
  // An ended checkout does not change: after 204 a browser does not ask again.
  const [now] = await readMarks(http.app.db, [route]);
  if (now === undefined || now.isOver) return reply.code(204).send();
  if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
  const sent = await http.pageStreams.send(reply, {
    limits: pageStreamLimits(route.checkoutId, request.ip),
    open: async (signal) => http.app.services.checkoutChanges.watch(route, withPageLifetime(signal)),
    isStillAllowed: async () => true,
  });
  request.streamBeganMs = reply.elapsedTime;
  return sent;
}
