// The HTTP server: request ids, rate limit headers, body sizes, the error shape, time-outs and graceful shutdown. It
// knows HTTP only; run/ decides what a request does.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem } from '../base/errors.ts';
import type { MetricsRegistry } from '../base/monitoring/metrics-registry.ts';
import { type MonitoringServer, startMonitoringServer } from '../base/monitoring/monitoring-server.ts';
import { localUrl } from '../base/network.ts';
import type { Tracing } from '../base/tracing/tracing.ts';
import { bodyLimitOf } from '../domain/hooks/providers.ts';
import { recordRefusal } from '../domain/hooks/refusals.ts';
import { readTextFigures, type TextFigures } from '../domain/members/messages/text-limit.ts';
import { RequestLog } from '../domain/requests/request-log.ts';
import { makeAdmission } from '../run/admission.ts';
import type { AppOperation, RunnableOperation } from '../run/app-operation.ts';
import { authorize } from '../run/authorize.ts';
import type { AppContext } from '../run/context.ts';
import { BODY_LIMIT } from '../run/operations/shapes.ts';
import { operations } from '../run/operations.ts';
import { type HttpReply, makePerform } from '../run/perform.ts';
import { isHook, isIntegration } from '../run/principal.ts';
import { asProblem, toHttpProblem } from '../run/problem.ts';
import type { OpenToolServer } from '../run/tool-server.ts';
import { registerApplePay } from './apple-pay.ts';
import { readBody } from './body.ts';
import { replyClientError } from './client-error.ts';
import { closeGracefully, limitConnections } from './connections.ts';
import { registerConsole } from './console.ts';
import { incomingRequest, setConsoleCookies } from './console-headers.ts';
import type { HttpContext, Urls } from './context.ts';
import { allowOrigin, isGuestRoute, letOutageBeRead, registerPreflights } from './cors.ts';
import { EventStreams } from './event-stream.ts';
import { registerGuestFiles } from './guest-files.ts';
import { registerMembers } from './members.ts';
import { type Metrics, makeMetrics } from './metrics.ts';
import { observe } from './observe.ts';
import { makePageStreams } from './page-streams.ts';
import { registerPageStreams } from './pages/page-stream.ts';
import { registerPages, sendPageNotFound } from './pages/pages.ts';
import { registerPayoutPages } from './pages/payout-pages.ts';
import { registerProcessor } from './processor.ts';
import { registerPublished } from './published.ts';
import { countCallByAddress, setRateLimitHeaders } from './rate-limit-headers.ts';
import { hostProblem, normalizeContentType } from './request-headers.ts';
import { makeAllowedMethods, pathOf, routerPath, withoutOrigin } from './routes.ts';
import { registerSmsReplies } from './sms-replies.ts';
import { registerStatus } from './status.ts';
import { registerStream } from './stream-route.ts';
import { isServedByHttps, STRICT_TRANSPORT_SECURITY } from './strict-transport-security.ts';
import { bodyProblemFor, registerTools } from './tools.ts';
import { traceRequests } from './trace-requests.ts';

export interface RunningServer {
  readonly urls: Urls;
  readonly port: number;
  /** Null: /metrics is on `port`. */
  readonly metricsPort: number | null;
  /** The address on this machine, which may differ from the public one. */
  readonly localUrl: string;
  /** Requests in flight finish; new ones are refused. */
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 72_000;
/** How often Node looks for requests that time out; its default of 30 s would double the time-outs. */
const TIMEOUT_CHECK_MS = 2_000;

/** The other metrics are served while the database does not answer, when an operator needs them most. */
async function readTexts({ db, log }: AppContext): Promise<TextFigures | null> {
  try {
    return await readTextFigures(db.priority);
  } catch (error) {
    log.warn({ err: error }, 'the server could not read the figures of texts for its metrics');
    return null;
  }
}

/** `registry`: that of a process which has other series as well. */
export async function startServer(
  context: AppContext,
  openTools: OpenToolServer,
  registry?: MetricsRegistry,
  tracing: Tracing | null = null,
): Promise<RunningServer> {
  const { config } = context;
  let urls: Urls | null = null;
  const metrics = makeServerMetrics(context, registry);
  const http: HttpContext = {
    app: context,
    admit: makeAdmission(context.db.priority, context.clock),
    perform: makePerform(context),
    metrics,
    requestLog: openRequestLog(context, metrics),
    streams: new EventStreams(),
    pageStreams: makePageStreams(),
    urls: () => urls ?? { base: '', checkoutPages: '', schemas: '' },
  };
  const app = Fastify({
    genReqId: () => context.ids.prefixed('req'),
    rewriteUrl: ({ url = '/' }) => withoutOrigin(url),
    routerOptions: { maxParamLength: 2048 },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...(config.trustedProxies.length > 0 ? { trustProxy: [...config.trustedProxies] } : {}),
    clientErrorHandler: (error, socket) => replyClientError(http, error, socket),
    frameworkErrors: (_error, request, reply) => {
      // No hook has run yet, so the headers of every response are set here.
      setCommonHeaders(http, request as FastifyRequest, reply as FastifyReply);
      void replyUnrouted(http, request as FastifyRequest, reply as FastifyReply, []);
    },
  });
  addHooks(app, http, tracing);
  // A request with an unknown `Expect` header is answered as if it had none.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  for (const operation of operations) registerOperation(app, http, operation, openTools);
  registerPreflights(app, http, operations);
  await registerPublished(app, http);
  registerStatus(app, http);
  registerProcessor(app, http);
  registerMembers(app, http);
  registerApplePay(app, http);
  registerPages(app, http);
  registerPageStreams(app, http);
  registerGuestFiles(app, http);
  registerPayoutPages(app, http);
  registerSmsReplies(app, http);
  registerConsole(app);
  const closeUnused = limitConnections(app.server, http);
  await app.listen({ host: config.host, port: config.port });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.port;
  urls = urlsFor(context, port);
  context.address.base = urls.base;
  context.address.pages = urls.checkoutPages;
  const metricsServer = await openMetricsServer(http).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  const close = async (): Promise<void> => {
    await Promise.all([closeGracefully(app, closeUnused), metricsServer?.close()]);
    await http.requestLog?.close();
  };
  return { urls, port, metricsPort: metricsServer?.port ?? null, localUrl: localUrl(config, port), close };
}

function makeServerMetrics(context: AppContext, registry?: MetricsRegistry): Metrics {
  const texts = { perHour: context.config.textsPerHour, read: () => readTexts(context) };
  const names = operations.map(({ id }) => id);
  return makeMetrics(texts, registry, names);
}

/** Null: REQUEST_LOG is off. */
function openRequestLog({ config, db, seal, log }: AppContext, metrics: Metrics): RequestLog | null {
  if (!config.requestLog) return null;
  return new RequestLog({ db: db.background, seal, log, onDropped: metrics.countUnlogged });
}

/** Null: METRICS_PORT is not set. */
async function openMetricsServer({ app, metrics }: HttpContext): Promise<MonitoringServer | null> {
  const { metricsPort, metricsHost } = app.config;
  return metricsPort === null ? null : startMonitoringServer({ ...app, metrics }, metricsHost, metricsPort);
}

function urlsFor(context: AppContext, port: number): Urls {
  const { config } = context;
  const base = config.baseUrl ?? localUrl(config, port);
  return { base, checkoutPages: config.checkoutPageBase ?? base, schemas: config.schemaUrl ?? `${base}/schemas` };
}

function addHooks(app: FastifyInstance, http: HttpContext, tracing: Tracing | null): void {
  if (tracing !== null) traceRequests(app, tracing);
  const allowed = makeAllowedMethods(operations);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, stream, done) => {
    if (request.is404) return done(null, null);
    const routeLimit = (request.routeOptions.config as { bodyLimit?: number }).bodyLimit ?? BODY_LIMIT;
    const limit = request.bodyLimit ?? routeLimit;
    readBody(stream, limit).then(
      (body) => done(null, body),
      (error: Error) => {
        const problem = bodyProblemFor(request.routeOptions.config, error);
        if (problem === null) done(error);
        else done(null, problem);
      },
    );
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('rateLimit', null);
  app.decorateRequest('operation', 'unknown');
  app.decorateRequest('toolStatus', null);
  app.decorateRequest('toolCall', null);
  app.decorateRequest('problem', null);
  app.decorateRequest('streamBeganMs', null);
  app.decorateRequest('leavesNoWork', false);
  app.decorateRequest('bodyLimit', null);
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(http, request, reply);
    normalizeContentType(request.method, request.raw.headers);
    const problem = hostProblem(request.raw);
    if (problem === null) done();
    else done(problem);
  });
  // A stream has no end of its own: it would keep the server from stopping.
  app.addHook('preClose', () => {
    http.streams.closeAll();
    return http.app.services.eventFeeds.close();
  });
  app.addHook('onResponse', (request, reply, done) => {
    observe(http, request, reply);
    done();
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = allowed(pathOf(request.url));
    // A route that takes the method was not found because a part of the path is longer than any id: 404.
    return replyUnrouted(http, request, reply, methods.includes(request.method) ? [] : methods);
  });
  app.setErrorHandler(async (error, request, reply) => {
    const problem = problemFrom(error);
    if (isIntegration(request.caller)) await recordRefusal(http.app, request.caller, problem.code);
    return replyProblem(http, request, reply, problem);
  });
}

/** The headers that every response has. */
function setCommonHeaders(http: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  if (request.protocol === 'https' || isServedByHttps(http.urls()))
    reply.header('strict-transport-security', STRICT_TRANSPORT_SECURITY);
}

function registerOperation(
  app: FastifyInstance,
  http: HttpContext,
  operation: AppOperation,
  openTools: OpenToolServer,
): void {
  if (operation.kind === 'tool server') registerTools(app, http, operation.path, openTools);
  else if (operation.kind === 'stream')
    registerStream(app, http, operation, (request, reply) => admitRouted(http, operation, request, reply));
  else registerRunnable(app, http, operation);
}

function registerRunnable(app: FastifyInstance, http: HttpContext, operation: RunnableOperation): void {
  // A provider may test the address by HEAD before it delivers.
  if (operation.kind === 'intake')
    app.head(routerPath(operation.path), {
      onRequest: (request, reply) => admit(http, operation, request, reply),
      handler: async (_request, reply) => reply.code(200).send(),
    });
  app.route({
    method: operation.method,
    url: routerPath(operation.path),
    config: { bodyLimit: operation.bodyLimit ?? BODY_LIMIT },
    onRequest: (request, reply) => admitRouted(http, operation, request, reply),
    handler: async (request, reply) => {
      const header = request.headers['idempotency-key'];
      const result = await http.perform(operation, request.caller, {
        params: request.params as Record<string, string>,
        query: request.query as Record<string, string | string[]>,
        body: (request.body as Buffer | null | undefined) ?? null,
        contentType: request.headers['content-type'],
        idempotencyKey: Array.isArray(header) ? header[0] : header,
        accept: request.headers.accept,
        headers: request.headers,
      });
      setConsoleCookies(http, reply, result);
      if (result.replayed) reply.header('idempotent-replayed', 'true');
      if (operation.csv !== undefined) reply.header('vary', 'accept');
      if (result.csv !== undefined) return sendCsv(http, operation, request, reply.code(result.status), result.csv);
      return reply.code(result.status).type('application/json; charset=utf-8').send(result.json);
    },
  });
}

/** Sends a page of CSV as a file. The Link header names the next page, since CSV cannot. */
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

/** `/v1/offerings/` is no route: the id is missing. */
function admitRouted(
  http: HttpContext,
  operation: AppOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const params = request.params as Record<string, string>;
  for (const name in params) if (params[name] === '') return replyUnrouted(http, request, reply, []);
  return admit(http, operation, request, reply);
}

/** Authorizes the caller before the body is read. Every response has the rate limit headers, a refusal too. */
async function admit(
  http: HttpContext,
  operation: AppOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.operation = operation.id;
  reply.header('cache-control', 'no-store');
  const authResult = await authorize(http.app, http.admit, incomingRequest(http, operation, request));
  request.caller = authResult.caller;
  request.rateLimit = authResult.rateLimit;
  if (isHook(authResult.caller)) request.bodyLimit = bodyLimitOf(authResult.caller.provider);
  if (authResult.rateLimit !== null) setRateLimitHeaders(reply, authResult.rateLimit);
  if (isGuestRoute(operation)) await allowOrigin(http, request, reply, authResult.refusal);
  if (authResult.refusal !== null) throw authResult.refusal;
}

/** Answers 404 or 405. No key is looked up: the request is counted for its address. */
async function replyUnrouted(
  http: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): Promise<FastifyReply> {
  try {
    await countCallByAddress(http, request, reply);
  } catch (error) {
    // The response does not need the database, so it is sent even when counting fails.
    http.app.log.warn({ request_id: request.id, err: error }, 'the server could not count an unrouted request');
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
  request.problem = problem;
  if (problem.status >= 500) {
    http.app.log.error(
      { request_id: request.id, operation: request.operation, code: problem.code, err: problem.cause ?? problem },
      'the server could not answer a request',
    );
  }
  // Every response under /v1, /mcp and /console/api has the rate limit headers, even when the database is unavailable and nothing was
  // counted.
  if (request.rateLimit === null && /^\/(v1|mcp|console\/api)\b/.test(request.url)) {
    setRateLimitHeaders(reply, {
      of: 'address',
      limit: 600,
      remaining: 0,
      reset: Math.floor(http.app.clock.now() / 1000),
      retryAfter: null,
    });
  }
  letOutageBeRead(request, reply, problem);
  const response = toHttpProblem(problem, request.id, http.urls().base);
  return reply
    .code(response.status)
    .headers(response.headers)
    .header('x-request-id', request.id)
    .type('application/json; charset=utf-8')
    .send(response.json);
}

/** The problem behind an error of a handler, or of Fastify itself. */
function problemFrom(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = (error as { code?: unknown }).code;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Problem('unsupported_media_type');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new Problem('malformed_request');
  return asProblem(error);
}
