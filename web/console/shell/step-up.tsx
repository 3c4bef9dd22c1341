// The fresh proof that some calls need: a passkey, or a code by mail. The dialog opens by itself when a call asks for it, and
// the call is repeated afterwards.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { accountClient, codeOf } from '../client/api.ts';
import { canUsePasskeys, isPasskeyDismissed, passkeyAddress, stepUpByPasskey } from '../client/passkeys.ts';
import type { ConsoleChallenge } from '../client/types.gen.ts';
import { session } from '../session.ts';
import { CodeMailNote } from '../ui/code-mail.tsx';
import { Button, TextField } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Failed, messageOf } from '../ui/parts.tsx';
import { announce } from './announce.tsx';

/** Answers the call that waits for the proof. */
const waiting = signal<((isProved: boolean) => void) | null>(null);

/** False: the person closed the dialog. */
export function askForProof(): Promise<boolean> {
  waiting.value?.(false);
  return new Promise((resolve) => {
    waiting.value = resolve;
  });
}

function finish(isProved: boolean): void {
  waiting.value?.(isProved);
  waiting.value = null;
}

export const StepUp = (): JSX.Element | null => (waiting.value === null ? null : <StepUpDialog />);

function StepUpDialog(): JSX.Element {
  const [challenge, setChallenge] = useState<ConsoleChallenge | null>(null);
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(undefined);
  const send = async (): Promise<void> => {
    setFailure(undefined);
    setProblem(null);
    setCode('');
    try {
      setChallenge(await accountClient.console.stepUp());
    } catch (error) {
      setFailure(error);
    }
  };
  const sendAgain = async (): Promise<void> => {
    await send();
    announce('A new code is sent.');
  };
  useEffect(() => {
    void startByPasskey();
  }, []);
  /** A person without a passkey, or who closes the browser's dialog, gets a code by mail. */
  const startByPasskey = async (): Promise<void> => {
    if (!canUsePasskeys() || passkeyAddress() !== null) return send();
    try {
      await stepUpByPasskey();
      finish(true);
    } catch (error) {
      if (!isPasskeyDismissed(error) && codeOf(error) !== 'conflict') setFailure(error);
      else await send();
    }
  };
  const verify = async (typed: string): Promise<void> => {
    if (challenge === null) return;
    try {
      await accountClient.console.verifyStepUp({ challenge_id: challenge.challenge_id, code: typed });
      finish(true);
    } catch (error) {
      setProblem(messageOf(error));
      setCode('');
    }
  };
  const enter = (typed: string): void => {
    const digits = typed.replaceAll(/\D/g, '').slice(0, 6);
    setCode(digits);
    setProblem(null);
    if (digits.length === 6) void verify(digits);
  };
  return (
    <Dialog
      title="Confirm that it is you"
      onClose={() => finish(false)}
      onSubmit={() => void verify(code)}
      note="Counts for ten minutes in this browser."
      buttons={
        <>
          <Button onClick={() => finish(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isDisabled={challenge === null}>
            Confirm
          </Button>
        </>
      }
    >
      {failure !== undefined && <Failed error={failure} onRetry={() => void send()} />}
      <p>
        {challenge === null ? (
          'Use your passkey, or wait for a code by mail.'
        ) : (
          <>
            We sent six digits to <b>{session.value?.account.email}</b>.{' '}
            <button type="button" class="link" onClick={() => void sendAgain()}>
              Send a new code
            </button>
          </>
        )}
      </p>
      {challenge !== null && <CodeMailNote challenge={challenge} hasPasskey />}
      <TextField
        label="Code"
        class="code"
        value={code}
        onInput={enter}
        error={problem}
        autocomplete="one-time-code"
        inputMode="numeric"
        isFocused
      />
    </Dialog>
  );
}
