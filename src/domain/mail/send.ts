// Sends due mails through a MailSender: an SMTP server, or the sandbox's outbox, which sends nothing.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { type Mail, openMail } from './mail.ts';
import { claimMails, finishMail, type MailKind, type MailRow, postponeMail } from './queries.ts';

export interface MailSender {
  /** Stored: the mail is kept for the outbox alone. Throws if it was not accepted; the message names no address. */
  send(mail: Mail): Promise<'sent' | 'stored'>;
}

/** The mail will not be sent: the server has refused it permanently, or it is too old to be of use. */
export class MailRefused extends Error {}

/** The address takes no mails: the server has refused the recipient permanently. No fault of the sender. */
export class MailUnreachable extends Error {}

/** Sends nothing: /sandbox/outbox shows the stored mails. */
export const sandboxMailSender: MailSender = { send: async () => 'stored' };

export interface MailServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
  readonly mailSender: MailSender;
}

const MINUTE = 60_000;
const LEASE_MS = 2 * MINUTE;
/** After this a mail is not tried again; a code is of no use then. */
const LIFE_MS: Readonly<Record<MailKind, number>> = {
  receipt: 24 * 60 * MINUTE,
  code: 10 * MINUTE,
  invitation: 24 * 60 * MINUTE,
  account: 24 * 60 * MINUTE,
  notice: 24 * 60 * MINUTE,
  security: 24 * 60 * MINUTE,
};

/** One step of the worker: sends up to `batch` due mails. Returns how many it claimed. */
export async function sendDueMails(services: MailServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const mails = await claimMails(services.db, now, now + LEASE_MS, batch);
  await Promise.all(mails.map((mail) => sendOne(services, mail)));
  return mails.length;
}

async function sendOne({ db, clock, log, seal, mailSender }: MailServices, row: MailRow): Promise<void> {
  const isTooOld = clock.now() - row.createdAt > LIFE_MS[row.kind];
  try {
    if (isTooOld) throw new MailRefused('it waited for too long');
    const status = await mailSender.send(openMail(seal, row));
    await finishMail(db, row, { status, error: null }, clock.now());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof MailUnreachable)
      return finishMail(db, row, { status: 'dropped', error: reason.slice(0, 200) }, clock.now());
    const isFinal = error instanceof MailRefused || isTooOld;
    log[isFinal ? 'error' : 'warn'](
      { mail: row.id, kind: row.kind, err: reason },
      isFinal ? 'sending a mail failed permanently' : 'sending a mail failed; the worker retries it',
    );
    if (isFinal) return finishMail(db, row, { status: 'failed', error: reason.slice(0, 200) }, clock.now());
    const wait = Math.min(5_000 * 2 ** Math.min(row.leaseToken, 10), 30 * MINUTE);
    return postponeMail(db, row, clock.now() + wait);
  }
}
