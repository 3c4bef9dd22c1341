// One of the first steps: its number, which becomes a tick, and what there is to do.

import type { ComponentChildren, JSX } from 'preact';
import { Icon } from '../../ui/icon.tsx';

interface Props {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isCurrent: boolean;
  readonly aside: ComponentChildren;
  readonly children?: ComponentChildren;
}

export function Step({ number, title, isDone, isCurrent, aside, children }: Props): JSX.Element {
  return (
    <li class={isCurrent ? 'step current' : 'step'} aria-current={isCurrent ? 'step' : undefined}>
      <span class={isDone ? 'step-number done' : 'step-number'}>
        {isDone ? <Icon name="check" label="Done" /> : number}
      </span>
      <div class="step-content">
        <header>
          <h2>{title}</h2>
          <div class="aside">{aside}</div>
        </header>
        {children}
      </div>
    </li>
  );
}
