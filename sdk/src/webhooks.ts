// Verifies a delivery before a receiver trusts it: the signature over the raw bytes, then the time of signing. It takes
// `Service-Signature` or the headers of Standard Webhooks, in any runtime with WebCrypto, and needs no API key.

import { bytesOf } from './bytes.ts';
import { EveryshareError } from './errors.ts';
import type { WebhookEvent } from './events.ts';
import { toHex, webCrypto } from './web-crypto.ts';

/** Why a delivery was refused. */
export type SignatureProblem =
  | 'missing_signature'
  | 'malformed_signature'
  | 'no_matching_signature'
  | 'timestamp_too_old'
  | 'timestamp_in_future'
  | 'invalid_payload';

/** The delivery is not proven to come from Everyshare: answer 400, and do nothing else with it. */
export class SignatureVerificationError extends EveryshareError {
  override readonly name = 'SignatureVerificationError';
  readonly problem: SignatureProblem;

  constructor(problem: SignatureProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The headers of the request as the runtime has them, or the value of `Service-Signature` alone; null: it has none. */
export type SignatureHeaders =
  | string
  | null
  | undefined
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Seconds that the time of signing may be away from now, in the past and in the future; 300 when absent. */
  readonly tolerance?: number;
  /** The time to compare with, in Unix seconds; now when absent. */
  readonly now?: number;
}

export interface TestHeaderOptions {
  readonly payload: string | ArrayBufferView | ArrayBuffer;
  readonly secret: string;
  /** In Unix seconds; now when absent. */
  readonly timestamp?: number;
}

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
/** 32 bytes in base64. An older secret has another form, and its characters are the key of Standard Webhooks. */
const ENCODED_KEY = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Verifies a delivery and returns its event.
 * @param payload the raw body as it arrived, before any JSON parser
 * @param headers the headers of the request, or the value of `Service-Signature`
 * @param secret the endpoint's secret; while you replace one, a list of both, of which one may be absent
 */
async function constructEvent(
  payload: string | ArrayBufferView | ArrayBuffer,
  headers: SignatureHeaders,
  secret: string | readonly (string | undefined)[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = rawBytes(payload);
  const secrets = (Array.isArray(secret) ? secret : [secret]).filter((one) => typeof one === 'string' && one !== '');
  if (secrets.length === 0) throw new EveryshareError('secret is missing: give the secret of the webhook endpoint.');
  const header = headerReader(headers);
  const own = header('service-signature');
  const signed = own === null ? readStandard(header, body) : readServiceSignature(own, body);
  if (!(await isSignedBy(signed, secrets)))
    throw new SignatureVerificationError(
      'no_matching_signature',
      'No signature matches: verify the raw body, before any JSON parser, with the secret of this endpoint.',
    );
  requireRecent(signed.timestamp, options);
  return parseEvent(body);
}

/** The header `Service-Signature` for a payload, for tests of a receiver. */
async function generateTestHeader({ payload, secret, timestamp = now() }: TestHeaderOptions): Promise<string> {
  return `t=${timestamp},v1=${toHex(await hmac(utf8(secret), concat(`${timestamp}.`, rawBytes(payload))))}`;
}

/** All headers of a delivery, those of Standard Webhooks included, for tests of a receiver. */
async function generateTestHeaders(options: TestHeaderOptions): Promise<Record<string, string>> {
  const { payload, secret, timestamp = now() } = options;
  const body = rawBytes(payload);
  const id = String((parseEvent(body) as { readonly id?: unknown }).id);
  const signature = await hmac(standardKey(secret), concat(`${id}.${timestamp}.`, body));
  return {
    'service-signature': await generateTestHeader({ payload, secret, timestamp }),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}`,
  };
}

export interface Webhooks {
  readonly constructEvent: typeof constructEvent;
  readonly generateTestHeader: typeof generateTestHeader;
  readonly generateTestHeaders: typeof generateTestHeaders;
}

export const webhooks: Webhooks = { constructEvent, generateTestHeader, generateTestHeaders };

/** What a header signs: the signatures that it carries, over these bytes, with a key made from the secret. */
interface Signed {
  readonly timestamp: number;
  readonly signatures: readonly Uint8Array[];
  readonly bytes: Uint8Array;
  readonly keyOf: (secret: string) => Uint8Array;
}

type HeaderReader = (name: string) => string | null;

function readServiceSignature(header: string, body: Uint8Array): Signed {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, hex = '']) => (name === 'v1' && /^[0-9a-f]{64}$/.test(hex) ? [hex] : []));
  if (!/^\d{1,12}$/.test(t) || signatures.length === 0)
    throw malformed('Service-Signature is not "t=<Unix seconds>,v1=<hex>".');
  return { timestamp: Number(t), signatures: signatures.map(fromHex), bytes: concat(`${t}.`, body), keyOf: utf8 };
}

function readStandard(header: HeaderReader, body: Uint8Array): Signed {
  const [id, t, text] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  if (id == null || t == null || text == null)
    throw new SignatureVerificationError(
      'missing_signature',
      'The request has neither Service-Signature nor webhook-id, webhook-timestamp and webhook-signature.',
    );
  const signatures = text.split(' ').flatMap((part) => (/^v1,[A-Za-z0-9+/]{43}=$/.test(part) ? [part.slice(3)] : []));
  if (!/^\d{1,12}$/.test(t) || signatures.length === 0)
    throw malformed('webhook-timestamp is not Unix seconds, or webhook-signature has no "v1,<base64>".');
  return {
    timestamp: Number(t),
    signatures: signatures.map(fromBase64),
    bytes: concat(`${id}.${t}.`, body),
    keyOf: standardKey,
  };
}

const malformed = (message: string): Error => new SignatureVerificationError('malformed_signature', message);

/** One signature that matches one secret is enough: after a rotation there are several. WebCrypto compares in constant time. */
async function isSignedBy({ signatures, bytes, keyOf }: Signed, secrets: readonly string[]): Promise<boolean> {
  const { subtle } = await webCrypto();
  for (const secret of secrets) {
    const key = await importKey(keyOf(secret), 'verify');
    for (const signature of signatures) if (await subtle.verify('HMAC', key, signature, bytes)) return true;
  }
  return false;
}

/** An old delivery may be a recorded one, sent again; one from the future was recorded to be sent later. */
function requireRecent(timestamp: number, { tolerance = TOLERANCE_SECONDS, now: at = now() }: VerifyOptions): void {
  const age = at - timestamp;
  if (Math.abs(age) <= tolerance) return;
  throw new SignatureVerificationError(
    age > 0 ? 'timestamp_too_old' : 'timestamp_in_future',
    `The delivery was signed ${Math.abs(age)} seconds ${age > 0 ? 'ago' : 'in the future'}, and ${tolerance} are allowed: check the clock of this machine.`,
  );
}

function parseEvent(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent;
  } catch {
    throw new SignatureVerificationError('invalid_payload', 'The body is not JSON in UTF-8.');
  }
}

function headerReader(headers: SignatureHeaders): HeaderReader {
  if (typeof headers === 'string') return (name) => (name === 'service-signature' ? headers : null);
  if (headers == null) return () => null;
  if (typeof headers.get === 'function') return (name) => (headers as Headers).get(name);
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = values.get(name);
    return value == null ? null : String(value);
  };
}

function rawBytes(payload: unknown): Uint8Array {
  if (typeof payload === 'string') return utf8(payload);
  const bytes = bytesOf(payload);
  if (bytes !== null) return bytes;
  throw new SignatureVerificationError(
    'invalid_payload',
    'The payload is not the raw body: hand over a string or bytes, for example express.raw({ type: "application/json" }).',
  );
}

const now = (): number => Math.floor(Date.now() / 1000);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
const fromHex = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

function standardKey(secret: string): Uint8Array {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  return ENCODED_KEY.test(text) ? fromBase64(text) : utf8(text);
}

function concat(start: string, body: Uint8Array): Uint8Array {
  const head = utf8(start);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

async function importKey(key: Uint8Array, use: 'sign' | 'verify') {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return (await webCrypto()).subtle.importKey('raw', key, algorithm, false, [use]);
}

async function hmac(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  const { subtle } = await webCrypto();
  return new Uint8Array(await subtle.sign('HMAC', await importKey(key, 'sign'), bytes));
}
