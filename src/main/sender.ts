// Who sends the text messages of this installation: Twilio where it is set up, else the sandbox's outbox. Where real money can
// move and nobody is set up, nobody sends: an outbox that everybody can read would let anybody sign in as anybody.

import type { Config } from '../base/config.ts';
import { sandboxSender, TextRefused, type TextSender } from '../domain/members/messages/send.ts';
import { makeTwilioSender } from '../domain/members/messages/twilio.ts';

export function textSender({ twilio, sandboxTexts }: Pick<Config, 'twilio' | 'sandboxTexts'>): TextSender {
  if (twilio !== null) return makeTwilioSender(twilio);
  return sandboxTexts ? sandboxSender : nobody;
}

const nobody: TextSender = {
  send: async () => {
    throw new TextRefused('no sender of text messages is set up');
  },
};
