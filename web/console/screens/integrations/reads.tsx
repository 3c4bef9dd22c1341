// What the service reads from a venue system: the credentials (never shown), whether reads wait or are paused, and the
// run that reads the whole catalogue, with its progress.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { IntegrationSync, StoredIntegration } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { codeOf } from '../../client/api.ts';
import { useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import { mayDevelop } from '../../client/rights.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { dateTime, zoneName } from '../../ui/format.ts';
import { Banner, Failed, Section, Shown } from '../../ui/parts.tsx';
import { providerName } from './integration-words.ts';

type ReadsState = NonNullable<StoredIntegration['reads']>;

interface Props {
  readonly integration: StoredIntegration;
  readonly reads: ReadsState;
  readonly onChanged: () => Promise<void>;
}

const WAITS: Readonly<Record<string, string>> = {
  rate_limited: 'the system asks to wait',
  provider_unavailable: 'the system does not answer',
  daily_limit: 'the requests of this day are used up',
};

export function Reads({ integration, reads, onChanged }: Props): JSX.Element {
  const { venue } = usePlace();
  const [isSetting, setSetting] = useState(false);
  const name = providerName(integration.provider);
  const hasCredentials = reads.status !== 'no_credentials';
  return (
    <Section
      title="Reading from its API"
      aside={
        mayDevelop(venue.role) && (
          <Button onClick={() => setSetting(true)}>{hasCredentials ? 'Replace credentials' : 'Set credentials'}</Button>
        )
      }
    >
      {reads.status === 'paused' && (
        <Banner color="red" icon="warning">
          <b>{name} has refused the credentials.</b> Nothing is read until you set others.
        </Banner>
      )}
      <p>{stateOf(reads, name)}</p>
      {hasCredentials && <CatalogueRun integration={integration} isPaused={reads.status === 'paused'} />}
      {isSetting && (
        <CredentialsDialog
          integration={integration}
          reads={reads}
          onClose={(isChanged) => {
            setSetting(false);
            if (isChanged) void onChanged();
          }}
        />
      )}
    </Section>
  );
}

function stateOf(reads: ReadsState, name: string): string {
  if (reads.status === 'no_credentials')
    return `Deliveries of ${name} do not have everything. With credentials for its API the rest is read.`;
  const waiting = `${reads.waiting} waiting, ${reads.requests_today} of ${reads.requests_per_day} requests today.`;
  if (reads.status === 'paused') return `Reads are paused: ${waiting}`;
  if (reads.status === 'checking') return `The credentials are being tried. ${waiting}`;
  if (reads.status === 'active' || reads.next_attempt_at === null) return `Reads are on. ${waiting}`;
  const at = `${dateTime(reads.next_attempt_at)} ${zoneName()}`;
  return `Reads wait until ${at}: ${WAITS[reads.reason ?? ''] ?? 'a limit is reached'}. ${waiting}`;
}

function CatalogueRun({
  integration,
  isPaused,
}: {
  readonly integration: StoredIntegration;
  readonly isPaused: boolean;
}): JSX.Element {
  const { venue, client } = usePlace();
  const run = useLoad(
    (signal) =>
      client.partner.integrations.getSync(integration.id, { signal }).catch((error: unknown) => {
        if (codeOf(error) === 'not_found') return null;
        throw error;
      }),
    [client, integration.id],
    POLLS.integration.run,
  );
  const start = useAction(async () => {
    await client.partner.integrations.sync(integration.id);
    await run.reload();
  });
  return (
    <>
      {start.error !== undefined && <Failed error={start.error} />}
      <Shown loaded={run}>
        {(found) => (
          <>
            {found !== null && <Progress run={found} />}
            {mayDevelop(venue.role) && !isPaused && found?.status !== 'running' && (
              <Button isBusy={start.isBusy} onClick={() => void start.run()}>
                Read the whole catalogue
              </Button>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

const RUNS: Readonly<Record<IntegrationSync['status'], string>> = {
  running: 'The catalogue is being read',
  finished: 'The catalogue was read',
  failed: 'The catalogue could not be read',
  canceled: 'Reading the catalogue was ended',
};

function Progress({ run }: { readonly run: IntegrationSync }): JSX.Element {
  return (
    <>
      <p>
        {RUNS[run.status]}: {run.read} of {run.listed} objects read, {run.created} offerings created, {run.changed}{' '}
        changed, {run.unchanged} the same, {run.skipped} skipped. {run.reason}
      </p>
      {run.skipped_objects.length > 0 && (
        <ul>
          {run.skipped_objects.map(({ object, reason }) => (
            <li key={object} class="break">
              <code>{object}</code> {reason}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function CredentialsDialog({
  integration,
  reads,
  onClose,
}: {
  readonly integration: StoredIntegration;
  readonly reads: ReadsState;
  readonly onClose: (isChanged: boolean) => void;
}): JSX.Element {
  const { client } = usePlace();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const save = useAction(async () => {
    const filled = Object.entries(values).filter(([, value]) => value !== '');
    await client.partner.integrations.setCredentials(integration.id, { credentials: Object.fromEntries(filled) });
    showToast('The credentials are stored.');
    onClose(true);
  });
  const remove = useAction(async () => {
    await client.partner.integrations.deleteCredentials(integration.id);
    showToast('The credentials are deleted.');
    onClose(true);
  });
  const pointerOf = (name: string): string => `/credentials/${name}`;
  const pointers = reads.credential_fields.map(({ name }) => pointerOf(name));
  const error = remove.error ?? save.otherProblem(pointers);
  return (
    <Dialog
      title={`Credentials for ${providerName(integration.provider)}`}
      onClose={() => onClose(false)}
      onSubmit={() => void save.run()}
      note="They are stored encrypted and never shown again. They replace those that are set."
      buttons={
        <>
          {reads.status !== 'no_credentials' && (
            <Button kind="danger" isBusy={remove.isBusy} onClick={() => void remove.run()}>
              Delete them
            </Button>
          )}
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy}>
            Save
          </Button>
        </>
      }
    >
      {error !== undefined && <Failed error={error} />}
      {reads.credential_fields.map(({ name, label, where, required, secret }, index) => (
        <TextField
          key={name}
          label={label}
          hint={where}
          type={secret ? 'password' : 'text'}
          autocomplete="off"
          isFocused={index === 0}
          {...(required ? {} : { isOptional: true })}
          value={values[name] ?? ''}
          error={save.problemAt(pointerOf(name))}
          onInput={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
    </Dialog>
  );
}
