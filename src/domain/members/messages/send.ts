// Sends the text messages that are due, through one narrow sender: the sandbox's outbox, where they are only kept to be
// read, or a real provider. Whoever answered STOP is sent nothing but the code they ask for themselves.

import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import type { Seal } from '../../../base/seal.ts';
import { openPhone } from '../phone.ts';
import { setOptedOut } from '../queries.ts';
import { claimMessages, finishMessage, type MessageKind, type MessageRow, postponeMessage } from './queries.ts';

export interface TextSender {
  /** The provider's id of the message, which is of use for so long. Throws when it was not taken. */
  send(phone: string, words: string, lifeSeconds: number): Promise<string>;
}

/** A provider that has said no, and would say no again: a number that is none, or one that has stopped us. */
export class TextRefused extends Error {}

/** The phone has answered STOP to the provider itself. */
export class TextOptedOut extends TextRefused {}

/** Nobody knows whether it was sent: it is tried once more, and not again. */
export class TextOutcomeUnknown extends Error {}

/** Kept to be read at /sandbox/outbox, sent to nobody. */
export const sandboxSender: TextSender = { send: async () => 'sandbox' };

export interface SendServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly log: Log;
  readonly sender: TextSender;
}

const LEASE_MS = 60_000;
const MINUTE = 60_000;
/** A code is of no use later, and a reminder may come too late; news is of use for a while. */
const LIFE_MS: Partial<Record<MessageKind, number>> = { code: 10 * MINUTE, reminder: 15 * MINUTE };
const NOTIFICATION_LIFE_MS = 12 * 60 * MINUTE;

/** The explicit step of the worker. Answers how many were looked at. */
export async function sendDueMessages(services: SendServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const due = await claimMessages(services.db, now, now + LEASE_MS, batch);
  await Promise.all(due.map((message) => sendOne(services, message)));
  return due.length;
}

async function sendOne(services: SendServices, message: MessageRow): Promise<void> {
  const { db, clock, seal, log, sender } = services;
  const finish = (status: 'sent' | 'failed' | 'dropped', providerId: string | null, trouble: string | null) =>
    finishMessage(db, message.id, message.leaseToken, { status, providerId, trouble }, clock.now());
  if (message.hasOptedOut && message.kind !== 'code') return finish('dropped', null, 'stopped');
  const life = LIFE_MS[message.kind] ?? NOTIFICATION_LIFE_MS;
  try {
    const words = seal.open(message.text, `message ${message.id}`);
    await finish('sent', await sender.send(openPhone(seal, message), words, Math.ceil(life / 1_000)), null);
  } catch (error) {
    if (error instanceof TextOptedOut) {
      await setOptedOut(db, message.phoneHash, clock.now());
      return finish('dropped', null, 'stopped');
    }
    const isDoubtful = error instanceof TextOutcomeUnknown && message.leaseToken > 1;
    const isOver = isDoubtful || error instanceof TextRefused || clock.now() - message.createdAt > life;
    const text = error instanceof Error ? error.message : String(error);
    log[isOver ? 'error' : 'warn'](
      { message: message.id, kind: message.kind, err: text },
      'a text message was not sent',
    );
    if (isOver) return finish('failed', null, text.slice(0, 200));
    const wait = Math.min(2_000 * 2 ** Math.min(message.leaseToken, 8), 10 * MINUTE);
    return postponeMessage(db, message.id, message.leaseToken, clock.now() + wait);
  }
}
