// The person's own page: their sessions, which they can end.

import type { JSX } from 'preact';
import { useAction } from '../client/action.ts';
import { accountClient } from '../client/api.ts';
import { useLoad } from '../client/load.ts';
import { homeHref, session, signOut } from '../session.ts';
import { showToast } from '../shell/announce.tsx';
import { Button } from '../ui/controls.tsx';
import { ago, dateTime } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Failed, Page, Section, Shown, Table } from '../ui/parts.tsx';

export function AccountScreen(): JSX.Element {
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
  const person = session.value?.account;
  return (
    <main class="alone wide">
      <p>
        <a class="link" href={homeHref()}>
          <Icon name="back" /> Back to the console
        </a>
      </p>
      <Page
        title="Your account"
        lead={person?.name === null ? person.email : `${person?.name}, ${person?.email}`}
        isNarrow
      >
        <Section
          title="Where you are signed in"
          aside="A session ends after 12 hours without a request, and after 7 days."
        >
          {end.error !== undefined && <Failed error={end.error} />}
          <Shown loaded={sessions} lines={3}>
            {(list) => (
              <Table caption="Sessions" head={['Signed in', 'Last used', 'From', '']}>
                {list.map(({ id, created_at, last_used_at, address, is_current }) => (
                  <tr key={id}>
                    <td>
                      {dateTime(created_at)} {is_current && <span class="chip green">This browser</span>}
                    </td>
                    <td>{ago(last_used_at)}</td>
                    <td>{address ?? 'not known'}</td>
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
      </Page>
    </main>
  );
}
