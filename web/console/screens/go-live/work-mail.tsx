// Shows whose domain it is by a code to a mail address at it.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import type { ConsoleChallenge } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { CodeMailNote, SendAgain } from '../../ui/code-mail.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { Failed } from '../../ui/parts.tsx';

interface WorkMailProps {
  readonly domain: { readonly name: string };
  readonly onChanged: () => void;
}

export function WorkMail({ domain, onChanged }: WorkMailProps): JSX.Element {
  const { client } = usePlace();
  const [email, setEmail] = useState('');
  const [challenge, setChallenge] = useState<ConsoleChallenge | null>(null);
  const send = useAction(async () => setChallenge(await client.console.sendDomainCode({ email: email.trim() })));
  const other = send.otherProblem(['/email']);
  if (challenge !== null)
    return (
      <>
        {send.error !== undefined && <Failed error={send.error} />}
        <CodeForm
          // Another code begins with an empty field.
          key={challenge.challenge_id}
          email={email}
          domain={domain}
          challenge={challenge}
          onChanged={onChanged}
          onSend={() => void send.run()}
          onCorrect={() => setChallenge(null)}
        />
      </>
    );
  return (
    <form
      class="form inline"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label={`Your mail address at ${domain.name}`}
        type="email"
        value={email}
        onInput={setEmail}
        placeholder={`you@${domain.name}`}
        error={send.problemAt('/email')}
      />
      <Button kind="primary" type="submit" isBusy={send.isBusy}>
        Send me a code
      </Button>
    </form>
  );
}

interface CodeFormProps extends WorkMailProps {
  readonly email: string;
  readonly challenge: ConsoleChallenge;
  readonly onSend: () => void;
  /** The address was mistyped: it is still in the field. */
  readonly onCorrect: () => void;
}

function CodeForm({ email, domain, challenge, onChanged, onSend, onCorrect }: CodeFormProps): JSX.Element {
  const { client } = usePlace();
  const [code, setCode] = useState('');
  const verify = useAction(async (typed: string) => {
    try {
      await client.console.verifyDomainCode({ challenge_id: challenge.challenge_id, code: typed });
      showToast(`${domain.name} is verified.`);
      onChanged();
    } catch (error) {
      setCode('');
      throw error;
    }
  });
  const enter = (typed: string): void => {
    const digits = typed.replaceAll(/\D/g, '').slice(0, 6);
    setCode(digits);
    if (digits.length === 6) void verify.run(digits);
  };
  const other = verify.otherProblem(['/code', '/challenge_id']);
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void verify.run(code);
      }}
    >
      {other !== undefined && <Failed error={other} />}
      <CodeMailNote challenge={challenge} />
      <TextField
        label={`Code that we sent to ${email}`}
        class="code"
        value={code}
        onInput={enter}
        inputMode="numeric"
        autocomplete="one-time-code"
        error={verify.problemAt('/code') ?? verify.problemAt('/challenge_id')}
        isFocused
      />
      <p class="line">
        <Button kind="primary" type="submit" isBusy={verify.isBusy}>
          Confirm
        </Button>
        <Button kind="quiet" onClick={onCorrect}>
          Use another address
        </Button>
      </p>
      <SendAgain challenge={challenge} onSend={onSend} />
    </form>
  );
}
