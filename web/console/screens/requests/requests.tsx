// The request log: every call with a key of the venue, newest first and live, beside the one that is open.

import type { JSX } from 'preact';
import { type AddressQuery, useAddressQuery } from '../../client/address-query.ts';
import { type Loaded, useLoad } from '../../client/load.ts';
import type { ListRequestsParams } from '../../client/operations.gen.ts';
import { NEVER, POLLS } from '../../client/polls.ts';
import type { LoggedRequest, RequestSummary } from '../../client/types.gen.ts';
import type { ScreenProps } from '../../screens.ts';
import { hrefOf, usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { useKeys } from '../../shell/shortcuts.tsx';
import { Link, LinkButton, SelectField, TextField } from '../../ui/controls.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { date, dateTime, number, timeWithSeconds, zoneName } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Empty, Page, Shown, Table } from '../../ui/parts.tsx';
import { OpenRequest } from './open-request.tsx';
import { StatusChip } from './status-chip.tsx';

const HOUR_MS = 3_600_000;
const WINDOWS = [
  { value: '1h', label: 'Last hour', hours: 1 },
  { value: '', label: 'Last 24 hours', hours: 24 },
  { value: '7d', label: 'Last 7 days', hours: 168 },
] as const;
const FILTERS = ['outcome', 'key', 'code', 'operation', 'search'] as const;

export default function RequestsScreen({ id = '' }: ScreenProps): JSX.Element {
  const { client } = usePlace();
  const address = useAddressQuery();
  const before = address.get('before');
  const hours = (WINDOWS.find(({ value }) => value === address.get('time')) ?? WINDOWS[1]).hours;
  const filtersNow = (): ListRequestsParams => ({
    from: sinceHours(hours),
    ...Object.fromEntries(FILTERS.map((name) => [name, address.get(name)]).filter(([, value]) => value !== '')),
  });
  const queryNow = (): ListRequestsParams => ({ limit: 50, ...filtersNow(), ...(before === '' ? {} : { before }) });
  const deps = [client, hours, before, ...FILTERS.map((name) => address.get(name))];
  const isLive = before === '';
  const list = useLoad(
    (signal) => client.console.listRequests(queryNow(), { signal }).then((page) => page.answer),
    deps,
    isLive ? POLLS.requests.list : NEVER,
  );
  const summary = useLoad(
    (signal) => client.console.summarizeRequests({ from: sinceHours(hours) }, { signal }),
    [client, hours],
    isLive ? POLLS.requests.summary : NEVER,
  );
  useApiCall({ method: 'GET', path: id === '' ? '/console/api/requests' : `/console/api/requests/${id}` });
  useKeys([
    { key: 'f', name: 'search field', run: () => document.querySelector<HTMLElement>('.filters input')?.focus() },
  ]);
  return (
    <Page
      title="Requests"
      lead={`Calls with your keys, kept for 7 days. Times in ${zoneName()}.`}
      actions={
        <>
          <span class={isLive ? 'state green' : 'state neutral'}>
            <Icon name="filled" /> {isLive ? 'Live' : 'Not live'}
          </span>
          <LinkButton isWhole to={address.hrefWith({ kinds: address.get('kinds') === '' ? '1' : '' })} icon="filter">
            {address.get('kinds') === '' ? 'Errors by kind' : 'All requests'}
          </LinkButton>
          <CsvButton name="requests" read={(page) => client.console.listRequestsCsv({ ...filtersNow(), ...page })} />
        </>
      }
    >
      <Outcomes address={address} summary={summary.data} />
      <FilterLine address={address} summary={summary.data} />
      <div class={id === '' ? 'list-beside' : 'list-beside open'}>
        <div class="split-list">
          {address.get('kinds') === '1' ? (
            <Kinds summary={summary} address={address} />
          ) : (
            <Shown loaded={list}>
              {({ data, next_before, searched_since }) => (
                <>
                  {data.length === 0 ? <NoRequests address={address} /> : <RequestTable list={data} openId={id} />}
                  {searched_since !== null && (
                    <p class="quiet">
                      50,000 requests were looked through, back to {date(searched_since)}. The next page goes on from
                      there.
                    </p>
                  )}
                  <Pages address={address} nextBefore={next_before} />
                </>
              )}
            </Shown>
          )}
        </div>
        {id !== '' && <OpenRequest id={id} closeHref={closeHref()} />}
      </div>
    </Page>
  );
}

const sinceHours = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();
/** The filters stay when a request is opened and closed. */
const closeHref = (): string => `${hrefOf('/requests')}${location.search}`;

const OUTCOMES: readonly {
  readonly id: string;
  readonly name: string;
  readonly icon: IconName | null;
  readonly count: keyof Pick<RequestSummary, 'total' | 'succeeded' | 'refused' | 'failed'>;
}[] = [
  { id: '', name: 'All', icon: null, count: 'total' },
  { id: 'succeeded', name: 'Succeeded', icon: 'check', count: 'succeeded' },
  { id: 'refused', name: 'Refused', icon: 'alert', count: 'refused' },
  { id: 'failed', name: 'Our fault', icon: 'refused', count: 'failed' },
];

interface FilterProps {
  readonly address: AddressQuery;
  readonly summary: RequestSummary | undefined;
}

function Outcomes({ address, summary }: FilterProps): JSX.Element {
  return (
    <nav class="chips" aria-label="Outcome">
      {OUTCOMES.map(({ id, name, icon, count }) => (
        <Link
          key={id}
          isWhole
          class=""
          to={address.hrefWith({ outcome: id })}
          isCurrent={address.get('outcome') === id}
        >
          {icon !== null && <Icon name={icon} />} {name}
          {summary !== undefined && <small>{number(summary[count])}</small>}
        </Link>
      ))}
    </nav>
  );
}

function FilterLine({ address, summary }: FilterProps): JSX.Element {
  const keys = summary?.keys.map(({ key }) => key) ?? [];
  const chosen = address.get('key');
  return (
    <div class="filters">
      <TextField
        label="Path or request id"
        type="search"
        value={address.get('search')}
        onInput={(search) => address.replace({ search })}
        maxLength={100}
      />
      <SelectField
        label="Time"
        value={address.get('time')}
        choices={WINDOWS}
        onChange={(value) => address.replace({ time: value })}
      />
      <SelectField
        label="Key"
        value={chosen}
        choices={[
          { value: '', label: 'Every key' },
          ...keys.map(({ id, name, hint }) => ({ value: id, label: name ?? hint })),
          ...(chosen === '' || keys.some(({ id }) => id === chosen) ? [] : [{ value: chosen, label: chosen }]),
        ]}
        onChange={(value) => address.replace({ key: value })}
      />
      <TextField
        label="Code"
        value={address.get('code')}
        placeholder="invalid_type"
        onInput={(code) => address.replace({ code })}
        maxLength={100}
      />
    </div>
  );
}

function NoRequests({ address }: { readonly address: AddressQuery }): JSX.Element {
  if (address.isFiltered)
    return (
      <Empty action={<LinkButton to="/requests">Drop the filters</LinkButton>}>No request of this time matches.</Empty>
    );
  return (
    <Empty
      action={<LinkButton to="/keys">Make a key</LinkButton>}
      snippet={`curl "${location.origin}/v1/me" \\\n  -H "Authorization: Bearer $EVERYSHARE_KEY"`}
    >
      Nothing called yet. A call with one of your keys appears here within seconds.
    </Empty>
  );
}

interface TableProps {
  readonly list: readonly LoggedRequest[];
  readonly openId: string;
}

function RequestTable({ list, openId }: TableProps): JSX.Element {
  return (
    <Table caption="Requests" head={['-Time', 'Request', '-Status', '->Took', 'Key']}>
      {list.map((request) => (
        <tr key={request.id} class={request.id === openId ? 'selected' : undefined}>
          <td class="wide-only number-left">
            <time dateTime={request.created_at} title={dateTime(request.created_at)}>
              {timeWithSeconds(request.created_at)}
            </time>
          </td>
          <td class="request-call">
            <a
              class="row-link"
              href={`${hrefOf(`/requests/${request.id}`)}${location.search}`}
              aria-current={request.id === openId ? 'true' : undefined}
            >
              <code>
                <b>{request.method}</b> {request.path} {request.tool}
              </code>
            </a>
            <RequestNote request={request} />
            <small class="phone-only">
              {timeWithSeconds(request.created_at)} · {Math.round(request.duration_ms)} ms
            </small>
          </td>
          <td class="wide-only">
            <StatusChip status={request.status} />
          </td>
          <td class="wide-only number">{number(Math.round(request.duration_ms))} ms</td>
          <td class="edge">
            <span class="quiet">{request.key.name ?? request.key.hint}</span>
            <span class="phone-only">
              <StatusChip status={request.status} />
            </span>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function RequestNote({ request }: { readonly request: LoggedRequest }): JSX.Element | null {
  if (request.code === null) return request.replayed ? <small class="note">replayed</small> : null;
  const more = request.problem_count > 1 ? ` +${request.problem_count - 1}` : '';
  return (
    <small class={request.status >= 500 ? 'note red' : 'note amber'}>
      {request.reason ?? request.code}
      {more}
    </small>
  );
}

interface KindsProps {
  readonly summary: Loaded<RequestSummary>;
  readonly address: AddressQuery;
}

function Kinds({ summary, address }: KindsProps): JSX.Element {
  return (
    <Shown loaded={summary}>
      {({ kinds, is_complete }) =>
        kinds.length === 0 ? (
          <Empty>No call was refused in this time.</Empty>
        ) : (
          <>
            <Table caption="Errors by kind" head={['Kind', '-Call', '-Field', '>Times', '-Last']}>
              {kinds.map((kind) => (
                <tr key={`${kind.code} ${kind.operation} ${kind.field}`}>
                  <td>
                    <Link
                      isWhole
                      class="row-link"
                      to={address.hrefWith({
                        kinds: '',
                        code: kind.reason ?? kind.code ?? '',
                        operation: kind.operation ?? '',
                      })}
                    >
                      <StatusChip status={kind.status} /> <code>{kind.reason ?? kind.code}</code>
                    </Link>
                  </td>
                  <td class="wide-only">{kind.operation ?? 'no such call'}</td>
                  <td class="wide-only">
                    <code>{kind.field}</code>
                  </td>
                  <td class="number">{number(kind.count)}</td>
                  <td class="wide-only">
                    <Link to={`/requests/${kind.last_request_id}`}>{dateTime(kind.last_at)}</Link>
                  </td>
                </tr>
              ))}
            </Table>
            {!is_complete && <p class="quiet foot-note">Counted are the newest 100,000 requests of this time.</p>}
          </>
        )
      }
    </Shown>
  );
}
