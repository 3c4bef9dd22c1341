// Decisions about reviews that the server does not have yet: one that can be taken back, and those that did not arrive.

import type { JSX } from 'preact';
import { Button } from '../ui/controls.tsx';
import { messageOf } from '../ui/parts.tsx';
import { sendAgain, type UnsentDecision } from './pending-decision.ts';

/** The ten seconds in which a decision is not sent yet. */
export function UndoBar({ text, onUndo }: { readonly text: string; readonly onUndo: () => void }): JSX.Element {
  return (
    <div class="undo-bar">
      <span>{text}</span>
      <Button shortcut="U" onClick={onUndo}>
        Undo
      </Button>
      <span class="quiet">for 10 s</span>
    </div>
  );
}

/** A decision that did not arrive, with its note. */
export function UnsentBar(props: { readonly unsent: UnsentDecision; readonly onTakeBack: () => void }): JSX.Element {
  const { unsent, onTakeBack } = props;
  return (
    <div class="undo-bar">
      <span>
        <b>Not sent.</b> {unsent.text} {messageOf(unsent.error)}
      </span>
      <Button kind="primary" onClick={() => void sendAgain(unsent)}>
        Send again
      </Button>
      <Button onClick={onTakeBack}>Take back</Button>
    </div>
  );
}
