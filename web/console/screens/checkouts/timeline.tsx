// Everything that happened to a checkout, under the days on which it did.

import type { JSX } from 'preact';
import type { CheckoutTimeline } from '../../client/types.gen.ts';
import { day, time, timeWithSeconds, zoneName } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/parts.tsx';
import { linesOfDay, type TimelineEntry, type TimelineLine } from './timeline-words.ts';

interface Props {
  readonly timeline: CheckoutTimeline;
  readonly currency: string;
}

export function Timeline({ timeline, currency }: Props): JSX.Element {
  const days = byDay(timeline.data);
  return (
    <Section title="Timeline" aside={`Times in ${zoneName()}`}>
      {!timeline.is_complete && <p class="quiet">Only the newest 1,000 entries are shown.</p>}
      <ol class="timeline">
        {days.map(([name, entries]) => (
          <Day key={name} name={name} entries={entries} currency={currency} />
        ))}
      </ol>
    </Section>
  );
}

function byDay(entries: readonly TimelineEntry[]): readonly (readonly [string, readonly TimelineEntry[]])[] {
  const days = new Map<string, TimelineEntry[]>();
  for (const entry of entries) {
    const name = day(entry.at);
    days.set(name, [...(days.get(name) ?? []), entry]);
  }
  return [...days];
}

interface DayProps {
  readonly name: string;
  readonly entries: readonly TimelineEntry[];
  readonly currency: string;
}

const Day = ({ name, entries, currency }: DayProps): JSX.Element => (
  <li>
    <h3 class="day">{name}</h3>
    <ol>
      {linesOfDay(entries, currency).map((line) => (
        <li key={line.id} class="entry">
          <span class={`dot ${line.color}`}>
            <Icon name={line.icon} size={12} />
          </span>
          <span>{line.text}</span>
          <time datetime={line.from}>{timesOf(line)}</time>
        </li>
      ))}
    </ol>
  </li>
);

function timesOf({ from, to }: TimelineLine): string {
  return time(from) === time(to) ? timeWithSeconds(from) : `${time(from)} – ${time(to)}`;
}
