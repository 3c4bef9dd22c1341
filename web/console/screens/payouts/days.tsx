// The days of a week, and the checkouts of a day when it is opened. Every row adds up, and so does the week.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AddressQuery } from '../../client/address-query.ts';
import type { Client } from '../../client/api.ts';
import { useLoad } from '../../client/load.ts';
import type { PaidCheckout, Statement } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { Button, Link } from '../../ui/controls.tsx';
import { count, date, money, number, time } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failed, Shown, Table } from '../../ui/parts.tsx';
import { State } from '../../ui/states.tsx';
import { dayName, nextDay } from './range-name.ts';

/** The column of lost disputes is there when the week has one. */
const headOf = (hasLost: boolean): string[] => [
  'Day',
  '->Guests',
  '->Guests paid',
  '->Fee',
  '->Refunded',
  ...(hasLost ? ['->Disputed'] : []),
  '>Yours',
  '>State',
];

export function Days({ week, address }: { readonly week: Statement; readonly address: AddressQuery }): JSX.Element {
  const { client } = usePlace();
  const days = useLoad(
    (signal) =>
      client.console
        .listStatements({ period: 'day', from: week.from, to: week.to, limit: 31 }, { signal })
        .then(({ answer }) => answer),
    [client, week.from],
  );
  const open = address.get('day');
  const { currency } = week;
  const hasLost = week.lost_to_disputes > 0;
  return (
    <Shown loaded={days}>
      {({ data }) => (
        <Table
          caption="Days of this week"
          head={headOf(hasLost)}
          foot={
            <tr>
              <td>Week</td>
              <td class="wide-only number">{number(week.guests)}</td>
              <td class="wide-only number">{money(week.paid, currency)}</td>
              <td class="wide-only number">{money(-week.fee, currency)}</td>
              <td class="wide-only number">{money(-week.refunded, currency)}</td>
              {hasLost && <td class="wide-only number">{money(-week.lost_to_disputes, currency)}</td>}
              <td class="number">{money(week.kept, currency)}</td>
              <td />
            </tr>
          }
        >
          {data
            .filter((day) => day.currency === currency)
            .map((day) => (
              <DayRows
                key={day.from}
                day={day}
                hasLost={hasLost}
                isOpen={open === day.from}
                onToggle={() =>
                  address.replace({ before: address.get('before'), day: open === day.from ? '' : day.from })
                }
              />
            ))}
        </Table>
      )}
    </Shown>
  );
}

interface DayProps {
  readonly day: Statement;
  /** The week has lost a dispute, so its table has that column. */
  readonly hasLost: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A dash where there is nothing: zeros would hide what matters. */
const less = (amount: number, currency: string): string => (amount === 0 ? '–' : money(-amount, currency));

/** The cell of what is taken away, violet where something was. */
function Less({ amount, currency }: { readonly amount: number; readonly currency: string }): JSX.Element {
  return <td class={`wide-only number ${amount === 0 ? 'quiet' : 'violet'}`}>{less(amount, currency)}</td>;
}

function DayRows({ day, hasLost, isOpen, onToggle }: DayProps): JSX.Element {
  const { currency } = day;
  return (
    <>
      <tr class={isOpen ? 'open' : undefined}>
        <td>
          <button type="button" class="fold" aria-expanded={isOpen} onClick={onToggle}>
            <Icon name={isOpen ? 'down' : 'chevron'} size={12} /> {dayName(day.from)}{' '}
            <span class="quiet">{count(day.checkouts, 'checkout')}</span>
          </button>
        </td>
        <td class="wide-only number">{number(day.guests)}</td>
        <td class="wide-only number">{money(day.paid, currency)}</td>
        <td class="wide-only number quiet">{less(day.fee, currency)}</td>
        <Less amount={day.refunded} currency={currency} />
        {hasLost && <Less amount={day.lost_to_disputes} currency={currency} />}
        <td class="number">
          <b>{money(day.kept, currency)}</b>
        </td>
        <td class="number">{stateOf(day)}</td>
      </tr>
      {isOpen && <CheckoutRows day={day} hasLost={hasLost} />}
    </>
  );
}

function stateOf({ status, to_come, currency }: Statement): JSX.Element {
  if (status === 'paid' || status === 'failed') return <State kind="payout" state={status} />;
  return (
    <span class="state amber">
      <Icon name="clock" /> {money(to_come, currency)} to come
    </span>
  );
}

const STEP = 100;

async function readCheckouts(
  { console: api }: Client,
  range: { readonly from: string; readonly to: string },
  limit: number,
  signal: AbortSignal,
): Promise<readonly PaidCheckout[]> {
  const found: PaidCheckout[] = [];
  for await (const one of api.listPaidCheckouts({ ...range, limit: STEP }, { signal })) {
    found.push(one);
    if (found.length === limit) break;
  }
  return found;
}

function CheckoutRows({ day, hasLost }: Pick<DayProps, 'day' | 'hasLost'>): JSX.Element {
  const { client } = usePlace();
  const [limit, setLimit] = useState(STEP);
  const loaded = useLoad(
    (signal) => readCheckouts(client, { from: day.from, to: nextDay(day.from) }, limit, signal),
    [client, day.from, limit],
  );
  if (loaded.data === undefined)
    return (
      <tr>
        <td colSpan={headOf(hasLost).length}>
          {loaded.error === undefined ? (
            'Reading…'
          ) : (
            <Failed error={loaded.error} onRetry={() => void loaded.reload()} />
          )}
        </td>
      </tr>
    );
  return (
    <>
      {loaded.data
        .filter(({ currency }) => currency === day.currency)
        .map((one) => (
          <tr key={one.checkout_id} class="detail">
            <td>
              <span class="quiet">{time(one.completed_at)}</span>{' '}
              <Link to={`/checkouts/${one.checkout_id}`} class="row-link">
                {one.description}
              </Link>{' '}
              <code class="quiet">{one.external_booking_id}</code>
            </td>
            <td class="wide-only number">{number(one.guests)}</td>
            <td class="wide-only number">{money(one.paid, one.currency)}</td>
            <td class="wide-only number quiet">{less(one.fee, one.currency)}</td>
            <Less amount={one.refunded} currency={one.currency} />
            {hasLost && <Less amount={one.lost_to_disputes} currency={one.currency} />}
            <td class="number">{money(one.kept, one.currency)}</td>
            <td class="number">
              <State kind="payout" state={one.status} />{' '}
              {one.sent_at !== null && <span class="quiet">{date(one.sent_at)}</span>}
            </td>
          </tr>
        ))}
      {loaded.data.length === limit && (
        <tr class="detail">
          <td colSpan={headOf(hasLost).length}>
            <Button kind="quiet" icon="down" onClick={() => setLimit(limit + STEP)}>
              More checkouts of this day
            </Button>
          </td>
        </tr>
      )}
    </>
  );
}
