// What stands beside every field for a mailed code: that the mail is delayed or could not be sent, and the button that asks for
// another one.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { accountClient } from '../client/api.ts';
import { useLoad } from '../client/load.ts';
import { NEVER, POLLS } from '../client/polls.ts';
import type { ConsoleChallenge } from '../client/types.gen.ts';

type MailState = 'delayed' | 'failed' | null;

/** Asks where the mail is until the mail server has it, or has refused it for good. Null: there is nothing to say. */
function useCodeMail({ challenge_id: id, mail_delayed: isDelayed }: ConsoleChallenge): MailState {
  const [isSettled, setSettled] = useState(false);
  const asked = useLoad(
    (signal) => accountClient.console.getCodeMail(id, { signal }),
    [id],
    isSettled ? NEVER : POLLS.codeMail.mail,
  );
  const mail = asked.data?.mail;
  useEffect(() => setSettled(mail === 'sent' || mail === 'failed'), [mail]);
  if (mail === 'failed' || mail === 'delayed') return mail;
  return mail !== 'sent' && isDelayed ? 'delayed' : null;
}

/** The region is there before its text, so that screen readers say the text when it comes. */
export function CodeMailNote({
  challenge,
  hasPasskey,
}: {
  readonly challenge: ConsoleChallenge;
  /** A passkey does the same as the code. */
  readonly hasPasskey?: boolean;
}): JSX.Element {
  const mail = useCodeMail(challenge);
  return (
    <div role="status">
      {mail === 'delayed' && (
        <p class="late">
          The mail is delayed: the mail server has not taken it yet. The code still comes
          {hasPasskey === true ? ', and a passkey works meanwhile.' : '.'}
        </p>
      )}
      {mail === 'failed' && (
        <p class="late">The mail could not be sent. Check the address, and ask for another code.</p>
      )}
    </div>
  );
}

const RESEND_SECONDS = 45;

export function SendAgain({
  challenge,
  onSend,
}: {
  readonly challenge: ConsoleChallenge;
  readonly onSend: () => void;
}): JSX.Element {
  const [wait, setWait] = useState(RESEND_SECONDS);
  useEffect(() => {
    setWait(RESEND_SECONDS);
    const timer = setInterval(() => setWait((before) => Math.max(0, before - 1)), 1_000);
    return () => clearInterval(timer);
  }, [challenge]);
  return (
    <p class="again">
      Nothing there? Look in the spam folder, or{' '}
      {wait > 0 ? (
        <b>send again in 0:{String(wait).padStart(2, '0')}</b>
      ) : (
        <button type="button" class="link" onClick={onSend}>
          send it again
        </button>
      )}
    </p>
  );
}
