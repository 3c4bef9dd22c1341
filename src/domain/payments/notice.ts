// What the card processor tells us unasked: its signed notices, checked and read. A notice is believed only when one of
// its signatures is ours over exactly these bytes and its time is within five minutes of now, before or after; anything
// else at all is null, and nothing here throws. It does not know which notices were seen before, and what it reads is a
// hint to look: the amounts that count are asked of the processor.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Mode } from '../../base/config.ts';
import type { HoldMetadata } from './processor.ts';
import { fromStripeMetadata } from './stripe-facts.ts';

/**
 * What a notice says of a dispute's money. The processor may tell of one withdrawal twice (when the dispute is made, and
 * when the money goes): count it once for a dispute.
 */
export type BalanceChange = 'none' | 'withdrawn' | 'reinstated';

export interface HoldNotice {
  readonly kind: 'hold';
  readonly intentId: string;
  readonly metadata: Partial<HoldMetadata>;
  /** A card was declined: its charge, null where the bank was never asked; absent: none was. */
  readonly decline?: { readonly chargeId: string | null };
}

export interface DisputeNotice {
  readonly kind: 'dispute';
  readonly disputeId: string;
  /** null: the charge was not made by an intent, so it is none of ours. */
  readonly intentId: string | null;
  readonly chargeId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly reason: string;
  /** Until when evidence is heard, in milliseconds; null: none is asked for. */
  readonly dueBy: number | null;
  readonly balanceChange: BalanceChange;
}

export interface AccountNotice {
  readonly kind: 'account';
  readonly accountId: string;
  readonly payoutsEnabled: boolean;
}

export interface Notice {
  readonly eventId: string;
  readonly type: string;
  readonly mode: Mode;
  /** When it happened, in milliseconds. */
  readonly at: number;
  readonly about: HoldNotice | DisputeNotice | AccountNotice | { readonly kind: 'other' };
}

type Fields = Readonly<Record<string, unknown>>;

const TOLERANCE_MS = 5 * 60_000;
/** Far more than any that was ever sent, and little enough to check. */
const MAX_HEADER_LENGTH = 4096;

export function readNotice(raw: Buffer, signature: string | undefined, secret: string, now: number): Notice | null {
  if (!isSigned(raw, signature, secret, now)) return null;
  const event = parseJson(raw);
  if (event === null || event.object !== 'event') return null;
  const { id, type, livemode, created } = event;
  const subject = asObject(asObject(event.data)?.object);
  if (!isStorableText(id) || !isStorableText(type) || typeof livemode !== 'boolean' || subject === null) return null;
  const at = isNonNegativeInteger(created) ? Math.min(created * 1000, now) : now;
  const about = readSubject(type, subject);
  return about === null ? null : { eventId: id, type, mode: livemode ? 'live' : 'test', at, about };
}

function isSigned(raw: Buffer, header: string | undefined, secret: string, now: number): boolean {
  // An empty secret would be one that everybody knows.
  const claim = header === undefined || secret === '' ? null : readHeader(header);
  if (claim === null || !(Math.abs(now - Number(claim.time) * 1000) <= TOLERANCE_MS)) return false;
  const ours = createHmac('sha256', secret).update(`${claim.time}.`).update(raw).digest();
  return claim.signatures.some((theirs) => timingSafeEqual(ours, theirs));
}

/** `t=…,v1=…,v1=…`: one time and at least one signature (two while a secret is changed); other schemes are passed over. */
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

/** null: it is of a kind that we read, and cannot be read. */
function readSubject(type: string, subject: Fields): Notice['about'] | null {
  if (type.startsWith('payment_intent.')) {
    if (!isStorableText(subject.id)) return null;
    const declined = type === 'payment_intent.payment_failed';
    const decline = { chargeId: idOf(asObject(subject.last_payment_error)?.charge) };
    return {
      kind: 'hold',
      intentId: subject.id,
      metadata: fromStripeMetadata(subject.metadata),
      ...(declined ? { decline } : {}),
    };
  }
  if (type === 'charge.captured' || type === 'charge.refunded') {
    const intentId = idOf(subject.payment_intent);
    // A charge without an intent was made by somebody else on the same account.
    return intentId === null ? { kind: 'other' } : { kind: 'hold', intentId, metadata: fromStripeMetadata(subject.metadata) };
  }
  if (type.startsWith('charge.dispute.')) return readDispute(type, subject);
  if (type === 'account.updated') {
    const { id, payouts_enabled: payoutsEnabled } = subject;
    if (!isStorableText(id) || typeof payoutsEnabled !== 'boolean') return null;
    return { kind: 'account', accountId: id, payoutsEnabled };
  }
  return { kind: 'other' };
}

/** No charge is larger, so none of ours can be disputed for more. */
const MAX_CHARGE = 99_999_999;

function readDispute(type: string, subject: Fields): DisputeNotice | null {
  const { id, amount, currency, status, reason } = subject;
  const chargeId = idOf(subject.charge);
  if (!isStorableText(id) || chargeId === null || !isNonNegativeInteger(amount) || amount > MAX_CHARGE) return null;
  if (!isStorableText(currency) || !isStorableText(status) || !isStorableText(reason)) return null;
  const dueBy = asObject(subject.evidence_details)?.due_by;
  return {
    kind: 'dispute',
    disputeId: id,
    intentId: idOf(subject.payment_intent),
    chargeId,
    amount,
    currency,
    status,
    reason,
    dueBy: isNonNegativeInteger(dueBy) ? dueBy * 1000 : null,
    balanceChange: balanceChangeOf(type, subject.balance_transactions),
  };
}

function balanceChangeOf(type: string, bookings: unknown): BalanceChange {
  if (type === 'charge.dispute.funds_withdrawn') return 'withdrawn';
  if (type === 'charge.dispute.funds_reinstated') return 'reinstated';
  // A dispute may be made with its money gone already; an inquiry takes none.
  const gone = type === 'charge.dispute.created' && Array.isArray(bookings) && bookings.length > 0;
  return gone ? 'withdrawn' : 'none';
}

function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** A reference to another object: its id, or the object itself. */
function idOf(value: unknown): string | null {
  const id = typeof value === 'string' ? value : asObject(value)?.id;
  return isStorableText(id) ? id : null;
}

/** That can be kept: what a database cannot hold as text, no processor has ever sent. */
function isStorableText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/\0|\p{Surrogate}/u.test(value);
}

function isNonNegativeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
