// Icons: strokes on a grid of 16. An icon beside its word is hidden from screen readers; one alone gets a label.

import type { JSX } from 'preact';

const PATHS = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4V10h-3v3.5h-4z',
  receipt: 'M3 2.5h10v11l-1.7-1-1.6 1-1.7-1-1.7 1-1.6-1-1.7 1zM5.5 5.5h5M5.5 8.5h5',
  bank: 'M2 6.5 8 3l6 3.5M3.5 7v5M6.5 7v5M9.5 7v5M12.5 7v5M2 13h12',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.2 5.2h.01',
  chart: 'M3 13V9M6.3 13V4M9.7 13V7M13 13v-3',
  lines: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  bolt: 'M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z',
  hook: 'M6 6.5a2.5 2.5 0 1 1 4 1.9l1.4 2.6M6.2 8 4.8 10.8M4.2 11a2 2 0 1 0 1.8 2h5.2a2 2 0 1 0 .3-2',
  key: 'M10 6a3 3 0 1 0-2.6 3L9 10.5 7.5 12 9 13.5l1-1M10 6 5.5 10.5',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14C6 12 5.5 10 5.5 8S6 4 8 2',
  gear: 'M8 5.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6M8 1.8v1.9M8 12.3v1.9M1.8 8h1.9M12.3 8h1.9M3.6 3.6l1.4 1.4M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4',
  rocket:
    'M9.5 10.5 5.5 6.5c1.5-3 4-4.5 8-4-.5 4-1 6.5-4 8M5.5 6.5 3 7l-.5 1.5L5 9M9.5 10.5 9 13l-1.5.5L7 11M3.5 11.5 2.5 13.5l2-1',
  flask: 'M6.5 2.5v4L3 12.5a.7.7 0 0 0 .6 1h8.8a.7.7 0 0 0 .6-1L9.5 6.5v-4M5.5 2.5h5M4.7 10h6.6',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4M10.2 10.2l3.3 3.3',
  plus: 'M8 3v10M3 8h10',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M6.3 6.3a1.8 1.8 0 1 1 2.5 1.7c-.6.3-.8.6-.8 1.2M8 11.3h.01',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  chevron: 'M6 4l4 4-4 4',
  right: 'M3 8h10M9.5 4.5 13 8l-3.5 3.5',
  out: 'M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5',
  code: 'M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5.5a2.5 2.5 0 0 1 5 0v2',
  envelope: 'M2.5 4h11v8h-11zM2.5 4.5 8 9l5.5-4.5',
  reminder: 'M4.5 11V7a3.5 3.5 0 0 1 7 0v4l1 1h-9zM7 13.7h2',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.2l2 1.3',
  dashed: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2',
  ring: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2',
  tick: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M5.5 8.2 7.3 10l3.3-3.8',
  stroke: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M3.8 3.8l8.4 8.4',
  alert: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.5M8 10.9h.01',
  warning: 'M8 2.5 14 13H2zM8 6.5V9.5M8 11.3h.01',
  refused: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M6 6l4 4M10 6l-4 4',
  back: 'M6.5 4 3 7.5 6.5 11M3 7.5h6.5a3 3 0 0 1 0 6H8',
  release: 'M8 10.5V2.5M5 5.5l3-3 3 3M3 9.5v4h10v-4',
  turn: 'M13 6.5A5.2 5.2 0 0 0 3.5 5M3 9.5A5.2 5.2 0 0 0 12.5 11M3.5 2v3h3M12.5 14v-3h-3',
  people:
    'M6 3a2.2 2.2 0 1 0 0 4.4A2.2 2.2 0 0 0 6 3M2 13c0-2.5 1.6-4 4-4s4 1.5 4 4M10.5 3.3a2 2 0 0 1 0 3.9M11.5 9.3c1.6.4 2.5 1.7 2.5 3.7',
  person: 'M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4M3 13.5c0-2.8 2-4.5 5-4.5s5 1.7 5 4.5',
  passkey:
    'M6 3a2.3 2.3 0 1 0 0 4.6A2.3 2.3 0 0 0 6 3M2 13c0-2.5 1.6-4 4-4 .9 0 1.7.2 2.4.600M12 6.5a2 2 0 0 0-1 3.7V13l1 1 1-1-.7-.8.7-.9-.6-.8A2 2 0 0 0 12 6.5',
  shield: 'M8 2 3.5 3.8V8c0 3 2 5 4.5 6 2.5-1 4.5-3 4.5-6V3.8zM6 8l1.5 1.5L10 6.5',
  eye: 'M1.8 8S4 4 8 4s6.2 4 6.2 4S12 12 8 12 1.8 8 1.8 8M8 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3',
  filter: 'M2.5 3.5h11L9.5 8.5v4l-3 1.5v-5.5z',
  download: 'M8 2.5v8M5 7.5l3 3 3-3M3 13.5h10',
  star: 'M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z',
  plug: 'M6 2.5v3M10 2.5v3M4 5.5h8v2.5a4 4 0 0 1-8 0zM8 12v2',
  robot: 'M3 5.5h10v7.5H3zM8 5.5V3M6 8.8h.01M10 8.8h.01M6.5 11h3',
  flag: 'M3.5 14V2.5M3.5 3h8.5l-2 3 2 3H3.5',
  pencil: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  card: 'M2 4h12v8.5H2zM2 7h12',
} as const;

export type IconName = keyof typeof PATHS | 'half' | 'full' | 'filled';

interface Props {
  readonly name: IconName;
  readonly size?: number;
  /** Absent: its word stands beside it. */
  readonly label?: string;
}

export function Icon({ name, size = 16, label }: Props): JSX.Element {
  const accessible =
    label === undefined ? ({ 'aria-hidden': true } as const) : ({ role: 'img', 'aria-label': label } as const);
  return (
    <svg class={`icon icon-${name}`} width={size} height={size} viewBox="0 0 16 16" {...accessible}>
      {shapeOf(name)}
    </svg>
  );
}

/** The rings fill as a checkout moves on, so that the order can be read without colour. */
function shapeOf(name: IconName): JSX.Element {
  if (name === 'half')
    return (
      <>
        <path d={PATHS.ring} />
        <path class="filled" d="M8 4.5v7a3.5 3.5 0 0 0 0-7" />
      </>
    );
  if (name === 'full')
    return (
      <>
        <path d={PATHS.ring} />
        <circle class="filled" cx="8" cy="8" r="3.3" />
      </>
    );
  if (name === 'filled') return <circle class="filled" cx="8" cy="8" r="4" />;
  return <path d={PATHS[name]} />;
}
