// Chooses the sender of text messages: Twilio if it is configured, else the sandbox outbox. With real money and without
// Twilio, sending fails: the outbox is public, so anyone could read a sign-in code and sign in as any guest.

import type { Config } from '../base/config.ts';
import { sandboxSender, TextRefused, type TextSender } from '../domain/members/messages/send.ts';
import { makeTwilioSender } from '../domain/members/messages/twilio.ts';

export function textSender({ twilio, sandboxTexts }: Pick<Config, 'twilio' | 'sandboxTexts'>): TextSender {
  if (twilio !== null) return makeTwilioSender(twilio);
  return sandboxTexts ? sandboxSender : unconfiguredSender;
}

const unconfiguredSender: TextSender = {
  send: async () => {
    throw new TextRefused('no sender of text messages is set up');
  },
};
