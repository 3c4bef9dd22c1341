// Checks of a request's headers that hold for every route, before any route reads them: exactly one Host, no encoded
// body, and a content type that Fastify accepts.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Problem } from '../base/errors.ts';

const HOST = /^[\w.~!$&'()*+,;=%:[\]-]+$/;

/**
 * HTTP/1.1 needs exactly one Host (RFC 9112, 3.2). A proxy may route by the first of two and a cache may store by the
 * second, so neither is trusted. HTTP/1.0 may leave it out.
 */
export function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): Problem | null {
  const hosts: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
  if (hosts.length > 1) return malformed('The request has more than one Host header: send one.');
  if (hosts.length === 0 && httpVersion === '1.0') return null;
  if (hosts.length === 0 || hosts[0] === '')
    return malformed('The Host header is missing: send the host of the address.');
  return HOST.test(hosts[0] ?? '')
    ? null
    : malformed('The Host header is not a host: send a name, with a port if any.');
}

/** A browser that opens a page, not a program. */
export function acceptsHtml({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return String(headers.accept).includes('text/html');
}

function malformed(message: string): Problem {
  return new Problem('malformed_request', { message });
}

/** The server decompresses nothing: a small compressed body could become a very large one. */
export function encodingProblem({ headers }: IncomingMessage): Problem | null {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return null;
  const message = 'The body has a Content-Encoding: send it uncompressed, without that header.';
  return new Problem('unsupported_media_type', { message });
}

const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

/**
 * Fastify refuses a malformed content type before any other check; in our order 415 comes after 413. It also refuses a
 * QUERY without a content type, a method that no route takes. Such a type is replaced by one that Fastify accepts.
 */
export function normalizeContentType(method: string, headers: NodeJS.Dict<string | string[]>): void {
  if (method === 'QUERY') headers['content-type'] = 'application/octet-stream';
  const type = headers['content-type'];
  if (typeof type !== 'string') return;
  if (type.trim() === '') delete headers['content-type'];
  else if (!MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
}
