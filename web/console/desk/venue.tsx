// One venue as an operator sees it: state, the checklist of going live, fee, keys with their limits, people, and what can be
// done.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { useLoad } from '../client/load.ts';
import type { DeskVenue } from '../client/types.gen.ts';
import type { ScreenProps } from '../screens.ts';
import { showToast } from '../shell/announce.tsx';
import { Button, Id } from '../ui/controls.tsx';
import { ago, date, dateTime, money, number } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Banner, Empty, Failed, Page, Section, Shown, Table } from '../ui/parts.tsx';
import { useCommand } from './frame.tsx';
import { NoteDialog } from './note-dialog.tsx';
import { desk, mayChangeVenues, maySetFees } from './session.ts';
import { type DeskKey, FeeDialog, LimitsDialog } from './venue-dialogs.tsx';
import { VenueState } from './venues.tsx';

/** Limits: of one key, or with null of every secret key. */
type Asking = 'suspend' | 'fee' | { readonly raise: DeskKey | null };

export default function VenueScreen({ id = '' }: ScreenProps): JSX.Element {
  const loaded = useLoad((signal) => desk.getDeskVenue(id, { signal }), [id]);
  const [asking, setAsking] = useState<Asking | null>(null);
  useCommand(`npx everyshare venue show ${id}`);
  const done = async (text: string): Promise<void> => {
    setAsking(null);
    showToast(text);
    await loaded.reload();
  };
  const resume = useAction(async () => {
    await desk.resumeVenue(id);
    await done('The venue creates checkouts again.');
  });
  const look = useAction(async () => {
    await desk.viewVenue(id);
    // The console reads the session anew, which has the venue now.
    location.assign(`/console/v/${id}/test`);
  });
  const approve = useAction(async () => {
    await desk.approveVenue(id);
    await done('Approved.');
  });
  const suspend = useAction(async (note: string) => {
    await desk.suspendVenue(id, { note });
    await done('Suspended: no new checkouts.');
  });
  return (
    <Shown loaded={loaded}>
      {(venue) => (
        <Page
          name={venue.name}
          title={
            <>
              {venue.name} <VenueState state={venue.state} />
            </>
          }
          lead={
            <>
              <Id id={venue.id} isWhole /> since {date(venue.created_at)}
            </>
          }
          actions={
            <>
              <Button icon="eye" isBusy={look.isBusy} onClick={() => void look.run()}>
                See it as its people do
              </Button>
              {mayChangeVenues() && venue.state === 'suspended' && (
                <Button kind="primary" isBusy={resume.isBusy} onClick={() => void resume.run()}>
                  Resume
                </Button>
              )}
              {mayChangeVenues() && (venue.state === 'linked' || venue.state === 'sandbox') && (
                <Button
                  onClick={() => {
                    suspend.reset();
                    setAsking('suspend');
                  }}
                >
                  Suspend…
                </Button>
              )}
            </>
          }
        >
          {[look.error, resume.error, approve.error].map(
            (error, i) => error !== undefined && <Failed key={i} error={error} />,
          )}
          {venue.state === 'suspended' && (
            <Banner color="red" icon="lock">
              <b>Suspended</b> since {dateTime(venue.suspended_at ?? '')}: no new checkouts, those that exist go on. “
              {venue.suspension_note}”
            </Banner>
          )}
          <GoLive venue={venue} isBusy={approve.isBusy} onApprove={() => void approve.run()} />
          <Fee venue={venue} onChange={() => setAsking('fee')} />
          <Keys venue={venue} onRaise={(raise) => setAsking({ raise })} />
          <People venue={venue} />
          {asking === 'suspend' && (
            <NoteDialog
              title={`Suspend ${venue.name}`}
              lead="It creates no new checkouts, in test and live. Those that exist are paid and complete as they would."
              label="Why, for operators alone"
              button="Suspend"
              maxLength={500}
              action={suspend}
              at="/note"
              onClose={() => setAsking(null)}
              onSubmit={(note) => void suspend.run(note)}
            />
          )}
          {asking === 'fee' && (
            <FeeDialog venue={venue} onClose={() => setAsking(null)} onDone={() => void done('The fee is set.')} />
          )}
          {asking !== null && typeof asking === 'object' && (
            <LimitsDialog
              venue={venue}
              of={asking.raise}
              onClose={() => setAsking(null)}
              onDone={() => void done('The limits are raised.')}
            />
          )}
        </Page>
      )}
    </Shown>
  );
}

interface PartProps {
  readonly venue: DeskVenue;
}

interface GoLiveProps extends PartProps {
  readonly isBusy: boolean;
  readonly onApprove: () => void;
}

/** The checklist as the venue sees it: also what the card processor wants of an account that it no longer pays. */
function GoLive({ venue: { go_live }, isBusy, onApprove }: GoLiveProps): JSX.Element {
  return (
    <Section title="Going live">
      <ul class="checks">
        {go_live.map(({ id, done, missing }) => (
          <li key={id}>
            <span class={`state ${done ? 'green' : 'amber'}`}>
              <Icon name={done ? 'check' : 'clock'} /> {GO_LIVE_WORDS[id]}
            </span>{' '}
            {missing !== null && <span class="quiet">The venue reads: {missing}</span>}{' '}
            {id === 'approval' && !done && mayChangeVenues() && (
              <Button isBusy={isBusy} onClick={onApprove}>
                Approve
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const GO_LIVE_WORDS: Readonly<Record<DeskVenue['go_live'][number]['id'], string>> = {
  domain: 'Domain',
  payouts: 'Payouts',
  origins: 'Origins',
  terms: 'Terms',
  approval: 'Approval',
};

function Fee({ venue: { fee, debts }, onChange }: PartProps & { readonly onChange: () => void }): JSX.Element {
  return (
    <Section title="Fee" aside={maySetFees() ? <Button onClick={onChange}>Change…</Button> : undefined}>
      <p>
        <b>{(fee.bps / 100).toFixed(2)} %</b> and <b>{money(fee.fixed, 'usd')}</b> of each new checkout.
      </p>
      {fee.is_below_cost && (
        <Banner color="amber" icon="warning">
          <b>Below cost.</b>{' '}
          {fee.parties
            .filter(({ is_below_cost }) => is_below_cost)
            .map(
              ({ guests, share_amount, fee_amount, processor_fee_amount }) =>
                `${guests} guests of ${money(share_amount, 'usd')}: we get ${money(fee_amount, 'usd')}, the processor takes ${money(processor_fee_amount, 'usd')}.`,
            )
            .join(' ')}
        </Banner>
      )}
      {debts.map(({ mode, currency, amount }) => (
        <p key={`${mode} ${currency}`}>
          It owes {money(amount, currency)} in {mode} mode: later payouts settle it.
        </p>
      ))}
    </Section>
  );
}

interface KeysProps extends PartProps {
  readonly onRaise: (key: DeskKey | null) => void;
}

function Keys({ venue: { keys }, onRaise }: KeysProps): JSX.Element {
  return (
    <Section
      title="Keys and limits"
      aside={
        mayChangeVenues() && keys.length > 0 ? <Button onClick={() => onRaise(null)}>Raise limits…</Button> : undefined
      }
    >
      {keys.length === 0 ? (
        <Empty>It has no keys.</Empty>
      ) : (
        <Table caption="Keys" head={['Key', '-Mode', '-State', '>Writes', '-Reads', '-Last used', '']}>
          {keys.map((key) => (
            <tr key={key.id}>
              <td>
                <b>{key.name ?? key.kind}</b> <code>{key.hint}</code>
                {key.raised !== null && <div class="quiet">raised until {dateTime(key.raised.until)}</div>}
              </td>
              <td class="wide-only">{key.mode}</td>
              <td class="wide-only">{key.status}</td>
              <td class="number">{number(key.raised?.writes_per_hour ?? key.writes_per_hour)} /h</td>
              <td class="wide-only">{number(key.raised?.reads_per_hour ?? key.reads_per_hour)} /h</td>
              <td class="wide-only quiet">{key.last_used_at === null ? 'never' : ago(key.last_used_at)}</td>
              <td class="row-actions-cell">
                {mayChangeVenues() && key.kind === 'secret' && key.status === 'active' && (
                  <Button label={`Raise the limits of ${key.hint}`} onClick={() => onRaise(key)}>
                    Raise…
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

function People({ venue: { people } }: PartProps): JSX.Element {
  return (
    <Section title="People">
      {people.length === 0 ? (
        <Empty>It has no people.</Empty>
      ) : (
        <Table caption="People" head={['Mail', '-Name', 'Role']}>
          {people.map(({ id, email, name, role }) => (
            <tr key={id}>
              <td>
                <a class="link" href={`/desk/people?q=${encodeURIComponent(email)}`}>
                  {email}
                </a>
              </td>
              <td class="wide-only">{name}</td>
              <td>{role}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
