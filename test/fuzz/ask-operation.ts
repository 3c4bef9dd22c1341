// A request to an operation of the OpenAPI document: right in every respect, so that it gets as deep as a partner's would, and
// then, more often than not, wrong in one or two.

import { brokenText, damagedBytes } from './breaks.ts';
import type { Described, Parameter } from './contract.ts';
import {
  addOddHeader,
  addressOf,
  type Draft,
  finished,
  idFor,
  NASTY_WORDS,
  type RequestContext,
  setOddMethod,
  setOddPath,
  wrongBearer,
} from './draw.ts';
import { ORIGIN } from './keys.ts';
import type { Json } from './mutations.ts';
import { realisticBody } from './realistic-body.ts';
import type { Request } from './send.ts';
import { valueFor, varied } from './values.ts';

export function askOperation(drawing: RequestContext, operation: Described): Request {
  const { random, number } = drawing;
  const draft: Draft = {
    label: operation.id,
    method: operation.method,
    path: pathOf(drawing, operation.path),
    query: queryOf(drawing, operation.parameters),
    headers: { 'x-forwarded-for': addressOf(number) },
    body: null,
  };
  authorize(drawing, operation.security, draft);
  if (operation.security.includes('memberToken') && random.often(0.5)) asTheirOwn(drawing, operation.path, draft);
  const value = operation.body === null ? null : bodyOf(drawing, operation);
  if (value !== null) setBody(draft, JSON.stringify(value));
  if (operation.parameters.some((one) => one.in === 'header') && random.often(0.25))
    draft.headers['idempotency-key'] = random.pick(['same-for-all', `key-${number}`, `key-${number % 50}`]);
  const damages = random.weighed([
    [44, 0],
    [41, 1],
    [16, 2],
  ]);
  for (let n = 0; n < damages; n++) damage(drawing, operation, draft, value);
  return finished(drawing, draft);
}

export function setBody(draft: Draft, text: string | Buffer): void {
  draft.body = Buffer.from(text as string);
  draft.headers['content-type'] ??= 'application/json';
  // Whatever was too large about the one before.
  delete draft.isHopeless;
}

function damage(drawing: RequestContext, operation: Described, draft: Draft, value: Json | null): void {
  const { random, contract } = drawing;
  const hasBody = value !== null && operation.body !== null;
  const takesBody = operation.method !== 'GET';
  const ways: readonly (readonly [number, () => void])[] = [
    [hasBody ? 14 : 0, () => setBody(draft, brokenText(random, contract, value, operation.body?.schema ?? {}))],
    [takesBody ? 4 : 1, () => damageBytes(drawing, operation, draft)],
    [hasBody || !takesBody ? 0 : 3, () => setBody(draft, random.pick(BODIES_OF_NOTHING))],
    [3, () => Object.assign(draft, { query: strangeQuery(drawing, draft.query, operation.parameters) })],
    [3, () => changeBearer(drawing, draft)],
    [3, () => addOddHeader(drawing, draft)],
    [2, () => setOddPath(drawing, draft)],
    [1, () => setOddMethod(drawing, draft)],
    [takesBody ? 1 : 0, () => Object.assign(draft, { chunked: true })],
  ];
  random.weighed(ways)();
}

const BODIES_OF_NOTHING = ['{}', '{"a":1}', '[]', 'null', '""', '0', '{', ' ', '{"amount":1}', '{"__proto__":{}}'];

function damageBytes({ random, limitOf }: RequestContext, operation: Described, draft: Draft): void {
  const sent = damagedBytes(random, draft.body?.toString('utf8') ?? '{}', limitOf(operation.id));
  setBody(draft, sent.body);
  Object.assign(draft.headers, sent.headers ?? {});
  if (sent.isTooLarge === true && operation.method !== 'GET') draft.isHopeless = true;
}

function changeBearer(drawing: RequestContext, draft: Draft): void {
  const bearer = wrongBearer(drawing);
  if (bearer === null) delete draft.headers.authorization;
  else draft.headers.authorization = bearer;
}

/** As whoever it is for, with a live key now and then. */
function authorize({ random, fixture }: RequestContext, security: readonly string[], draft: Draft): void {
  if (security.length === 0) return;
  const scheme = random.pick(security);
  const { keys, people, operatorToken } = fixture;
  const bearer = {
    secretKey: random.often(0.9) ? keys.test : keys.live,
    publishableKey: random.often(0.9) ? keys.publishableTest : keys.publishableLive,
    memberToken: random.pick(people).token,
    operatorToken,
  }[scheme];
  draft.headers.authorization = `Bearer ${bearer ?? 'of-a-kind-that-is-new'}`;
  if (scheme === 'publishableKey') draft.headers.origin = ORIGIN;
}

/** Somebody who asks about a share or a checkout that is theirs. */
function asTheirOwn({ random, fixture }: RequestContext, template: string, draft: Draft): void {
  const { checkout, share, token } = random.pick(fixture.seats);
  draft.path = template.replace('{id}', checkout).replace('{share_id}', share);
  // Whoever takes a seat has none yet; everything else is the organizer's to do.
  draft.headers.authorization = `Bearer ${template.endsWith('/seat') ? random.pick(fixture.people).token : token}`;
  delete draft.headers.origin;
}

function pathOf(drawing: RequestContext, template: string): string {
  const { random, fixture } = drawing;
  const segments = template.split('/');
  const pair = fixture.pairs[segments[2] ?? ''];
  const chosen = pair !== undefined && template.split('{').length > 2 && random.often(0.8) ? random.pick(pair) : null;
  let taken = 0;
  return segments
    .map((segment, place) => {
      if (!segment.startsWith('{')) return segment;
      const nth = taken++;
      return chosen?.[nth] ?? idFor(drawing, segments[place - 1] ?? '');
    })
    .join('/');
}

/** What a parameter of this name is about, where the schema does not know what there is. */
const ABOUT: Readonly<Record<string, string>> = { experience_id: 'experiences', checkout: 'checkouts' };

function queryOf(drawing: RequestContext, parameters: readonly Parameter[]): string {
  const { random, contract, fixture } = drawing;
  const parts: string[] = [];
  for (const { name, schema, required } of parameters.filter((one) => one.in === 'query')) {
    if (!required && !random.often(0.35)) continue;
    const kind = ABOUT[name];
    const days = { from: -1, to: 20 }[name];
    const value =
      kind !== undefined
        ? decodeURIComponent(idFor(drawing, kind).replaceAll('%', '%25'))
        : days !== undefined && random.often(0.8)
          ? new Date(fixture.now + days * random.between(0, 2) * 86_400_000).toISOString()
          : String(valueFor(random, contract, schema));
    parts.push(`${name}=${encodeURIComponent(value)}`);
  }
  return parts.join('&');
}

const QUERIES: readonly string[] = [
  'limit=0',
  'limit=101',
  'limit=1e3',
  'limit=-1',
  'limit=1.0',
  'limit=00000000001',
  'limit=1&limit=2',
  'limit=',
  'limit',
  'limit[]=1',
  'before=',
  'before=x',
  'before=infinity',
  'before=-infinity',
  'before=now',
  'before=2027-13-01T00:00:00Z',
  'before=9999-12-31T23:59:59.999999Z',
  'before=0001-01-01T00:00:00Z',
  'before=0000-01-01T00:00:00Z',
  'before=2027-06-12T09:30:00.123456789Z',
  'before=2027-06-12T09:30:00%2B14:00',
  'before=2027-06-12T09:30:00+02:00',
  'before=2016-12-31T23:59:60Z',
  'before=%00',
  '__proto__=1',
  '__proto__[x]=1',
  'constructor=1',
  'a[b]=c',
  '%00=1',
  'x=%00',
  'x=%ff',
  '%ff=1',
  '=',
  '&&&',
  '?',
  '%',
  'from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
  'from=2000-01-01T00:00:00Z&to=2099-01-01T00:00:00Z',
  'from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z',
  'from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z',
  'party_size=0',
  'party_size=501',
  'party_size=99999999999999999999',
  'status=',
  'status=x&status=y',
  'status=Open',
  'experience_id=x',
  'checkout=chk_%00',
  'type=checkout.created&type=x',
  `x=${'y'.repeat(7000)}`,
  Array.from({ length: 1500 }, (_, n) => `a${n}=1`).join('&'),
];

function strangeQuery({ random }: RequestContext, own: string, parameters: readonly Parameter[]): string {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const name = names.length === 0 ? 'x' : random.pick(names);
  const word = random.pick(NASTY_WORDS);
  const more = random.often(0.6) ? random.pick(QUERIES) : `${name}=${word}`;
  return own === '' || random.often(0.3) ? more : `${own}&${more}`;
}

function bodyOf(drawing: RequestContext, { id, body }: Described): Json {
  const { random, contract } = drawing;
  if (body === null) return null;
  const fresh = body.examples.length === 0 || random.often(0.15);
  const drawn = fresh
    ? valueFor(random, contract, body.schema)
    : varied(random, contract, random.pick(body.examples), body.schema);
  return realisticBody(drawing, id, drawn);
}
