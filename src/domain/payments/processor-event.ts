// Verifies and reads the processor's signed webhook events. An event is valid only if one of its signatures matches
// these exact bytes and its time is within five minutes of now, before or after. Anything else returns null; nothing
// here throws. It does not detect duplicates. An event is only a hint: the amounts that count come from the
// processor's API.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Mode } from '../../base/config.ts';
import type { HoldMetadata } from './processor.ts';
import { fromStripeMetadata } from './stripe-facts.ts';

export interface HoldEvent {
  readonly kind: 'hold';
  readonly intentId: string;
  readonly metadata: Partial<HoldMetadata>;
  /** Present: a card was declined. Its charge is null if the issuer was never asked. */
  readonly decline?: { readonly chargeId: string | null; readonly reason: string | null };
}

/** A dispute has changed. */
export interface DisputeEvent {
  readonly kind: 'dispute';
  readonly disputeId: string;
  /** Null: the charge has no intent, so it is not ours. */
  readonly intentId: string | null;
}

export interface AccountEvent {
  readonly kind: 'account';
  readonly accountId: string;
}

/** A refund has changed; only of a refund that we made. */
export interface RefundEvent {
  readonly kind: 'refund';
  readonly venueId: string;
  readonly movementId: string;
}

export interface ProcessorEvent {
  readonly eventId: string;
  readonly type: string;
  readonly mode: Mode;
  /** When it happened, in milliseconds. */
  readonly at: number;
  readonly subject: HoldEvent | DisputeEvent | RefundEvent | AccountEvent | { readonly kind: 'other' };
}

type Fields = Readonly<Record<string, unknown>>;

const TOLERANCE_MS = 5 * 60_000;
/** Far longer than any real header, and short enough to check. */
const MAX_HEADER_LENGTH = 4096;

export function readProcessorEvent(
  raw: Buffer,
  signature: string | undefined,
  secrets: readonly string[],
  now: number,
): ProcessorEvent | null {
  if (!secrets.some((secret) => isSigned(raw, signature, secret, now))) return null;
  const event = parseJson(raw);
  if (event?.object === 'v2.core.event') return readThinEvent(event, now);
  if (event === null || event.object !== 'event') return null;
  const { id, type, livemode, created } = event;
  const object = asObject(asObject(event.data)?.object);
  if (!isStorableText(id) || !isStorableText(type) || typeof livemode !== 'boolean' || object === null) return null;
  const at = isNonNegativeInteger(created) ? Math.min(created * 1000, now) : now;
  const subject = readSubject(type, object);
  return subject === null ? null : { eventId: id, type, mode: livemode ? 'live' : 'test', at, subject };
}

/** An event of API v2 names its object and has none of its fields. */
function readThinEvent(event: Fields, now: number): ProcessorEvent | null {
  const { id, type, livemode, created } = event;
  if (!isStorableText(id) || !isStorableText(type) || typeof livemode !== 'boolean') return null;
  if (!type.startsWith('v2.')) return null;
  const time = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  const at = Number.isNaN(time) ? now : Math.min(time, now);
  const related = asObject(event.related_object);
  const isAccount = related?.type === 'v2.core.account' && isStorableText(related.id);
  const subject = isAccount
    ? { kind: 'account' as const, accountId: related.id as string }
    : { kind: 'other' as const };
  return { eventId: id, type, mode: livemode ? 'live' : 'test', at, subject };
}

function isSigned(raw: Buffer, header: string | undefined, secret: string, now: number): boolean {
  // An attacker can sign with an empty secret.
  const claim = header === undefined || secret === '' ? null : readHeader(header);
  if (claim === null || !(Math.abs(now - Number(claim.time) * 1000) <= TOLERANCE_MS)) return false;
  const ours = createHmac('sha256', secret).update(`${claim.time}.`).update(raw).digest();
  return claim.signatures.some((theirs) => timingSafeEqual(ours, theirs));
}

/** `t=…,v1=…,v1=…`: one time, and one signature for each secret during a rotation. Other schemes are ignored. */
function readHeader(header: string): { readonly time: string; readonly signatures: readonly Buffer[] } | null {
  if (header.length > MAX_HEADER_LENGTH) return null;
  const times: string[] = [];
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const [, name, value = ''] = /^ ?([a-z0-9]+)=([A-Za-z0-9]+)$/.exec(part) ?? [];
    if (name === undefined) return null;
    if (name === 't') {
      if (!/^\d{1,11}$/.test(value)) return null;
      times.push(value);
    } else if (name === 'v1') {
      if (!/^[0-9a-f]{64}$/.test(value)) return null;
      signatures.push(Buffer.from(value, 'hex'));
    }
  }
  const [time] = times;
  return time === undefined || times.length > 1 || signatures.length === 0 ? null : { time, signatures };
}

function parseJson(raw: Buffer): Fields | null {
  try {
    return asObject(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw)));
  } catch {
    return null;
  }
}

/** A code such as insufficient_funds; null: there is none. */
function codeOf(value: unknown): string | null {
  return typeof value === 'string' && /^[a-z0-9_]{1,100}$/.test(value) ? value : null;
}

/** Null: the event is of a type that we read, but its fields are invalid. */
function readSubject(type: string, object: Fields): ProcessorEvent['subject'] | null {
  if (type.startsWith('payment_intent.')) {
    if (!isStorableText(object.id)) return null;
    const isDecline = type === 'payment_intent.payment_failed';
    const error = asObject(object.last_payment_error);
    const decline = { chargeId: idOf(error?.charge), reason: codeOf(error?.decline_code) ?? codeOf(error?.code) };
    return {
      kind: 'hold',
      intentId: object.id,
      metadata: fromStripeMetadata(object.metadata),
      ...(isDecline ? { decline } : {}),
    };
  }
  if (type === 'charge.captured' || type === 'charge.refunded') {
    const intentId = idOf(object.payment_intent);
    // A charge without an intent was made by another system on the same account.
    return intentId === null
      ? { kind: 'other' }
      : { kind: 'hold', intentId, metadata: fromStripeMetadata(object.metadata) };
  }
  if (type.startsWith('refund.') || type === 'charge.refund.updated') return readRefund(object);
  if (type.startsWith('charge.dispute.')) return readDispute(object);
  if (type === 'account.updated' || type === 'capability.updated') {
    const accountId = idOf(type === 'account.updated' ? object.id : object.account);
    return accountId === null ? null : { kind: 'account', accountId };
  }
  return { kind: 'other' };
}

function readRefund(object: Fields): RefundEvent | { readonly kind: 'other' } {
  const { venue_id: venueId, movement_id: movementId } = asObject(object.metadata) ?? {};
  if (!isStorableText(venueId) || !isStorableText(movementId)) return { kind: 'other' };
  return { kind: 'refund', venueId, movementId };
}

function readDispute(object: Fields): DisputeEvent | null {
  const { id } = object;
  return isStorableText(id) ? { kind: 'dispute', disputeId: id, intentId: idOf(object.payment_intent) } : null;
}

function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The id of a reference, which is an id or an expanded object. */
function idOf(value: unknown): string | null {
  const id = typeof value === 'string' ? value : asObject(value)?.id;
  return isStorableText(id) ? id : null;
}

/** PostgreSQL cannot store a NUL or a lone surrogate as text, and the processor never sends one. */
function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/\0|\p{Surrogate}/u.test(value);
}

function isNonNegativeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
