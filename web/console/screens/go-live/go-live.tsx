// Going live: a checklist that is always true, because the server computes each line. Its steps can be done in any order; live
// keys come last.

import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { GoLive } from '../../client/types.gen.ts';
import { hrefOf, loadSession, usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Button, Link } from '../../ui/controls.tsx';
import { date } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Banner, Failed, LoadedPage, Page } from '../../ui/parts.tsx';
import { Chip } from '../../ui/states.tsx';
import { DomainStep } from './domain.tsx';
import { OriginsStep } from './origins.tsx';
import { PayoutsForm } from './payouts-form.tsx';
import { isDone, Step, type StepProps } from './step.tsx';

export default function GoLiveScreen(): JSX.Element {
  const { venue, client } = usePlace();
  const loaded = useLoad((signal) => client.console.getGoLive({ signal }), [client], POLLS.goLive.checklist);
  useApiCall({ method: 'GET', path: '/console/api/go_live' });
  const isLinked = loaded.data?.linked === true;
  // The band and the mode switch follow the session.
  useEffect(() => {
    if (isLinked && !venue.linked) void loadSession();
  }, [isLinked]);
  return (
    <LoadedPage loaded={loaded} title="Go live" isNarrow>
      {(goLive) => (
        <Page
          title={goLive.linked ? 'This venue is live' : 'Go live'}
          lead={
            goLive.linked
              ? 'Live keys can be made, and venue systems can be connected.'
              : 'These things stand between the sandbox and real money. Do them in any order; live keys come last.'
          }
          actions={<Progress done={goLive.done} total={goLive.total} />}
          isNarrow
        >
          <Checklist goLive={goLive} onChanged={() => void loaded.reload()} />
        </Page>
      )}
    </LoadedPage>
  );
}

function Progress({ done, total }: { readonly done: number; readonly total: number }): JSX.Element {
  const width = total === 0 ? 0 : Math.round((100 * done) / total);
  return (
    <span class="progress">
      <svg width="100" height="6" aria-hidden="true">
        <rect class="rest" width="100" height="6" rx="3" />
        <rect class="done" width={width} height="6" rx="3" />
      </svg>
      {done} of {total}
    </span>
  );
}

function Checklist({ goLive, onChanged }: StepProps): JSX.Element {
  const steps: Readonly<Record<string, JSX.Element>> = {
    domain: <DomainStep goLive={goLive} onChanged={onChanged} />,
    payouts: <PayoutsStep goLive={goLive} />,
    origins: <OriginsStep goLive={goLive} onChanged={onChanged} />,
    terms: <TermsStep goLive={goLive} onChanged={onChanged} />,
    approval: <ApprovalStep goLive={goLive} />,
  };
  return (
    <>
      {goLive.linked && !goLive.can_take_live_payments && (
        <Banner color="red" icon="alert">
          The card processor cannot pay this venue at the moment: live checkouts are refused until it can. What it needs
          stands below.
        </Banner>
      )}
      <ol class="steps">{goLive.steps.map(({ id }) => steps[id] !== undefined && <li key={id}>{steps[id]}</li>)}</ol>
      <LiveKeys goLive={goLive} />
    </>
  );
}

const mayPay = (role: string): boolean => role === 'owner' || role === 'finance';

function PayoutsStep({ goLive }: { readonly goLive: GoLive }): JSX.Element {
  const { venue } = usePlace();
  const { status, due } = goLive.payouts;
  const done = isDone(goLive, 'payouts');
  const notes: Readonly<Record<string, string>> = {
    active: 'The card processor can pay this venue.',
    not_started: 'About four minutes, in the card processor’s own form.',
    pending: 'The card processor looks at what was sent. Nothing is to do.',
    refused: 'The card processor refused this account. Write to support.',
  };
  return (
    <Step
      isDone={done}
      title="Tell us where to send the money"
      note={notes[status] ?? `${due.length === 1 ? 'One thing is' : `${due.length} things are`} still due`}
      aside={due.length > 0 && !done && <Chip color="amber" icon="alert">{`${due.length} due`}</Chip>}
    >
      {!done && (
        <>
          {due.length > 0 && (
            <ul class="due">
              {due.map(({ kind, text }) => (
                <li key={`${kind} ${text}`}>
                  <Icon name="alert" /> {text.charAt(0).toUpperCase() + text.slice(1)}
                </li>
              ))}
            </ul>
          )}
          {mayPay(venue.role) ? (
            <PayoutsForm isNew={status === 'not_started'} />
          ) : (
            <p class="quiet">An owner, or a person with the role finance, does this.</p>
          )}
        </>
      )}
    </Step>
  );
}

function TermsStep({ goLive, onChanged }: StepProps): JSX.Element | null {
  const { venue, client } = usePlace();
  const accept = useAction(async (url: string) => {
    await client.console.acceptTerms({ accepted: true, url });
    onChanged();
  });
  const { terms } = goLive;
  if (terms === null) return null;
  const link = (
    <a class="link" href={terms.url} target="_blank" rel="noopener">
      the terms
    </a>
  );
  const who = terms.accepted_by?.name ?? 'a person of this venue';
  return (
    <Step
      isDone={terms.accepted_at !== null}
      title="Accept the terms"
      note={terms.accepted_at === null ? undefined : `${who}, ${date(terms.accepted_at)}`}
    >
      {terms.accepted_at === null && (
        <>
          {accept.error !== undefined && <Failed error={accept.error} onRetry={onChanged} />}
          <p class="line">
            {venue.role === 'owner' && (
              <Button kind="primary" isBusy={accept.isBusy} onClick={() => void accept.run(terms.url)}>
                Accept the terms
              </Button>
            )}
            <span>
              Read {link} first. {venue.role === 'owner' ? '' : 'An owner accepts them.'}
            </span>
          </p>
        </>
      )}
    </Step>
  );
}

function ApprovalStep({ goLive }: { readonly goLive: GoLive }): JSX.Element | null {
  if (goLive.approval === null) return null;
  const at = goLive.approval.approved_at;
  return (
    <Step
      isDone={at !== null}
      title="We have a look"
      note={at === null ? 'A person of ours looks at the venue once. We mail you.' : `Approved on ${date(at)}`}
    />
  );
}

function LiveKeys({ goLive }: { readonly goLive: GoLive }): JSX.Element {
  const { venue } = usePlace();
  const isReady = goLive.can_create_live_keys;
  return (
    <section class="step locked">
      <span class="sign">
        <Icon name={isReady ? 'key' : 'lock'} />
      </span>
      <header>
        <h2>Live keys</h2>{' '}
        <span class="quiet">{isReady ? 'can be made now' : 'open as soon as everything above is done'}</span>
        <div class="aside">
          {isReady && mayDevelop(venue.role) && (
            <Link isWhole to={hrefOf('/keys', { mode: 'live' })} class="button primary">
              <span>Make a live key</span>
            </Link>
          )}
        </div>
      </header>
    </section>
  );
}
