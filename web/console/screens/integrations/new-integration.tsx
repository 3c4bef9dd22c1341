// Connects a venue system: which one, its secret where it signs, and what its payloads do not say. Then the address, once.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Integration, StoredIntegration } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { usePlace } from '../../session.ts';
import { Button, Link, SelectField, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { words } from '../../ui/format.ts';
import { Failed } from '../../ui/parts.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { OFFERING_KINDS } from '../catalogue/offering-kinds.ts';
import { needsSecret, PROVIDERS, type Provider, providerName } from './integration-words.ts';

type Kind = NonNullable<NonNullable<Integration['defaults']>['kind']>;

const POINTERS = ['/provider', '/signing_secret', '/defaults/kind', '/defaults/timezone', '/defaults/currency'];

export function NewIntegrationDialog({ onClose }: { readonly onClose: (madeId: string | null) => void }): JSX.Element {
  const { client } = usePlace();
  const [provider, setProvider] = useState<Provider>('fareharbor');
  const [secret, setSecret] = useState('');
  const [kind, setKind] = useState('');
  const [timezone, setTimezone] = useState('');
  const [currency, setCurrency] = useState('');
  const [made, setMade] = useState<StoredIntegration | null>(null);
  const connect = useAction(async () => {
    const defaults = {
      ...(kind === '' ? {} : { kind: kind as Kind }),
      ...(timezone === '' ? {} : { timezone: timezone.trim() }),
      ...(currency === '' ? {} : { currency: currency.trim() }),
    };
    const body: Integration = {
      provider,
      defaults,
      ...(needsSecret(provider) ? { signing_secret: secret.trim() } : {}),
    };
    setMade(await client.partner.integrations.create(body));
  });
  if (made !== null) return <MadeIntegration made={made} onDone={() => onClose(made.id)} />;
  const other = connect.otherProblem(POINTERS);
  return (
    <Dialog
      title="Connect a system"
      onClose={() => onClose(null)}
      onSubmit={() => void connect.run()}
      note="You get an address to paste into the system."
      buttons={
        <>
          <Button onClick={() => onClose(null)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={connect.isBusy}>
            Connect {provider === 'custom' ? 'it' : providerName(provider)}
          </Button>
        </>
      }
    >
      {other !== undefined && <Failed error={other} />}
      <SelectField
        label="System"
        value={provider}
        choices={PROVIDERS.map((value) => ({ value, label: providerName(value) }))}
        onChange={(value) => setProvider(value as Provider)}
        error={connect.problemAt('/provider')}
        hint={
          <Link isWhole isExternal to={`/docs/providers/${provider}`}>
            What it sends, and where to paste the address
          </Link>
        }
      />
      {needsSecret(provider) && (
        <TextField
          label="Signing secret"
          value={secret}
          onInput={setSecret}
          autocomplete="off"
          hint={`${providerName(provider)} shows it where you add the webhook.`}
          error={connect.problemAt('/signing_secret')}
        />
      )}
      <div class="halves">
        <SelectField
          label="Kind of offering"
          isOptional
          value={kind}
          choices={[
            { value: '', label: 'As the system says' },
            ...OFFERING_KINDS.map((value) => ({ value, label: words(value) })),
          ]}
          onChange={setKind}
          error={connect.problemAt('/defaults/kind')}
        />
        <TextField
          label="Time zone"
          isOptional
          value={timezone}
          onInput={setTimezone}
          placeholder="America/New_York"
          error={connect.problemAt('/defaults/timezone')}
        />
      </div>
      <TextField
        label="Currency of prices"
        isOptional
        value={currency}
        onInput={setCurrency}
        placeholder="usd"
        error={connect.problemAt('/defaults/currency')}
      />
    </Dialog>
  );
}

function MadeIntegration({
  made,
  onDone,
}: {
  readonly made: StoredIntegration;
  readonly onDone: () => void;
}): JSX.Element {
  const secrets = [
    { label: 'Address for its webhooks', value: made.webhook_url ?? '' },
    ...(made.signing_secret === undefined ? [] : [{ label: 'Signing secret', value: made.signing_secret }]),
  ];
  return (
    <SecretDialog
      title={`${providerName(made.provider)} is connected`}
      secrets={secrets}
      advice="The address is a credential: store it like a password, and paste it where the system asks for a webhook address."
      onDone={onDone}
    />
  );
}
