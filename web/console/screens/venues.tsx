// The venues of the person, those that they are invited to, and another sandbox for those who want one. The link in the mail
// of an invitation opens this page and joins.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { accountClient } from '../client/api.ts';
import { keepTestKey } from '../client/test-keys.ts';
import { homeHref, hrefOf, loadSession, session, startSession } from '../session.ts';
import { showToast } from '../shell/announce.tsx';
import { ApiLine, useApiCall } from '../shell/api-line.tsx';
import { goTo } from '../shell/go-to.ts';
import { Button, TextField } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty, Failed, Page, Section } from '../ui/parts.tsx';
import { keepNewKeys } from './new-keys.ts';

export function VenuesScreen(): JSX.Element {
  const venues = session.value?.venues ?? [];
  useApiCall({ method: 'GET', path: '/console/api/session' });
  return (
    <>
      <main class="alone wide">
        {venues.length > 0 && (
          <p>
            <a class="link" href={homeHref()}>
              <Icon name="back" /> Back to the console
            </a>
          </p>
        )}
        <Page title="Your venues" isNarrow>
          {venues.length === 0 ? (
            <Empty>You have no role in a venue. Ask an owner for an invitation, or make a sandbox.</Empty>
          ) : (
            <ul class="menu-list">
              {venues.map(({ id, name, linked, role }) => (
                <li key={id}>
                  <a href={hrefOf('/', { venueId: id, mode: 'test' })}>
                    <Icon name="bank" /> <span>{name}</span>
                    <small>
                      {linked ? '' : 'Sandbox · '}
                      {role}
                    </small>
                  </a>
                </li>
              ))}
            </ul>
          )}
          <Invitations />
          <NewSandbox />
        </Page>
      </main>
      <ApiLine />
    </>
  );
}

/** Joins at once when the link of the mail was followed. A sign-in on the way has joined already, and nothing is said then. */
function Invitations(): JSX.Element {
  const join = useAction(async (isByLink: boolean) => {
    const known = new Set((session.value?.venues ?? []).map(({ id }) => id));
    const joined = await accountClient.console.acceptInvitations();
    startSession(joined);
    const names = joined.venues.filter(({ id }) => !known.has(id)).map(({ name }) => name);
    if (names.length > 0) showToast(`You are in ${names.join(', ')} now.`);
    else if (!isByLink) showToast('No invitation of your mail address is open.');
  });
  useEffect(() => {
    if (!new URLSearchParams(location.search).has('join')) return;
    history.replaceState(history.state, '', location.pathname);
    void join.run(true);
  }, []);
  return (
    <Section title="Invitations" aside={`Of ${session.value?.account.email ?? 'your mail address'}, for 7 days.`}>
      {join.error !== undefined && <Failed error={join.error} />}
      <Button isBusy={join.isBusy} onClick={() => void join.run(false)}>
        Join the venues I am invited to
      </Button>
    </Section>
  );
}

function NewSandbox(): JSX.Element {
  const [name, setName] = useState('');
  const create = useAction(async () => {
    const { venue, keys } = await accountClient.console.createVenue({ name: name.trim() });
    keepNewKeys(keys);
    keepTestKey(keys.venue_id, keys.secret_test);
    await loadSession();
    goTo(hrefOf('/', { venueId: venue.id, mode: 'test' }));
  });
  const other = create.otherProblem(['/name']);
  return (
    <Section title="Another sandbox" aside="With test keys, ready at once.">
      <form
        class="form inline"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        {other !== undefined && <Failed error={other} />}
        <TextField label="Name of the venue" value={name} onInput={setName} error={create.problemAt('/name')} />
        <Button type="submit" isBusy={create.isBusy}>
          Make the sandbox
        </Button>
      </form>
    </Section>
  );
}
