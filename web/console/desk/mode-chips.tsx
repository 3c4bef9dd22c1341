// The two modes of a page of the desk, as links.

import type { JSX } from 'preact';

interface ModeChipsProps {
  readonly to: string;
  readonly mode: 'test' | 'live';
}

export function ModeChips({ to, mode }: ModeChipsProps): JSX.Element {
  return (
    <div class="chips">
      {(['live', 'test'] as const).map((one) => (
        <a key={one} href={one === 'live' ? to : `${to}?mode=test`} aria-current={one === mode ? 'true' : undefined}>
          {one === 'live' ? 'Live' : 'Test'}
        </a>
      ))}
    </div>
  );
}
