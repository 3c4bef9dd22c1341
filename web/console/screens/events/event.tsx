// One event: its JSON as it is sent, and its deliveries to each address, with Resend.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { WebhookEvent } from '../../../../sdk/src/events.ts';
import type { Delivery, StoredWebhookEndpoint } from '../../../../sdk/src/types.gen.ts';
import { type Client, codeOf } from '../../client/api.ts';
import { useLoad } from '../../client/load.ts';
import { forCalls, NEVER, POLLS, type Poll } from '../../client/polls.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { ScreenProps } from '../../screens.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Id, Link, LinkButton } from '../../ui/controls.tsx';
import { dateTime, zoneName } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Empty, LoadedPage, Page, Section, Shown, Table } from '../../ui/parts.tsx';
import { State } from '../../ui/states.tsx';
import { reasonOf, stateOf } from '../webhooks/delivery-words.ts';
import { Resend } from '../webhooks/open-delivery.tsx';
import { Subject } from './events.tsx';

/** Null: there is no such event in this mode. */
async function findEvent(client: Client, id: string, signal: AbortSignal): Promise<WebhookEvent | null> {
  try {
    return await client.partner.events.retrieve(id, { signal });
  } catch (error) {
    if (codeOf(error) === 'not_found') return null;
    throw error;
  }
}

interface Sent {
  readonly endpoint: StoredWebhookEndpoint;
  readonly delivery: Delivery;
}

interface SentDeliveries {
  readonly list: readonly Sent[];
  /** How many it took to read them. */
  readonly calls: number;
}

/** The page of an address's log that begins with this event: a delivery has the time of its event. */
const pageOf = ({ created_at }: WebhookEvent): string => new Date(Date.parse(created_at) + 1).toISOString();

/** One short page of each address has it. */
async function findDeliveries(client: Client, event: WebhookEvent, signal: AbortSignal): Promise<SentDeliveries> {
  const { data: endpoints } = await client.partner.webhookEndpoints.list({ signal });
  const before = pageOf(event);
  const found = await Promise.all(
    endpoints.map(async (endpoint) => {
      const { data } = await client.partner.webhookEndpoints.listDeliveries(
        endpoint.id,
        { before, limit: 20 },
        { signal },
      );
      const delivery = data.find(({ event_id }) => event_id === event.id);
      return delivery === undefined ? [] : [{ endpoint, delivery }];
    }),
  );
  return { list: found.flat(), calls: endpoints.length + 1 };
}

export default function EventScreen({ id = '' }: ScreenProps): JSX.Element {
  const { client } = usePlace();
  const event = useLoad((signal) => findEvent(client, id, signal), [client, id]);
  useApiCall({
    method: 'GET',
    path: `/v1/events/${id}`,
    scope: 'webhooks:write',
    sdk: `everyshare.events.retrieve('${id}')`,
  });
  return (
    <LoadedPage loaded={event} title="Event">
      {(found) =>
        found === null ? (
          <Page title="Event">
            <Empty action={<LinkButton to="/events">See the events</LinkButton>}>
              There is no such event in this mode.
            </Empty>
          </Page>
        ) : (
          <EventPage event={found} />
        )
      }
    </LoadedPage>
  );
}

function EventPage({ event }: { readonly event: WebhookEvent }): JSX.Element {
  return (
    <Page
      title={event.type}
      lead={
        <>
          <Id id={event.id} isWhole /> {dateTime(event.created_at)} {zoneName()} · <Subject event={event} />
        </>
      }
    >
      <SentTo event={event} />
      <Section title="The event">
        <Json label="As it is sent" value={event} />
      </Section>
    </Page>
  );
}

function SentTo({ event }: { readonly event: WebhookEvent }): JSX.Element {
  const { venue, client } = usePlace();
  const [poll, setPoll] = useState<Poll>(POLLS.event.deliveries);
  const deliveries = useLoad((signal) => findDeliveries(client, event, signal), [client, event], poll);
  const { data: sent } = deliveries;
  // A delivery that has ended changes no more, and each address is a call of its own.
  useEffect(() => {
    if (sent === undefined) return;
    const isOpen = sent.list.some(({ delivery }) => delivery.status === 'pending');
    setPoll(isOpen || sent.list.length === 0 ? forCalls(POLLS.event.deliveries, sent.calls) : NEVER);
  }, [sent]);
  return (
    <Section title="Deliveries">
      <Shown loaded={deliveries} lines={2}>
        {({ list }) =>
          list.length === 0 ? (
            <p class="quiet">
              No address was sent it. <Link to="/webhooks">See the addresses</Link> and their event types.
            </p>
          ) : (
            <Table caption="Deliveries" head={['Address', 'State', '-Last answer', '->Tries', '']}>
              {list.map(({ endpoint, delivery }) => (
                <tr key={delivery.id}>
                  <td class="break">
                    <Link
                      to={`/webhooks/${endpoint.id}?before=${pageOf(event)}&delivery=${delivery.id}`}
                      class="row-link"
                    >
                      {endpoint.url}
                    </Link>
                  </td>
                  <td>
                    <State kind="delivery" state={stateOf(delivery)} />
                  </td>
                  <td class="wide-only quiet">
                    {delivery.last_error === null
                      ? (delivery.last_status ?? 'none yet')
                      : reasonOf(delivery.last_status, delivery.last_error)}
                  </td>
                  <td class="wide-only number">{delivery.attempts}</td>
                  <td class="row-actions">
                    {mayDevelop(venue.role) && endpoint.status === 'active' && (
                      <Resend delivery={delivery} onChanged={deliveries.reload} />
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
    </Section>
  );
}
