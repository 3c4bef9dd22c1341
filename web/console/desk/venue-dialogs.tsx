// The dialogs for the fee and the limits of a venue. A text that is no number is a problem at its field and is not sent:
// an emptied field is no zero.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { isApiError } from '../client/api.ts';
import type { DeskVenue } from '../client/types.gen.ts';
import { announce } from '../shell/announce.tsx';
import { Button, TextField } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Banner, Failed } from '../ui/parts.tsx';
import { desk } from './session.ts';

export type DeskKey = DeskVenue['keys'][number];

interface DialogProps {
  readonly venue: DeskVenue;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface NumberKind {
  /** Null: the text is no such number. */
  readonly parse: (text: string) => number | null;
  /** What to type instead. */
  readonly remedy: string;
}

/** Percent or dollars, as hundredths. A comma is refused: it parts thousands for one person and decimals for another. */
const HUNDREDTHS: NumberKind = {
  parse: (text) => (/^\d{1,7}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : null),
  remedy: 'Type a number such as 3.50, without a comma. Type 0 for none.',
};
const WHOLE: NumberKind = {
  parse: (text) => (/^\d{1,7}$/.test(text) ? Number(text) : null),
  remedy: 'Type a whole number, such as 6000.',
};
const DAYS: NumberKind = { ...WHOLE, remedy: 'Type a whole number of days, from 1 to 90.' };

interface NumberField {
  readonly at: string;
  readonly label: string;
  readonly initial: string;
  readonly kind: NumberKind;
  readonly hint?: string;
}

interface NumbersDialogProps {
  readonly title: string;
  readonly note: string;
  readonly button: string;
  readonly fields: readonly NumberField[];
  /** What must be confirmed about these numbers, and the button that does it; null: nothing. */
  readonly questionAbout?: (values: readonly (number | null)[]) => Question | null;
  readonly onClose: () => void;
  /** The numbers in the order of the fields. */
  readonly onSave: (values: readonly number[]) => Promise<void>;
}

interface Question {
  readonly text: string;
  readonly button: string;
}

/** A few numbers that are saved together; the problems of the API stand at their fields. */
function NumbersDialog(props: NumbersDialogProps): JSX.Element {
  const { title, note, button, fields, questionAbout, onClose, onSave } = props;
  const [texts, setTexts] = useState(fields.map(({ initial }) => initial));
  const [isChecked, setIsChecked] = useState(false);
  const values = fields.map(({ kind }, i) => kind.parse((texts[i] ?? '').trim()));
  const save = useAction(() => onSave(values.filter((value) => value !== null)));
  const other = save.otherProblem(fields.map(({ at }) => at));
  const question = questionAbout?.(values) ?? null;
  const submit = (): void => {
    setIsChecked(true);
    if (values.every((value) => value !== null)) void save.run();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => question === null && submit()}
      note={note}
      buttons={
        question === null ? (
          <Button kind="primary" type="submit" isBusy={save.isBusy}>
            {button}
          </Button>
        ) : (
          // A second Enter in a field does not answer the question.
          <Button key="question" kind="danger" isBusy={save.isBusy} onClick={submit}>
            {question.button}
          </Button>
        )
      }
    >
      {other !== undefined && <Failed error={other} />}
      {question !== null && (
        <Banner color="amber" icon="warning">
          {question.text}
        </Banner>
      )}
      {fields.map(({ at, label, hint, kind }, index) => (
        <TextField
          key={at}
          label={label}
          hint={hint}
          inputMode="decimal"
          value={texts[index] ?? ''}
          onInput={(text) => setTexts(texts.map((one, i) => (i === index ? text : one)))}
          error={isChecked && values[index] === null ? kind.remedy : save.problemAt(at)}
          isFocused={index === 0}
        />
      ))}
    </Dialog>
  );
}

interface RefusedFee {
  readonly bps: number;
  readonly fixed: number;
  readonly message: string;
}

/** A fee below cost is refused first, with the comparison; the same fee a second time is meant. */
export function FeeDialog({ venue, onClose, onDone }: DialogProps): JSX.Element {
  const [refused, setRefused] = useState<RefusedFee | null>(null);
  const isRefused = (bps: number | null | undefined, fixed: number | null | undefined): boolean =>
    refused !== null && refused.bps === bps && refused.fixed === fixed;
  return (
    <NumbersDialog
      title={`Fee of ${venue.name}`}
      note="For checkouts that are created from now on."
      button="Set the fee"
      fields={[
        { at: '/bps', label: 'Percent', initial: (venue.fee.bps / 100).toFixed(2), kind: HUNDREDTHS },
        {
          at: '/fixed',
          label: 'Fixed part, in dollars',
          initial: (venue.fee.fixed / 100).toFixed(2),
          kind: HUNDREDTHS,
        },
      ]}
      questionAbout={([bps, fixed]) =>
        refused !== null && isRefused(bps, fixed) ? { text: refused.message, button: 'Set it below cost' } : null
      }
      onClose={onClose}
      onSave={async ([bps = 0, fixed = 0]) => {
        try {
          await desk.setVenueFee(venue.id, { bps, fixed, accept_below_cost: isRefused(bps, fixed) });
        } catch (error) {
          if (!isApiError(error) || error.reason !== 'fee_below_cost') throw error;
          setRefused({ bps, fixed, message: error.message });
          announce(error.message);
          return;
        }
        onDone();
      }}
    />
  );
}

const DAY_MS = 86_400_000;

/** Null: of every secret key of the venue. */
export function LimitsDialog({
  venue,
  of,
  onClose,
  onDone,
}: DialogProps & { readonly of: DeskKey | null }): JSX.Element {
  const { writes_per_hour, reads_per_hour } = of?.raised ?? of ?? { writes_per_hour: 6_000, reads_per_hour: 36_000 };
  return (
    <NumbersDialog
      title={`Raise the limits of ${of === null ? venue.name : of.hint}`}
      note={
        of === null
          ? 'Of its secret keys, also those that it makes until then. The higher limit counts.'
          : 'Of this key alone. The higher limit counts.'
      }
      button="Raise"
      fields={[
        { at: '/writes_per_hour', label: 'Writes in an hour', initial: String(writes_per_hour), kind: WHOLE },
        { at: '/reads_per_hour', label: 'Reads in an hour', initial: String(reads_per_hour), kind: WHOLE },
        { at: '/until', label: 'For how many days', initial: '7', kind: DAYS, hint: 'At most 90.' },
      ]}
      onClose={onClose}
      onSave={async ([writes = 0, reads = 0, days = 0]) => {
        const until = new Date(Date.now() + days * DAY_MS).toISOString();
        const key = of === null ? {} : { key_id: of.id };
        await desk.raiseLimits(venue.id, { ...key, writes_per_hour: writes, reads_per_hour: reads, until });
        onDone();
      }}
    />
  );
}
