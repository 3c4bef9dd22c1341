// A new address for events: its URL, the types that it wants, and then its signing secret, once.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { usePlace } from '../../session.ts';
import { Button, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Failed } from '../../ui/parts.tsx';
import { SecretDialog } from '../../ui/secret.tsx';

type EventType = WebhookEndpoint['events'][number];

const TYPES: readonly (readonly [EventType, string])[] = [
  ['checkout.created', 'Your server made a checkout'],
  ['checkout.collecting', 'The party is chosen'],
  ['share.held', 'A guest’s card is held'],
  ['checkout.funded', 'Every share is held'],
  ['checkout.completed', 'Every card is charged: book it'],
  ['checkout.expired', 'Time is over, every hold is released'],
  ['checkout.canceled', 'It was canceled'],
];

export function NewEndpointDialog({ onClose }: { readonly onClose: (madeId: string | null) => void }): JSX.Element {
  const { client } = usePlace();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventType[]>(TYPES.map(([type]) => type));
  const [made, setMade] = useState<CreatedWebhookEndpoint | null>(null);
  const make = useAction(async () => {
    setMade(await client.partner.webhookEndpoints.create({ url: url.trim(), events }));
  });
  const toggle = (type: EventType): void =>
    setEvents(events.includes(type) ? events.filter((one) => one !== type) : [...events, type]);
  if (made !== null) return <EndpointSecret secret={made.secret} onDone={() => onClose(made.id)} />;
  const other = make.otherProblem(['/url', '/events']);
  const problem = make.problemAt('/events');
  return (
    <Dialog
      title="Add an address"
      onClose={() => onClose(null)}
      onSubmit={() => void make.run()}
      note="You can send it a test event next."
      buttons={
        <>
          <Button onClick={() => onClose(null)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={make.isBusy}>
            Add the address
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="Address"
        type="url"
        inputMode="url"
        value={url}
        onInput={setUrl}
        placeholder="https://your-venue.com/hooks/everyshare"
        hint="https, reachable from the internet."
        error={make.problemAt('/url')}
        isFocused
      />
      <fieldset>
        <legend class="legend">Events</legend>
        {TYPES.map(([type, text]) => (
          <label key={type} class="check">
            <input type="checkbox" checked={events.includes(type)} onChange={() => toggle(type)} />
            <span>
              <code>{type}</code> <span class="quiet">{text}</span>
            </span>
          </label>
        ))}
        {problem !== null && (
          <p class="hint error">
            <Icon name="alert" /> {problem}
          </p>
        )}
      </fieldset>
    </Dialog>
  );
}

/** After an address is added, and after its secret is rotated. */
export function EndpointSecret({
  secret,
  note,
  onDone,
}: {
  readonly secret: string;
  readonly note?: string;
  readonly onDone: () => void;
}): JSX.Element {
  return (
    <SecretDialog
      title="The signing secret"
      secrets={[{ label: 'Signing secret', value: secret }]}
      snippets={{ '.env': `EVERYSHARE_WEBHOOK_SECRET=${secret}` }}
      advice={<>Your server checks with it that an event comes from us. Keep it where you keep passwords. {note}</>}
      onDone={onDone}
    />
  );
}
