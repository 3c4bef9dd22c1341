// What no client would send: HTTP that is wrong as bytes. Lengths that lie, chunks that do not end, two lengths, no host, headers
// that are none. The bound is the same as everywhere: a word or an end, and never a 5xx.

import { addressOf, type RequestContext } from './draw.ts';
import type { Request } from './send.ts';

/** What the summary counts it as. */
export const WIRE = 'bare socket';

export function askWire({ random, number, fixture }: RequestContext): Request {
  const body = '{"amount":24000}';
  const path = random.pick([
    '/v1/checkouts',
    '/v1/offerings',
    '/mcp',
    '/internal/activity',
    '/v1/public/sign_in',
    '/session/token',
    '/x',
    fixture.hooks[0]?.path ?? '/x',
  ]);
  const common = `Host: x\r\nX-Forwarded-For: ${addressOf(number)}\r\nAuthorization: Bearer ${fixture.keys.test}\r\nContent-Type: application/json\r\n`;
  const post = (headers: string, after: string, line = `POST ${path} HTTP/1.1`): string =>
    `${line}\r\n${common}${headers}\r\n${after}`;
  const text = random.pick([
    post(`Content-Length: ${body.length + 5}\r\n`, body),
    post(`Content-Length: ${body.length - 5}\r\n`, body),
    post('Content-Length: -1\r\n', body),
    post('Content-Length: 1e3\r\n', body),
    post('Content-Length: 99999999999999999999\r\n', body),
    post(`Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n`, body),
    post(`Content-Length: ${body.length}\r\nContent-Length: 3\r\n`, body),
    post(`Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`, `10\r\n${body}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked\r\n', `10\r\n${body}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked\r\n', `10\r\n${body}\r\n`),
    post('Transfer-Encoding: chunked\r\n', `ffffffffffff\r\n${body}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked\r\n', `zz\r\n${body}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked\r\n', `10;${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: chunked\r\nTrailer: X\r\n', `10\r\n${body}\r\n0\r\nX: y\r\n\r\n`),
    post('Transfer-Encoding: gzip, chunked\r\n', `10\r\n${body}\r\n0\r\n\r\n`),
    post('Transfer-Encoding: identity\r\n', body),
    post('Expect: 100-continue\r\nContent-Length: 16\r\n', body),
    post('Expect: 100-continue\r\nContent-Length: 16\r\n', ''),
    post('X-Bad: a\u0000b\r\n', ''),
    post('X Bad: a\r\n', ''),
    post(': a\r\n', ''),
    post('X-Folded: a\r\n b\r\n', ''),
    post(`X: ${'x'.repeat(20_000)}\r\n`, ''),
    post(`${'X: y\r\n'.repeat(3_000)}`, ''),
    post('', '', `POST ${path} HTTP/0.9`),
    post('', '', `POST ${path} HTTP/2.0`),
    post('', '', `POST ${path}`),
    post('', '', `POST  ${path} HTTP/1.1`),
    post('', '', `post ${path} HTTP/1.1`),
    post('', '', `GET /v1/\u0001 HTTP/1.1`),
    post('', '', `GET /v1/ä HTTP/1.1`),
    post('', '', `GET ${'/x'.repeat(10_000)} HTTP/1.1`),
    post('', '', `CONNECT x:443 HTTP/1.1`),
    post('', '', `GET http://x${path} HTTP/1.1`),
    post('', '', `OPTIONS * HTTP/1.1`),
    `POST ${path} HTTP/1.1\r\n\r\n`,
    `POST ${path} HTTP/1.1\nHost: x\n\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001',
    '\r\n\r\n\r\n',
    `GET /v1/me HTTP/1.1\r\n${common}\r\nGET /v1/me HTTP/1.1\r\n${common}Connection: close\r\n\r\n`,
    random.bytes(300).toString('latin1'),
  ]);
  return {
    number,
    label: WIRE,
    method: '',
    path: '',
    headers: {},
    body: null,
    wire: Buffer.from(text, 'latin1'),
  };
}
