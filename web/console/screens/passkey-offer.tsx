// Offered once in a browser, after a sign-in by code: a passkey for the next time. "Not now" is as near as the offer.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useAction } from '../client/action.ts';
import { accountClient } from '../client/api.ts';
import { canUsePasskeys, isPasskeyDismissed, makePasskey, passkeyAddress } from '../client/passkeys.ts';
import { showToast } from '../shell/announce.tsx';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { Failed } from '../ui/parts.tsx';
import { Mark } from './mark.tsx';

const OFFERED = 'everyshare.console.passkey_offered';

/** Whether the offer is shown instead of the console. */
export const isPasskeyOffered = signal(false);

/** A browser without passkeys, and a person who has one, are not asked. */
export async function offerPasskey(): Promise<void> {
  if (!canUsePasskeys() || passkeyAddress() !== null || localStorage.getItem(OFFERED) !== null) return;
  localStorage.setItem(OFFERED, '1');
  const { data } = await accountClient.console.listPasskeys();
  isPasskeyOffered.value = data.length === 0;
}

const close = (): void => {
  isPasskeyOffered.value = false;
};

export function PasskeyOffer(): JSX.Element {
  const add = useAction(async () => {
    try {
      await makePasskey();
      showToast('The passkey is added.');
      close();
    } catch (error) {
      if (!isPasskeyDismissed(error)) throw error;
    }
  });
  document.title = 'Add a passkey · Everyshare';
  return (
    <div class="entrance">
      <header>
        <Mark />
      </header>
      <main>
        <div class="card">
          <h1>Next time, one touch</h1>
          <p class="lead">Add a passkey on this device: your fingerprint, face or screen lock instead of a code.</p>
          <ul class="reasons">
            {[
              'Faster than waiting for mail',
              'Cannot be phished or guessed',
              'Asked again before money moves or a live key is made',
            ].map((reason) => (
              <li key={reason}>
                <Icon name="check" /> {reason}
              </li>
            ))}
          </ul>
          {add.error !== undefined && <Failed error={add.error} />}
          <Button kind="primary" icon="passkey" isBusy={add.isBusy} onClick={() => void add.run()}>
            Add a passkey
          </Button>
          <Button kind="quiet" onClick={close}>
            Not now
          </Button>
        </div>
        <p class="below">You can add or remove passkeys later, on the page of your account.</p>
      </main>
    </div>
  );
}
