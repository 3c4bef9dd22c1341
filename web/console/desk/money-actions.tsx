// What an operator does about one case of money: buttons in its row, and a dialog for what asks for a note first.

import type { JSX } from 'preact';
import { useAction } from '../client/action.ts';
import { codeOf } from '../client/api.ts';
import type { MoneyAction, MoneyCase } from '../client/types.gen.ts';
import { showToast } from '../shell/announce.tsx';
import { Button } from '../ui/controls.tsx';
import { money } from '../ui/format.ts';
import { Failed } from '../ui/parts.tsx';
import { AnswerLink } from './answer-link.tsx';
import { NoteDialog } from './note-dialog.tsx';
import { desk } from './session.ts';

type ActionName = MoneyCase['actions'][number];
type AskedAction = 'pay_by_hand' | 'write_off';

/** A case, and what the operator wants to do about it with a note. */
export interface AskedCase {
  readonly one: MoneyCase;
  readonly action: AskedAction;
}

interface CaseActionsProps {
  readonly one: MoneyCase;
  readonly onAsk: (asked: AskedCase) => void;
  readonly onDone: () => Promise<void>;
}

export function CaseActions({ one, onAsk, onDone }: CaseActionsProps): JSX.Element {
  const act = useAction(async (action: Exclude<ActionName, AskedAction>) => {
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
      {one.actions.includes('give_back') && (
        <Button isBusy={act.isBusy} onClick={() => void act.run('give_back')}>
          Give back
        </Button>
      )}
      {one.actions.includes('owe') && (
        <Button isBusy={act.isBusy} onClick={() => void act.run('owe')}>
          The venue owes it
        </Button>
      )}
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

const CALLS: Readonly<Record<Exclude<ActionName, AskedAction>, (one: MoneyCase) => Promise<Outcome>>> = {
  retry: async ({ kind, venue, id }) =>
    kind === 'capture'
      ? captureOutcome(await desk.retryCapture(venue.id, id))
      : movementOutcome(await desk.retryMovement(venue.id, id)),
  async reserve({ venue, id }) {
    await desk.reserveForPaymentByHand(venue.id, id);
    return { text: 'Reserved for you: pay it now, then mark it as paid.' };
  },
  async give_back({ venue, id }) {
    await desk.giveBackReserved(venue.id, id);
    return { text: 'Given back.' };
  },
  async owe({ venue, id }) {
    await desk.oweReversal(venue.id, id);
    return { text: 'The venue owes it.' };
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

export function CaseDialog({ asked: { one, action }, onClose, onDone }: CaseDialogProps): JSX.Element {
  const act = useAction(async (note: string) => {
    try {
      if (action === 'pay_by_hand') await desk.payByHand(one.venue.id, one.id, { reference: note });
      else await desk.writeOffDebt(one.venue.id, one.id, { amount: one.amount, note });
    } catch (error) {
      // The list behind the dialog shows what has changed meanwhile.
      if (codeOf(error) === 'conflict') await onDone();
      throw error;
    }
    onClose();
    showToast(action === 'pay_by_hand' ? 'Marked as paid.' : 'Written off.');
    await onDone();
  });
  const sum = money(one.amount, one.currency);
  const asking =
    action === 'pay_by_hand'
      ? {
          title: `Paid ${sum} another way`,
          lead: 'You have paid exactly this outside of the processor. It is never sent again.',
          label: 'Reference of the payment',
          button: 'Mark as paid',
          at: '/reference',
        }
      : {
          title: `Write off ${sum}`,
          lead: `${one.venue.name} no longer owes it, and the loss is ours. Its later payouts are whole.`,
          label: 'Why',
          button: `Write off ${sum}`,
          at: '/note',
        };
  return (
    <NoteDialog {...asking} maxLength={500} action={act} onClose={onClose} onSubmit={(note) => void act.run(note)} />
  );
}
