// A dialog for a decision: title, consequence, and the action at the right of its foot. Esc closes it, and the focus returns.
// A dialog with something that is shown once closes by its own button alone.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { place } from '../session.ts';
import { LiveRegion } from '../shell/announce.tsx';
import { Icon } from './icon.tsx';
import { keepPage } from './keep-page.ts';
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
  /** Esc and Back do nothing, there is no cross, and the browser asks before the page is left: what is closed is lost. */
  readonly isLocked?: boolean;
  /** A locked dialog was asked to close. */
  readonly onRefused?: () => void;
  readonly onSubmit?: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({
  title,
  onClose,
  note,
  buttons,
  movesMoney,
  isWide,
  isLocked,
  onRefused,
  onSubmit,
  children,
}: Props): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const refused = useRef(onRefused);
  refused.current = onRefused;
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  useEffect(() => {
    if (isLocked !== true) return;
    return keepPage(() => refused.current?.());
  }, [isLocked]);
  useEffect(() => {
    if (isLocked !== true) return;
    // A browser closes a dialog at a second Esc, also where `cancel` was refused at the first: it must not get that far.
    const refuse = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      refused.current?.();
    };
    document.addEventListener('keydown', refuse, true);
    return () => document.removeEventListener('keydown', refuse, true);
  }, [isLocked]);
  const isLive = place.value?.mode === 'live' && movesMoney === true;
  return (
    <dialog
      ref={element}
      class={isWide === true ? 'wide' : undefined}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (isLocked !== true) onClose();
        else onRefused?.();
      }}
      // A phone's gesture closes it as a second Esc does.
      onClose={() => {
        if (isLocked === true) element.current?.showModal();
        else onClose();
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
          {isLocked !== true && (
            <button type="button" class="close" aria-label="Close" onClick={onClose}>
              <Icon name="cross" />
            </button>
          )}
        </header>
        <div class="content">{children}</div>
        <footer>
          <div class="note">{note}</div>
          <div class="buttons">{buttons}</div>
        </footer>
      </form>
      <LiveRegion />
    </dialog>
  );
}
