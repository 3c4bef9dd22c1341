// One line of the checklist: done, or open with what is to do.

import type { ComponentChildren, JSX } from 'preact';
import type { GoLive } from '../../client/types.gen.ts';
import { Icon } from '../../ui/icon.tsx';

export interface StepProps {
  readonly goLive: GoLive;
  readonly onChanged: () => void;
}

/** One line of the list; open while it is not done. */
export function Step({
  isDone,
  title,
  note,
  aside,
  children,
}: {
  readonly isDone: boolean;
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <section class={isDone ? 'step done' : 'step'}>
      <span class="sign">
        <Icon name={isDone ? 'check' : 'right'} label={isDone ? 'Done' : 'To do'} />
      </span>
      <header>
        <h2>{title}</h2> <span class="quiet">{note}</span>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children !== undefined && <div class="body">{children}</div>}
    </section>
  );
}

export const isDone = ({ steps }: GoLive, id: string): boolean => steps.find((step) => step.id === id)?.done === true;
