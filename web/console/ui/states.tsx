// States of checkouts, shares, reviews, deliveries and payouts: colour, icon and word, always all three.

import type { JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Color = 'neutral' | 'blue' | 'violet' | 'green' | 'amber' | 'red';

interface Look {
  readonly word: string;
  readonly color: Color;
  readonly icon: IconName;
}

const look = (word: string, color: Color, icon: IconName): Look => ({ word, color, icon });

const LOOKS: Readonly<Record<string, Readonly<Record<string, Look>>>> = {
  checkout: {
    open: look('Open', 'neutral', 'dashed'),
    collecting: look('Collecting', 'blue', 'half'),
    funded: look('Funded', 'violet', 'full'),
    completed: look('Completed', 'green', 'tick'),
    expired: look('Expired', 'amber', 'clock'),
    canceled: look('Canceled', 'neutral', 'stroke'),
  },
  share: {
    invited: look('Invited', 'neutral', 'envelope'),
    held: look('Held', 'blue', 'lock'),
    captured: look('Captured', 'green', 'tick'),
    released: look('Released', 'neutral', 'release'),
    refunded: look('Refunded', 'violet', 'back'),
    failed: look('Failed', 'red', 'alert'),
  },
  review: {
    pending: look('Waiting for review', 'amber', 'clock'),
    approved: look('Approved', 'green', 'tick'),
    rejected: look('Rejected', 'red', 'refused'),
    inactive: look('Inactive', 'neutral', 'stroke'),
  },
  delivery: {
    delivered: look('Delivered', 'green', 'tick'),
    pending: look('Waiting', 'neutral', 'clock'),
    retrying: look('Retrying', 'amber', 'turn'),
    failed: look('Failed', 'red', 'refused'),
  },
  payout: {
    paid: look('Paid', 'green', 'tick'),
    pending: look('On its way', 'amber', 'clock'),
    failed: look('Failed', 'red', 'refused'),
  },
};

/** A state that this version does not know is shown by its own word. */
function lookOf(kind: keyof typeof LOOKS | string, state: string): Look {
  return LOOKS[kind]?.[state] ?? look(state.replaceAll('_', ' '), 'neutral', 'ring');
}

interface StateProps {
  readonly kind: 'checkout' | 'share' | 'review' | 'delivery' | 'payout';
  readonly state: string;
}

/** Bare icon and word, for tables. */
export function State({ kind, state }: StateProps): JSX.Element {
  const { word, color, icon } = lookOf(kind, state);
  return (
    <span class={`state ${color}`}>
      <Icon name={icon} /> {word}
    </span>
  );
}

/** On a soft ground, for headers. */
export function StateChip({ kind, state }: StateProps): JSX.Element {
  const { word, color, icon } = lookOf(kind, state);
  return (
    <Chip color={color} icon={icon}>
      {word}
    </Chip>
  );
}

export function Chip({
  color = 'neutral',
  icon,
  children,
}: {
  readonly color?: Color;
  readonly icon?: IconName;
  readonly children: JSX.Element | string | number | readonly (string | number)[];
}): JSX.Element {
  return (
    <span class={`chip ${color}`}>
      {icon !== undefined && <Icon name={icon} />} {children}
    </span>
  );
}

/** How a tab or a filter names a state. */
export const wordOf = (kind: StateProps['kind'], state: string): string => lookOf(kind, state).word;
export const iconOf = (kind: StateProps['kind'], state: string): IconName => lookOf(kind, state).icon;
export const colorOf = (kind: StateProps['kind'], state: string): Color => lookOf(kind, state).color;

interface PipsProps {
  readonly held: number;
  readonly failed?: number;
  readonly total: number;
  /** Charged, funded, or held so far. */
  readonly look: 'green' | 'violet' | 'blue';
  /** False: the party is not chosen yet. */
  readonly isChosen?: boolean;
}

const MAX_PIPS = 12;

/** One segment for each guest, followed by the count in figures. */
export function Pips({ held, failed = 0, total, look: color, isChosen = true }: PipsProps): JSX.Element {
  const segments = Array.from({ length: Math.min(total, MAX_PIPS) }, (_, i) => {
    const at = total <= MAX_PIPS ? i : Math.floor((i * total) / MAX_PIPS);
    if (!isChosen) return 'outline';
    if (at < held) return color;
    return at >= total - failed ? 'red' : 'rest';
  });
  return (
    <span class="pips">
      <span class="segments" aria-hidden="true">
        {segments.map((segment, i) => (
          <i key={i} class={segment} />
        ))}
      </span>
      <span class={failed > 0 ? 'tally bad' : 'tally'}>
        {held}/{total}
      </span>
    </span>
  );
}
