// A dialog that asks for a note before it does something. With a note given, the action has the focus: Enter does it.
// Every refusal is shown in it: what is behind a modal dialog is not seen.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Action } from '../client/action.ts';
import { Button, TextField } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { messageOf } from '../ui/parts.tsx';

interface Props {
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly label: string;
  readonly button: string;
  readonly initial?: string;
  readonly maxLength?: number;
  readonly action: Pick<Action<never>, 'isBusy' | 'error' | 'problemAt'>;
  /** The pointer of the note in the request. */
  readonly at: string;
  readonly onClose: () => void;
  readonly onSubmit: (note: string) => void;
}

export function NoteDialog(props: Props): JSX.Element {
  const { title, lead, label, button, initial = '', maxLength = 2000, action, at, onClose, onSubmit } = props;
  const [note, setNote] = useState(initial);
  const { isBusy, error, problemAt } = action;
  const problem = problemAt(at) ?? (error === undefined ? null : messageOf(error));
  const buttons = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (initial !== '') buttons.current?.querySelector<HTMLElement>('button[type=submit]')?.focus();
  }, []);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => onSubmit(note.trim())}
      note="It is in the audit log, with your name."
      buttons={
        <div ref={buttons} class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={isBusy} isDisabled={note.trim() === ''}>
            {button}
          </Button>
        </div>
      }
    >
      <p>{lead}</p>
      <TextField
        label={label}
        value={note}
        onInput={setNote}
        rows={4}
        maxLength={maxLength}
        error={problem}
        isFocused={initial === ''}
      />
    </Dialog>
  );
}
