// The event log: everything that happened, newest first and live, also what no address is sent.

import type { JSX } from 'preact';
import type { WebhookEvent } from '../../../../sdk/src/events.ts';
import type { EventsListParams } from '../../../../sdk/src/resources.gen.ts';
import { useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import { NEVER, POLLS } from '../../client/polls.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Id, Link, LinkButton, SelectField, TextField } from '../../ui/controls.tsx';
import type { Columns } from '../../ui/csv.ts';
import { dateTime, timeWithSeconds, zoneName } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { ListCsvButton, MAX_PAGE_ROWS } from '../../ui/list-csv-button.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Empty, Page, Shown, Table } from '../../ui/parts.tsx';

type EventType = NonNullable<EventsListParams['type']>;

const TYPES: readonly EventType[] = [
  'checkout.created',
  'checkout.collecting',
  'share.held',
  'checkout.funded',
  'checkout.completed',
  'checkout.expired',
  'checkout.canceled',
  'refund.created',
  'refund.failed',
  'offering.approved',
  'offering.rejected',
  'webhook_endpoint.disabled',
];

export default function EventsScreen(): JSX.Element {
  const { client } = usePlace();
  const address = useAddressQuery();
  const type = TYPES.find((one) => one === address.get('type'));
  const [checkout, before] = [address.get('checkout'), address.get('before')];
  const filters: EventsListParams = {
    ...(type === undefined ? {} : { type }),
    ...(checkout === '' ? {} : { checkout }),
  };
  const query: EventsListParams = { limit: 50, ...filters, ...(before === '' ? {} : { before }) };
  const isLive = before === '';
  const events = useLoad(
    (signal) => client.partner.events.list(query, { signal }).then(({ answer }) => answer),
    [client, type, checkout, before],
    isLive ? POLLS.events.list : NEVER,
  );
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  useApiCall({
    method: 'GET',
    path: `/v1/events?${search}`,
    scope: 'webhooks:write',
    sdk: `everyshare.events.list(${JSON.stringify(query)})`,
  });
  return (
    <Page
      title="Events"
      lead={`What happened, for 30 days and more. Times in ${zoneName()}.`}
      actions={
        <>
          <span class={isLive ? 'state green' : 'state neutral'}>
            <Icon name="filled" /> {isLive ? 'Live' : 'Not live'}
          </span>
          <LinkButton to="/webhooks" icon="hook">
            Where they are sent
          </LinkButton>
          <ListCsvButton
            name="events"
            columns={EVENT_COLUMNS}
            rows={(limit) => client.partner.events.list({ ...filters, limit: MAX_PAGE_ROWS }).toArray({ limit })}
          />
        </>
      }
    >
      <div class="filters">
        <SelectField
          label="Type"
          value={type ?? ''}
          choices={[{ value: '', label: 'Every type' }, ...TYPES.map((one) => ({ value: one, label: one }))]}
          onChange={(value) => address.replace({ type: value })}
        />
        <TextField
          label="Checkout"
          type="search"
          value={checkout}
          placeholder="chk_…"
          onInput={(value) => address.replace({ checkout: value.trim() })}
        />
      </div>
      <Shown loaded={events}>
        {({ data, next_before }) => (
          <>
            {data.length === 0 ? <NoEvents isFiltered={address.isFiltered} /> : <EventTable list={data} />}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function NoEvents({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return <Empty action={<LinkButton to="/events">Drop the filters</LinkButton>}>No event matches.</Empty>;
  return (
    <Empty
      action={<LinkButton to="/checkouts">See the checkouts</LinkButton>}
      snippet={`curl "${location.origin}/v1/events" \\\n  -H "Authorization: Bearer $EVERYSHARE_KEY"`}
    >
      Nothing happened yet. The first checkout makes the first event.
    </Empty>
  );
}

function EventTable({ list }: { readonly list: readonly WebhookEvent[] }): JSX.Element {
  return (
    <Table caption="Events" head={['Event', '-About', '-Booking', '-Id', '>When']}>
      {list.map((event) => (
        <tr key={event.id}>
          <td>
            <Link to={`/events/${event.id}`} class="row-link" label={`${event.type} ${event.id}`}>
              <code>{event.type}</code>
            </Link>
            <small class="phone-only">{subjectOf(event).name}</small>
          </td>
          <td class="wide-only">
            <Subject event={event} />
          </td>
          <td class="wide-only">
            <code class="quiet">{subjectOf(event).booking}</code>
          </td>
          <td class="wide-only">
            <Id id={event.id} />
          </td>
          <td class="number quiet">
            <time dateTime={event.created_at} title={dateTime(event.created_at)}>
              {timeOf(event.created_at)}
            </time>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const DAY_MS = 24 * 3_600_000;
/** The seconds matter for what happened today. */
const timeOf = (at: string): string => (Date.now() - Date.parse(at) < DAY_MS / 2 ? timeWithSeconds(at) : dateTime(at));

/** What an event is about, and the screen that shows it; null: there is none. */
export function subjectOf({ data: { object } }: WebhookEvent): {
  readonly name: string;
  readonly booking: string;
  readonly to: string | null;
} {
  if (object.object === 'checkout')
    return {
      name: object.description ?? object.id,
      booking: object.external_booking_id,
      to: `/checkouts/${object.id}`,
    };
  if (object.object === 'webhook_endpoint') return { name: object.url, booking: '', to: `/webhooks/${object.id}` };
  return { name: object.title, booking: '', to: `/catalogue/offering/${encodeURIComponent(object.external_id)}` };
}

/** What an event carries is in the API, by its id. */
const EVENT_COLUMNS: Columns<WebhookEvent> = [
  ['id', ({ id }) => id],
  ['type', ({ type }) => type],
  ['created_at', ({ created_at }) => created_at],
  ['subject', ({ data }) => data.object.id],
  ['subject_name', (event) => subjectOf(event).name],
  ['external_booking_id', (event) => subjectOf(event).booking],
];

export function Subject({ event }: { readonly event: WebhookEvent }): JSX.Element {
  const { name, to } = subjectOf(event);
  return to === null ? <span>{name}</span> : <Link to={to}>{name}</Link>;
}
