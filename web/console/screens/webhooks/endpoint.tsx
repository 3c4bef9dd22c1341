// One address for events: its health, its deliveries with their tries and answers, and what can be done about them.

import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { WebhookEndpointsListDeliveriesParams } from '../../../../sdk/src/resources.gen.ts';
import type { Delivery, StoredWebhookEndpoint, WebhookTestResult } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { type AddressQuery, useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import { NEVER, POLLS } from '../../client/polls.ts';
import { mayDevelop } from '../../client/rights.ts';
import type { ScreenProps } from '../../screens.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { useApiCall } from '../../shell/api-line.tsx';
import { Button, Id, Link, LinkButton } from '../../ui/controls.tsx';
import { date, dateTime, zoneName } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { ListCsvButton, MAX_PAGE_ROWS } from '../../ui/list-csv-button.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Banner, Empty, Failed, LoadedPage, Page, Shown } from '../../ui/parts.tsx';
import { colorOf, iconOf } from '../../ui/states.tsx';
import { DeliveryTable } from './deliveries.tsx';
import { DISABLED_REASONS, hostOf, reasonOf } from './delivery-words.ts';
import { DeleteDialog, DisableDialog, RecoverDialog, RotateDialog } from './endpoint-dialogs.tsx';
import { Health } from './health.tsx';
import { OpenDelivery } from './open-delivery.tsx';
import { DELIVERY_COLUMNS } from './webhook-columns.ts';
import { EndpointState, eventsInWords } from './webhooks.tsx';

export default function EndpointScreen({ id = '' }: ScreenProps): JSX.Element {
  const { client } = usePlace();
  const endpoint = useLoad(
    (signal) =>
      client.partner.webhookEndpoints.list({ signal }).then(({ data }) => data.find((one) => one.id === id) ?? null),
    [client, id],
    POLLS.endpoint.endpoint,
  );
  useApiCall({
    method: 'GET',
    path: `/v1/webhook_endpoints/${id}/deliveries?limit=50`,
    scope: 'webhooks:write',
    sdk: `everyshare.webhookEndpoints.listDeliveries('${id}', { limit: 50 })`,
  });
  return (
    <LoadedPage loaded={endpoint} title="Webhook">
      {(found) =>
        found === null ? (
          <Page title="Webhook">
            <Empty action={<LinkButton to="/webhooks">See the addresses</LinkButton>}>
              There is no such address in this mode.
            </Empty>
          </Page>
        ) : (
          <EndpointPage endpoint={found} onChanged={endpoint.reload} />
        )
      }
    </LoadedPage>
  );
}

interface EndpointProps {
  readonly endpoint: StoredWebhookEndpoint;
  readonly onChanged: () => Promise<void>;
}

type DecisionName = 'recover' | 'rotate' | 'disable' | 'delete';

function EndpointPage({ endpoint, onChanged }: EndpointProps): JSX.Element {
  const { venue, client } = usePlace();
  const address = useAddressQuery();
  const [action, setAction] = useState<DecisionName | null>(null);
  const [version, setVersion] = useState(0);
  const [tested, setTested] = useState<WebhookTestResult | null>(null);
  const mayChange = mayDevelop(venue.role);
  const health = useLoad(
    (signal) => client.console.getEndpointHealth(endpoint.id, { signal }),
    [client, endpoint.id, version],
    POLLS.endpoint.health,
  );
  const update = async (): Promise<void> => {
    setVersion((before) => before + 1);
    await onChanged();
  };
  const close = (isChanged: boolean): void => {
    setAction(null);
    if (isChanged) void update();
  };
  const enable = useAction(async () => {
    await client.partner.webhookEndpoints.enable(endpoint.id);
    showToast(`${hostOf(endpoint.url)} is enabled.`);
    await update();
  });
  const test = useAction(async () => {
    setTested(null);
    setTested(await client.partner.webhookEndpoints.test(endpoint.id));
    await update();
  });
  const isActive = endpoint.status === 'active';
  return (
    <Page
      title={
        <>
          <span class="break">{endpoint.url}</span> <EndpointState endpoint={endpoint} />
        </>
      }
      name={hostOf(endpoint.url)}
      lead={
        <>
          <Id id={endpoint.id} isWhole /> {eventsInWords(endpoint.events)} · since {date(endpoint.created_at)}
        </>
      }
      actions={
        mayChange && (
          <>
            <Button icon="bolt" isBusy={test.isBusy} onClick={() => void test.run()}>
              Send a test event
            </Button>
            <Button icon="key" onClick={() => setAction('rotate')}>
              Rotate secret…
            </Button>
            {isActive && (
              <>
                <Button kind="primary" icon="turn" onClick={() => setAction('recover')}>
                  Recover since…
                </Button>
                <Button onClick={() => setAction('disable')}>Disable…</Button>
              </>
            )}
            <Button onClick={() => setAction('delete')}>Delete…</Button>
          </>
        )
      }
    >
      {!isActive && (
        <Banner
          color={endpoint.disabled_reason === 'requested' ? 'amber' : 'red'}
          icon="alert"
          action={
            mayChange && (
              <Button kind="primary" isBusy={enable.isBusy} onClick={() => void enable.run()}>
                Enable
              </Button>
            )
          }
        >
          <b>Disabled{endpoint.disabled_at !== null && ` since ${dateTime(endpoint.disabled_at)} ${zoneName()}`}.</b>{' '}
          {DISABLED_REASONS[endpoint.disabled_reason ?? '']} Nothing is lost: repair your server, enable the address,
          then recover the failed deliveries.
        </Banner>
      )}
      {enable.error !== undefined && <Failed error={enable.error} />}
      {test.error !== undefined && <Failed error={test.error} />}
      {tested !== null && <Tested result={tested} />}
      <Shown loaded={health} lines={3}>
        {(found) => <Health health={found} />}
      </Shown>
      <Deliveries endpoint={endpoint} address={address} version={version} onChanged={update} />
      {action === 'recover' && <RecoverDialog endpoint={endpoint} onClose={close} />}
      {action === 'rotate' && <RotateDialog endpoint={endpoint} onClose={close} />}
      {action === 'disable' && <DisableDialog endpoint={endpoint} onClose={close} />}
      {action === 'delete' && <DeleteDialog endpoint={endpoint} onClose={close} />}
    </Page>
  );
}

function Tested({ result }: { readonly result: WebhookTestResult }): JSX.Element {
  const { delivered, status, error, duration_ms } = result;
  return (
    <Banner color={delivered ? 'green' : 'red'} icon={delivered ? 'tick' : 'refused'}>
      <b>
        {delivered
          ? `Delivered: your server answered ${status} in ${duration_ms} ms.`
          : `Not delivered: ${reasonOf(status, error)}.`}
      </b>{' '}
      The sample is in the list below.
    </Banner>
  );
}

const STATES = [
  { id: '', name: 'All', look: null },
  { id: 'delivered', name: 'Delivered', look: 'delivered' },
  { id: 'pending', name: 'Waiting and retrying', look: 'retrying' },
  { id: 'failed', name: 'Failed', look: 'failed' },
] as const;

interface DeliveriesProps extends EndpointProps {
  readonly address: AddressQuery;
  readonly version: number;
}

function Deliveries({ endpoint, address, version, onChanged }: DeliveriesProps): JSX.Element {
  const { client } = usePlace();
  const status = STATES.find(({ id }) => id === address.get('status'))?.id ?? '';
  const before = address.get('before');
  const openId = address.get('delivery');
  const filters: WebhookEndpointsListDeliveriesParams = status === '' ? {} : { status };
  const query = { limit: 50, ...filters, ...(before === '' ? {} : { before }) };
  // Newer deliveries push it off the page while it is read.
  const kept = useRef<Delivery | undefined>(undefined);
  const deliveries = useLoad(
    (signal) =>
      client.partner.webhookEndpoints.listDeliveries(endpoint.id, query, { signal }).then(({ answer }) => answer),
    [client, endpoint.id, status, before, version],
    before === '' ? POLLS.endpoint.deliveries : NEVER,
  );
  return (
    <div class="section">
      <header>
        <nav class="chips" aria-label="State of deliveries">
          {STATES.map(({ id, name, look }) => (
            <Link
              key={id}
              isWhole
              class=""
              to={address.hrefWith({ status: id, delivery: '' })}
              isCurrent={id === status}
            >
              {look !== null && (
                <span class={`state ${colorOf('delivery', look)}`}>
                  <Icon name={iconOf('delivery', look)} />
                </span>
              )}
              {name}
            </Link>
          ))}
        </nav>
        <ListCsvButton
          name="deliveries"
          columns={DELIVERY_COLUMNS}
          rows={(limit) =>
            client.partner.webhookEndpoints
              .listDeliveries(endpoint.id, { ...filters, limit: MAX_PAGE_ROWS })
              .toArray({ limit })
          }
        />
      </header>
      <Shown loaded={deliveries}>
        {({ data, next_before }) => {
          if (kept.current?.id !== openId) kept.current = undefined;
          kept.current = data.find(({ id }) => id === openId) ?? kept.current;
          const open = kept.current;
          return (
            <div class={open === undefined ? 'list-beside' : 'list-beside open'}>
              <div class="split-list">
                {openId !== '' && open === undefined && (
                  <p class="quiet">The delivery of this link is not on this page: open it from its event.</p>
                )}
                {data.length === 0 ? (
                  <Empty>
                    {status === ''
                      ? 'Nothing was sent yet. Send a test event, or make a checkout.'
                      : 'No delivery is in this state.'}
                  </Empty>
                ) : (
                  <DeliveryTable
                    list={data}
                    openId={openId}
                    hrefOf={(id) => address.hrefWith({ before, delivery: id })}
                  />
                )}
                <Pages address={address} nextBefore={next_before} />
              </div>
              {open !== undefined && (
                <OpenDelivery
                  delivery={open}
                  closeHref={address.hrefWith({ before, delivery: '' })}
                  canResend={endpoint.status === 'active'}
                  onChanged={onChanged}
                />
              )}
            </div>
          );
        }}
      </Shown>
    </div>
  );
}
