// The routes for the card processor: its signed events (verified over the raw bytes and stored as due work; the worker
// handles them later), and, in the sandbox, a proxy under /sandbox/processor to the few addresses of the embedded
// processor that a guest's browser needs. A request with a secret key never passes the proxy.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Mode } from '../base/config.ts';
import { Problem } from '../base/errors.ts';
import { sendTrusted } from '../base/outbound/trusted-request.ts';
import { readProcessorEvent } from '../domain/payments/processor-event.ts';
import { receiveProcessorEvent } from '../domain/payments/receive-processor-event.ts';
import type { HttpContext } from './context.ts';

const MAX_EVENT_BYTES = 1024 * 1024;
const MAX_PROXIED_BYTES = 64 * 1024;
const PROXY_TIMEOUT_MS = 20_000;

export function registerProcessor(app: FastifyInstance, http: HttpContext): void {
  app.post('/processor/notices/:mode', { config: { bodyLimit: MAX_EVENT_BYTES } }, async (request, reply) => {
    request.operation = 'processorNotice';
    const { mode } = request.params as { mode: string };
    const secrets = (isMode(mode) ? http.app.processorAccess.processorEventSecrets[mode] : undefined) ?? [];
    const header = request.headers['stripe-signature'];
    const now = http.app.clock.now();
    const raw = (request.body as Buffer | null | undefined) ?? Buffer.alloc(0);
    const event = readProcessorEvent(raw, Array.isArray(header) ? header[0] : header, secrets, now);
    // A live endpoint for connected accounts gets test events too: `livemode` decides. A test secret proves nothing live.
    if (event === null || (event.mode !== mode && event.mode === 'live')) {
      throw new Problem('unauthorized', { message: 'This notice is not signed by our card processor.' });
    }
    // Test mode has endpoints of its own, with addresses of their own: here its events are accepted and not counted.
    request.leavesNoWork = event.mode !== mode || !(await receiveProcessorEvent(http.app.db, event, now));
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
      config: { bodyLimit: MAX_PROXIED_BYTES },
      handler: (request, reply) => {
        const path = request.url.slice('/sandbox/processor'.length);
        const body = (request.body as Buffer | null | undefined)?.toString('latin1') ?? '';
        if (!isBrowserPath(method, path) || /(^|&)key=(?!pk_)/.test(body)) {
          throw new Problem('not_found', { message: 'The sandbox shows browsers only what a guest needs.' });
        }
        return proxyToSandbox(sandboxUrl, path, request, reply);
      },
    });
  }
}

function isMode(text: string): text is Mode {
  return text === 'test' || text === 'live';
}

/** Reading and confirming a payment intent with its client secret, and the processor's pages for card holders. */
function isBrowserPath(method: 'GET' | 'POST', url: string): boolean {
  const path = url.split('?')[0] ?? '';
  // Refuse what another parser could resolve to another path, and every key that is not publishable.
  if (/(^|\/)\.{1,2}(\/|$)|%|\\|\/\//.test(path) || /[?&]key=(?!pk_)/.test(url)) return false;
  if (/^\/v1\/payment_intents\/pi_[A-Za-z0-9]+$/.test(path)) return method === 'GET';
  if (/^\/v1\/payment_intents\/pi_[A-Za-z0-9]+\/confirm$/.test(path)) return method === 'POST';
  return /^\/(3ds|onboarding|cards|style)(\/[A-Za-z0-9_.-]+)*$/.test(path) || /^\/cards\.json$/.test(path);
}

const REQUEST_HEADERS = ['content-type', 'accept', 'idempotency-key'] as const;
const RESPONSE_HEADERS = ['content-type', 'location', 'content-security-policy', 'referrer-policy', 'cache-control'];

async function proxyToSandbox(
  sandboxUrl: () => Promise<string>,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  request.operation = 'sandboxProcessor';
  request.leavesNoWork = true;
  const headers: Record<string, string> = {};
  for (const name of REQUEST_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  // The processor's script sends its publishable key as a bearer token; a secret key never passes.
  const { authorization } = request.headers;
  if (authorization !== undefined && /^Bearer pk_/.test(authorization)) headers.authorization = authorization;
  try {
    const response = await sendTrusted({
      url: `${await sandboxUrl()}${path}`,
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers,
      body: (request.body as Buffer | null | undefined) ?? null,
      timeoutMs: PROXY_TIMEOUT_MS,
    });
    for (const name of RESPONSE_HEADERS) {
      const value = response.headers[name];
      if (value !== undefined) reply.header(name, value);
    }
    return reply.code(response.status).send(response.body);
  } catch (error) {
    throw new Problem('service_unavailable', {
      message: 'The sandbox’s card processor does not answer.',
      headers: { 'retry-after': '1' },
      cause: error,
    });
  }
}
