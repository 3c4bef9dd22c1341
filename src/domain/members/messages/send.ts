// Sends due text messages through an SmsSender: the sandbox's outbox, which sends nothing, or a real provider. A phone
// that has opted out gets nothing but the sign-in codes that it requests itself. Codes are claimed first, and all
// messages within the hourly limit of the installation (text-limit.ts).

import { type PhoneSettings, phoneFault } from '../../../../schemas/rules/phone.ts';
import type { Seal } from '../../../base/seal.ts';
import { openPhone } from '../phone.ts';
import { setOptedOut } from '../queries.ts';
import { dropLateMessages, finishMessage, type MessageKind, type MessageRow, postponeMessage } from './queries.ts';
import { claimWithinLimit, type TextLimitServices } from './text-limit.ts';

export interface SmsSender {
  /**
   * Returns the provider's id of the message. `lifeSeconds`: how long delivery is useful. Throws if it was not
   * accepted.
   */
  send(phone: string, text: string, lifeSeconds: number): Promise<string>;
}

/** The message is refused permanently, for a reason that is not the phone's: our settings, or what the provider allows us. */
export class SmsRefused extends Error {}

/** The phone gets no texts: the number is invalid, no mobile phone, or has opted out. No fault of the sender. */
export class SmsUnreachable extends Error {}

/** The phone has opted out at the provider. */
export class SmsOptedOut extends SmsUnreachable {}

/** The message may have been sent: the worker tries it once more and not again. */
export class SmsOutcomeUnknown extends Error {}

/** Sends nothing: /sandbox/outbox shows the stored messages. */
export const sandboxSender: SmsSender = { send: async () => 'sandbox' };

export interface SendServices extends TextLimitServices {
  readonly seal: Seal;
  readonly phones: PhoneSettings;
  readonly sender: SmsSender;
}

const LEASE_MS = 60_000;
const MINUTE = 60_000;
/** How long the worker tries to send a message: a late code or reminder is useless. */
const LIFE_MS: Partial<Record<MessageKind, number>> = { code: 10 * MINUTE, reminder: 15 * MINUTE };
const NOTIFICATION_LIFE_MS = 12 * 60 * MINUTE;

/** One step of the worker: sends up to `batch` due codes and as many other messages. Returns how many it claimed. */
export async function sendDueMessages(services: SendServices, batch: number): Promise<number> {
  await dropLateMessages(services.db, services.clock.now(), batch);
  const codes = await claimWithinLimit(services, 'code', LEASE_MS, batch);
  const others = await claimWithinLimit(services, 'other', LEASE_MS, batch);
  await Promise.all([...codes, ...others].map((message) => sendOne(services, message)));
  return codes.length + others.length;
}

async function sendOne(services: SendServices, message: MessageRow): Promise<void> {
  const { db, clock, seal, log, phones, sender } = services;
  const finish = (status: 'sent' | 'failed' | 'dropped', providerId: string | null, error: string | null) =>
    finishMessage(db, message.id, message.leaseToken, { status, providerId, error }, clock.now());
  if (message.hasOptedOut && message.kind !== 'code') return finish('dropped', null, 'the phone has opted out');
  const life = LIFE_MS[message.kind] ?? NOTIFICATION_LIFE_MS;
  try {
    const phone = openPhone(seal, message);
    // Checked here too: a phone may be older than the rule, or than PHONE_COUNTRIES.
    if (phoneFault(phone, phones) !== null) return finish('dropped', null, 'the phone gets no texts');
    const text = seal.open(message.text, `message ${message.id}`);
    await finish('sent', await sender.send(phone, text, Math.ceil(life / 1_000)), null);
  } catch (error) {
    if (error instanceof SmsOptedOut) {
      await setOptedOut(db, message.phoneHash, clock.now());
      return finish('dropped', null, 'the phone has opted out');
    }
    if (error instanceof SmsUnreachable) return finish('dropped', null, error.message.slice(0, 200));
    const wasTriedAgain = error instanceof SmsOutcomeUnknown && message.leaseToken > 1;
    const isFinal = wasTriedAgain || error instanceof SmsRefused || clock.now() - message.createdAt > life;
    const reason = error instanceof Error ? error.message : String(error);
    log[isFinal ? 'error' : 'warn'](
      { message: message.id, kind: message.kind, err: reason },
      isFinal ? 'sending a text message failed permanently' : 'sending a text message failed; the worker retries it',
    );
    if (isFinal) return finish('failed', null, reason.slice(0, 200));
    const wait = Math.min(2_000 * 2 ** Math.min(message.leaseToken, 8), 10 * MINUTE);
    return postponeMessage(db, message.id, message.leaseToken, clock.now() + wait);
  }
}
