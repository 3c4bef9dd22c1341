// Replies to our text messages: the signed notices of the message provider, and in the sandbox a form on the outbox page
// that replies for a phone. A reply can only stop or start messages.

import type { FastifyInstance } from 'fastify';
import { E164 } from '../../schemas/rules/phone.ts';
import { Problem } from '../base/errors.ts';
import { applyKeyword } from '../domain/members/messages/apply-keyword.ts';
import { isFromTwilio } from '../domain/members/messages/twilio.ts';
import type { HttpContext } from './context.ts';

const MAX_NOTICE_BYTES = 64 * 1024;
const PATH = '/texts/twilio';

export function registerSmsReplies(app: FastifyInstance, http: HttpContext): void {
  const { twilio, sandboxSms } = http.app.config;
  if (twilio !== null) {
    app.post(PATH, { config: { bodyLimit: MAX_NOTICE_BYTES } }, async (request, reply) => {
      request.operation = 'textAnswer';
      const fields = formOf(request.body);
      const header = request.headers['x-twilio-signature'];
      const signature = Array.isArray(header) ? header[0] : header;
      if (!isFromTwilio(twilio.authToken, `${http.app.address.base}${PATH}`, fields, signature)) {
        throw new Problem('unauthorized', { message: 'This notice is not signed by our sender of text messages.' });
      }
      await receiveReply(http, fields.get('From') ?? '', fields.get('OptOutType') ?? fields.get('Body') ?? '');
      return reply.type('text/xml').send('<?xml version="1.0" encoding="UTF-8"?><Response></Response>');
    });
  }
  if (!sandboxSms) return;
  app.post('/sandbox/outbox', { config: { bodyLimit: MAX_NOTICE_BYTES } }, async (request, reply) => {
    request.operation = 'outboxAnswer';
    const fields = formOf(request.body);
    await receiveReply(http, fields.get('phone') ?? '', fields.get('answer') ?? '');
    return reply.redirect('/sandbox/outbox', 303);
  });
}

function formOf(body: unknown): URLSearchParams {
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
}

async function receiveReply(http: HttpContext, phone: string, text: string): Promise<void> {
  const { db, seal, clock, log } = http.app;
  if (!E164.test(phone)) return;
  const effect = await applyKeyword(db, { seal, now: clock.now() }, phone, text);
  log.info({ effect }, 'a guest replied to a text message');
}
