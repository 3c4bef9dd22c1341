// A link that the operator's shell printed, /console#link=<token>: it signs in once. The token is behind `#`, so that no log
// has it.

import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { accountClient } from '../client/api.ts';
import { keepTestKey } from '../client/test-keys.ts';
import { homeHref, loadSession, startSession } from '../session.ts';
import { goTo } from '../shell/go-to.ts';
import { Button } from '../ui/controls.tsx';
import { Failed } from '../ui/parts.tsx';
import { Mark } from './mark.tsx';
import { keepNewKeys } from './new-keys.ts';

const LINK = '#link=';

/** Whether the page was opened by such a link. */
export const isLink = (): boolean => location.hash.startsWith(LINK);

export function LinkScreen({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const signIn = useAction(async () => {
    const token = location.hash.slice(LINK.length);
    // Before the answer: a link that is used up is not in the history.
    history.replaceState(null, '', '/console');
    const signedIn = await accountClient.console.signInByLink({ token });
    startSession(signedIn);
    if (signedIn.keys !== null) {
      keepNewKeys(signedIn.keys);
      keepTestKey(signedIn.keys.venue_id, signedIn.keys.secret_test);
    }
    onDone();
    goTo(homeHref(), true);
  });
  useEffect(() => void signIn.run(), []);
  document.title = 'Sign in · Everyshare';
  return (
    <div class="entrance">
      <header>
        <Mark />
      </header>
      <main>
        <div class="card">
          <h1>{signIn.error === undefined ? 'Signing you in…' : 'This link does not work'}</h1>
          {signIn.error !== undefined && <Failed error={signIn.error} />}
          {signIn.error !== undefined && (
            <Button kind="primary" onClick={() => void loadSession().then(onDone)}>
              Sign in by mail
            </Button>
          )}
        </div>
      </main>
    </div>
  );
}
