// The catalogue: offerings, events and boats with their review, and the note of a rejection in full.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import type { CatalogueItem } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Id, Link, LinkButton, TextField } from '../../ui/controls.tsx';
import { date, dateTime, money, words } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { ListCsvButton, MAX_PAGE_ROWS } from '../../ui/list-csv-button.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Banner, Empty, Page, Shown, Table } from '../../ui/parts.tsx';
import { Chip, iconOf, State, wordOf } from '../../ui/states.tsx';
import { CATALOGUE_COLUMNS } from './catalogue-columns.ts';

type Kind = CatalogueItem['kind'];
type Status = CatalogueItem['status'];

const OFFERINGS = { kind: 'offering', name: 'Offerings', one: 'offering', path: 'offerings' } as const;
const KINDS: readonly { readonly kind: Kind; readonly name: string; readonly one: string; readonly path: string }[] = [
  OFFERINGS,
  { kind: 'event', name: 'Events', one: 'event', path: 'experiences' },
  { kind: 'boat', name: 'Boats', one: 'boat', path: 'boats' },
];
const STATUSES: readonly Status[] = ['approved', 'pending', 'rejected', 'inactive'];

export default function CatalogueScreen(): JSX.Element {
  const { venue, client } = usePlace();
  const address = useAddressQuery();
  const shown = KINDS.find((one) => one.kind === address.get('kind')) ?? OFFERINGS;
  const { kind } = shown;
  const status = STATUSES.find((one) => one === address.get('status')) ?? null;
  const [text, before] = [address.get('q'), address.get('before')];
  const filters = {
    kind,
    ...(status === null ? {} : { status }),
    ...(text === '' ? {} : { q: text }),
  };
  const query = { ...filters, limit: 50, ...(before === '' ? {} : { before }) };
  const loaded = useLoad(
    (signal) => client.console.listCatalogue(query, { signal }).then(({ answer }) => answer),
    [client, kind, status, text, before],
  );
  const counts = loaded.data?.counts;
  const reads = `/console/api/catalogue?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`;
  const filter = status === null ? '' : `status=${status}&`;
  // A key lists by state. The search and its pages are calls of the console alone.
  const hasPartnerCall = text === '' && before === '';
  useApiCall({
    method: 'GET',
    ...(hasPartnerCall
      ? {
          path: `/v1/${shown.path}?${filter}limit=50`,
          scope: kind === 'boat' ? 'boats:read' : 'offerings:read',
          sdk: `everyshare.${shown.path}.list(${status === null ? '' : `{ status: '${status}' }`})`,
          reads,
        }
      : { path: reads }),
  });
  const mayWrite = venue.role === 'owner' || venue.role === 'developer';
  return (
    <Page
      title="Catalogue"
      lead="What you sell. We look at each new one and each change before members see it."
      actions={
        <>
          <ListCsvButton
            name="catalogue"
            columns={CATALOGUE_COLUMNS}
            rows={(limit) => client.console.listCatalogue({ ...filters, limit: MAX_PAGE_ROWS }).toArray({ limit })}
          />
          {mayWrite && (
            <LinkButton kind="primary" icon="plus" to={`/catalogue/${kind}/new`}>
              New {shown.one}
            </LinkButton>
          )}
        </>
      }
    >
      <nav class="chips" aria-label="What to show">
        {KINDS.map((one) => (
          <Link
            key={one.kind}
            isWhole
            to={address.hrefWith({ kind: one.kind, status: '' })}
            class=""
            isCurrent={kind === one.kind}
          >
            {one.name} {counts?.[one.kind].all}
          </Link>
        ))}
      </nav>
      <nav class="chips" aria-label="Review">
        <Link isWhole to={address.hrefWith({ status: '' })} class="" isCurrent={status === null}>
          All {counts?.[kind].all}
        </Link>
        {STATUSES.map((one) => (
          <Link key={one} isWhole to={address.hrefWith({ status: one })} class="" isCurrent={status === one}>
            <Icon name={iconOf('review', one)} /> {wordOf('review', one)} {counts?.[kind][one]}
          </Link>
        ))}
      </nav>
      <div class="filters">
        <TextField
          label="Search"
          type="search"
          value={text}
          onInput={(q) => address.replace({ q })}
          placeholder="Title or your id"
        />
      </div>
      <Shown loaded={loaded}>
        {({ data, next_before }) => (
          <>
            <Items
              kind={kind}
              items={data}
              isFiltered={status !== null || text !== ''}
              mayWrite={mayWrite}
              one={shown.one}
            />
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
    </Page>
  );
}

interface ItemsProps {
  readonly kind: Kind;
  readonly one: string;
  readonly items: readonly CatalogueItem[];
  readonly isFiltered: boolean;
  readonly mayWrite: boolean;
}

function Items({ kind, one, items, isFiltered, mayWrite }: ItemsProps): JSX.Element {
  if (items.length === 0 && isFiltered) return <Empty>No {one} matches. Drop a filter to see more.</Empty>;
  if (items.length === 0)
    return (
      <Empty
        action={
          mayWrite && (
            <LinkButton kind="primary" to={`/catalogue/${kind}/new`}>
              New {one}
            </LinkButton>
          )
        }
      >
        Nothing to sell here yet.
      </Empty>
    );
  return (
    <>
      <Table caption="Catalogue" head={['Name', '-Kind', '-Your id', 'Price', 'Review', '-Changed', '-Next free slot']}>
        {items.map((item) => (
          <tr key={item.id}>
            <td>
              <Link to={`/catalogue/${kind}/${encodeURIComponent(item.id)}`} class="row-link with-thumb">
                <Thumb url={item.image_url} /> <b>{item.title}</b>
              </Link>
            </td>
            <td class="wide-only quiet">{item.category === null ? '–' : words(item.category)}</td>
            <td class="wide-only">{item.external_id === null ? '–' : <Id id={item.external_id} isWhole />}</td>
            <td>{priceOf(item)}</td>
            <td>
              <State kind="review" state={item.is_visible && item.status === 'pending' ? 'approved' : item.status} />{' '}
              {item.is_change_waiting && (
                <Chip color="amber" icon="clock">
                  change waiting
                </Chip>
              )}
            </td>
            <td class="wide-only quiet">{date(item.changed_at)}</td>
            <td class="wide-only quiet">{item.next_slot === null ? '–' : dateTime(item.next_slot)}</td>
          </tr>
        ))}
      </Table>
      {items
        .filter(({ status, review_note }) => status === 'rejected' && review_note !== null)
        .map((item) => (
          <Banner
            key={item.id}
            color="red"
            icon="refused"
            action={
              mayWrite && <LinkButton to={`/catalogue/${kind}/${encodeURIComponent(item.id)}/edit`}>Mend it</LinkButton>
            }
          >
            <b>{item.title} was not approved.</b> “{item.review_note}” Mend it and send it again.
          </Banner>
        ))}
    </>
  );
}

function priceOf({ price }: CatalogueItem): string {
  return price === null ? '–' : `${money(price.amount, price.currency)} ${price.unit.replaceAll('_', ' ')}`;
}

/** A photo that is not there, or does not load, leaves its place empty: titles stay in line. */
function Thumb({ url }: { readonly url: string | null }): JSX.Element {
  const [isBroken, setBroken] = useState(false);
  if (url === null || isBroken) return <span class="thumb" />;
  return <img class="thumb" src={url} alt="" loading="lazy" onError={() => setBroken(true)} />;
}
