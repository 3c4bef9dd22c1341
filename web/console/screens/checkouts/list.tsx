// The checkouts of the venue: by state, search and filters, which are all in the address.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type AddressQuery, useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import type { ListConsoleCheckoutsParams } from '../../client/operations.gen.ts';
import { POLLS } from '../../client/polls.ts';
import { mayChangeCheckouts } from '../../client/rights.ts';
import { usePlace } from '../../session.ts';
import { type ApiCall, useApiCall } from '../../shell/api-line.tsx';
import { type ScreenKey, useKeys } from '../../shell/shortcuts.tsx';
import { Button, Link } from '../../ui/controls.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { date, number } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Empty, Page, Shown } from '../../ui/parts.tsx';
import { colorOf, iconOf, wordOf } from '../../ui/states.tsx';
import { Filters, focusSearch } from './filters.tsx';
import { isStatus, listQuery, STATUSES } from './list-query.ts';
import { NewCheckoutDialog } from './new-checkout-dialog.tsx';
import { CheckoutRows } from './rows.tsx';

const LIMIT = 50;

export default function CheckoutsScreen(): JSX.Element {
  const { venue, client } = usePlace();
  const address = useAddressQuery();
  const [isNew, setNew] = useState(false);
  const query = { ...listQuery(address), limit: LIMIT };
  const { before: _page, ...filters } = listQuery(address);
  const text = JSON.stringify(query);
  const list = useLoad(
    (signal) => client.console.listConsoleCheckouts(query, { signal }).then(({ answer }) => answer),
    [client, text],
    POLLS.checkouts.list,
  );
  const status = address.get('status');
  const reads = `/console/api/checkouts?${searchOf(query)}`;
  useApiCall(hasPartnerCall(query) ? { ...partnerCall(query), reads } : { method: 'GET', path: reads });
  const mayCreate = mayChangeCheckouts(venue.role);
  const keys: ScreenKey[] = [{ key: 'f', name: 'filter field', run: focusSearch }];
  if (mayCreate) keys.push({ key: 'c', name: 'new checkout', run: () => setNew(true) });
  useKeys(keys);
  return (
    <Page
      title="Checkouts"
      actions={
        <>
          <CsvButton name="checkouts" read={(page) => client.console.listConsoleCheckoutsCsv({ ...filters, ...page })}>
            Export CSV
          </CsvButton>
          {mayCreate && (
            <Button kind="primary" icon="plus" shortcut="C" onClick={() => setNew(true)}>
              New checkout
            </Button>
          )}
        </>
      }
    >
      <StatusChips address={address} counts={list.data?.counts} />
      <Filters address={address} />
      <Shown loaded={list} lines={10}>
        {({ data, next_before, counts, searched_since }) => (
          <>
            {data.length === 0 ? (
              <Nothing address={address} onNew={mayCreate ? () => setNew(true) : null} />
            ) : (
              <CheckoutRows rows={data} />
            )}
            {searched_since !== null && (
              <p class="quiet">
                20,000 checkouts were looked through, back to {date(searched_since)}. The next page goes on from there;
                an id finds any.
              </p>
            )}
            {data.length > 0 && (
              <p class="quiet count">
                {number(data.length)} of {countOf(isStatus(status) ? counts[status] : counts.all)},{' '}
                {address.get('sort') === 'due' ? 'by what is due next' : 'newest first'}
              </p>
            )}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
      {isNew && <NewCheckoutDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

/** A key lists by state, newest first. The search, the other filters and the other order are calls of the console alone. */
const hasPartnerCall = (query: object): boolean =>
  Object.keys(query).every((name) => name === 'status' || name === 'limit' || name === 'before');

function partnerCall(query: ListConsoleCheckoutsParams): ApiCall {
  return {
    method: 'GET',
    path: `/v1/checkouts?${searchOf(query)}`,
    scope: 'checkouts:read',
    sdk: `everyshare.checkouts.list(${JSON.stringify(query)})`,
    tool: { name: 'list_bookings', arguments: query },
  };
}

/** The server counts up to 10,000 of a status. */
const countOf = (count: number): string => (count >= 10_000 ? `${number(count)}+` : number(count));

const searchOf = (query: object): URLSearchParams =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));

interface ChipsProps {
  readonly address: AddressQuery;
  readonly counts: Readonly<Record<string, number>> | undefined;
}

function StatusChips({ address, counts }: ChipsProps): JSX.Element {
  const current = address.get('status');
  return (
    <nav class="chips" aria-label="State">
      <Link isWhole to={address.hrefWith({ status: '' })} class="" isCurrent={!isStatus(current)}>
        All <span>{counts && countOf(counts.all ?? 0)}</span>
      </Link>
      {STATUSES.map((status) => (
        <Link key={status} isWhole to={address.hrefWith({ status })} class="" isCurrent={current === status}>
          <span class={`state ${colorOf('checkout', status)}`}>
            <Icon name={iconOf('checkout', status)} />
          </span>
          {wordOf('checkout', status)} <span>{counts && countOf(counts[status] ?? 0)}</span>
        </Link>
      ))}
    </nav>
  );
}

interface NothingProps {
  readonly address: AddressQuery;
  readonly onNew: (() => void) | null;
}

function Nothing({ address, onNew }: NothingProps): JSX.Element {
  const dropped = ['q', 'status', 'days', 'min', 'max', 'offering', 'key'].find((name) => address.get(name) !== '');
  if (dropped !== undefined)
    return (
      <Empty
        action={
          <Link isWhole to={address.hrefWith({ [dropped]: '' })}>
            {DROPS[dropped] ?? 'Drop the filter'}
          </Link>
        }
      >
        No checkout matches these filters.
      </Empty>
    );
  return (
    <Empty
      action={
        onNew !== null && (
          <Button kind="primary" icon="plus" onClick={onNew}>
            New checkout
          </Button>
        )
      }
      snippet={SNIPPET()}
    >
      No checkout yet.
    </Empty>
  );
}

const DROPS: Readonly<Record<string, string>> = {
  q: 'Clear the search',
  status: 'Show every state',
  days: 'Show all times',
  min: 'Drop the smallest amount',
  max: 'Drop the largest amount',
  offering: 'Drop the offering',
  key: 'Drop the key',
};

const SNIPPET = (): string => `curl ${location.origin}/v1/checkouts \\
  -H "Authorization: Bearer $EVERYSHARE_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{ "amount": 24000, "currency": "usd", "party_size": 6, "pay_by": "${new Date(Date.now() + 86_400_000).toISOString()}",
    "description": "Cabana 3", "return_url": "https://example.com/thanks", "external_booking_id": "bk-1" }'`;
