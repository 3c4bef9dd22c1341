// The venue systems that send their changes here: connect one, and see whether its deliveries arrive.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StoredIntegration } from '../../../../sdk/src/types.gen.ts';
import { useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import { mayDevelop } from '../../client/rights.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { goTo } from '../../shell/go-to.ts';
import { Button, Id, Link, LinkButton } from '../../ui/controls.tsx';
import { ago, number } from '../../ui/format.ts';
import { ListCsvButton } from '../../ui/list-csv-button.tsx';
import { Banner, Empty, Page, Shown, Table } from '../../ui/parts.tsx';
import { contains, SearchField } from '../../ui/search-field.tsx';
import { Chip } from '../../ui/states.tsx';
import { INTEGRATION_COLUMNS } from './integration-columns.ts';
import { providerName } from './integration-words.ts';
import { NewIntegrationDialog } from './new-integration.tsx';

export default function IntegrationsScreen(): JSX.Element {
  const { venue, client } = usePlace();
  const address = useAddressQuery();
  const [isNew, setNew] = useState(false);
  const integrations = useLoad(
    (signal) => client.partner.integrations.list({ signal }).then(({ data }) => data),
    [client],
    POLLS.integrations.list,
  );
  useApiCall({
    method: 'GET',
    path: '/v1/integrations',
    scope: 'webhooks:write',
    sdk: 'everyshare.integrations.list()',
  });
  const found = (integrations.data ?? []).filter(({ id, provider }) =>
    contains(address.get('q'), [providerName(provider), id]),
  );
  const connect = mayDevelop(venue.role) && venue.linked && (
    <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
      Connect a system
    </Button>
  );
  return (
    <Page
      title="Integrations"
      lead="Your venue keeps selling from its own system. What it sends becomes offerings here, reviewed like your own."
      actions={
        (integrations.data?.length ?? 0) > 0 && (
          <>
            <ListCsvButton name="integrations" columns={INTEGRATION_COLUMNS} rows={() => found} />
            {connect}
          </>
        )
      }
    >
      {!venue.linked && (
        <Banner color="amber" icon="lock" action={<LinkButton to="/go-live">Go live</LinkButton>}>
          <b>A sandbox cannot connect a venue system.</b> Its deliveries are about real places. Finish the steps to go
          live; test mode can connect one afterwards too.
        </Banner>
      )}
      <Shown loaded={integrations}>
        {(list) =>
          list.length === 0 ? (
            <Empty
              action={
                connect || (
                  <LinkButton isWhole to="/docs/venue-systems">
                    Read how it works
                  </LinkButton>
                )
              }
              snippet={`curl "${location.origin}/v1/integrations" \\\n  -H "Authorization: Bearer $EVERYSHARE_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"provider": "fareharbor"}'`}
            >
              No system is connected.
            </Empty>
          ) : (
            <>
              <SearchField address={address} placeholder="System or id" />
              {found.length === 0 ? <Empty>No system matches the search.</Empty> : <IntegrationTable list={found} />}
            </>
          )
        }
      </Shown>
      {isNew && (
        <NewIntegrationDialog
          onClose={(madeId) => {
            setNew(false);
            if (madeId !== null) goTo(hrefOf(`/integrations/${madeId}`));
          }}
        />
      )}
    </Page>
  );
}

function IntegrationTable({ list }: { readonly list: readonly StoredIntegration[] }): JSX.Element {
  return (
    <Table caption="Integrations" head={['System', '-State', '->Deliveries', 'Last delivery', '-Id']}>
      {list.map((integration) => (
        <tr key={integration.id}>
          <td>
            <Link to={`/integrations/${integration.id}`} class="row-link">
              <b>{providerName(integration.provider)}</b>
            </Link>
            <small class="phone-only">
              <IntegrationState integration={integration} />
            </small>
          </td>
          <td class="wide-only">
            <IntegrationState integration={integration} />
          </td>
          <td class="wide-only number">{number(integration.delivery_count)}</td>
          <td class="edge">{integration.last_delivery_at === null ? 'none yet' : ago(integration.last_delivery_at)}</td>
          <td class="wide-only">
            <Id id={integration.id} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function IntegrationState({ integration }: { readonly integration: StoredIntegration }): JSX.Element {
  return integration.status === 'active' ? (
    <Chip color="green" icon="tick">
      Connected
    </Chip>
  ) : (
    <Chip icon="stroke">Disconnected</Chip>
  );
}
