// One venue as an operator sees it: state, fee, keys with their limits, people, and what can be done.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { useLoad } from '../client/load.ts';
import type { DeskVenue } from '../client/types.gen.ts';
import type { ScreenProps } from '../screens.ts';
import { showToast } from '../shell/announce.tsx';
import { Button, Id, TextField } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ago, date, dateTime, money, number } from '../ui/format.ts';
import { Banner, Empty, Failed, Page, Section, Shown, Table } from '../ui/parts.tsx';
import { useCommand } from './frame.tsx';
import { NoteDialog } from './note-dialog.tsx';
import { desk, mayChangeVenues, maySetFees } from './session.ts';
import { VenueState } from './venues.tsx';

type Asking = 'suspend' | 'fee' | 'limits';

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
          {[look.error, resume.error].map((error, i) => error !== undefined && <Failed key={i} error={error} />)}
          {venue.state === 'suspended' && (
            <Banner color="red" icon="lock">
              <b>Suspended</b> since {dateTime(venue.suspended_at ?? '')}: no new checkouts, those that exist go on. “
              {venue.suspension_note}”
            </Banner>
          )}
          <Fee venue={venue} onChange={() => setAsking('fee')} />
          <Keys venue={venue} onRaise={() => setAsking('limits')} />
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
          {asking === 'limits' && (
            <LimitsDialog
              venue={venue}
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

function Keys({ venue: { keys }, onRaise }: PartProps & { readonly onRaise: () => void }): JSX.Element {
  return (
    <Section
      title="Keys and limits"
      aside={mayChangeVenues() && keys.length > 0 ? <Button onClick={onRaise}>Raise limits…</Button> : undefined}
    >
      {keys.length === 0 ? (
        <Empty>It has no keys.</Empty>
      ) : (
        <Table caption="Keys" head={['Key', '-Mode', '-State', '>Writes', '-Reads', '-Last used']}>
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

interface DialogProps extends PartProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface NumberField {
  readonly at: string;
  readonly label: string;
  readonly initial: string;
  readonly hint?: string;
}

interface NumbersDialogProps {
  readonly title: string;
  readonly note: string;
  readonly button: string;
  readonly fields: readonly NumberField[];
  readonly onClose: () => void;
  /** The texts in the order of the fields. */
  readonly onSave: (texts: readonly string[]) => Promise<void>;
}

/** A few numbers that are saved together; the problems of the API stand at their fields. */
function NumbersDialog({ title, note, button, fields, onClose, onSave }: NumbersDialogProps): JSX.Element {
  const [texts, setTexts] = useState(fields.map(({ initial }) => initial));
  const save = useAction(() => onSave(texts));
  const other = save.otherProblem(fields.map(({ at }) => at));
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void save.run()}
      note={note}
      buttons={
        <Button kind="primary" type="submit" isBusy={save.isBusy}>
          {button}
        </Button>
      }
    >
      {other !== undefined && <Failed error={other} />}
      {fields.map(({ at, label, hint }, index) => (
        <TextField
          key={at}
          label={label}
          hint={hint}
          inputMode="decimal"
          value={texts[index] ?? ''}
          onInput={(text) => setTexts(texts.map((one, i) => (i === index ? text : one)))}
          error={save.problemAt(at)}
          isFocused={index === 0}
        />
      ))}
    </Dialog>
  );
}

function FeeDialog({ venue, onClose, onDone }: DialogProps): JSX.Element {
  return (
    <NumbersDialog
      title={`Fee of ${venue.name}`}
      note="For checkouts that are created from now on."
      button="Set the fee"
      fields={[
        { at: '/bps', label: 'Percent', initial: (venue.fee.bps / 100).toFixed(2) },
        { at: '/fixed', label: 'Fixed part, in dollars', initial: (venue.fee.fixed / 100).toFixed(2) },
      ]}
      onClose={onClose}
      onSave={async ([percent = '', fixed = '']) => {
        await desk.setVenueFee(venue.id, { bps: cents(percent), fixed: cents(fixed) });
        onDone();
      }}
    />
  );
}

/** Hundredths of what was typed; a text that is no number is refused by the API at its field. */
const cents = (text: string): number => Math.round(Number(text.replace(',', '.')) * 100);

const DAY_MS = 86_400_000;

function LimitsDialog({ venue, onClose, onDone }: DialogProps): JSX.Element {
  return (
    <NumbersDialog
      title={`Raise the limits of ${venue.name}`}
      note="Of its secret keys, also those that it makes until then. The higher limit counts."
      button="Raise"
      fields={[
        { at: '/writes_per_hour', label: 'Writes in an hour', initial: '6000' },
        { at: '/reads_per_hour', label: 'Reads in an hour', initial: '36000' },
        { at: '/until', label: 'For how many days', initial: '7', hint: 'At most 90.' },
      ]}
      onClose={onClose}
      onSave={async ([writes = '', reads = '', days = '']) => {
        const until = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
        await desk.raiseLimits(venue.id, { writes_per_hour: Number(writes), reads_per_hour: Number(reads), until });
        onDone();
      }}
    />
  );
}
