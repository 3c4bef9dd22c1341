// One venue system: its deliveries with outcome and reason, and a button that applies one again.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { IntegrationsListDeliveriesParams } from '../../../../sdk/src/resources.gen.ts';
import type { InboundDelivery, StoredIntegration } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import { NEVER, POLLS } from '../../client/polls.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { ScreenProps } from '../../screens.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { useApiCall } from '../../shell/api-line.tsx';
import { Button, Id, Link, LinkButton, SelectField } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { date, dateTime, zoneName } from '../../ui/format.ts';
import { ListCsvButton, MAX_PAGE_ROWS } from '../../ui/list-csv-button.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Banner, Empty, Failed, LoadedPage, Page, Section, Shown, Table } from '../../ui/parts.tsx';
import { INBOUND_COLUMNS } from './integration-columns.ts';
import { OUTCOMES, providerName, REFUSALS, STATUSES } from './integration-words.ts';
import { IntegrationState } from './integrations.tsx';
import { Reads } from './reads.tsx';

export default function IntegrationScreen({ id = '' }: ScreenProps): JSX.Element {
  const { client } = usePlace();
  const integration = useLoad(
    (signal) =>
      client.partner.integrations.list({ signal }).then(({ data }) => data.find((one) => one.id === id) ?? null),
    [client, id],
    POLLS.integration.integration,
  );
  useApiCall({
    method: 'GET',
    path: `/v1/integrations/${id}/deliveries?limit=50`,
    scope: 'webhooks:write',
    sdk: `everyshare.integrations.listDeliveries('${id}', { limit: 50 })`,
  });
  return (
    <LoadedPage loaded={integration} title="Integration">
      {(found) =>
        found === null ? (
          <Page title="Integration">
            <Empty action={<LinkButton to="/integrations">See the integrations</LinkButton>}>
              There is no such integration in this mode.
            </Empty>
          </Page>
        ) : (
          <IntegrationPage integration={found} onChanged={integration.reload} />
        )
      }
    </LoadedPage>
  );
}

interface Props {
  readonly integration: StoredIntegration;
  readonly onChanged: () => Promise<void>;
}

function IntegrationPage({ integration, onChanged }: Props): JSX.Element {
  const { venue } = usePlace();
  const [isEnding, setEnding] = useState(false);
  const name = providerName(integration.provider);
  const refused = integration.last_refused;
  return (
    <Page
      title={
        <>
          {name} <IntegrationState integration={integration} />
        </>
      }
      name={name}
      lead={
        <>
          <Id id={integration.id} isWhole /> {integration.signed ? 'Signed' : 'Not signed'} · since{' '}
          {date(integration.created_at)}
        </>
      }
      actions={
        mayDevelop(venue.role) &&
        integration.status === 'active' && <Button onClick={() => setEnding(true)}>Disconnect…</Button>
      }
    >
      {refused !== null && (
        <Banner color="amber" icon="warning">
          <b>
            A delivery was refused, {dateTime(refused.at)} {zoneName()}:
          </b>{' '}
          {REFUSALS[refused.code]}. It is not stored.
        </Banner>
      )}
      {integration.reads !== null && integration.status === 'active' && (
        <Reads integration={integration} reads={integration.reads} onChanged={onChanged} />
      )}
      <InboundDeliveries integration={integration} />
      {isEnding && (
        <DisconnectDialog
          integration={integration}
          onClose={(isChanged) => {
            setEnding(false);
            if (isChanged) void onChanged();
          }}
        />
      )}
    </Page>
  );
}

function InboundDeliveries({ integration }: { readonly integration: StoredIntegration }): JSX.Element {
  const { venue, client } = usePlace();
  const address = useAddressQuery();
  const status = STATUSES.find((one) => one === address.get('status'));
  const before = address.get('before');
  const filters: IntegrationsListDeliveriesParams = status === undefined ? {} : { status };
  const query = { limit: 50, ...filters, ...(before === '' ? {} : { before }) };
  const deliveries = useLoad(
    (signal) =>
      client.partner.integrations.listDeliveries(integration.id, query, { signal }).then(({ answer }) => answer),
    [client, integration.id, status, before],
    before === '' ? POLLS.integration.deliveries : NEVER,
  );
  const replay = useAction(async (delivery: InboundDelivery) => {
    await client.partner.integrations.replayDelivery(integration.id, delivery.id);
    showToast('It is applied again.');
    await deliveries.reload();
  });
  return (
    <Section
      title="Deliveries"
      aside={
        <ListCsvButton
          name="inbound-deliveries"
          columns={INBOUND_COLUMNS}
          rows={(limit) =>
            client.partner.integrations
              .listDeliveries(integration.id, { ...filters, limit: MAX_PAGE_ROWS })
              .toArray({ limit })
          }
        />
      }
    >
      <div class="filters">
        <SelectField
          label="Outcome"
          value={status ?? ''}
          choices={[
            { value: '', label: 'Every outcome' },
            ...STATUSES.map((value) => ({ value, label: OUTCOMES[value].word })),
          ]}
          onChange={(value) => address.replace({ status: value })}
        />
      </div>
      {replay.error !== undefined && <Failed error={replay.error} />}
      <Shown loaded={deliveries}>
        {({ data, next_before }) => (
          <>
            {data.length === 0 ? (
              <Empty>
                {status === undefined
                  ? 'Nothing arrived yet. Paste the address into the system, then change something there.'
                  : 'No delivery has this outcome.'}
              </Empty>
            ) : (
              <Table caption="Deliveries" head={['Outcome', '-Event', 'Why', '-Offering', '-Received', '']}>
                {data.map((delivery) => (
                  <InboundRow
                    key={delivery.id}
                    delivery={delivery}
                    onReplay={mayDevelop(venue.role) ? () => void replay.run(delivery) : null}
                    isBusy={replay.isBusy}
                  />
                ))}
              </Table>
            )}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
    </Section>
  );
}

interface RowProps {
  readonly delivery: InboundDelivery;
  /** Null: the role may not. */
  readonly onReplay: (() => void) | null;
  readonly isBusy: boolean;
}

function InboundRow({ delivery, onReplay, isBusy }: RowProps): JSX.Element {
  const { word, color, text } = OUTCOMES[delivery.status];
  return (
    <tr>
      <td>
        <span class={`chip ${color}`}>{word}</span>
        <small class="phone-only">{dateTime(delivery.received_at)}</small>
      </td>
      <td class="wide-only">
        <code>{delivery.type ?? 'no type'}</code>
      </td>
      <td class="break">{delivery.reason ?? text}</td>
      <td class="wide-only">
        {delivery.offering_external_id !== null && (
          <Link to={`/catalogue/offering/${encodeURIComponent(delivery.offering_external_id)}`}>
            {delivery.offering_external_id}
          </Link>
        )}
      </td>
      <td class="wide-only quiet">{dateTime(delivery.received_at)}</td>
      <td class="row-actions">
        {onReplay !== null && delivery.status !== 'pending' && delivery.status !== 'reading' && (
          <Button kind="quiet" isBusy={isBusy} onClick={onReplay} label={`Try again: ${delivery.id}`}>
            Try again
          </Button>
        )}
      </td>
    </tr>
  );
}

function DisconnectDialog({
  integration,
  onClose,
}: {
  readonly integration: StoredIntegration;
  readonly onClose: (isChanged: boolean) => void;
}): JSX.Element {
  const { client } = usePlace();
  const name = providerName(integration.provider);
  const end = useAction(async () => {
    await client.partner.integrations.revoke(integration.id);
    showToast(`${name} is disconnected.`);
    onClose(true);
  });
  return (
    <Dialog
      title={`Disconnect ${name}?`}
      onClose={() => onClose(false)}
      onSubmit={() => void end.run()}
      note="This cannot be undone: connect it again to get a new address."
      buttons={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={end.isBusy}>
            Disconnect it
          </Button>
        </>
      }
    >
      {end.error !== undefined && <Failed error={end.error} />}
      <p>From now on its address answers 401. What has arrived is still applied, and its offerings stay.</p>
    </Dialog>
  );
}
