// The SMTP adapter. A server's permanent refusal (5xx) of the recipient or the mail is final; everything else is tried
// again. Answers of servers quote addresses, so that no error of ours carries them.

import { createTransport } from 'nodemailer';
import { MailRefused, type MailSender, MailUnreachable } from './send.ts';

export interface SmtpSettings {
  /** smtp://user:password@host:port or smtps://… */
  readonly url: string;
  readonly from: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;

export function makeSmtpSender({ url, from }: SmtpSettings): MailSender {
  const { protocol, hostname, password } = new URL(url);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const transport = createTransport({
    url,
    // A password is never sent in clear, also when the server offers no TLS.
    requireTLS: protocol === 'smtp:' && password !== '' && !isLocal,
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
        return 'sent';
      } catch (error) {
        const { responseCode, command, code } = error as { responseCode?: number; command?: string; code?: string };
        const isRefused = responseCode !== undefined && responseCode >= 500 && responseCode < 600;
        if (command === 'RCPT TO' && isRefused)
          throw new MailUnreachable(`the mail server refused the recipient with ${responseCode}`);
        const isOfTheMail = command === 'DATA' || command === 'MAIL FROM';
        if (isOfTheMail && isRefused) throw new MailRefused(`the mail server refused it with ${responseCode}`);
        throw new Error(`the mail server did not take it: ${responseCode ?? code ?? 'no answer'}`);
      }
    },
  };
}
