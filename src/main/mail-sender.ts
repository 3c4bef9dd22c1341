// Chooses the sender of mails: an SMTP server if it is configured, else the sandbox outbox. With real money and without a
// server no mail is sent: the outbox is public.

import type { Config } from '../base/config.ts';
import { MailRefused, type MailSender, sandboxMailSender } from '../domain/mail/send.ts';
import { makeSmtpSender } from '../domain/mail/smtp.ts';

export function mailSender({ mail, sandboxMail }: Pick<Config, 'mail' | 'sandboxMail'>): MailSender {
  if (mail !== null) return makeSmtpSender(mail);
  return sandboxMail ? sandboxMailSender : unconfiguredSender;
}

const unconfiguredSender: MailSender = {
  send: async () => {
    throw new MailRefused('no sender of mails is set up');
  },
};
