// What can be done with an address: recover failed deliveries, rotate its secret, disable it, delete it.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RotatedSecret, StoredWebhookEndpoint } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { goTo } from '../../shell/go-to.ts';
import { Button, SelectField, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { count, dateTime, zoneName } from '../../ui/format.ts';
import { Failed } from '../../ui/parts.tsx';
import { hostOf } from './delivery-words.ts';
import { EndpointSecret } from './new-endpoint.tsx';

interface Props {
  readonly endpoint: StoredWebhookEndpoint;
  readonly onClose: (isChanged: boolean) => void;
}

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: '1', label: 'The last hour' },
  { value: '24', label: 'The last 24 hours' },
  { value: '72', label: 'The last 3 days' },
  { value: '168', label: 'The last 7 days' },
  { value: '719', label: 'The last 30 days' },
  { value: 'choose', label: 'A time of your choice' },
];

export function RecoverDialog({ endpoint, onClose }: Props): JSX.Element {
  const { client } = usePlace();
  const [span, setSpan] = useState('24');
  const [chosen, setChosen] = useState('');
  const recover = useAction(async () => {
    const at = span === 'choose' ? Date.parse(chosen) : Date.now() - Number(span) * HOUR_MS;
    // A time that cannot be read is sent as it is: the answer says what is wrong with it.
    const since = Number.isNaN(at) ? chosen : new Date(at).toISOString();
    const { recovered, has_more } = await client.partner.webhookEndpoints.recover(endpoint.id, { since });
    const more = has_more ? ' There are more: recover again.' : '';
    showToast(recovered === 0 ? 'No failed delivery since then.' : `${count(recovered, 'event')} sent again.${more}`);
    onClose(true);
  });
  const other = recover.otherProblem(['/since']);
  return (
    <Dialog
      title="Recover failed deliveries"
      onClose={() => onClose(false)}
      onSubmit={() => void recover.run()}
      note="Oldest first. Your server may get an event twice: compare ids."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={recover.isBusy}>
            Send them again
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <p>Failed deliveries of events since then are sent again. Those that are retrying go on by themselves.</p>
      <SelectField
        label="Events of"
        value={span}
        choices={SPANS}
        onChange={setSpan}
        error={span === 'choose' ? null : recover.problemAt('/since')}
      />
      {span === 'choose' && (
        <TextField
          label="Since"
          type="datetime-local"
          value={chosen}
          onInput={setChosen}
          hint="In the time zone of this browser."
          error={recover.problemAt('/since')}
        />
      )}
    </Dialog>
  );
}

export function RotateDialog({ endpoint, onClose }: Props): JSX.Element {
  const { client } = usePlace();
  const [rotated, setRotated] = useState<RotatedSecret | null>(null);
  const rotate = useAction(async () => setRotated(await client.partner.webhookEndpoints.rotateSecret(endpoint.id)));
  if (rotated !== null) {
    const until = `${dateTime(rotated.previous_secret_expires_at)} ${zoneName()}`;
    return (
      <EndpointSecret
        secret={rotated.secret}
        note={`Until ${until} every event is signed with the old secret as well.`}
        onDone={() => onClose(true)}
      />
    );
  }
  return (
    <Dialog
      title="Rotate the signing secret"
      movesMoney
      onClose={() => onClose(false)}
      onSubmit={() => void rotate.run()}
      note="No event is lost."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={rotate.isBusy}>
            Rotate the secret
          </Button>
        </>
      }
    >
      {rotate.error !== undefined && <Failed error={rotate.error} />}
      <p>
        You get a new secret. For 24 hours events are signed with both: put the new one on your server in that time.
      </p>
    </Dialog>
  );
}

export function DisableDialog({ endpoint, onClose }: Props): JSX.Element {
  const { client } = usePlace();
  const disable = useAction(async () => {
    await client.partner.webhookEndpoints.disable(endpoint.id);
    showToast(`${hostOf(endpoint.url)} is disabled.`);
    onClose(true);
  });
  return (
    <Dialog
      title={`Disable ${hostOf(endpoint.url)}?`}
      onClose={() => onClose(false)}
      onSubmit={() => void disable.run()}
      note="You can enable it again."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={disable.isBusy}>
            Disable the address
          </Button>
        </>
      }
    >
      {disable.error !== undefined && <Failed error={disable.error} />}
      <p>Your server gets no events. They are logged as failed, and can be recovered for 30 days.</p>
    </Dialog>
  );
}

export function DeleteDialog({ endpoint, onClose }: Props): JSX.Element {
  const { client } = usePlace();
  const [typed, setTyped] = useState('');
  const host = hostOf(endpoint.url);
  const remove = useAction(async () => {
    if (typed.trim() !== host) return;
    await client.partner.webhookEndpoints.delete(endpoint.id);
    showToast(`${host} is deleted.`);
    goTo(hrefOf('/webhooks'));
  });
  return (
    <Dialog
      title={`Delete ${host}?`}
      onClose={() => onClose(false)}
      onSubmit={() => void remove.run()}
      note="This cannot be undone."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={remove.isBusy} isDisabled={typed.trim() !== host}>
            Delete the address
          </Button>
        </>
      }
    >
      {remove.error !== undefined && <Failed error={remove.error} />}
      <p>Its deliveries are gone with it, also those that wait. The events stay in the list of events.</p>
      <TextField label={`Type ${host} to confirm`} value={typed} onInput={setTyped} autocomplete="off" isFocused />
    </Dialog>
  );
}
