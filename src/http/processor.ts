// Where the card processor and the browser of a guest meet us: the processor's signed notices (verified over the raw bytes,
// marked as due, answered; worked on later), and, in the sandbox, the few addresses of the embedded processor that a
// guest's browser uses, passed through under /sandbox/processor. Nothing that takes a secret key is passed through.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Mode } from '../base/config.ts';
import { Problem } from '../base/errors.ts';
import { sendTrusted } from '../base/outbound/trusted-request.ts';
import { readNotice } from '../domain/payments/notice.ts';
import { receiveNotice } from '../domain/payments/receive-notice.ts';
import type { HttpContext } from './context.ts';

const NOTICE_LIMIT = 1024 * 1024;
const PASS_LIMIT = 64 * 1024;
const PASS_MS = 20_000;

export function registerProcessor(app: FastifyInstance, http: HttpContext): void {
  app.post('/processor/notices/:mode', { config: { bodyLimit: NOTICE_LIMIT } }, async (request, reply) => {
    request.operation = 'processorNotice';
    const { mode } = request.params as { mode: string };
    const secret = isMode(mode) ? http.app.processorAccess.noticeSecrets[mode] : undefined;
    const header = request.headers['stripe-signature'];
    const now = http.app.clock.now();
    const raw = (request.body as Buffer | null | undefined) ?? Buffer.alloc(0);
    const notice =
      secret === undefined ? null : readNotice(raw, Array.isArray(header) ? header[0] : header, secret, now);
    if (notice === null || notice.mode !== mode) {
      throw new Problem('unauthorized', { message: 'This notice is not signed by our card processor.' });
    }
    await receiveNotice(http.app.db, notice, now);
    return reply.send({ received: true });
  });
  const { sandboxUrl } = http.app.processorAccess;
  if (sandboxUrl === null) return;
  app.get('/sandbox/cards', (request, reply) => {
    request.operation = 'sandboxCards';
    return reply.redirect('/sandbox/processor/cards', 302);
  });
  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: '/sandbox/processor/*',
      config: { bodyLimit: PASS_LIMIT },
      handler: (request, reply) => {
        const path = request.url.slice('/sandbox/processor'.length);
        const body = (request.body as Buffer | null | undefined)?.toString('latin1') ?? '';
        if (!isForBrowsers(method, path) || /(^|&)key=(?!pk_)/.test(body)) {
          throw new Problem('not_found', { message: 'The sandbox shows browsers only what a guest needs.' });
        }
        return pass(sandboxUrl, path, request, reply);
      },
    });
  }
}

function isMode(text: string): text is Mode {
  return text === 'test' || text === 'live';
}

/** Looking at and confirming a payment intent with its client secret, and the pages of the pretended bank. */
function isForBrowsers(method: 'GET' | 'POST', url: string): boolean {
  const path = url.split('?')[0] ?? '';
  // What a later reader might fold into another path, or take for a secret key, goes nowhere.
  if (/(^|\/)\.{1,2}(\/|$)|%|\\|\/\//.test(path) || /[?&]key=(?!pk_)/.test(url)) return false;
  if (/^\/v1\/payment_intents\/pi_[A-Za-z0-9]+$/.test(path)) return method === 'GET';
  if (/^\/v1\/payment_intents\/pi_[A-Za-z0-9]+\/confirm$/.test(path)) return method === 'POST';
  return /^\/(3ds|onboarding|cards|style)(\/[A-Za-z0-9_.-]+)*$/.test(path) || /^\/cards\.json$/.test(path);
}

const PASSED_ON = ['content-type', 'accept', 'idempotency-key'] as const;
const PASSED_BACK = ['content-type', 'location', 'content-security-policy', 'referrer-policy', 'cache-control'];

async function pass(
  sandboxUrl: () => Promise<string>,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  request.operation = 'sandboxProcessor';
  const headers: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  // A publishable key may come as a bearer, as the processor's own script sends it; a secret one never passes.
  const { authorization } = request.headers;
  if (authorization !== undefined && /^Bearer pk_/.test(authorization)) headers.authorization = authorization;
  try {
    const answer = await sendTrusted({
      url: `${await sandboxUrl()}${path}`,
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers,
      body: (request.body as Buffer | null | undefined) ?? null,
      timeoutMs: PASS_MS,
    });
    for (const name of PASSED_BACK) {
      const value = answer.headers[name];
      if (value !== undefined) reply.header(name, value);
    }
    return reply.code(answer.status).send(answer.body);
  } catch (error) {
    throw new Problem('service_unavailable', {
      message: 'The sandbox’s card processor does not answer.',
      headers: { 'retry-after': '1' },
      cause: error,
    });
  }
}
