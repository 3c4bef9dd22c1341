// Sign in or sign up: a mail address, then the code of six digits that was mailed, or a passkey.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { accountClient } from '../client/api.ts';
import { canUsePasskeys, isPasskeyDismissed, passkeyAddress, signInByPasskey } from '../client/passkeys.ts';
import { keepTestKey } from '../client/test-keys.ts';
import type { ConsoleChallenge } from '../client/types.gen.ts';
import { hrefOf, startSession } from '../session.ts';
import { goTo } from '../shell/go-to.ts';
import { CodeMailNote, SendAgain } from '../ui/code-mail.tsx';
import { Button, TextField } from '../ui/controls.tsx';
import { Failed } from '../ui/parts.tsx';
import { Mark } from './mark.tsx';
import { keepNewKeys } from './new-keys.ts';
import { offerPasskey } from './passkey-offer.tsx';

export function SignInScreen(): JSX.Element {
  const [email, setEmail] = useState('');
  const [challenge, setChallenge] = useState<ConsoleChallenge | null>(null);
  document.title = 'Sign in · Everyshare';
  return (
    <div class="entrance">
      <header>
        <Mark /> <span>New here? The same form makes your account.</span>
      </header>
      <main>
        {challenge === null ? (
          <MailForm email={email} onEmail={setEmail} onSent={setChallenge} />
        ) : (
          <CodeForm email={email} challenge={challenge} onChange={() => setChallenge(null)} onSent={setChallenge} />
        )}
      </main>
      <footer>
        <nav aria-label="Documentation">
          <a href="/docs">Docs</a> <a href="/docs/reference">API reference</a>
        </nav>
      </footer>
    </div>
  );
}

interface MailFormProps {
  readonly email: string;
  readonly onEmail: (email: string) => void;
  readonly onSent: (challenge: ConsoleChallenge) => void;
}

function MailForm({ email, onEmail, onSent }: MailFormProps): JSX.Element {
  const send = useAction(async () => onSent(await accountClient.console.signInToConsole({ email: email.trim() })));
  const other = send.otherProblem(['/email']);
  return (
    <>
      <form
        class="card"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send.run();
        }}
      >
        <h1>Sign in or start</h1>
        <p class="lead">We mail you a code. No password to keep.</p>
        {other !== undefined && <Failed error={other} />}
        <TextField
          label="Work mail"
          type="email"
          inputMode="email"
          autocomplete="username webauthn"
          value={email}
          onInput={onEmail}
          error={send.problemAt('/email')}
          isFocused
        />
        <Button kind="primary" type="submit" isBusy={send.isBusy}>
          Send me a code
        </Button>
        {canUsePasskeys() && <PasskeySignIn />}
      </form>
      <p class="below">
        A new account is a sandbox with a test key, ready at once. No card and no company number are needed yet.
      </p>
    </>
  );
}

function PasskeySignIn(): JSX.Element {
  const signIn = useAction(async () => {
    try {
      startSession(await signInByPasskey());
    } catch (error) {
      if (!isPasskeyDismissed(error)) throw error;
    }
  });
  const address = passkeyAddress();
  return (
    <>
      <p class="or">or</p>
      {signIn.error !== undefined && <Failed error={signIn.error} />}
      {address === null ? (
        <Button icon="passkey" isBusy={signIn.isBusy} onClick={() => void signIn.run()}>
          Use a passkey
        </Button>
      ) : (
        <p class="again">
          Passkeys work at{' '}
          <a class="link" href={address}>
            {address}
          </a>
        </p>
      )}
    </>
  );
}

interface CodeFormProps {
  readonly email: string;
  readonly challenge: ConsoleChallenge;
  readonly onChange: () => void;
  readonly onSent: (challenge: ConsoleChallenge) => void;
}

function CodeForm({ email, challenge, onChange, onSent }: CodeFormProps): JSX.Element {
  const [code, setCode] = useState('');
  const verify = useAction(async (typed: string) => {
    try {
      const signedIn = await accountClient.console.verifyConsoleSignIn({
        challenge_id: challenge.challenge_id,
        code: typed,
      });
      startSession(signedIn);
      void offerPasskey();
      if (signedIn.keys !== null) {
        keepNewKeys(signedIn.keys);
        keepTestKey(signedIn.keys.venue_id, signedIn.keys.secret_test);
        goTo(hrefOf('/', { venueId: signedIn.keys.venue_id, mode: 'test' }), true);
      }
    } catch (error) {
      setCode('');
      throw error;
    }
  });
  const resend = useAction(async () => onSent(await accountClient.console.signInToConsole({ email: email.trim() })));
  const enter = (typed: string): void => {
    const digits = typed.replaceAll(/\D/g, '').slice(0, 6);
    setCode(digits);
    if (digits.length === 6) void verify.run(digits);
  };
  const other = verify.otherProblem(['/code', '/challenge_id']) ?? resend.error;
  return (
    <form
      class="card"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void verify.run(code);
      }}
    >
      <h1>Look in your mail</h1>
      <p class="lead">
        We sent six digits to <b>{email}</b>.{' '}
        <button type="button" class="link" onClick={onChange}>
          Change
        </button>
      </p>
      <CodeMailNote challenge={challenge} hasPasskey />
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="Code"
        class="code"
        value={code}
        onInput={enter}
        autocomplete="one-time-code"
        inputMode="numeric"
        error={verify.problemAt('/code') ?? verify.problemAt('/challenge_id')}
        hint="Good for 10 minutes. It signs you in by itself after the last digit."
        isFocused
      />
      <Button kind="primary" type="submit" isBusy={verify.isBusy}>
        Sign in
      </Button>
      <SendAgain challenge={challenge} onSend={() => void resend.run()} />
    </form>
  );
}
