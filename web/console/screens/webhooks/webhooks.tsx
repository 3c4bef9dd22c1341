// The addresses that receive events: which are healthy, and which were disabled.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StoredWebhookEndpoint } from '../../../../sdk/src/types.gen.ts';
import { useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import { mayDevelop } from '../../client/rights.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { goTo } from '../../shell/go-to.ts';
import { useKeys } from '../../shell/shortcuts.tsx';
import { Button, Id, Link } from '../../ui/controls.tsx';
import { ago, date } from '../../ui/format.ts';
import { ListCsvButton } from '../../ui/list-csv-button.tsx';
import { Banner, Empty, Page, Shown, Table } from '../../ui/parts.tsx';
import { contains, SearchField } from '../../ui/search-field.tsx';
import { Chip, State } from '../../ui/states.tsx';
import { DISABLED_REASONS, hostOf } from './delivery-words.ts';
import { NewEndpointDialog } from './new-endpoint.tsx';
import { ENDPOINT_COLUMNS } from './webhook-columns.ts';

const LISTEN = 'npx everyshare listen --forward-to http://localhost:3000/hooks/everyshare';

export default function WebhooksScreen(): JSX.Element {
  const { venue, client } = usePlace();
  const address = useAddressQuery();
  const [isNew, setNew] = useState(false);
  const endpoints = useLoad(
    (signal) => client.partner.webhookEndpoints.list({ signal }).then(({ data }) => data),
    [client],
    POLLS.webhooks.list,
  );
  useApiCall({
    method: 'GET',
    path: '/v1/webhook_endpoints',
    scope: 'webhooks:write',
    sdk: 'everyshare.webhookEndpoints.list()',
  });
  const found = (endpoints.data ?? []).filter(({ id, url }) => contains(address.get('q'), [url, id]));
  const mayChange = mayDevelop(venue.role);
  useKeys(mayChange ? [{ key: 'n', name: 'new address', run: () => setNew(true) }] : []);
  const add = mayChange && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      Add an address
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Where we send events, signed. What is not answered with a 2xx is tried again for 72 hours."
      actions={
        (endpoints.data?.length ?? 0) > 0 && (
          <>
            <ListCsvButton name="webhooks" columns={ENDPOINT_COLUMNS} rows={() => found} />
            {add}
          </>
        )
      }
    >
      <Shown loaded={endpoints}>
        {(list) =>
          list.length === 0 ? (
            <Empty action={add} snippet={LISTEN}>
              No address yet. Add one, or forward test events to your machine.
            </Empty>
          ) : (
            <>
              <DisabledBanner list={list} />
              <SearchField address={address} placeholder="Address or id" />
              {found.length === 0 ? <Empty>No address matches the search.</Empty> : <EndpointTable list={found} />}
            </>
          )
        }
      </Shown>
      {isNew && (
        <NewEndpointDialog
          onClose={(madeId) => {
            setNew(false);
            if (madeId !== null) goTo(hrefOf(`/webhooks/${madeId}`));
          }}
        />
      )}
    </Page>
  );
}

function DisabledBanner({ list }: { readonly list: readonly StoredWebhookEndpoint[] }): JSX.Element | null {
  const failed = list.find(({ disabled_reason }) => disabled_reason === 'failed_for_72_hours');
  if (failed === undefined) return null;
  return (
    <Banner color="red" icon="alert" action={<Link to={`/webhooks/${failed.id}`}>See what failed</Link>}>
      <b>{hostOf(failed.url)} gets no events.</b> Every delivery failed for 72 hours. Nothing is lost: enable it, then
      recover.
    </Banner>
  );
}

function EndpointTable({ list }: { readonly list: readonly StoredWebhookEndpoint[] }): JSX.Element {
  return (
    <Table caption="Addresses" head={['Address', '-State', '-Events', 'Last delivery', '-Since', '-Id']}>
      {list.map((endpoint) => (
        <tr key={endpoint.id}>
          <td class="break">
            <Link to={`/webhooks/${endpoint.id}`} class="row-link">
              <b>{endpoint.url}</b>
            </Link>
            <small class="phone-only">
              <EndpointState endpoint={endpoint} />
            </small>
          </td>
          <td class="wide-only">
            <EndpointState endpoint={endpoint} />
          </td>
          <td class="wide-only quiet">{eventsInWords(endpoint.events)}</td>
          <td class="edge">
            {endpoint.last_delivery === null ? (
              <span class="quiet">none yet</span>
            ) : (
              <>
                <State kind="delivery" state={endpoint.last_delivery.status} />{' '}
                <span class="quiet">{ago(endpoint.last_delivery.created_at)}</span>
              </>
            )}
          </td>
          <td class="wide-only quiet">{date(endpoint.created_at)}</td>
          <td class="wide-only">
            <Id id={endpoint.id} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function EndpointState({ endpoint }: { readonly endpoint: StoredWebhookEndpoint }): JSX.Element {
  if (endpoint.status === 'active')
    return (
      <Chip color="green" icon="tick">
        Enabled
      </Chip>
    );
  const isFailed = endpoint.disabled_reason === 'failed_for_72_hours';
  return (
    <span title={DISABLED_REASONS[endpoint.disabled_reason ?? '']}>
      <Chip color={isFailed ? 'red' : 'neutral'} icon={isFailed ? 'refused' : 'stroke'}>
        Disabled
      </Chip>
    </span>
  );
}

const ALL_TYPES = 7;

export const eventsInWords = (events: StoredWebhookEndpoint['events']): string =>
  events.length === ALL_TYPES ? 'All event types' : events.join(', ');
