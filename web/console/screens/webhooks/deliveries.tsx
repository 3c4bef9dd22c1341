// Deliveries as rows: the event, the last answer, the tries, and when the next one comes.

import type { JSX } from 'preact';
import type { Delivery } from '../../../../sdk/src/types.gen.ts';
import { Link } from '../../ui/controls.tsx';
import { dateTime, shortId, span } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Table } from '../../ui/parts.tsx';
import { colorOf, iconOf, State } from '../../ui/states.tsx';
import { stateOf } from './delivery-words.ts';

interface Props {
  readonly list: readonly Delivery[];
  readonly openId: string;
  readonly hrefOf: (id: string) => string;
}

export function DeliveryTable({ list, openId, hrefOf }: Props): JSX.Element {
  return (
    <Table caption="Deliveries" head={['Event', '-Id', '-Answer', '->Tries', '->Next try', '>When']}>
      {list.map((delivery) => (
        <tr key={delivery.id} class={delivery.id === openId ? 'selected' : undefined}>
          <td>
            <Link isWhole to={hrefOf(delivery.id)} class="row-link" label={`${delivery.type} ${delivery.event_id}`}>
              <code>{delivery.type}</code>
            </Link>{' '}
            {delivery.sample && <span class="chip neutral">Sample</span>}
            <small class="phone-only">
              <State kind="delivery" state={stateOf(delivery)} /> {delivery.last_status}
            </small>
          </td>
          <td class="wide-only">
            <code class="quiet">{shortId(delivery.event_id)}</code>
          </td>
          <td class="wide-only">
            <LastAnswer delivery={delivery} />
          </td>
          <td class="wide-only number">{delivery.attempts}</td>
          <td class="wide-only number">
            <NextTry delivery={delivery} />
          </td>
          <td class="number quiet">{dateTime(delivery.created_at)}</td>
        </tr>
      ))}
    </Table>
  );
}

function LastAnswer({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const state = stateOf(delivery);
  if (state === 'pending') return <State kind="delivery" state="pending" />;
  return (
    <span class={`state ${colorOf('delivery', state)}`}>
      <Icon name={iconOf('delivery', state)} label={state} />
      <b>{delivery.last_status ?? delivery.last_error}</b>
      {delivery.last_duration_ms !== null && <span class="quiet">{delivery.last_duration_ms} ms</span>}
    </span>
  );
}

function NextTry({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  if (delivery.next_attempt_at === null) return <span class="quiet">–</span>;
  const left = Date.parse(delivery.next_attempt_at) - Date.now();
  return <span class={delivery.attempts > 0 ? 'amber' : 'quiet'}>{left < 60_000 ? 'now' : `in ${span(left)}`}</span>;
}
