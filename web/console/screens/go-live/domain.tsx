// Whose domain it is: by a TXT record, or by a code to a mail address at it.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import type { GoLive } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button, Copy, TextField } from '../../ui/controls.tsx';
import { date, time } from '../../ui/format.ts';
import { Failed, Table } from '../../ui/parts.tsx';
import { Step, type StepProps } from './step.tsx';
import { WorkMail } from './work-mail.tsx';

/** A venue may look 60 times an hour. */
const LOOK_MS = 120_000;

export function DomainStep({ goLive, onChanged }: StepProps): JSX.Element {
  const { venue } = usePlace();
  const [isRenamed, setRenamed] = useState(false);
  const { domain } = goLive;
  const by = domain?.verified_by === 'dns' ? 'by its DNS record' : 'by a work mail';
  if (domain !== null && domain.verified_at !== null)
    return <Step isDone title={`${domain.name} is yours`} note={`${by}, ${date(domain.verified_at)}`} />;
  const mayChange = venue.role === 'owner' || venue.role === 'developer';
  return (
    <Step
      isDone={false}
      title={domain === null ? 'Show which domain is yours' : `Show that ${domain.name} is yours`}
      note="by DNS, or by a code to a work mail"
    >
      {!mayChange && <p class="quiet">An owner or a developer does this.</p>}
      {mayChange && (domain === null || isRenamed) && (
        <DomainForm
          onNamed={() => {
            setRenamed(false);
            onChanged();
          }}
        />
      )}
      {mayChange && domain !== null && !isRenamed && (
        <Proofs domain={domain} onChanged={onChanged} onRename={() => setRenamed(true)} />
      )}
    </Step>
  );
}

function DomainForm({ onNamed }: { readonly onNamed: () => void }): JSX.Element {
  const { client } = usePlace();
  const [name, setName] = useState('');
  const start = useAction(async () => {
    await client.console.startDomainVerification({ domain: name.trim() });
    onNamed();
  });
  const other = start.otherProblem(['/domain']);
  return (
    <form
      class="form inline"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void start.run();
      }}
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label="Domain"
        value={name}
        onInput={setName}
        placeholder="covepine.example"
        hint="The domain of your website, without https://."
        error={start.problemAt('/domain')}
      />
      <Button kind="primary" type="submit" isBusy={start.isBusy}>
        Go on
      </Button>
    </form>
  );
}

type Domain = NonNullable<GoLive['domain']>;

interface ProofProps {
  readonly domain: Domain;
  readonly onChanged: () => void;
}

function Proofs({ domain, onChanged, onRename }: ProofProps & { readonly onRename: () => void }): JSX.Element {
  const [way, setWay] = useState<'dns' | 'mail'>('dns');
  const button = (name: 'dns' | 'mail', text: string): JSX.Element => (
    <button type="button" aria-pressed={way === name} onClick={() => setWay(name)}>
      {text}
    </button>
  );
  return (
    <>
      <div class="choice" role="group" aria-label="How to show it">
        {button('dns', 'DNS record')}
        {button('mail', 'Work mail')}
      </div>
      {way === 'dns' ? (
        <Record domain={domain} onChanged={onChanged} />
      ) : (
        <WorkMail domain={domain} onChanged={onChanged} />
      )}
      <p class="quiet">
        Another domain?{' '}
        <button type="button" class="link" onClick={onRename}>
          Change it
        </button>
      </p>
    </>
  );
}

function Record({ domain, onChanged }: ProofProps): JSX.Element {
  const { client } = usePlace();
  const look = useAction(async () => {
    const after = await client.console.checkDomain();
    if (after.domain?.verified_at) showToast(`${domain.name} is verified.`);
    onChanged();
  });
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && void look.run(), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const { record, check } = domain;
  return (
    <>
      <Table caption="The record to add" head={['Type', 'Name', 'Value']}>
        <tr>
          <td>{record.type}</td>
          <td>
            <code>{record.name}</code> <Copy text={record.name} label="Copy the name" />
          </td>
          <td>
            <code class="breaking">{record.value}</code> <Copy text={record.value} label="Copy the value" />
          </td>
        </tr>
      </Table>
      {look.error !== undefined && <Failed error={look.error} />}
      <div class="line">
        <Button isBusy={look.isBusy} onClick={() => void look.run()}>
          Look now
        </Button>
        <div role="status">
          {check === null ? (
            'Add the record at your DNS provider. This page looks every two minutes; DNS can take an hour.'
          ) : (
            <>
              <span class={check.result === 'found' ? 'green' : 'amber'}>{check.message}</span>{' '}
              <span class="quiet">Looked at {time(check.at)}.</span>
            </>
          )}
          {check !== null && check.found.length > 0 && check.result !== 'found' && (
            <ul class="found">
              {check.found.map((value) => (
                <li key={value}>
                  <code class="breaking">{value}</code>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </>
  );
}
