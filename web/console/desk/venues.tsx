// The search for venues: a part of a name, an id, a mail address, a key.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import type { ListDeskVenuesParams } from '../client/operations.gen.ts';
import type { DeskVenueItem } from '../client/types.gen.ts';
import { Button, Id, TextField } from '../ui/controls.tsx';
import type { Columns } from '../ui/csv.ts';
import { date } from '../ui/format.ts';
import { ListCsvButton, MAX_PAGE_ROWS } from '../ui/list-csv-button.tsx';
import { Pages } from '../ui/pages.tsx';
import { Empty, Page, Shown, Table } from '../ui/parts.tsx';
import { Chip } from '../ui/states.tsx';
import { useCommand } from './frame.tsx';
import { desk } from './session.ts';

const COLUMNS: Columns<DeskVenueItem> = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['state', ({ state }) => state],
  ['created_at', ({ created_at }) => created_at],
];

export default function VenuesScreen(): JSX.Element {
  const address = useAddressQuery();
  const [q, before] = [address.get('q'), address.get('before')];
  const [typed, setTyped] = useState(q);
  const filters: ListDeskVenuesParams = q === '' ? {} : { q };
  const query = { limit: 50, ...filters, ...(before === '' ? {} : { before }) };
  const loaded = useLoad((signal) => desk.listDeskVenues(query, { signal }).then(({ answer }) => answer), [q, before]);
  useCommand('npx everyshare venue list');
  return (
    <Page
      title="Venues"
      lead="Search by a part of the name, an id, a whole mail address, or the hint of a key."
      actions={
        <ListCsvButton
          name="venues"
          columns={COLUMNS}
          rows={(limit) => desk.listDeskVenues({ ...filters, limit: MAX_PAGE_ROWS }).toArray({ limit })}
        />
      }
    >
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          address.replace({ q: typed.trim() });
        }}
      >
        <TextField label="Name, id, mail or key" type="search" value={typed} onInput={setTyped} maxLength={200} />
        <Button type="submit" icon="search">
          Search
        </Button>
      </form>
      <Shown loaded={loaded}>
        {({ data, next_before }) => (
          <>
            {data.length === 0 ? <Empty>No venue matches “{q}”.</Empty> : <VenueTable venues={data} />}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function VenueTable({ venues }: { readonly venues: readonly DeskVenueItem[] }): JSX.Element {
  return (
    <Table caption="Venues" head={['Name', '-Id', '-Since', 'State']}>
      {venues.map(({ id, name, created_at, state }) => (
        <tr key={id}>
          <td>
            <a class="link row-link" href={`/desk/venues/${id}`}>
              {name}
            </a>
          </td>
          <td class="wide-only">
            <Id id={id} />
          </td>
          <td class="wide-only quiet">{date(created_at)}</td>
          <td>
            <VenueState state={state} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

export function VenueState({ state }: { readonly state: DeskVenueItem['state'] }): JSX.Element {
  if (state === 'linked')
    return (
      <Chip color="green" icon="tick">
        Linked
      </Chip>
    );
  if (state === 'sandbox')
    return (
      <Chip color="neutral" icon="flask">
        Sandbox
      </Chip>
    );
  return (
    <Chip color="red" icon={state === 'suspended' ? 'lock' : 'refused'}>
      {state === 'suspended' ? 'Suspended' : 'Revoked'}
    </Chip>
  );
}
