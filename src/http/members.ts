// Published for members: the keys that verify their tokens, and, in the sandbox only, a page with the text messages
// that would have been sent.

import type { FastifyInstance } from 'fastify';
import { newestMessages } from '../domain/members/messages/queries.ts';
import { openPhone } from '../domain/members/phone.ts';
import type { HttpContext } from './context.ts';
import { sendOutbox } from './pages/outbox.ts';

const MAX_MESSAGES = 100;

export function registerMembers(app: FastifyInstance, http: HttpContext): void {
  app.get('/.well-known/jwks.json', async (request, reply) => {
    request.operation = 'jwks';
    return reply.header('cache-control', 'public, max-age=60').send(await http.app.tokens.jwks());
  });
  if (!http.app.config.sandboxSms) return;
  app.get('/sandbox/outbox', async (request, reply) => {
    request.operation = 'outbox';
    const { db, seal } = http.app;
    const rows = await newestMessages(db, null, MAX_MESSAGES);
    const messages = rows.map((row) => ({
      to: openPhone(seal, row),
      kind: row.kind,
      status: row.status,
      at: new Date(row.createdAt).toISOString(),
      text: seal.open(row.text, `message ${row.id}`),
    }));
    reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
    if ((request.headers.accept ?? '').includes('application/json')) return reply.send({ data: messages });
    return sendOutbox(reply, messages);
  });
}
