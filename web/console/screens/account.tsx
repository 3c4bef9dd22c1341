// The person's own page: name, mail address, passkeys, and where they are signed in.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { accountClient } from '../client/api.ts';
import { useLoad } from '../client/load.ts';
import type { ConsoleChallenge } from '../client/types.gen.ts';
import { homeHref, loadSession, session, signOut } from '../session.ts';
import { showToast } from '../shell/announce.tsx';
import { ApiLine, useApiCall } from '../shell/api-line.tsx';
import { CodeMailNote, SendAgain } from '../ui/code-mail.tsx';
import { Button, TextField } from '../ui/controls.tsx';
import { ago, dateTime } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Failed, Page, Section, Shown, Table } from '../ui/parts.tsx';
import { Passkeys } from './passkeys.tsx';

export function AccountScreen(): JSX.Element {
  useApiCall({ method: 'GET', path: '/console/api/sessions' });
  return (
    <>
      <main class="alone wide">
        <p>
          <a class="link" href={homeHref()}>
            <Icon name="back" /> Back to the console
          </a>
        </p>
        <Page title="Your account" lead={session.value?.account.email} isNarrow>
          <div class="halves">
            <NameForm />
            <EmailForm />
          </div>
          <Passkeys />
          <Sessions />
        </Page>
      </main>
      <ApiLine />
    </>
  );
}

function NameForm(): JSX.Element {
  const [name, setName] = useState(session.value?.account.name ?? '');
  const save = useAction(async () => {
    await accountClient.console.updateAccount({ name: name.trim() });
    await loadSession();
    showToast('Your name is saved.');
  });
  const other = save.otherProblem(['/name']);
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="Your name"
        autocomplete="name"
        value={name}
        onInput={setName}
        error={save.problemAt('/name')}
        hint="Your team and the audit log show it."
      />
      <Button type="submit" isBusy={save.isBusy} isDisabled={name.trim() === (session.value?.account.name ?? '')}>
        Save the name
      </Button>
    </form>
  );
}

/** A new mail address counts when the code that was sent to it is entered. */
function EmailForm(): JSX.Element {
  const [email, setEmail] = useState('');
  const [challenge, setChallenge] = useState<ConsoleChallenge | null>(null);
  const [code, setCode] = useState('');
  const change = useAction(async () => {
    setChallenge(await accountClient.console.changeAccountEmail({ email: email.trim() }));
  });
  const verify = useAction(async () => {
    await accountClient.console.verifyAccountEmail({ challenge_id: challenge?.challenge_id ?? '', code });
    await loadSession();
    setChallenge(null);
    setEmail('');
    setCode('');
    showToast('Your mail address is changed.');
  });
  /** The address was mistyped: it is still in the field. */
  const correct = (): void => {
    setChallenge(null);
    setCode('');
    verify.reset();
  };
  const sendAgain = (): void => {
    setCode('');
    verify.reset();
    void change.run();
  };
  const other = change.otherProblem(['/email']) ?? verify.otherProblem(['/code', '/challenge_id']);
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void (challenge === null ? change.run() : verify.run());
      }}
    >
      {other !== undefined && <Failed error={other} />}
      {challenge !== null && <CodeMailNote challenge={challenge} />}
      {challenge === null ? (
        <TextField
          label="Another mail address"
          type="email"
          autocomplete="email"
          value={email}
          onInput={setEmail}
          error={change.problemAt('/email')}
          hint="We send a code to the new address, and a note to the old one."
        />
      ) : (
        <TextField
          label={`Code that we sent to ${email}`}
          class="code"
          inputMode="numeric"
          autocomplete="one-time-code"
          value={code}
          onInput={(typed) => setCode(typed.replaceAll(/\D/g, '').slice(0, 6))}
          error={verify.problemAt('/code') ?? verify.problemAt('/challenge_id')}
          isFocused
        />
      )}
      <Button
        type="submit"
        isBusy={change.isBusy || verify.isBusy}
        isDisabled={challenge === null ? email.trim() === '' : code.length < 6}
      >
        {challenge === null ? 'Change the mail address' : 'Confirm'}
      </Button>
      {challenge !== null && (
        <>
          <Button kind="quiet" onClick={correct}>
            Use another address
          </Button>
          <SendAgain challenge={challenge} onSend={sendAgain} />
        </>
      )}
    </form>
  );
}

function Sessions(): JSX.Element {
  const sessions = useLoad(
    (signal) => accountClient.console.listConsoleSessions({ signal }).then(({ data }) => data),
    [],
  );
  const end = useAction(async (id: string, isCurrent: boolean) => {
    if (isCurrent) return signOut();
    await accountClient.console.endConsoleSession(id);
    showToast('The session is ended.');
    await sessions.reload();
  });
  return (
    <Section title="Where you are signed in" aside="A session ends after 12 hours without a request, and after 7 days.">
      {end.error !== undefined && <Failed error={end.error} />}
      <Shown loaded={sessions} lines={3}>
        {(list) => (
          <Table caption="Sessions" head={['Browser', '-Signed in', 'Last used', '-From', '']}>
            {list.map(({ id, device, created_at, last_used_at, address, is_current, is_new_device }) => (
              <tr key={id}>
                <td>
                  {device ?? 'Not known'} {is_current && <span class="chip green">This browser</span>}{' '}
                  {is_new_device && !is_current && <span class="chip amber">New</span>}
                </td>
                <td class="wide-only">{dateTime(created_at)}</td>
                <td>{ago(last_used_at)}</td>
                <td class="wide-only">{address ?? 'not known'}</td>
                <td class="row-actions">
                  <Button kind="quiet" isBusy={end.isBusy} onClick={() => void end.run(id, is_current)}>
                    {is_current ? 'Sign out' : 'End'}
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </Section>
  );
}
