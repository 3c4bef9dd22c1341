// Checkouts as rows; on a phone each row has two lines.

import type { JSX } from 'preact';
import type { CheckoutRow } from '../../client/types.gen.ts';
import { Id, Link } from '../../ui/controls.tsx';
import { dateTime, day, money, span } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Table } from '../../ui/parts.tsx';
import { Pips, State } from '../../ui/states.tsx';
import { partyColor } from './party.ts';

const HEAD = ['State', 'What for', 'Organizer', 'Booking', 'Checkout', 'Party', '>Held', '>Amount', '>Pay by'];

export const CheckoutRows = ({ rows }: { readonly rows: readonly CheckoutRow[] }): JSX.Element => (
  <div class="two-lines">
    <Table caption="Checkouts" head={HEAD}>
      {rows.map((row) => (
        <tr key={row.id}>
          <td class="at-state">
            <State kind="checkout" state={row.status} />
          </td>
          <td class="at-what one-line">
            <Link to={`/checkouts/${row.id}`} class="row-link">
              <b>{row.description}</b>
              {row.starts_at !== null && <span class="quiet"> {day(row.starts_at)}</span>}
            </Link>
          </td>
          <td class="wide-only one-line">{row.organizer ?? <span class="quiet">Not chosen yet</span>}</td>
          <td class="wide-only">
            <code class="quiet">{row.external_booking_id}</code>
          </td>
          <td class="wide-only">
            <Id id={row.id} />
          </td>
          <td class="at-party">
            <PartyPips row={row} />
          </td>
          <td class="number quiet wide-only">{row.held_amount === 0 ? '–' : money(row.held_amount, row.currency)}</td>
          <td class="number at-amount">
            <b>{money(row.amount, row.currency)}</b>
          </td>
          <td class="number at-due">
            <Due row={row} />
          </td>
        </tr>
      ))}
    </Table>
  </div>
);

export function PartyPips({ row }: { readonly row: CheckoutRow }): JSX.Element {
  const { size, is_chosen, invited, held, failed, captured, released, refunded } = row.party;
  const total = is_chosen ? invited + held + failed + captured + released + refunded : size;
  return (
    <Pips
      held={held + captured + refunded}
      failed={failed}
      total={total}
      look={partyColor(row.status)}
      isChosen={is_chosen}
    />
  );
}

const URGENT_MS = 4 * 3_600_000;

/** How long guests can still pay, or how it ended. */
export function Due({ row }: { readonly row: CheckoutRow }): JSX.Element {
  const { status, pay_by, completed_at, refunded_amount, open_disputes } = row;
  if (open_disputes > 0) return <span class="red">Disputed</span>;
  if (status === 'funded') return <span class="quiet">Charging</span>;
  if (refunded_amount > 0)
    return <span class="violet">{refunded_amount === row.amount ? 'Refunded' : 'Part refunded'}</span>;
  if (completed_at !== null)
    return (
      <time datetime={completed_at} class="quiet">
        {dateTime(completed_at)}
      </time>
    );
  if (status !== 'open' && status !== 'collecting') return <span class="quiet">{dateTime(pay_by)}</span>;
  const left = Date.parse(pay_by) - Date.now();
  if (left <= 0) return <span class="quiet">Time is over</span>;
  return (
    <time datetime={pay_by} title={dateTime(pay_by)} class={left < URGENT_MS ? 'red due' : 'quiet'}>
      {left < URGENT_MS && <Icon name="clock" />} {span(left)} left
    </time>
  );
}
