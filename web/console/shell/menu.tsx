// A menu that opens below its button. A click outside, Esc, a choice in it, and navigation close it.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { path } from '../session.ts';

interface Props {
  readonly class: string;
  readonly button: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Menu({ button, children, ...rest }: Props): JSX.Element {
  const element = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (element.current !== null) element.current.open = false;
  };
  useEffect(close, [path.value]);
  useEffect(() => {
    const onPress = (event: Event): void => {
      if (!event.composedPath().includes(element.current as EventTarget)) close();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || element.current?.open !== true) return;
      close();
      element.current.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', onPress);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onPress);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <details ref={element} class={rest.class}>
      <summary>{button}</summary>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the links and buttons in it take the keys. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above; a key on a link or a button is a click too. */}
      <div class="menu" onClick={close}>
        {children}
      </div>
    </details>
  );
}
