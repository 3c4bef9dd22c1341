// Draws requests to the operations of the OpenAPI document: first a valid one, which gets as deep as a partner's, then
// more often than not one or two damages.

import { drawBrokenText, drawDamagedBody } from './broken-body.ts';
import type { DocumentedOperation, Parameter } from './contract.ts';
import { ORIGIN } from './keys.ts';
import type { Json } from './mutations.ts';
import { realisticBody } from './realistic-body.ts';
import {
  addOddHeader,
  clientAddress,
  type Draft,
  drawId,
  finishDraft,
  HOSTILE_SEGMENTS,
  type RequestContext,
  setOddMethod,
  setOddPath,
  wrongBearer,
} from './request-draft.ts';
import type { Request } from './send.ts';
import { drawValue, varyExample } from './values.ts';

/** `isValid`: without damage, and of a guest about their own share where there is one. */
export function drawOperationRequest(
  context: RequestContext,
  operation: DocumentedOperation,
  isValid = false,
): Request {
  const { random, number } = context;
  const draft: Draft = {
    label: operation.id,
    method: operation.method,
    path: drawPath(context, operation.path),
    query: drawQuery(context, operation.parameters),
    headers: { 'x-forwarded-for': clientAddress(number) },
    body: null,
  };
  authorize(context, operation.security, draft);
  if (operation.security.includes('memberToken') && (isValid || random.often(0.5)))
    forOwnShare(context, operation.path, draft);
  const value = operation.body === null ? null : drawBody(context, operation);
  if (operation.id in context.fixture.sessionCalls && (isValid || operation.body === null || random.often(0.5)))
    forOwnSession(context, operation.id, draft, value);
  if (operation.id in context.fixture.deskCalls && (isValid || random.often(0.5)))
    forDesk(context, operation.id, draft, value);
  if (value !== null) setBody(draft, JSON.stringify(value));
  if (operation.parameters.some(({ name }) => name === 'Idempotency-Key') && random.often(0.25))
    draft.headers['idempotency-key'] = random.pick(['same-for-all', `key-${number}`, `key-${number % 50}`]);
  const damages = isValid
    ? 0
    : random.weighed([
        [44, 0],
        [41, 1],
        [16, 2],
      ]);
  for (let n = 0; n < damages; n++) damage(context, operation, draft, value);
  return finishDraft(context, draft);
}

export function setBody(draft: Draft, text: string | Buffer): void {
  draft.body = Buffer.from(text as string);
  draft.headers['content-type'] ??= 'application/json';
  // The previous body may have been too large; this one is not.
  delete draft.mustBeRefused;
}

function damage(context: RequestContext, operation: DocumentedOperation, draft: Draft, value: Json | null): void {
  const { random, contract } = context;
  const hasBody = value !== null && operation.body !== null;
  const takesBody = operation.method !== 'GET';
  const ways: readonly (readonly [number, () => void])[] = [
    [hasBody ? 14 : 0, () => setBody(draft, drawBrokenText(random, contract, value, operation.body?.schema ?? {}))],
    [takesBody ? 4 : 1, () => damageBytes(context, operation, draft)],
    [hasBody || !takesBody ? 0 : 3, () => setBody(draft, random.pick(UNEXPECTED_BODIES))],
    [3, () => Object.assign(draft, { query: oddQuery(context, draft.query, operation.parameters) })],
    [3, () => changeBearer(context, draft)],
    [3, () => addOddHeader(context, draft)],
    [2, () => setOddPath(context, draft)],
    [1, () => setOddMethod(context, draft)],
    [takesBody ? 1 : 0, () => Object.assign(draft, { isChunked: true })],
  ];
  random.weighed(ways)();
}

const UNEXPECTED_BODIES = ['{}', '{"a":1}', '[]', 'null', '""', '0', '{', ' ', '{"amount":1}', '{"__proto__":{}}'];

function damageBytes({ random, limitOf }: RequestContext, operation: DocumentedOperation, draft: Draft): void {
  const sent = drawDamagedBody(random, draft.body?.toString('utf8') ?? '{}', limitOf(operation.id));
  setBody(draft, sent.body);
  Object.assign(draft.headers, sent.headers ?? {});
  if (sent.isTooLarge === true && operation.method !== 'GET') draft.mustBeRefused = true;
}

function changeBearer(context: RequestContext, draft: Draft): void {
  const bearer = wrongBearer(context);
  if (bearer === null) delete draft.headers.authorization;
  else draft.headers.authorization = bearer;
}

/** Adds a credential that the operation accepts, sometimes of live mode. */
function authorize({ random, fixture }: RequestContext, security: readonly string[], draft: Draft): void {
  if (/^\/(console|desk)\//.test(draft.path)) draft.headers.origin = new URL(fixture.base).origin;
  if (security.length === 0) return;
  const scheme = random.pick(security);
  const { keys, people, operatorToken } = fixture;
  if (scheme === 'consoleSession') {
    draft.headers.cookie = `everyshare_console=${random.pick(fixture.consoleTokens)}`;
    draft.headers['everyshare-venue'] = random.often(0.95) ? fixture.venueId : random.pick(HOSTILE_SEGMENTS);
    draft.headers['everyshare-mode'] = random.often(0.9) ? 'test' : random.pick(['live', 'x', '']);
    return;
  }
  const bearer = {
    secretKey: random.often(0.9) ? keys.test : keys.live,
    publishableKey: random.often(0.9) ? keys.publishableTest : keys.publishableLive,
    memberToken: random.pick(people).token,
    operatorToken,
  }[scheme];
  draft.headers.authorization = `Bearer ${bearer ?? 'unknown-security-scheme'}`;
  if (scheme === 'publishableKey') draft.headers.origin = ORIGIN;
}

/** Makes the request one of a guest about their own share or checkout. */
function forOwnShare({ random, fixture }: RequestContext, template: string, draft: Draft): void {
  const isAboutGuest = /\/(decline|remove)$/.test(template);
  const { checkout, share, nextShare, token: own } = random.pick(isAboutGuest ? fixture.guestSeats : fixture.seats);
  const named = template.endsWith('/remind') ? nextShare : share;
  const token = template.endsWith('/remove') ? (fixture.people[0]?.token ?? '') : own;
  const about = template.endsWith('/receipt') ? random.pick(fixture.paid) : checkout;
  draft.path = template.replace('{id}', about).replace('{share_id}', named);
  // A guest who claims a seat has none yet, and one who declines has their own; all other requests are the organizer's.
  draft.headers.authorization = `Bearer ${template.endsWith('/seat') ? random.pick(fixture.people).token : token}`;
  delete draft.headers.origin;
}

/** A code, or the answer of a passkey, counts for the session that asked for it. */
function forOwnSession({ random, fixture }: RequestContext, operation: string, draft: Draft, value: Json | null): void {
  const { token, body } = random.pick(fixture.sessionCalls[operation] ?? []);
  draft.headers.cookie = `everyshare_console=${token}`;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) Object.assign(value, body);
}

/** A decision is about an object, and about the version of it that was shown. */
function forDesk({ random, fixture }: RequestContext, operation: string, draft: Draft, value: Json | null): void {
  const { path, body } = random.pick(fixture.deskCalls[operation] ?? []);
  draft.path = path;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) Object.assign(value, body);
}

function drawPath(context: RequestContext, template: string): string {
  const { random, fixture } = context;
  const segments = template.split('/');
  const pair = fixture.pairs[segments[segments.findIndex((segment) => segment.startsWith('{')) - 1] ?? ''];
  const chosen = pair !== undefined && template.split('{').length > 2 && random.often(0.8) ? random.pick(pair) : null;
  let parameters = 0;
  return segments
    .map((segment, index) => {
      if (!segment.startsWith('{')) return segment;
      const nth = parameters++;
      // The desk has a venue of its own: a suspended one would end the run's other calls.
      const pool = template.startsWith('/desk/') ? 'desk_' : '';
      return chosen?.[nth] ?? drawId(context, `${pool}${segments[index - 1] ?? ''}`);
    })
    .join('/');
}

/** Parameters whose values are ids of the fixture. */
const POOL_OF_PARAMETER: Readonly<Record<string, string>> = { experience_id: 'experiences', checkout: 'checkouts' };

function drawQuery(context: RequestContext, parameters: readonly Parameter[]): string {
  const { random, contract, fixture } = context;
  const parts: string[] = [];
  for (const { name, schema, required } of parameters.filter((one) => one.in === 'query')) {
    if (!required && !random.often(0.35)) continue;
    const kind = POOL_OF_PARAMETER[name];
    const days = { from: -1, to: 20 }[name];
    const value =
      kind !== undefined
        ? decodeURIComponent(drawId(context, kind).replaceAll('%', '%25'))
        : days !== undefined && random.often(0.8)
          ? new Date(fixture.now + days * random.between(0, 2) * 86_400_000).toISOString()
          : String(drawValue(random, contract, schema));
    parts.push(`${name}=${encodeURIComponent(value)}`);
  }
  return parts.join('&');
}

const ODD_QUERIES: readonly string[] = [
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

function oddQuery({ random }: RequestContext, own: string, parameters: readonly Parameter[]): string {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const name = names.length === 0 ? 'x' : random.pick(names);
  const value = random.pick(HOSTILE_SEGMENTS);
  const more = random.often(0.6) ? random.pick(ODD_QUERIES) : `${name}=${value}`;
  return own === '' || random.often(0.3) ? more : `${own}&${more}`;
}

function drawBody(context: RequestContext, { id, body }: DocumentedOperation): Json {
  const { random, contract } = context;
  if (body === null) return null;
  const isNew = body.examples.length === 0 || random.often(0.15);
  const drawn = isNew
    ? drawValue(random, contract, body.schema)
    : varyExample(random, contract, random.pick(body.examples), body.schema);
  return realisticBody(context, id, drawn);
}
