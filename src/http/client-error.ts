// Answers what never becomes a request (not HTTP, headers too large, too slow, one connection too many) in our error
// shape, directly on the socket, and closes the connection.

import type { Socket } from 'node:net';
import { catalogue, type ErrorCode } from '../base/errors.ts';
import type { HttpContext } from './context.ts';
import { isServedByHttps, STRICT_TRANSPORT_SECURITY } from './strict-transport-security.ts';

const CODE_BY_NODE_ERROR: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const REASON_PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/** The error of Node's parser, with the bytes that it could not parse. */
type ClientError = Error & { readonly code?: string; readonly rawPacket?: unknown };

export function replyClientError(http: HttpContext, error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
    closeIfUnused(socket);
    return;
  }
  const code = CODE_BY_NODE_ERROR[error.code ?? ''] ?? 'malformed_request';
  sendRawError(http, socket, code, { isHead: isHead(error), nodeCode: error.code });
}

/**
 * A client that sends its first request just now would take a 408 for the answer. And a request may have arrived: after a
 * pause of the process, timers run before sockets are read. They are read before the immediate.
 */
function closeIfUnused(socket: Socket): void {
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
}

interface RawError {
  readonly message?: string;
  /** Further header lines, each with its end. */
  readonly headers?: string;
  /** A HEAD has no body: the client would take it for the beginning of the next response. */
  readonly isHead?: boolean;
  /** For the log. */
  readonly nodeCode?: string | undefined;
}

/** Answers a connection that has no request, and ends it. */
export function sendRawError(http: HttpContext, socket: Socket, code: ErrorCode, more: RawError): void {
  const requestId = http.app.ids.prefixed('req');
  const { status, message: standard } = catalogue[code];
  const { message = standard, headers = '', isHead: hasNoBody = false, nodeCode } = more;
  http.metrics.observe('malformed', status, 0);
  http.app.log.info({ request_id: requestId, operation: 'malformed', status, code: nodeCode ?? code }, 'request');
  const body = JSON.stringify({ error: { code, message, request_id: requestId } });
  const hsts = isServedByHttps(http.urls()) ? `strict-transport-security: ${STRICT_TRANSPORT_SECURITY}\r\n` : '';
  socket.end(
    `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? 'Bad Request'}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n${headers}` +
      `x-request-id: ${requestId}\r\n${hsts}connection: close\r\n\r\n${hasNoBody ? '' : body}`,
  );
}

function isHead({ rawPacket }: ClientError): boolean {
  return Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD ';
}
