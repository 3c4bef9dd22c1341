// What a request says to the console: its cookie, its venue and mode, and where its page comes from.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_COOKIE_SECONDS } from '../domain/accounts/devices.ts';
import { SESSION_SECONDS } from '../domain/accounts/sessions.ts';
import type { AppOperation } from '../run/app-operation.ts';
import type { ConsoleHeaders, IncomingRequest } from '../run/incoming-request.ts';
import type { HttpReply } from '../run/perform.ts';
import type { HttpContext } from './context.ts';
import { readCookie, setCookie } from './pages/cookies.ts';

/** The request as authorization reads it. */
export function incomingRequest(http: HttpContext, operation: AppOperation, request: FastifyRequest): IncomingRequest {
  return {
    operation,
    params: request.params as Record<string, string>,
    authorization: request.headers.authorization,
    origin: request.headers.origin,
    acceptLanguage: request.headers['accept-language'],
    console: consoleHeaders(http, operation, request),
    address: request.ip,
    requestId: request.id,
    via: 'http',
  };
}

/** Nothing is read where no session could count: a partner's server sends no cookie. */
function consoleHeaders(
  http: HttpContext,
  { audience }: AppOperation,
  request: FastifyRequest,
): ConsoleHeaders | undefined {
  const { headers } = request;
  if (headers.cookie === undefined && audience === undefined) return undefined;
  return {
    token: readCookie(request, 'console', isSecure(http)),
    deviceToken: readCookie(request, 'device', isSecure(http)),
    userAgent: headers['user-agent'] ?? null,
    venue: one(headers['everyshare-venue']),
    mode: one(headers['everyshare-mode']),
    fetchSite: one(headers['sec-fetch-site']),
  };
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** The cookies that the answer of an operation sets or deletes. */
export function setConsoleCookies(
  http: HttpContext,
  reply: FastifyReply,
  { sessionToken, deviceToken }: Pick<HttpReply, 'sessionToken' | 'deviceToken'>,
): void {
  const secure = isSecure(http);
  if (sessionToken !== undefined)
    setCookie(reply, 'console', sessionToken ?? '', sessionToken === null ? 0 : SESSION_SECONDS, secure);
  if (deviceToken !== undefined) setCookie(reply, 'device', deviceToken, DEVICE_COOKIE_SECONDS, secure);
}

function isSecure(http: HttpContext): boolean {
  return http.urls().base.startsWith('https:');
}
