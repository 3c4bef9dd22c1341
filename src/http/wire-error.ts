// What is so broken that it never becomes a request (not HTTP, headers too large, too slow) is still answered in our
// shape, straight on the socket, and the connection is closed.

import type { Socket } from 'node:net';
import { catalogue, type ErrorCode } from '../base/errors.ts';
import type { HttpContext } from './context.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** As Node tells of it, with the bytes that it could not read. */
type WireError = Error & { readonly code?: string; readonly rawPacket?: unknown };

export function answerClientError(http: HttpContext, error: WireError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const requestId = http.app.ids.prefixed('req');
  const code = CODES[error.code ?? ''] ?? 'malformed_request';
  const { status, message } = catalogue[code];
  http.metrics.observe('malformed', status, 0);
  http.app.log.info({ request_id: requestId, operation: 'malformed', status, code: error.code }, 'request');
  const body = JSON.stringify({ error: { code, message, request_id: requestId } });
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status] ?? 'Bad Request'}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n` +
      // Whoever asks by HEAD reads no body: it would be taken for the beginning of another answer.
      `x-request-id: ${requestId}\r\nconnection: close\r\n\r\n${isHead(error) ? '' : body}`,
  );
}

function isHead({ rawPacket }: WireError): boolean {
  return Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD ';
}
