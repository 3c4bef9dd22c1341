// The hourly limit of the installation on texts (TEXTS_PER_HOUR), which bounds what an attack can cost. A fifth of it is
// for sign-in codes alone: when the other four fifths are used up, invites, reminders and other messages wait and codes
// are still sent. Codes may use the whole limit. Each attempt counts, and the count is exact across workers.

import type { Clock } from '../../../base/clock.ts';
import type { Db, Queryable } from '../../../base/db.ts';
import { Problem } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { callsInLastHour, countSharedCalls } from '../../keys/queries.ts';
import { retryAfterSeconds } from '../../keys/retry-after.ts';
import { claimMessages, countWaiting, hasDueMessage, type MessageClass, type MessageRow } from './queries.ts';

export interface TextLimitServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly textsPerHour: number;
}

const SUBJECT = 'texts';
const RESERVED_FOR_CODES = 0.2;

/** How many texts may have been sent in the last hour before one more of this class is sent. */
export function textLimitOf(messageClass: MessageClass, textsPerHour: number): number {
  return messageClass === 'code' ? textsPerHour : textsPerHour - Math.ceil(textsPerHour * RESERVED_FOR_CODES);
}

/** Leases due messages, as many as the hour has room for. The others stay due. */
export async function claimWithinLimit(
  services: TextLimitServices,
  messageClass: MessageClass,
  leaseMs: number,
  batch: number,
): Promise<MessageRow[]> {
  const { db, clock, textsPerHour } = services;
  const now = clock.now();
  if (!(await hasDueMessage(db, messageClass, now))) return [];
  const limit = textLimitOf(messageClass, textsPerHour);
  const { room, claimed } = await db.transaction(async (tx) => {
    const room = await countTexts(tx, limit, 0);
    const claimed = room === 0 ? [] : await claimMessages(tx, messageClass, now, now + leaseMs, Math.min(batch, room));
    if (claimed.length > 0) await countTexts(tx, limit, claimed.length);
    return { room, claimed };
  });
  if (room === 0) await logLimit(services, messageClass, limit);
  return claimed;
}

/** Returns how many texts the hour has left. Its lock lasts until the transaction ends, so that no other worker counts. */
async function countTexts(tx: Queryable, limit: number, texts: number): Promise<number> {
  const [counted] = await countSharedCalls(tx, limit, [{ subject: SUBJECT, calls: texts }]);
  if (counted === undefined || counted.granted !== texts) throw new Error('texts were counted beyond their limit');
  return counted.remaining;
}

/** Once an hour for the whole installation, not once for each text or worker. */
async function logLimit({ db, log }: TextLimitServices, messageClass: MessageClass, limit: number): Promise<void> {
  const [counted] = await countSharedCalls(db, 1, [{ subject: `${SUBJECT} ${messageClass} logged`, calls: 1 }]);
  if (counted?.granted !== 1) return;
  const waiting = await countWaiting(db);
  if (messageClass === 'code') {
    log.error({ limit, waiting }, 'TEXTS_PER_HOUR is used up: sign-in codes wait, and guests cannot sign in');
  } else
    log.warn({ limit, waiting }, 'TEXTS_PER_HOUR is nearly used up: only sign-in codes are sent, other texts wait');
}

/** Throws 429 if a code would wait, so that the guest does not wait for it. The worker enforces the limit. */
export async function requireRoomForCode(db: Queryable, textsPerHour: number): Promise<void> {
  const counted = await callsInLastHour(db, SUBJECT);
  if (counted.calls < textsPerHour) return;
  const seconds = retryAfterSeconds(counted);
  throw new Problem('rate_limited', {
    message: `This service has sent all texts that its operator allows in an hour. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}

export interface TextFigures {
  readonly inLastHour: number;
  /** Messages that are not sent yet. */
  readonly waiting: Readonly<Record<MessageClass, number>>;
}

export async function readTextFigures(db: Queryable): Promise<TextFigures> {
  const [{ calls }, waiting] = await Promise.all([callsInLastHour(db, SUBJECT), countWaiting(db)]);
  return { inLastHour: calls, waiting };
}
