// The SMTP adapter. A server's permanent refusal (5xx) of the recipient or the mail is final; everything else is tried
// again.

import { createTransport } from 'nodemailer';
import { MailRefused, type MailSender } from './send.ts';

export interface SmtpSettings {
  /** smtp://user:password@host:port or smtps://… */
  readonly url: string;
  readonly from: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;

export function makeSmtpSender({ url, from }: SmtpSettings): MailSender {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ to, title, text }) => {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject: title,
          text,
          // Programs that answer mails by themselves do not answer this one.
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        const { responseCode, command } = error as { responseCode?: number; command?: string };
        const isOfTheMail = command === 'RCPT TO' || command === 'DATA' || command === 'MAIL FROM';
        if (isOfTheMail && responseCode !== undefined && responseCode >= 500 && responseCode < 600)
          throw new MailRefused(`the mail server refused it with ${responseCode}`);
        throw error;
      }
    },
  };
}
