// Published for members: the keys that verify their tokens, and, in the sandbox only, a page with the texts and mails that
// would have been sent.

import type { FastifyInstance } from 'fastify';
import { openMail } from '../domain/mail/mail.ts';
import { newestStoredMails } from '../domain/mail/queries.ts';
import { newestMessages } from '../domain/members/messages/queries.ts';
import { openPhone } from '../domain/members/phone.ts';
import type { HttpContext } from './context.ts';
import { type OutboxMail, type OutboxMessage, sendOutbox } from './pages/outbox.ts';

const MAX_MESSAGES = 100;

export function registerMembers(app: FastifyInstance, http: HttpContext): void {
  app.get('/.well-known/jwks.json', async (request, reply) => {
    request.operation = 'jwks';
    return reply.header('cache-control', 'public, max-age=60').send(await http.app.tokens.jwks());
  });
  const { sandboxSms, sandboxMail } = http.app.config;
  if (!sandboxSms) return;
  app.get('/sandbox/outbox', async (request, reply) => {
    request.operation = 'outbox';
    const messages = await readTexts(http);
    const mails = sandboxMail ? await readMails(http) : [];
    reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
    if ((request.headers.accept ?? '').includes('application/json')) return reply.send({ data: messages, mails });
    return sendOutbox(reply, messages, mails);
  });
}

async function readTexts({ app: { db, seal } }: HttpContext): Promise<OutboxMessage[]> {
  const rows = await newestMessages(db, null, MAX_MESSAGES);
  return rows.map((row) => ({
    to: openPhone(seal, row),
    kind: row.kind,
    status: row.status,
    at: new Date(row.createdAt).toISOString(),
    text: seal.open(row.text, `message ${row.id}`),
  }));
}

async function readMails({ app: { db, seal } }: HttpContext): Promise<OutboxMail[]> {
  const rows = await newestStoredMails(db, MAX_MESSAGES);
  return rows.map((row) => ({
    ...openMail(seal, row),
    kind: row.kind,
    status: row.status,
    at: new Date(row.createdAt).toISOString(),
  }));
}
