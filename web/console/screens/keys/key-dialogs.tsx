// What can be done with a key. Each dialog names what it does to servers that use the key now.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { forgetTestKey, keepTestKey } from '../../client/test-keys.ts';
import type { RolledApiKey } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button, SelectField, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ago, dateTime, zoneName } from '../../ui/format.ts';
import { Failed } from '../../ui/parts.tsx';
import { AddressesField } from './key-fields.tsx';
import { EXPIRIES, expiresAfter, type Key, nameOf, splitAddresses } from './key-words.ts';
import { KeySecret } from './new-key.tsx';

interface Props {
  readonly shown: Key;
  readonly onClose: (isChanged: boolean) => void;
}

export function ChangeKeyDialog({ shown, onClose }: Props): JSX.Element {
  const { client } = usePlace();
  const [name, setName] = useState(shown.name ?? '');
  const [addresses, setAddresses] = useState(shown.allow_ips.join(', '));
  const [expiry, setExpiry] = useState('stays');
  const change = useAction(async () => {
    const days = EXPIRIES.find(({ id }) => id === expiry)?.days ?? null;
    await client.console.updateKey(shown.id, {
      name: name.trim() === '' ? null : name.trim(),
      allow_ips: splitAddresses(addresses),
      ...(expiry === 'stays' ? {} : { expires_at: expiresAfter(days) }),
    });
    showToast('The key is changed.');
    onClose(true);
  });
  const other = change.otherProblem(['/name', '/allow_ips', '/expires_at']);
  const stays = shown.expires_at === null ? 'As it is: never' : `As it is: ${dateTime(shown.expires_at)} ${zoneName()}`;
  return (
    <Dialog
      title={`Change ${nameOf(shown)}`}
      onClose={() => onClose(false)}
      onSubmit={() => void change.run()}
      note="Counts from the next request on. Scopes stay: make a new key for others."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={change.isBusy}>
            Change the key
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        error={change.problemAt('/name')}
        maxLength={100}
        isFocused
      />
      <SelectField
        label="Expires"
        value={expiry}
        onChange={setExpiry}
        error={change.problemAt('/expires_at')}
        choices={[
          { value: 'stays', label: stays },
          ...EXPIRIES.map(({ id, days }) => ({
            value: id,
            label: days === null ? 'Never' : `${days} days from now`,
          })),
        ]}
      />
      <AddressesField value={addresses} onInput={setAddresses} error={change.problemAt('/allow_ips')} />
    </Dialog>
  );
}

const OVERLAPS = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
  { value: '0', label: 'None: the old key ends now' },
];

export function RollKeyDialog({ shown, onClose }: Props): JSX.Element {
  const { venue, client } = usePlace();
  const [hours, setHours] = useState('24');
  const [made, setMade] = useState<RolledApiKey | null>(null);
  const roll = useAction(async () => {
    const rolled = await client.console.rollKey(shown.id, { overlap_hours: Number(hours) });
    if (rolled.kind === 'secret' && rolled.mode === 'test') keepTestKey(venue.id, rolled.key);
    setMade(rolled);
  });
  if (made !== null) return <KeySecret made={made} onDone={() => onClose(true)} />;
  const other = roll.otherProblem(['/overlap_hours']);
  return (
    <Dialog
      title={`Roll ${nameOf(shown)}`}
      movesMoney
      onClose={() => onClose(false)}
      onSubmit={() => void roll.run()}
      note="The new key has the same name, scopes, addresses and limits."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={roll.isBusy}>
            Roll the key
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <p>You get a new key. Put it where the old one is, within the time in which both work.</p>
      <SelectField
        label="Both keys work for"
        value={hours}
        choices={OVERLAPS}
        onChange={setHours}
        error={roll.problemAt('/overlap_hours')}
        hint={hours === '0' ? 'A server that uses the old key is refused from now on.' : undefined}
      />
    </Dialog>
  );
}

export function RevokeKeyDialog({ shown, onClose }: Props): JSX.Element {
  const { venue, client } = usePlace();
  const [typed, setTyped] = useState('');
  const wanted = nameOf(shown);
  const revoke = useAction(async () => {
    if (typed.trim() !== wanted) return;
    await client.console.revokeKey(shown.id);
    forgetTestKey(venue.id, shown.hint);
    showToast(`${wanted} is revoked.`);
    onClose(true);
  });
  return (
    <Dialog
      title={`Revoke ${wanted}?`}
      onClose={() => onClose(false)}
      onSubmit={() => void revoke.run()}
      note="This cannot be undone."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={revoke.isBusy} isDisabled={typed.trim() !== wanted}>
            Revoke the key
          </Button>
        </>
      }
    >
      {revoke.error !== undefined && <Failed error={revoke.error} />}
      <p>
        The next request with it is refused.{' '}
        {shown.last_used_at === null ? 'It was never used.' : `It was last used ${ago(shown.last_used_at)}.`}
      </p>
      <TextField label={`Type ${wanted} to confirm`} value={typed} onInput={setTyped} autocomplete="off" isFocused />
    </Dialog>
  );
}
