// What every kind of request draws from: the request's own chance, the fixture, the contract. And the small things of HTTP that can
// be wrong with any of them: who asks, headers, the address, the method.

import type { SeededRandom } from '../support/seeded-random.ts';
import type { Contract, Schema } from './contract.ts';
import type { Fixture } from './fixture.ts';
import type { Json } from './mutations.ts';
import type { Request } from './send.ts';

export interface Tool {
  readonly name: string;
  readonly inputSchema: Json;
  readonly outputSchema: Schema;
}

export interface RequestContext {
  readonly number: number;
  readonly random: SeededRandom;
  readonly fixture: Fixture;
  readonly contract: Contract;
  readonly tools: readonly Tool[];
  /** How many bytes an operation takes. */
  readonly limitOf: (operationId: string) => number;
}

/** A request while it is being made. */
export interface Draft {
  label: string;
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
  body: Buffer | null;
  chunked?: true;
  isHopeless?: true;
  rpc?: NonNullable<Request['rpc']>;
}

export function finished({ number }: RequestContext, { query, path, ...draft }: Draft): Request {
  return { number, ...draft, path: query === '' ? path : `${path}?${query}` };
}

/** Every request comes from an address of its own, so that no address's hour is used up. */
export function addressOf(number: number): string {
  return `10.${(number >> 16) & 127}.${(number >> 8) & 255}.${number & 255}`;
}

export const NASTY_WORDS: readonly string[] = [
  '%00',
  'a%00b',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  'a%2Fb',
  '%',
  '%zz',
  '%E0%A4%A',
  '%ff',
  '%ed%a0%80',
  "';--",
  '%27%20or%201%3D1',
  '__proto__',
  'constructor',
  'toString',
  '%F0%9F%98%80',
  '0',
  '-1',
  'null',
  'undefined',
  '%0d%0aX:y',
  '~',
  ':id',
  '*',
  '{id}',
  '%20',
  '%C3%A9',
  '\\',
  '%5c..%5c',
  'chk_',
  `chk_${'a'.repeat(65)}`,
  'chk_01jz3k8q7v5m2n9t4w6x8y0abc',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'evt_1',
  'whe_',
  'int_%00',
  '%u0041',
  ';jsessionid=1',
  'a,b',
  'a;b',
  '[1]',
  '9'.repeat(40),
  'x'.repeat(255),
  'x'.repeat(2048),
  'x'.repeat(2049),
  'x'.repeat(9000),
  '%41'.repeat(600),
  '%f0%9f%98%80'.repeat(200),
];

/** What asks for a checkout is given a checkout, most of the time; of somebody else, or nonsense, otherwise. */
export function idFor({ random, fixture }: RequestContext, kind: string): string {
  const { own, others } = fixture;
  const pool = random.weighed([
    [80, own[kind]],
    [8, others[kind]],
    [4, own[random.pick(Object.keys(own))]],
    [8, NASTY_WORDS],
  ]);
  const isNasty = pool === NASTY_WORDS;
  const word = random.pick(pool === undefined || pool.length === 0 ? NASTY_WORDS : pool);
  return isNasty || pool === undefined ? word : encodeURIComponent(word);
}

const JWT_OF_NOBODY = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIwMTk3ZjJjNC02YTEwLTdjM2UtOWIxZC01ZjJhOGM0ZTdkMTAifQ.';

/** Somebody who should not get in, or not as far as this. */
export function wrongBearer({ random, fixture }: RequestContext): string | null {
  const { keys, people, operatorToken } = fixture;
  const token = people[0]?.token ?? '';
  const cut = Math.floor(token.length / 2);
  return random.pick([
    null,
    '',
    'Bearer',
    'Bearer ',
    'bearer x',
    'Basic dXNlcjpwYXNz',
    `Token ${keys.test}`,
    keys.test,
    `Bearer  ${keys.test}  `,
    `bearer ${keys.test}`,
    `Bearer ${keys.test}x`,
    `Bearer ${keys.test.slice(0, -1)}`,
    `Bearer ${keys.live}`,
    `Bearer ${keys.publishableTest}`,
    `Bearer ${keys.publishableLive}`,
    `Bearer ${keys.scopeless}`,
    `Bearer ${keys.revoked}`,
    `Bearer ${keys.elsewhere}`,
    `Bearer ${operatorToken}`,
    `Bearer ${token}`,
    `Bearer ${JWT_OF_NOBODY}`,
    `Bearer ${token.slice(0, cut)}A${token.slice(cut + 1)}`,
    `Bearer ${token}.x`,
    `Bearer ..`,
    `Bearer ${'a'.repeat(513)}`,
    `Bearer ${'a.b'.repeat(2000)}.c`,
    `Bearer svc_live_${'0'.repeat(48)}`,
    `Bearer svc_test_${'\xe9'.repeat(32)}`,
    'Bearer \xff\xfe',
    `Bearer ${keys.test}, Bearer ${keys.live}`,
  ]);
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'content-type',
    [
      'text/plain',
      '',
      ' ',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'x',
      '/',
      'application/json, text/html',
      'APPLICATION/JSON',
      'application/vnd.api+json',
      `application/${'x'.repeat(300)}`,
      '\xff/\xff',
      'application/json;'.repeat(50),
    ],
  ],
  [
    'idempotency-key',
    [
      '',
      ' ',
      'a',
      'same-for-all',
      'x'.repeat(255),
      'x'.repeat(256),
      'x'.repeat(4000),
      '\xe9\xff',
      "';--",
      '__proto__',
      'a,b',
    ],
  ],
  [
    'accept',
    [
      'text/csv',
      'text/csv;q=0',
      '*/*;q=0',
      'application/xml',
      '',
      ';',
      'text/csv;q=x',
      ','.repeat(500),
      'text/html',
      '\xff',
      'text/csv, application/json;q=0.9',
    ],
  ],
  ['accept-language', ['de', 'es-MX,es;q=0.9', '*', 'x'.repeat(2000), ';q=', '__proto__', '\xff']],
  [
    'origin',
    [
      'null',
      'https://evil.example',
      'https://harbor.example',
      'https://harbor.example:443',
      'http://',
      'x'.repeat(301),
      'https://[::1',
      '\xff',
    ],
  ],
  ['expect', ['100-continue', 'x']],
  ['host', ['', 'evil.example', 'localhost:99999', '[::1', 'a b', '\xff']],
  [
    'x-forwarded-for',
    [
      '',
      'x',
      '10.0.0.1, x',
      '999.1.1.1',
      '::1',
      '::ffff:10.1.1.1',
      '1.2.3.4:5678',
      '[2001:db8::1]:80',
      '0',
      '1'.repeat(3000),
      "'; --",
      '2001:db8::1%eth0',
      'fe80::1%25',
      ',',
      'unknown',
      '\xff',
      '010.1.1.1',
    ],
  ],
  ['x-forwarded-host', ['evil.example', '\xff']],
  ['x-forwarded-proto', ['javascript', 'https,http']],
  ['x-http-method-override', ['DELETE', 'PATCH']],
  [
    'cookie',
    [
      'a',
      '=',
      'everyshare_session=',
      `everyshare_session=${'A'.repeat(43)}`,
      'everyshare_sign_in=AAAA',
      'everyshare_locale=de',
      'everyshare_locale=__proto__',
      '\xff',
      ';'.repeat(2000),
    ],
  ],
  ['range', ['bytes=0-0', 'bytes=5-1']],
  ['if-none-match', ['*', '"x"', 'W/"x"', ',']],
  ['accept-encoding', ['gzip', 'br', 'zstd, x', 'identity;q=0', '*;q=0']],
  ['content-encoding', ['gzip', 'identity', 'x']],
  ['sec-fetch-site', ['cross-site', 'same-origin', 'none', 'x']],
  ['referer', ['https://evil.example', '\xff']],
  ['x-request-id', ['mine', '\xff', 'x'.repeat(500)]],
  ['traceparent', ['00-0-0-0', '\xff']],
  ['content-length', ['0']],
  ['x-long', ['x'.repeat(12_000), 'x'.repeat(17_000)]],
  ['upgrade', ['h2c', 'websocket']],
  ['te', ['trailers']],
  ['mcp-protocol-version', ['1', '2026-07-28']],
];

/** One header that is strange, sometimes two. */
export function addOddHeader({ random }: RequestContext, draft: Draft): void {
  for (let times = random.pick([1, 1, 2]); times > 0; times--) {
    const [name, values] = random.pick(HEADERS);
    // A body that is told to have no bytes would become the next request on its connection: that is for the bare socket.
    if (name === 'content-length' && draft.body !== null) continue;
    // An upgrade that nobody offers is ignored by the server and waited for by the client.
    draft.headers[name] = random.pick(values);
    if (name === 'upgrade') draft.headers.connection = 'close';
  }
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'PURGE',
  'QUERY',
];

export function setOddMethod({ random }: RequestContext, draft: Draft): void {
  draft.method = random.pick(METHODS);
}

/** The address itself: encoded otherwise, with dots, slashes, cases, or far too long. */
export function setOddPath({ random }: Pick<RequestContext, 'random'>, draft: Draft): void {
  const { path } = draft;
  const segments = path.split('/');
  const place = random.between(1, segments.length - 1);
  const changed = (segment: string): string => segments.map((one, i) => (i === place ? segment : one)).join('/');
  const own = segments[place] ?? '';
  draft.path = random.pick([
    `${path}/`,
    `/${path}`,
    `${path}//`,
    path.toUpperCase(),
    path.replace('/', '/./'),
    `/x/..${path}`,
    `/%2e%2e${path}`,
    `${path}/..`,
    `${path}%00`,
    `${path}%20`,
    `${path};a=b`,
    `${path}.json`,
    `${path}%2F`,
    `${path}/x`,
    changed(random.pick(NASTY_WORDS)),
    changed(random.pick(NASTY_WORDS)),
    changed(''),
    changed(`${own}%`),
    changed(encoded(own)),
    `${path}/${'a/'.repeat(200)}`,
    `${path}${'x'.repeat(7000)}`,
    `http://evil.example${path}`,
    `*`,
    `${path}#x`,
    path.replaceAll('/', '\\'),
    path.replaceAll('/', '%2f'),
  ]);
}

function encoded(word: string): string {
  return [...word].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}
