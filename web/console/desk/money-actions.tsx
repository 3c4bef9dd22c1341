// What an operator does about one case of money: buttons in its row, and a dialog for what asks for a note or a yes first.

import type { JSX } from 'preact';
import { useAction } from '../client/action.ts';
import { codeOf } from '../client/api.ts';
import type { MoneyAction, MoneyCase } from '../client/types.gen.ts';
import { showToast } from '../shell/announce.tsx';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { money } from '../ui/format.ts';
import { Failed } from '../ui/parts.tsx';
import { AnswerLink } from './answer-link.tsx';
import { NoteDialog } from './note-dialog.tsx';
import { desk } from './session.ts';

/** Done by a click; one's own reservation is given back so, and that of another operator with a note. */
type DirectAction = 'retry' | 'reserve' | 'give_back';
type NotedAction = 'pay_by_hand' | 'write_off' | 'take_over' | 'give_back';

/** A case, and what the operator wants to do about it with a note, or after a question. */
export interface AskedCase {
  readonly one: MoneyCase;
  readonly action: NotedAction | 'owe';
}

interface CaseActionsProps {
  readonly one: MoneyCase;
  readonly onAsk: (asked: AskedCase) => void;
  readonly onDone: () => Promise<void>;
}

export function CaseActions({ one, onAsk, onDone }: CaseActionsProps): JSX.Element {
  const act = useAction(async (action: DirectAction) => {
    const { text, isBad = false } = await CALLS[action](one);
    showToast(text, isBad);
    await onDone();
  });
  return (
    <>
      {one.dashboard_url !== null && <AnswerLink href={one.dashboard_url} />}
      {one.actions.includes('retry') && (
        <Button isBusy={act.isBusy} onClick={() => void act.run('retry')}>
          Try now
        </Button>
      )}
      {one.actions.includes('reserve') && (
        <Button isBusy={act.isBusy} onClick={() => void act.run('reserve')}>
          Pay by hand
        </Button>
      )}
      {one.actions.includes('pay_by_hand') && (
        <Button onClick={() => onAsk({ one, action: 'pay_by_hand' })}>Paid another way…</Button>
      )}
      {one.actions.includes('take_over') && (
        <Button onClick={() => onAsk({ one, action: 'take_over' })}>Take over…</Button>
      )}
      {one.actions.includes('give_back') &&
        (one.reserved?.is_yours === true ? (
          <Button isBusy={act.isBusy} onClick={() => void act.run('give_back')}>
            Give back
          </Button>
        ) : (
          <Button onClick={() => onAsk({ one, action: 'give_back' })}>Give back…</Button>
        ))}
      {one.actions.includes('owe') && <Button onClick={() => onAsk({ one, action: 'owe' })}>The venue owes it…</Button>}
      {one.actions.includes('write_off') && (
        <Button onClick={() => onAsk({ one, action: 'write_off' })}>Write off…</Button>
      )}
      {act.error !== undefined && <Failed error={act.error} />}
    </>
  );
}

interface Outcome {
  readonly text: string;
  readonly isBad?: boolean;
}

const CALLS: Readonly<Record<DirectAction, (one: MoneyCase) => Promise<Outcome>>> = {
  retry: async ({ kind, venue, id }) =>
    kind === 'capture'
      ? captureOutcome(await desk.retryCapture(venue.id, id))
      : movementOutcome(await desk.retryMovement(venue.id, id)),
  async reserve({ venue, id }) {
    await desk.reserveForPaymentByHand(venue.id, id, {});
    return { text: 'Reserved for you: pay it now, then mark it as paid.' };
  },
  async give_back({ venue, id }) {
    await desk.giveBackReserved(venue.id, id, {});
    return { text: 'Given back.' };
  },
};

function captureOutcome({ status, error }: MoneyAction): Outcome {
  if (status === 'completed') return { text: 'Charged: the checkout is completed.' };
  if (status !== 'funded') return { text: `Not charged: the checkout is ${status}.`, isBad: true };
  return { text: `Not all cards are charged yet: ${error ?? 'a worker tries it at this moment'}.`, isBad: true };
}

/** A worker sends it; what comes of that is in the list. */
const movementOutcome = ({ status }: MoneyAction): Outcome => ({
  text: status === 'done' ? 'It is paid.' : 'A worker sends it now. If it fails again, it stays in this list.',
});

interface CaseDialogProps {
  readonly asked: AskedCase;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

export function CaseDialog(props: CaseDialogProps): JSX.Element {
  const { one, action } = props.asked;
  return action === 'owe' ? <OweDialog {...props} /> : <NotedDialog {...props} noted={NOTED[action](one)} />;
}

interface Noted {
  readonly title: string;
  readonly lead: string;
  readonly label: string;
  readonly button: string;
  /** The pointer of the note in the request. */
  readonly at: string;
  readonly done: string;
  readonly call: (note: string) => Promise<unknown>;
}

/** The note is about the reservation on the screen: one that was made since is refused. */
const aboutReservation = ({ reserved }: MoneyCase, note: string) => ({
  note,
  ...(reserved === null ? {} : { reserved_at: reserved.at }),
});

const NOTED: Readonly<Record<NotedAction, (one: MoneyCase) => Noted>> = {
  pay_by_hand: ({ venue, id, amount, currency }) => ({
    title: `Paid ${money(amount, currency)} another way`,
    lead: 'You have paid exactly this outside of the processor. It is never sent again.',
    label: 'Reference of the payment',
    button: 'Mark as paid',
    at: '/reference',
    done: 'Marked as paid.',
    call: (reference) => desk.payByHand(venue.id, id, { reference }),
  }),
  write_off: ({ venue, id, amount, currency }) => ({
    title: `Write off ${money(amount, currency)}`,
    lead: `${venue.name} no longer owes it, and the loss is ours. Its later payouts are whole.`,
    label: 'Why',
    button: `Write off ${money(amount, currency)}`,
    at: '/note',
    done: 'Written off.',
    call: (note) => desk.writeOffDebt(venue.id, id, { amount, note }),
  }),
  take_over: (one) => ({
    title: `Pay ${money(one.amount, one.currency)} in place of ${one.reserved?.by ?? 'another operator'}`,
    lead: 'Ask first whether it was paid: a bank transfer may be made and not recorded yet. It stays reserved, for you.',
    label: 'What you know of the payment',
    button: 'Take over',
    at: '/note',
    done: 'Reserved for you.',
    call: (note) =>
      desk.reserveForPaymentByHand(one.venue.id, one.id, { take_over: true, ...aboutReservation(one, note) }),
  }),
  give_back: (one) => ({
    title: `Give back what ${one.reserved?.by ?? 'another operator'} has reserved`,
    lead: 'Ask first whether it was paid: once it is given back it can be sent again, and would be paid twice.',
    label: 'How you know that it was not paid',
    button: 'It was not paid: give back',
    at: '/note',
    done: 'Given back.',
    call: (note) => desk.giveBackReserved(one.venue.id, one.id, aboutReservation(one, note)),
  }),
};

/** Closes the dialog once the call is answered. After a conflict the list behind it shows what has changed meanwhile. */
function useAsked<In extends unknown[]>(
  { onClose, onDone }: CaseDialogProps,
  done: string,
  call: (...given: In) => Promise<unknown>,
) {
  return useAction(async (...given: In) => {
    try {
      await call(...given);
    } catch (error) {
      if (codeOf(error) === 'conflict') await onDone();
      throw error;
    }
    onClose();
    showToast(done);
    await onDone();
  });
}

function NotedDialog({ noted, ...props }: CaseDialogProps & { readonly noted: Noted }): JSX.Element {
  const { call, done, ...asking } = noted;
  const act = useAsked(props, done, call);
  return (
    <NoteDialog
      {...asking}
      maxLength={500}
      action={act}
      onClose={props.onClose}
      onSubmit={(note) => void act.run(note)}
    />
  );
}

/** It cannot be undone. */
function OweDialog(props: CaseDialogProps): JSX.Element {
  const { venue, id, amount, currency } = props.asked.one;
  const act = useAsked(props, 'The venue owes it.', () => desk.oweReversal(venue.id, id));
  return (
    <Dialog
      title={`${venue.name} owes ${money(amount, currency)}`}
      onClose={props.onClose}
      onSubmit={() => void act.run()}
      note="It is in the audit log, with your name."
      buttons={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={act.isBusy}>
            The venue owes it
          </Button>
        </>
      }
    >
      <p>The reversal is never tried again, and this cannot be undone. Later payouts settle it, or you write it off.</p>
      {act.error !== undefined && <Failed error={act.error} />}
    </Dialog>
  );
}
