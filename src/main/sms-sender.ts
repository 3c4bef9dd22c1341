// Chooses the sender of text messages: Twilio if it is configured, else the sandbox outbox. With real money and without
// Twilio, sending fails: the outbox is public, so anyone could read a sign-in code and sign in as any guest.

import type { Config } from '../base/config.ts';
import { SmsRefused, type SmsSender, sandboxSender } from '../domain/members/messages/send.ts';
import { makeTwilioSender } from '../domain/members/messages/twilio.ts';

export function smsSender({ twilio, sandboxSms }: Pick<Config, 'twilio' | 'sandboxSms'>): SmsSender {
  if (twilio !== null) return makeTwilioSender(twilio);
  return sandboxSms ? sandboxSender : unconfiguredSender;
}

const unconfiguredSender: SmsSender = {
  send: async () => {
    throw new SmsRefused('no sender of text messages is set up');
  },
};
