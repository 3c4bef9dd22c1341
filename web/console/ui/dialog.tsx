// A dialog for a decision: title, consequence, and the deed at the right of its foot. Esc closes it, and the focus returns.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { place } from '../session.ts';
import { Icon } from './icon.tsx';
import { Chip } from './states.tsx';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  /** Beside the buttons: what reassures. */
  readonly note?: ComponentChildren;
  readonly buttons: ComponentChildren;
  /** Live mode is repeated in the title of what moves real money. */
  readonly movesMoney?: boolean;
  readonly isWide?: boolean;
  readonly onSubmit?: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, note, buttons, movesMoney, isWide, onSubmit, children }: Props): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const isLive = place.value?.mode === 'live' && movesMoney === true;
  return (
    <dialog
      ref={element}
      class={isWide === true ? 'wide' : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form
        method="dialog"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <header>
          <h2 id={titleId}>{title}</h2>
          {isLive && (
            <Chip color="green" icon="globe">
              Live: moves real money
            </Chip>
          )}
          <button type="button" class="close" aria-label="Close" onClick={onClose}>
            <Icon name="cross" />
          </button>
        </header>
        <div class="content">{children}</div>
        <footer>
          <div class="note">{note}</div>
          <div class="buttons">{buttons}</div>
        </footer>
      </form>
    </dialog>
  );
}
