// A request to an operation of the OpenAPI document: right in every respect, so that it gets as deep as a partner's would, and
// then, more often than not, wrong in one or two.

import { brokenText, damagedBytes } from './breaks.ts';
import type { Described, Parameter } from './contract.ts';
import {
  addressOf,
  type Draft,
  type Drawing,
  finished,
  idFor,
  NASTY_WORDS,
  strangeHeader,
  strangeMethod,
  strangePath,
  wrongBearer,
} from './draw.ts';
import { ORIGIN } from './keys.ts';
import type { Json } from './mutations.ts';
import { dressed } from './realistic-body.ts';
import type { Request } from './send.ts';
import { valueFor, varied } from './values.ts';

export function askOperation(drawing: Drawing, operation: Described): Request {
  const { chance, number } = drawing;
  const draft: Draft = {
    label: operation.id,
    method: operation.method,
    path: pathOf(drawing, operation.path),
    query: queryOf(drawing, operation.parameters),
    headers: { 'x-forwarded-for': addressOf(number) },
    body: null,
  };
  authorize(drawing, operation.security, draft);
  if (operation.security.includes('memberToken') && chance.often(0.5)) asTheirOwn(drawing, operation.path, draft);
  const value = operation.body === null ? null : bodyOf(drawing, operation);
  if (value !== null) setBody(draft, JSON.stringify(value));
  if (operation.parameters.some((one) => one.in === 'header') && chance.often(0.25))
    draft.headers['idempotency-key'] = chance.pick(['same-for-all', `key-${number}`, `key-${number % 50}`]);
  const damages = chance.weighed([
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

function damage(drawing: Drawing, operation: Described, draft: Draft, value: Json | null): void {
  const { chance, contract } = drawing;
  const hasBody = value !== null && operation.body !== null;
  const takesBody = operation.method !== 'GET';
  const ways: readonly (readonly [number, () => void])[] = [
    [hasBody ? 14 : 0, () => setBody(draft, brokenText(chance, contract, value, operation.body?.schema ?? {}))],
    [takesBody ? 4 : 1, () => damageBytes(drawing, operation, draft)],
    [hasBody || !takesBody ? 0 : 3, () => setBody(draft, chance.pick(BODIES_OF_NOTHING))],
    [3, () => Object.assign(draft, { query: strangeQuery(drawing, draft.query, operation.parameters) })],
    [3, () => changeBearer(drawing, draft)],
    [3, () => strangeHeader(drawing, draft)],
    [2, () => strangePath(drawing, draft)],
    [1, () => strangeMethod(drawing, draft)],
    [takesBody ? 1 : 0, () => Object.assign(draft, { chunked: true })],
  ];
  chance.weighed(ways)();
}

const BODIES_OF_NOTHING = ['{}', '{"a":1}', '[]', 'null', '""', '0', '{', ' ', '{"amount":1}', '{"__proto__":{}}'];

function damageBytes({ chance, limitOf }: Drawing, operation: Described, draft: Draft): void {
  const sent = damagedBytes(chance, draft.body?.toString('utf8') ?? '{}', limitOf(operation.id));
  setBody(draft, sent.body);
  Object.assign(draft.headers, sent.headers ?? {});
  if (sent.isTooLarge === true && operation.method !== 'GET') draft.isHopeless = true;
}

function changeBearer(drawing: Drawing, draft: Draft): void {
  const bearer = wrongBearer(drawing);
  if (bearer === null) delete draft.headers.authorization;
  else draft.headers.authorization = bearer;
}

/** As whoever it is for, with a live key now and then. */
function authorize({ chance, town }: Drawing, security: readonly string[], draft: Draft): void {
  if (security.length === 0) return;
  const scheme = chance.pick(security);
  const { keys, people, operatorToken } = town;
  const bearer = {
    secretKey: chance.often(0.9) ? keys.test : keys.live,
    publishableKey: chance.often(0.9) ? keys.publishableTest : keys.publishableLive,
    memberToken: chance.pick(people).token,
    operatorToken,
  }[scheme];
  draft.headers.authorization = `Bearer ${bearer ?? 'of-a-kind-that-is-new'}`;
  if (scheme === 'publishableKey') draft.headers.origin = ORIGIN;
}

/** Somebody who asks about a share or a checkout that is theirs. */
function asTheirOwn({ chance, town }: Drawing, template: string, draft: Draft): void {
  const { checkout, share, token } = chance.pick(town.seats);
  draft.path = template.replace('{id}', checkout).replace('{share_id}', share);
  // Whoever takes a seat has none yet; everything else is the organizer's to do.
  draft.headers.authorization = `Bearer ${template.endsWith('/seat') ? chance.pick(town.people).token : token}`;
  delete draft.headers.origin;
}

function pathOf(drawing: Drawing, template: string): string {
  const { chance, town } = drawing;
  const segments = template.split('/');
  const pair = town.pairs[segments[2] ?? ''];
  const chosen = pair !== undefined && template.split('{').length > 2 && chance.often(0.8) ? chance.pick(pair) : null;
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

function queryOf(drawing: Drawing, parameters: readonly Parameter[]): string {
  const { chance, contract, town } = drawing;
  const parts: string[] = [];
  for (const { name, schema, required } of parameters.filter((one) => one.in === 'query')) {
    if (!required && !chance.often(0.35)) continue;
    const kind = ABOUT[name];
    const days = { from: -1, to: 20 }[name];
    const value =
      kind !== undefined
        ? decodeURIComponent(idFor(drawing, kind).replaceAll('%', '%25'))
        : days !== undefined && chance.often(0.8)
          ? new Date(town.now + days * chance.between(0, 2) * 86_400_000).toISOString()
          : String(valueFor(chance, contract, schema));
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

function strangeQuery({ chance }: Drawing, own: string, parameters: readonly Parameter[]): string {
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const name = names.length === 0 ? 'x' : chance.pick(names);
  const word = chance.pick(NASTY_WORDS);
  const more = chance.often(0.6) ? chance.pick(QUERIES) : `${name}=${word}`;
  return own === '' || chance.often(0.3) ? more : `${own}&${more}`;
}

function bodyOf(drawing: Drawing, { id, body }: Described): Json {
  const { chance, contract } = drawing;
  if (body === null) return null;
  const fresh = body.examples.length === 0 || chance.often(0.15);
  const drawn = fresh
    ? valueFor(chance, contract, body.schema)
    : varied(chance, contract, chance.pick(body.examples), body.schema);
  return dressed(drawing, id, drawn);
}
