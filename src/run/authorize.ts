// Who is calling, and may they: the checks in their one order. 401; then 403 for the kind of key, the mode, the address,
// the origin, the scope and the link; then 429. Whoever passes is a Caller. Everything found on the way (the allowance
// above all) is told to the door even when the answer is no, since every answer carries the limit's headers.

import { createHash, timingSafeEqual } from 'node:crypto';
import { addressIn } from '../base/config.ts';
import { notFound, Problem } from '../base/errors.ts';
import type { Operation } from '../base/operation.ts';
import { languageOf } from '../base/translations.ts';
import { hashOfToken } from '../domain/hooks/integrations.ts';
import { PROVIDERS } from '../domain/hooks/providers.ts';
import { admitHook } from '../domain/hooks/queries.ts';
import { type Sender, UNKNOWN_HOOK } from '../domain/hooks/receive.ts';
import type { Caller, Sight } from '../domain/keys/caller.ts';
import { hashTextOfKey } from '../domain/keys/key.ts';
import { type KeyAtTheGate, takeAll } from '../domain/keys/queries.ts';
import type { Guest, Stranger } from '../domain/members/guest.ts';
import { keepForeignMember } from '../domain/members/queries.ts';
import type { Actor } from '../domain/venues/audit.ts';
import { normalOrigin } from '../domain/venues/venue.ts';
import { type Allowance, allowances, type Gate } from './admission.ts';
import { actIn, type House } from './context.ts';
import type { Visitor } from './perform.ts';

/** A request as far as it is known before its body is read. */
export interface Arrival {
  readonly operation: Operation<Caller>;
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  readonly acceptLanguage?: string | undefined;
  readonly address: string;
  readonly requestId: string;
  readonly via: 'http' | 'mcp';
  /** A message of the protocol that takes nothing from the hour. */
  readonly free?: boolean;
  /** It comes from a page that is not ours, by a door that pages of others may not use. */
  readonly foreign?: boolean;
}

export interface Verdict {
  readonly allowance: Allowance | null;
  /** Null for an operation that asks nobody who they are. */
  readonly caller: Visitor | null;
  readonly refusal: Problem | null;
}

const UNKNOWN_LENGTH = 512;

export async function judge(house: House, gate: Gate, arrival: Arrival): Promise<Verdict> {
  const { operation } = arrival;
  if (operation.auth === 'operator') return judgeOperator(house, arrival);
  if (operation.auth === 'hook') return judgeHook(house, gate, arrival);
  if (operation.auth === 'guest' || operation.auth === 'member') {
    const member = await asMember(house, arrival);
    if (member !== null) return member;
  }
  const needsKey = operation.auth === 'secret' || operation.auth === 'guest' || operation.auth === 'member';
  const token = needsKey ? bearer(arrival.authorization) : null;
  const origin = originOf(arrival.origin);
  const wanted = sightOf(arrival);
  const { key, allowance, sight } = await gate({
    hash: token === null ? null : hashTextOfKey(token),
    effect: operation.effect,
    address: arrival.address,
    origin,
    sight: wanted,
    free: arrival.free === true,
  });
  const limited = allowance.retryAfter === null ? null : tooMany(allowance);
  if (!needsKey) return { allowance, caller: strangerFrom(house, arrival), refusal: limited };
  if (key === null) return { allowance, caller: null, refusal: limited ?? unauthorized() };
  const caller = callerFrom(house, arrival, key, wanted === null ? undefined : sight);
  return { allowance, caller, refusal: refusalOf(house, arrival, key, origin) ?? limited };
}

const MEMBER_READS = 600;
const MEMBER_WRITES = 120;
const JWT = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i;
const LONGEST_JWT = 4096;

/** A signed-in member, with an hour of their own; null: whoever it is does not come with a member's token. */
async function asMember(house: House, arrival: Arrival): Promise<Verdict | null> {
  const { operation, authorization } = arrival;
  const token = authorization === undefined || authorization.length > LONGEST_JWT ? null : JWT.exec(authorization)?.[1];
  const memberId = token == null ? null : await house.tokens.verify(token);
  if (memberId === null) return null;
  if (house.config.memberIssuer !== null) await keepForeignMember(house.db, memberId, house.clock.now());
  const limit = operation.effect === 'read' ? MEMBER_READS : MEMBER_WRITES;
  const subject = `member ${memberId} ${operation.effect}`;
  const [taken] = await takeAll(house.db.express, limit, [{ subject, calls: 1 }]);
  if (taken === undefined) throw new Error('take_all() answers one row for each subject');
  const allowance = allowances(limit, taken)(0);
  const caller: Guest = { ...actIn(house, byOf(arrival, `member ${memberId}`)), memberId };
  return { allowance, caller, refusal: allowance.retryAfter === null ? null : tooMany(allowance) };
}

function strangerFrom(house: House, arrival: Arrival): Stranger {
  const { address, acceptLanguage } = arrival;
  const language = acceptLanguage === undefined ? null : languageOf(acceptLanguage);
  return { ...actIn(house, byOf(arrival, 'guest')), strangerAt: address, language };
}

function byOf({ via, address, requestId }: Arrival, actor: string): Actor {
  return { actor, via, address, requestId };
}

/** A name has at most 253 characters: whatever is longer is no origin. */
function originOf(header: string | undefined): string {
  return header === undefined || header.length > 300 ? '' : (normalOrigin(header) ?? '');
}

export function bearer(header: string | undefined): string | null {
  const match = header === undefined ? null : /^Bearer +([\x21-\x7e]+) *$/i.exec(header);
  const token = match?.[1];
  return token === undefined || token.length > UNKNOWN_LENGTH ? null : token;
}

const OPERATOR_REMEDY = 'This address needs the operator token, sent as "Authorization: Bearer <token>".';

/** The catalogue's words are about API keys; elsewhere the remedy is another. */
function unauthorized(remedy?: string): Problem {
  const headers = remedy === UNKNOWN_HOOK ? {} : { 'www-authenticate': 'Bearer realm="everyshare"' };
  return new Problem('unauthorized', remedy === undefined ? { headers } : { headers, message: remedy });
}

export function tooMany(allowance: Allowance): Problem {
  const seconds = allowance.retryAfter ?? 1;
  return new Problem('rate_limited', {
    message: `The hourly limit of ${allowance.limit} calls is used up. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}

/** Deliveries an hour for an integration: ten a second, all hour long. */
const HOOK_CALLS = 36_000;

/**
 * The token in the address is the credential: 404 for a provider that nobody knows, 401 for a token, 429. Whoever has no
 * token of ours is counted for the address, and unknown, revoked and another provider's are all the same.
 */
async function judgeHook(house: House, gate: Gate, arrival: Arrival): Promise<Verdict> {
  const { provider = '', token = '' } = arrival.params;
  const isKnown = PROVIDERS.includes(provider);
  const hook = isKnown ? await admitHook(house.db.express, hashOfToken(token), provider, HOOK_CALLS) : null;
  if (hook === null) {
    const { allowance } = await gate({ hash: null, effect: 'write', address: arrival.address, origin: '' });
    const limited = allowance.retryAfter === null ? null : tooMany(allowance);
    return { allowance, caller: null, refusal: isKnown ? (limited ?? unauthorized(UNKNOWN_HOOK)) : notFound() };
  }
  const allowance = allowances(HOOK_CALLS, hook)(0);
  const caller: Sender = {
    senderOf: hook.integration_id,
    venueId: hook.venue_id,
    mode: hook.mode,
    provider,
    url: `${hook.address}${token}`,
    secret: hook.secret,
  };
  return { allowance, caller, refusal: allowance.retryAfter === null ? null : tooMany(allowance) };
}

function refusalOf(house: House, arrival: Arrival, row: KeyAtTheGate, origin: string): Problem | null {
  const { operation } = arrival;
  const wanted = operation.auth === 'secret' ? 'secret' : 'publishable';
  if (operation.auth === 'member' || row.kind !== wanted)
    return new Problem('wrong_key_kind', { message: kindMessage(operation, row) });
  if (!house.config.modes.includes(row.mode)) {
    return new Problem('mode_not_available', {
      message: `This installation has no card processor for ${row.mode} mode.`,
    });
  }
  if (operation.testOnly === true && row.mode !== 'test') {
    return new Problem('mode_not_available', { message: 'Test helpers work with test keys alone.' });
  }
  if (row.allow_ips !== null && !addressIn(arrival.address, row.allow_ips)) return new Problem('ip_not_allowed');
  if (operation.auth === 'guest' && !row.venue_origins.includes(origin)) {
    const missing = 'A publishable key is used from a browser: the Origin header is missing.';
    return new Problem('origin_not_allowed', arrival.origin === undefined ? { message: missing } : {});
  }
  if (arrival.foreign === true) {
    const message =
      'The tool server is not for web pages: call it from a program, without another site’s Origin or Host.';
    return new Problem('origin_not_allowed', { message });
  }
  const scopes = operation.scopes ?? [];
  if (row.mode === 'live' && scopes.length > 0 && !scopes.some((scope) => row.scopes.includes(scope))) {
    return new Problem('insufficient_scope', {
      message: `This call needs the scope ${scopes.join(' or ')}. Ask for a key that carries it.`,
    });
  }
  if (operation.linkedOnly === true && !row.venue_linked) return new Problem('venue_not_linked');
  return null;
}

function kindMessage(operation: Operation<Caller>, row: KeyAtTheGate): string {
  if (operation.auth === 'secret')
    return 'This call needs a secret key (svc_…), sent from a server. A publishable key cannot make it.';
  if (operation.auth === 'member') return 'This call needs a signed-in member, not an API key.';
  return row.kind === 'secret'
    ? 'A secret key must never reach a browser: use a publishable key (pk_…) here.'
    : 'Use a publishable key here.';
}

/** Ids have letters and digits: whatever else is in a path, the database is not asked about it together with others. */
const PLAIN_ID = /^\w{1,64}$/;

function sightOf({ operation, params }: Arrival): string | null {
  const id = operation.readsAtTheGate === true ? (params.id ?? '') : '';
  return PLAIN_ID.test(id) ? id : null;
}

function callerFrom(house: House, arrival: Arrival, row: KeyAtTheGate, sight: Sight | null | undefined): Caller {
  const by: Actor = { actor: row.key_id, via: arrival.via, address: arrival.address, requestId: arrival.requestId };
  return {
    by,
    now: house.clock.now(),
    ids: house.ids,
    random: house.random,
    seal: house.seal,
    contract: house.contract,
    docUrl: house.docUrl,
    checkoutUrl: house.checkoutUrl,
    hookUrl: house.hookUrl,
    venue: { id: row.venue_id, name: row.venue_name, linked: row.venue_linked, origins: row.venue_origins },
    mode: row.mode,
    key: {
      id: row.key_id,
      kind: row.kind,
      scopes: row.scopes,
      writesPerHour: row.writes_per_hour,
      readsPerHour: row.reads_per_hour,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    },
    ...(sight === undefined ? {} : { sight }),
  };
}

function judgeOperator(house: House, arrival: Arrival): Verdict {
  const known = isOperator(house.operatorToken, arrival.authorization);
  const caller = known ? ({ isOperator: true } as const) : null;
  return { allowance: null, caller, refusal: known ? null : unauthorized(OPERATOR_REMEDY) };
}

/** Compared as hashes, so that neither the length nor the first wrong character can be timed. */
export function isOperator(token: string, header: string | undefined): boolean {
  const given = bearer(header) ?? '';
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
