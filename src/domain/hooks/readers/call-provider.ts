// One request to the API of a venue system, through the guarded client: authentication by the reader's headers or a token
// that the worker keeps until shortly before it expires, bounded in size and time. The answer is parsed, or classified by
// the reader's rules: refused credentials, something that is gone, a reason to try again, or a failure.

import type { Reader } from '../../../../schemas/types.gen.ts';
import type { Clock } from '../../../base/clock.ts';
import { parseStrictJson } from '../../../base/json/parse.ts';
import type { OutboundResponse } from '../../../base/outbound/exchange.ts';
import type { Outbound } from '../../../base/outbound/outbound.ts';
import { OutboundError } from '../../../base/outbound/outbound-error.ts';
import { type BodyScope, readBody, textOf, valueAt } from '../mapping/body.ts';
import { fits } from '../mapping/conditions.ts';
import type { ReadStep } from './read-readers.ts';
import { fillJson, fillText, fillTexts, type Values, withoutCursor } from './template.ts';

export type FailureKind = 'refused' | 'gone' | 'later' | 'failed';

export const SEND_IT_YOURSELF = 'send the offering with POST /v1/offerings.';
export const REPLAY_LATER = 'Replay the delivery later, and contact us if it fails again.';

/** Why a read did not give an object. */
export class ReadFailure extends Error {
  readonly kind: FailureKind;
  /** The provider's Retry-After, in milliseconds; null: it gave none. */
  readonly retryAfterMs: number | null;
  readonly isRateLimit: boolean;

  constructor(kind: FailureKind, message: string, retryAfterMs: number | null = null, isRateLimit = false) {
    super(message);
    this.name = 'ReadFailure';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.isRateLimit = isRateLimit;
  }
}

export interface ProviderClient {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly providerTokens: TokenCache;
  /** The address of test servers, below which each provider has its name; null: the providers' own addresses. */
  readonly readerBaseUrl: string | null;
}

export interface ProviderCall {
  readonly reader: Reader;
  /** Identifies the credentials, so that a token of replaced ones is not used. */
  readonly credentialsKey: string;
  readonly values: Values;
  /** No request is sent after this time. */
  readonly deadline: number;
  /** Waits as long as the provider's limit asks between two requests. */
  readonly pace: () => Promise<void>;
  /** Counts the requests that were made. */
  readonly count: () => void;
}

const TIMEOUT_MS = 20_000;
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
const MAX_TOKENS = 1_000;
const TOKEN_MARGIN_MS = 60_000;
const DEFAULT_TOKEN_SECONDS = 3_600;
const TOKEN_MAX_BYTES = 65_536;

interface KeptToken {
  readonly value: string;
  readonly expiresAt: number;
}

/** Tokens in memory; the oldest makes room. A restarted worker asks for new ones. */
export class TokenCache {
  readonly #tokens = new Map<string, KeptToken>();

  get(key: string, now: number): string | null {
    const token = this.#tokens.get(key);
    return token === undefined || token.expiresAt <= now ? null : token.value;
  }

  set(key: string, token: KeptToken): void {
    this.#tokens.delete(key);
    this.#tokens.set(key, token);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }

  delete(key: string): void {
    this.#tokens.delete(key);
  }
}

/** The parsed answer of a step. `cursor` null: the first page. */
export async function callStep(
  client: ProviderClient,
  call: ProviderCall,
  step: ReadStep,
  cursor: string | null,
): Promise<unknown> {
  const keptToken = client.providerTokens.get(call.credentialsKey, client.clock.now());
  try {
    return await callOnce(client, call, step, cursor);
  } catch (error) {
    const isRefused = error instanceof ReadFailure && error.kind === 'refused';
    if (!isRefused || keptToken === null) throw asRefusal(error, step);
  }
  // The provider may revoke a token before its time: ask for a new one, once.
  client.providerTokens.delete(call.credentialsKey);
  return callOnce(client, call, step, cursor).catch((error: unknown) => {
    throw asRefusal(error, step);
  });
}

/** A refusal that is about one object does not pause the reads of the others. */
function asRefusal(error: unknown, { refusal }: ReadStep): unknown {
  const isRefused = error instanceof ReadFailure && error.kind === 'refused';
  return isRefused && refusal === 'object' ? new ReadFailure('failed', error.message) : error;
}

async function callOnce(
  client: ProviderClient,
  call: ProviderCall,
  step: ReadStep,
  cursor: string | null,
): Promise<unknown> {
  const token = await tokenOf(client, call);
  const values = { ...call.values, ...translated(step, call.values), token, cursor: cursor ?? '' };
  const ofPage = <Value>(value: Value): Value => (cursor === null ? withoutCursor(value) : value);
  const query = new URLSearchParams(fillTexts(ofPage(step.query ?? {}), values)).toString();
  const path = fillText(step.path, values, encodeURIComponent);
  const body = step.body === undefined ? null : JSON.stringify(fillJson(ofPage(step.body), values));
  return send(client, call, defaultFailure, {
    path: query === '' ? path : `${path}?${query}`,
    method: step.method,
    headers: {
      accept: 'application/json',
      ...fillTexts(call.reader.headers, values),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    body,
    maxBytes: call.reader.limits.max_bytes,
  });
}

/** The values of a step that are translated from what was read before. */
function translated({ values = {} }: ReadStep, known: Values): Values {
  const scope: BodyScope = { root: known, bound: [] };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, { path, choices }]) => {
      const text = textOf(valueAt(scope, path)) ?? '';
      const chosen = Object.entries(choices).find(([pattern]) => fits(text, pattern))?.[1];
      return chosen === undefined ? [] : [[name, chosen]];
    }),
  );
}

async function tokenOf(client: ProviderClient, call: ProviderCall): Promise<string> {
  const { token } = call.reader;
  if (token === undefined) return '';
  const kept = client.providerTokens.get(call.credentialsKey, client.clock.now());
  if (kept !== null) return kept;
  const body = fillTexts(token.body, call.values);
  const isForm = token.format === 'form';
  const answer = await send(client, call, tokenFailure, {
    path: token.path,
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    },
    body: isForm ? new URLSearchParams(body).toString() : JSON.stringify(body),
    maxBytes: TOKEN_MAX_BYTES,
  });
  const scope: BodyScope = { root: answer, bound: [] };
  const value = textOf(valueAt(scope, token.value));
  if (value === null) throw new ReadFailure('failed', NO_TOKEN);
  const seconds = token.expires_in === undefined ? null : textOf(valueAt(scope, token.expires_in));
  const lifeMs = (Number(seconds) || DEFAULT_TOKEN_SECONDS) * 1000;
  client.providerTokens.set(call.credentialsKey, { value, expiresAt: client.clock.now() + lifeMs - TOKEN_MARGIN_MS });
  return value;
}

interface RequestParts {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly maxBytes: number;
}

const NO_TOKEN = `The venue system accepted the credentials and gave no token. ${REPLAY_LATER}`;

async function send(
  client: ProviderClient,
  call: ProviderCall,
  meaningOf: StatusMeaning,
  parts: RequestParts,
): Promise<unknown> {
  const { reader } = call;
  const base = client.readerBaseUrl === null ? reader.base_url : `${client.readerBaseUrl}/${reader.provider}`;
  await call.pace();
  if (client.clock.now() > call.deadline) throw new ReadFailure('later', 'The venue system took too long to answer.');
  call.count();
  let response: OutboundResponse;
  try {
    response = await client.outbound.request({
      url: `${base}${parts.path}`,
      method: parts.method,
      headers: parts.headers,
      ...(parts.body === null ? {} : { body: parts.body }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: parts.maxBytes,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.kind !== 'too_large') throw new ReadFailure('later', error.publicMessage);
    throw new ReadFailure('failed', `${error.publicMessage.replace(/\.$/, '')}: ${SEND_IT_YOURSELF}`);
  }
  const { answer, exceeded } = parsed(response);
  const kind = failureOf(reader, response.status, answer, meaningOf);
  if (kind !== null) throw failure(client, response, kind, messageOf(client, call, answer));
  // The same answer would come again, so it is not asked for again.
  if (exceeded !== null)
    throw new ReadFailure('failed', `The answer is too large, with more than ${exceeded}: ${SEND_IT_YOURSELF}`);
  if (answer === undefined) throw new ReadFailure('later', 'The venue system did not answer with JSON.');
  return answer;
}

interface ParsedAnswer {
  /** Numbers keep their text. Undefined: the body is not JSON, or exceeds a bound. */
  readonly answer: unknown;
  /** The bound that the body exceeds. */
  readonly exceeded: string | null;
}

function parsed({ body }: OutboundResponse): ParsedAnswer {
  const strict = parseStrictJson(body);
  return strict.ok
    ? { answer: readBody(body.toString('utf8')), exceeded: null }
    : { answer: undefined, exceeded: strict.exceeded };
}

/** What a status without a rule of the reader means. */
type StatusMeaning = (status: number) => FailureKind;

const isTemporary = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** A 403 is about one object that the credentials may not read: the others can still be read. */
function defaultFailure(status: number): FailureKind {
  if (status === 401) return 'refused';
  if (status === 404 || status === 410) return 'gone';
  return isTemporary(status) ? 'later' : 'failed';
}

/** A request for a token has only the credentials, so they are what is refused. Its address says nothing of an object. */
function tokenFailure(status: number): FailureKind {
  if (status === 400 || status === 401 || status === 403) return 'refused';
  return isTemporary(status) || status === 404 || status === 410 ? 'later' : 'failed';
}

/** Null: the answer is what was asked for. */
function failureOf(reader: Reader, status: number, answer: unknown, meaningOf: StatusMeaning): FailureKind | null {
  const scope: BodyScope = { root: answer, bound: [] };
  const rule = reader.errors.find((candidate) => {
    if (candidate.status !== undefined && candidate.status !== status) return false;
    if (candidate.path === undefined) return true;
    const text = textOf(valueAt(scope, candidate.path));
    return text !== null && (candidate.is ?? ['*']).some((pattern) => fits(text, pattern));
  });
  if (rule !== undefined) return rule.means === 'gone' ? meaningOf(404) : rule.means;
  return status >= 200 && status < 300 ? null : meaningOf(status);
}

function failure(
  { clock }: ProviderClient,
  { status, headers }: OutboundResponse,
  kind: FailureKind,
  message: string | null,
): ReadFailure {
  const mayNotRead = message === null ? MAY_NOT_READ : MAY_NOT_READ_MAYBE;
  const remedy = status === 403 ? mayNotRead : kind === 'failed' ? REPLAY_LATER : '';
  return new ReadFailure(
    kind,
    `The venue system answered ${status}${message === null ? '' : `: "${message}"`}. ${remedy}`.trim(),
    retryAfterMs(headers['retry-after'], clock.now()),
    status === 429,
  );
}

const MAY_NOT_READ =
  'The credentials may not read this object: give them access to it there, or set those of its owner, and replay the delivery.';
/** Some providers answer 403 for other reasons too, which their own message states. */
const MAY_NOT_READ_MAYBE =
  'Correct there what it says, such as the access of the credentials to this object, and replay the delivery.';

const MAX_MESSAGE_LENGTH = 160;

/** The provider's own message, on one line and shortened. Null: there is none, or it repeats a secret. */
function messageOf({ providerTokens, clock }: ProviderClient, call: ProviderCall, answer: unknown): string | null {
  const { error_message: path, credentials } = call.reader;
  const text = path === undefined ? null : textOf(valueAt({ root: answer, bound: [] }, path));
  const line = text?.replaceAll(/[\p{C}\s"]+/gu, ' ').trim() ?? '';
  const values = call.values.credentials as Readonly<Record<string, string | undefined>>;
  const secrets = credentials.filter(({ secret }) => secret).map(({ name }) => values[name]);
  const token = providerTokens.get(call.credentialsKey, clock.now());
  if (line === '' || [...secrets, token].some((secret) => secret != null && line.includes(secret))) return null;
  const characters = [...line.replace(/\.$/, '')];
  return characters.length <= MAX_MESSAGE_LENGTH
    ? characters.join('')
    : `${characters.slice(0, MAX_MESSAGE_LENGTH - 1).join('')}…`;
}

/** Seconds, or a date of HTTP. */
export function retryAfterMs(text: string | undefined, now: number): number | null {
  if (text === undefined || text.trim() === '') return null;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
