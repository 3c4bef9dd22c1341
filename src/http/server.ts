// The HTTP door: request ids, the limit's headers, sizes, the error shape, time-outs, and a clean end. It knows HTTP and
// nothing of the trade; what a request means is decided in run/.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isUnavailable } from '../base/db.ts';
import { Problem } from '../base/errors.ts';
import { bodyLimitOf } from '../domain/hooks/providers.ts';
import { noteRefusal } from '../domain/hooks/refusals.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { makeAdmission } from '../run/admission.ts';
import type { AppOperation, RunnableOperation } from '../run/app-operation.ts';
import { authorize } from '../run/authorize.ts';
import type { AppContext } from '../run/context.ts';
import { BODY_LIMIT } from '../run/operations/shapes.ts';
import { operations } from '../run/operations.ts';
import { type HttpReply, makePerform } from '../run/perform.ts';
import { isPartner } from '../run/principal.ts';
import { asProblem, toHttpProblem } from '../run/problem.ts';
import type { OpenToolServer } from '../run/tool-server.ts';
import { readBody } from './body.ts';
import type { HttpContext, Urls } from './context.ts';
import { allowOrigin, isGuestRoute, registerPreflights } from './cors.ts';
import { countForAddress, setRateLimitHeaders } from './limit-headers.ts';
import { registerMembers } from './members.ts';
import { makeMetrics } from './metrics.ts';
import { registerPages, sendPageNotFound } from './pages/pages.ts';
import { registerProcessor } from './processor.ts';
import { registerPublished } from './published.ts';
import { makeAllowed, ownAddress, pathOf, routerPath } from './routes.ts';
import { registerStatus } from './status.ts';
import { registerTexts } from './texts.ts';
import { asBody, registerTools } from './tools.ts';
import { answerClientError } from './wire-error.ts';

export interface RunningServer {
  readonly urls: Urls;
  readonly port: number;
  /** On this machine, whatever address the world knows it by. */
  readonly localUrl: string;
  /** Requests in flight finish; nothing new begins. */
  close(): Promise<void>;
}

const REQUEST_MS = 30_000;
const HEADERS_MS = 15_000;
const KEEP_ALIVE_MS = 72_000;
/** How often Node looks for requests that take too long; its own default of 30 s would double the time-outs. */
const TIMEOUT_CHECK_MS = 2_000;

export async function startServer(context: AppContext, openTools: OpenToolServer): Promise<RunningServer> {
  const { config } = context;
  let urls: Urls | null = null;
  const http: HttpContext = {
    app: context,
    admit: makeAdmission(context.db.priority, context.clock),
    perform: makePerform(context),
    metrics: makeMetrics(),
    urls: () => urls ?? { base: '', checkoutPages: '', schemas: '' },
  };
  const app = Fastify({
    genReqId: () => context.ids.prefixed('req'),
    rewriteUrl: ({ url = '/' }) => ownAddress(url),
    routerOptions: { maxParamLength: 2048 },
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: TIMEOUT_CHECK_MS, requireHostHeader: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(config.trustedProxies.length > 0 ? { trustProxy: [...config.trustedProxies] } : {}),
    clientErrorHandler: (error, socket) => answerClientError(http, error, socket),
    frameworkErrors: (_error, request, reply) => {
      // Before any hook has run: what every answer carries is said here too.
      showRequestId(request as FastifyRequest, reply as FastifyReply);
      void replyUnrouted(http, request as FastifyRequest, reply as FastifyReply, []);
    },
  });
  prepare(app, http);
  // An expectation that we do not know is no reason to refuse: the request is answered as if it had none.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  for (const operation of operations) {
    if (operation.kind === 'tool server') registerTools(app, http, operation.path, openTools);
    else register(app, http, operation);
  }
  registerPreflights(app, http, operations);
  registerPublished(app, http);
  registerStatus(app, http);
  registerProcessor(app, http);
  registerMembers(app, http);
  await registerPages(app, http);
  registerTexts(app, http);
  await app.listen({ host: config.host, port: config.port });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  urls = urlsFor(context, port);
  context.address.base = urls.base;
  return { urls, port, localUrl: localUrl(context, port), close: () => drain(app) };
}

const SWEEP_MS = 50;

/** Requests in flight finish. A connection that has answered its last one would stay open for the next: it is closed. */
async function drain(app: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}

function localUrl({ config }: AppContext, port: number): string {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function urlsFor(context: AppContext, port: number): Urls {
  const { config } = context;
  const base = config.baseUrl ?? localUrl(context, port);
  return { base, checkoutPages: config.checkoutPageBase ?? base, schemas: config.schemaUrl ?? `${base}/schemas` };
}

function prepare(app: FastifyInstance, http: HttpContext): void {
  const allowed = makeAllowed(operations);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, stream, done) => {
    if (request.is404) return done(null, null);
    const ofRoute = (request.routeOptions.config as { bodyLimit?: number }).bodyLimit ?? BODY_LIMIT;
    const limit = request.bodyLimit ?? ofRoute;
    readBody(stream, limit).then(
      (body) => done(null, body),
      (error: Error) => {
        const kept = asBody(request.routeOptions.config, error);
        if (kept === null) done(error);
        else done(null, kept);
      },
    );
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('rateLimit', null);
  app.decorateRequest('operation', 'unknown');
  app.decorateRequest('toolStatus', null);
  app.decorateRequest('bodyLimit', null);
  app.addHook('onRequest', (request, reply, done) => {
    showRequestId(request, reply);
    normalizeContentType(request.method, request.raw.headers);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    observe(http, request, reply);
    done();
  });
  app.setNotFoundHandler((request, reply) => replyUnrouted(http, request, reply, allowed(pathOf(request.url))));
  app.setErrorHandler(async (error, request, reply) => {
    const problem = fromFastify(error);
    const { caller } = request;
    if (caller !== null && 'integrationId' in caller) await noteRefusal(http.app, caller, problem.code);
    return replyProblem(http, request, reply, problem);
  });
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

function showRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
}

/**
 * Fastify refuses a type that it cannot read before anything else is checked; in our order that comes after the size. So it does
 * with a QUERY that has none, though no address of ours takes that method.
 */
function normalizeContentType(method: string, headers: NodeJS.Dict<string | string[]>): void {
  if (method === 'QUERY') headers['content-type'] = 'application/octet-stream';
  const type = headers['content-type'];
  if (typeof type !== 'string') return;
  if (type.trim() === '') delete headers['content-type'];
  else if (!MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
}

function register(app: FastifyInstance, http: HttpContext, operation: RunnableOperation): void {
  // A provider may look whether somebody is there before it sends anything.
  if (operation.kind === 'intake')
    app.head(routerPath(operation.path), {
      onRequest: (request, reply) => admit(http, operation, request, reply),
      handler: async (_request, reply) => reply.code(200).send(),
    });
  app.route({
    method: operation.method,
    url: routerPath(operation.path),
    config: { bodyLimit: operation.bodyLimit ?? BODY_LIMIT },
    onRequest: (request, reply) => {
      // `/v1/offerings/` is not an offering without a name.
      const nameless = Object.values(request.params as Record<string, string>).includes('');
      return nameless ? replyUnrouted(http, request, reply, []) : admit(http, operation, request, reply);
    },
    handler: async (request, reply) => {
      const header = request.headers['idempotency-key'];
      const done = await http.perform(operation, request.caller, {
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string | string[]>,
        body: (request.body as Buffer | null | undefined) ?? null,
        contentType: request.headers['content-type'],
        idempotencyKey: Array.isArray(header) ? header[0] : header,
        accept: request.headers.accept,
        headers: request.headers,
      });
      if (done.replayed) reply.header('idempotent-replayed', 'true');
      if (operation.csv !== undefined) reply.header('vary', 'accept');
      if (done.csv !== undefined) return sendCsv(http, operation, request, reply.code(done.status), done.csv);
      return reply.code(done.status).type('application/json; charset=utf-8').send(done.json);
    },
  });
}

/** A page as a file. Where the next one is, its headers say: a file has no room for it. */
function sendCsv(
  http: HttpContext,
  operation: AppOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  { text, nextBefore }: NonNullable<HttpReply['csv']>,
): FastifyReply {
  if (nextBefore !== null) {
    const next = new URL(`${http.urls().base}${request.url}`);
    next.searchParams.set('before', nextBefore);
    reply.header('link', `<${next.href}>; rel="next"`);
  }
  const name = operation.path.split('/').at(-1) ?? '';
  return reply
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .type('text/csv; charset=utf-8')
    .send(text);
}

/** Before the body is read: who, and may they. Every answer carries the limit's headers, a refusal too. */
async function admit(
  http: HttpContext,
  operation: AppOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.operation = operation.id;
  reply.header('cache-control', 'no-store');
  const authResult = await authorize(http.app, http.admit, {
    operation,
    params: request.params as Record<string, string>,
    authorization: request.headers.authorization,
    origin: request.headers.origin,
    acceptLanguage: request.headers['accept-language'],
    address: request.ip,
    requestId: request.id,
    via: 'http',
  });
  request.caller = authResult.caller;
  request.rateLimit = authResult.rateLimit;
  if (authResult.caller !== null && 'integrationId' in authResult.caller)
    request.bodyLimit = bodyLimitOf(authResult.caller.provider);
  if (authResult.rateLimit !== null) setRateLimitHeaders(reply, authResult.rateLimit);
  if (isGuestRoute(operation)) await allowOrigin(http, request, reply, authResult.refusal);
  if (authResult.refusal !== null) throw authResult.refusal;
}

/** No such route, or not that method: before any key is looked at, counted for the address. */
async function replyUnrouted(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): Promise<FastifyReply> {
  try {
    await countForAddress(http, request, reply);
  } catch (error) {
    // The answer does not depend on the database: it is given all the same, and the log says that counting failed.
    http.app.log.warn({ request_id: request.id, err: error }, 'an unrouted request was not counted');
  }
  if (methods.length === 0 && request.method === 'GET' && /^\/[cs]\//.test(request.url)) {
    return sendPageNotFound(http, request, reply);
  }
  if (methods.length === 0)
    return replyProblem(
      http,
      request,
      reply,
      new Problem('not_found', { message: 'There is no such route. See /docs for all of them.' }),
    );
  const allow = methods.join(', ');
  const message = `This address takes ${allow}, not ${request.method}.`;
  return replyProblem(http, request, reply, new Problem('method_not_allowed', { message, headers: { allow } }));
}

function replyProblem(http: HttpContext, request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.status >= 500) {
    http.app.log.error(
      { request_id: request.id, operation: request.operation, err: problem.cause ?? problem },
      problem.code,
    );
  }
  // Counting failed (the database is gone): under /v1 and /mcp the headers are promised all the same.
  if (request.rateLimit === null && /^\/(v1|mcp)\b/.test(request.url)) {
    setRateLimitHeaders(reply, {
      limit: 600,
      remaining: 0,
      reset: Math.floor(http.app.clock.now() / 1000),
      retryAfter: null,
    });
  }
  const wire = toHttpProblem(problem, request.id, http.urls().base);
  return reply
    .code(wire.status)
    .headers(wire.headers)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(wire.json);
}

/** What Fastify itself found wrong, in our words. */
function fromFastify(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isUnavailable(error))
    return new Problem('service_unavailable', { headers: { 'retry-after': '1' }, cause: error });
  const code = (error as { code?: unknown }).code;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Problem('unsupported_media_type');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new Problem('malformed_request');
  return asProblem(error);
}

function observe(http: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  const seconds = reply.elapsedTime / 1000;
  const { toolStatus } = request;
  http.metrics.observe(request.operation, toolStatus ?? reply.statusCode, seconds);
  if (!http.app.log.isLevelEnabled('info')) return;
  http.app.log.info(
    {
      request_id: request.id,
      operation: request.operation,
      method: request.method,
      status: reply.statusCode,
      ...(toolStatus === null ? {} : { tool_status: toolStatus }),
      ms: Math.round(seconds * 1e5) / 100,
      ...(isPartner(request.caller) ? principalIn(request.caller) : {}),
    },
    'request',
  );
}

/** A caller as the log names them, and by which door they came. */
function principalIn({ key, venue, by }: Caller): object {
  return { key: key.id, venue: venue.id, via: by.via };
}
