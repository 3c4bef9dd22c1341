// A dialog that asks for a note before it does something. With a note given, the action has the focus: Enter does it.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, TextField } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';

interface Props {
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly label: string;
  readonly button: string;
  readonly initial?: string;
  readonly maxLength?: number;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly onClose: () => void;
  readonly onSubmit: (note: string) => void;
}

export function NoteDialog(props: Props): JSX.Element {
  const { title, lead, label, button, initial = '', maxLength = 2000, isBusy, problem, onClose, onSubmit } = props;
  const [note, setNote] = useState(initial);
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
