// What needs a person, the most urgent first.

import type { JSX } from 'preact';
import type { ConsoleHome } from '../../client/types.gen.ts';
import { Link } from '../../ui/controls.tsx';
import { count, day, money, span } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Section } from '../../ui/parts.tsx';
import { Chip } from '../../ui/states.tsx';
import { Due, PartyPips } from '../checkouts/rows.tsx';
import { reasonWords } from '../checkouts/timeline-words.ts';

type Item = ConsoleHome['attention']['data'][number];

export function Attention({ attention }: Pick<ConsoleHome, 'attention'>): JSX.Element {
  return (
    <Section
      title={<>Needs attention {attention.count > 0 && <Chip color="red">{attention.count}</Chip>}</>}
      aside={<Link to="/checkouts">All checkouts</Link>}
    >
      {attention.data.length === 0 ? (
        <p class="quiet">Nothing needs you now.</p>
      ) : (
        <ul class="attention">
          {attention.data.map((item) => (
            <Line key={`${item.kind} ${item.checkout?.id} ${item.subject_id} ${item.share_id}`} item={item} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Line({ item }: { readonly item: Item }): JSX.Element {
  const { checkout } = item;
  const [icon, color] = LOOKS[item.kind] ?? ['alert', 'red'];
  return (
    <li>
      <span class={`state ${color}`}>
        <Icon name={icon} />
      </span>
      <Link to={placeOf(item)} class="row-link at-what">
        <b>{checkout?.description ?? item.name}</b>
        {checkout?.starts_at != null && <span class="quiet"> {day(checkout.starts_at)}</span>}
      </Link>
      <span class="quiet at-text" title={textOf(item)}>
        {textOf(item)}
      </span>
      {checkout !== null && (
        <>
          <span class="wide-only">
            <PartyPips row={checkout} />
          </span>
          <b class="number at-amount">{money(checkout.amount, checkout.currency)}</b>
          <span class="number at-due">
            <Due row={checkout} />
          </span>
        </>
      )}
    </li>
  );
}

const LOOKS: Readonly<Partial<Record<Item['kind'], readonly [IconName, string]>>> = {
  party_not_chosen: ['clock', 'amber'],
  charging: ['turn', 'violet'],
  endpoint_failing: ['hook', 'amber'],
  endpoint_disabled: ['hook', 'red'],
  dispute_open: ['flag', 'red'],
};

function placeOf({ kind, checkout, subject_id }: Item): string {
  if (kind.startsWith('endpoint')) return `/webhooks/${subject_id}`;
  if (kind === 'offering_rejected') return `/catalogue/offering/${encodeURIComponent(subject_id ?? '')}`;
  return checkout === null ? '/payouts' : `/checkouts/${checkout.id}`;
}

function textOf({ kind, shares, display_name, reason, at }: Item): string {
  const who = display_name === null ? '' : `: ${display_name}`;
  const why = reason === null ? '' : `, ${reasonWords(reason)}`;
  const since = span(Date.now() - Date.parse(at));
  const texts: Readonly<Record<Item['kind'], string>> = {
    share_missing: `${count(shares, 'share')} missing`,
    payout_failed: `A transfer to you was refused${why}`,
    dispute_open: `Disputed${who}${why}`,
    card_declined: `Card declined${who}${why}`,
    hold_not_renewed: `Hold not renewed${who}${why}`,
    charging: 'A bank does not answer',
    refund_failed: `A refund did not arrive${who}`,
    endpoint_disabled: 'Disabled after failing: no events are sent',
    endpoint_failing: `Events are not delivered for ${since}${why}`,
    party_not_chosen: `No party chosen for ${since}`,
    offering_rejected: `Not approved${reason === null ? '' : `: ${reason}`}`,
  };
  return texts[kind];
}
