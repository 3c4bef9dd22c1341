// The passkeys of the person: added, renamed and removed. The code by mail always remains a way in.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { accountClient } from '../client/api.ts';
import { useLoad } from '../client/load.ts';
import { canUsePasskeys, isPasskeyDismissed, makePasskey, passkeyAddress } from '../client/passkeys.ts';
import type { Passkey } from '../client/types.gen.ts';
import { showToast } from '../shell/announce.tsx';
import { Button, TextField } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ago, date } from '../ui/format.ts';
import { Failed, Section, Shown, Table } from '../ui/parts.tsx';

export function Passkeys(): JSX.Element {
  const loaded = useLoad((signal) => accountClient.console.listPasskeys({ signal }).then(({ data }) => data), []);
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const add = useAction(async () => {
    try {
      const { name } = await makePasskey();
      showToast(`The passkey “${name}” is added.`);
      await loaded.reload();
    } catch (error) {
      if (!isPasskeyDismissed(error)) throw error;
    }
  });
  const remove = useAction(async ({ id, name }: Passkey) => {
    await accountClient.console.deletePasskey(id);
    showToast(`The passkey “${name}” is removed.`);
    await loaded.reload();
  });
  const failure = add.error ?? remove.error;
  const address = passkeyAddress();
  return (
    <Section
      title="Passkeys"
      aside={
        canUsePasskeys() &&
        address === null && (
          <Button icon="passkey" isBusy={add.isBusy} onClick={() => void add.run()}>
            Add a passkey
          </Button>
        )
      }
    >
      {failure !== undefined && <Failed error={failure} />}
      {address !== null && (
        <p class="quiet">
          Passkeys belong to a domain name:{' '}
          <a class="link" href={address}>
            open {address}
          </a>
        </p>
      )}
      <Shown loaded={loaded} lines={2}>
        {(list) =>
          list.length === 0 ? (
            <p class="quiet">
              None yet. A passkey signs you in with your fingerprint, face or screen lock, without a mail.
            </p>
          ) : (
            <Table caption="Passkeys" head={['Name', '-Added', 'Last used', '']}>
              {list.map((passkey) => (
                <tr key={passkey.id}>
                  <td>
                    <b>{passkey.name}</b> {passkey.is_synced && <span class="chip neutral">Synced</span>}
                  </td>
                  <td class="wide-only">{date(passkey.created_at)}</td>
                  <td>{passkey.last_used_at === null ? 'never' : ago(passkey.last_used_at)}</td>
                  <td class="row-actions">
                    <Button kind="quiet" onClick={() => setRenamed(passkey)} label={`Rename ${passkey.name}`}>
                      Rename
                    </Button>
                    <Button
                      kind="quiet"
                      isBusy={remove.isBusy}
                      onClick={() => void remove.run(passkey)}
                      label={`Remove ${passkey.name}`}
                    >
                      Remove
                    </Button>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      {renamed !== null && (
        <RenameDialog
          passkey={renamed}
          onClose={() => {
            setRenamed(null);
            void loaded.reload();
          }}
        />
      )}
    </Section>
  );
}

function RenameDialog({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState(passkey.name);
  const rename = useAction(async () => {
    await accountClient.console.renamePasskey(passkey.id, { name: name.trim() });
    onClose();
  });
  const other = rename.otherProblem(['/name']);
  return (
    <Dialog
      title="Rename the passkey"
      onClose={onClose}
      onSubmit={() => void rename.run()}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={rename.isBusy}>
            Rename
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <TextField label="Name" value={name} onInput={setName} error={rename.problemAt('/name')} isFocused />
    </Dialog>
  );
}
