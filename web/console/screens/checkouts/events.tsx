// The events of a checkout, newest first, with their deliveries to each endpoint.

import type { JSX } from 'preact';
import { useAction } from '../../client/action.ts';
import { type Loaded, useLoad } from '../../client/load.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { CheckoutTimeline } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button, Id, Link } from '../../ui/controls.tsx';
import { dateTime } from '../../ui/format.ts';
import { Failed, Section, Shown, Table } from '../../ui/parts.tsx';
import { State } from '../../ui/states.tsx';
import { hostOf } from './timeline-words.ts';

type Delivery = NonNullable<CheckoutTimeline['data'][number]['delivery']> & { readonly state: string };

interface Props {
  readonly checkoutId: string;
  readonly timeline: Loaded<CheckoutTimeline>;
}

const MAX_EVENTS = 50;

export function Events({ checkoutId, timeline }: Props): JSX.Element {
  const { venue, client } = usePlace();
  const newest = timeline.data?.data.length;
  const events = useLoad(
    (signal) =>
      client.partner.events.list({ checkout: checkoutId, limit: MAX_EVENTS }, { signal }).then(({ data }) => data),
    [client, checkoutId, newest],
  );
  const resend = useAction(async (delivery: Delivery) => {
    await client.partner.webhookEndpoints.redeliver(delivery.endpoint_id, delivery.id);
    showToast(`${delivery.event_type} is sent again to ${hostOf({ delivery })}.`);
    await timeline.reload();
  });
  const deliveries = deliveriesOf(timeline.data);
  return (
    <Section title="Events" aside={<Link to={`/events?checkout=${checkoutId}`}>All</Link>}>
      {resend.error !== undefined && <Failed error={resend.error} />}
      <Shown loaded={events} lines={4}>
        {(list) => (
          <Table caption="Events" head={['Event', '-Id', 'Delivery', '->Time', '']}>
            {list.map(({ id, type, created_at }) =>
              (deliveries.get(id) ?? [null]).map((delivery) => (
                <tr key={`${id} ${delivery?.endpoint_id ?? ''}`}>
                  <td>
                    <Link to={`/events/${id}`}>
                      <code>{type}</code>
                    </Link>
                  </td>
                  <td class="wide-only">
                    <Id id={id} />
                  </td>
                  <td>
                    {delivery === null ? <span class="quiet">No endpoint</span> : <Outcome delivery={delivery} />}
                  </td>
                  <td class="number quiet wide-only">{dateTime(created_at)}</td>
                  <td class="row-actions">
                    {delivery !== null && mayDevelop(venue.role) && (
                      <Button
                        kind="quiet"
                        isBusy={resend.isBusy}
                        label={`Resend ${type} to ${hostOf({ delivery })}`}
                        onClick={() => void resend.run(delivery)}
                      >
                        Resend
                      </Button>
                    )}
                  </td>
                </tr>
              )),
            )}
          </Table>
        )}
      </Shown>
    </Section>
  );
}

function Outcome({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const { status, attempts, duration_ms, state } = delivery;
  const answer = [
    status === null ? '' : String(status),
    attempts > 1 ? `try ${attempts}` : '',
    duration_ms === null ? '' : `${duration_ms} ms`,
  ].filter((text) => text !== '');
  return (
    <span class="outcome" title={delivery.url}>
      <State kind="delivery" state={state} /> <span class="quiet wide-only">{answer.join(', ')}</span>
    </span>
  );
}

/** By the id of the event. */
function deliveriesOf(timeline: CheckoutTimeline | undefined): ReadonlyMap<string, readonly Delivery[]> {
  const byEvent = new Map<string, Delivery[]>();
  for (const { kind, delivery } of timeline?.data ?? []) {
    if (delivery === null) continue;
    const state = kind.replace('delivery.', '');
    const one = { ...delivery, state: state === 'retrying' && delivery.attempts === 0 ? 'pending' : state };
    byEvent.set(delivery.event_id, [...(byEvent.get(delivery.event_id) ?? []), one]);
  }
  return byEvent;
}
