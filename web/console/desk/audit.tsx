// The audit log of every venue and of the installation.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import type { ListDeskAuditParams } from '../client/operations.gen.ts';
import type { DeskAuditEntry } from '../client/types.gen.ts';
import { Button, Id, TextField } from '../ui/controls.tsx';
import type { Columns } from '../ui/csv.ts';
import { dateTime, words } from '../ui/format.ts';
import { ListCsvButton, MAX_PAGE_ROWS } from '../ui/list-csv-button.tsx';
import { Pages } from '../ui/pages.tsx';
import { Empty, Page, Shown, Table } from '../ui/parts.tsx';
import { useCommand } from './frame.tsx';
import { desk } from './session.ts';

const COLUMNS: Columns<DeskAuditEntry> = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['actor', ({ actor }) => actor],
  ['is_operator', ({ is_operator }) => String(is_operator)],
  ['via', ({ via }) => via],
  ['address', ({ address }) => address],
  ['venue_id', ({ venue }) => venue?.id ?? null],
  ['venue', ({ venue }) => venue?.name ?? null],
  ['action', ({ action }) => action],
  ['subject', ({ subject }) => subject],
  ['detail', ({ detail }) => JSON.stringify(detail)],
];

export default function DeskAuditScreen(): JSX.Element {
  const address = useAddressQuery();
  const [by, venue, before] = [address.get('by'), address.get('venue'), address.get('before')];
  const isAll = by === 'all';
  const [typed, setTyped] = useState(venue);
  const filters: ListDeskAuditParams = {
    ...(isAll ? {} : ({ by: 'operators' } as const)),
    ...(venue === '' ? {} : { venue }),
  };
  const query = { limit: 50, ...filters, ...(before === '' ? {} : { before }) };
  const loaded = useLoad(
    (signal) => desk.listDeskAudit(query, { signal }).then(({ answer }) => answer),
    [by, venue, before],
  );
  useCommand('npx everyshare audit');
  return (
    <Page
      title="Audit log"
      lead="Who did what, when and from where, in every venue. It cannot be changed."
      actions={
        <ListCsvButton
          name="audit"
          columns={COLUMNS}
          rows={(limit) => desk.listDeskAudit({ ...filters, limit: MAX_PAGE_ROWS }).toArray({ limit })}
        />
      }
    >
      <div class="chips">
        <a href={address.hrefWith({ by: undefined })} aria-current={isAll ? undefined : 'true'}>
          Operators
        </a>
        <a href={address.hrefWith({ by: 'all' })} aria-current={isAll ? 'true' : undefined}>
          Everything
        </a>
      </div>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          address.replace({ venue: typed.trim() });
        }}
      >
        <TextField label="Id of a venue" type="search" value={typed} onInput={setTyped} maxLength={60} />
        <Button type="submit" icon="filter">
          Show
        </Button>
      </form>
      <Shown loaded={loaded}>
        {({ data, next_before }) => (
          <>
            {data.length === 0 ? (
              <Empty>Nothing of this kind has been done yet.</Empty>
            ) : (
              <Table caption="Audit log" head={['When', 'Who', 'What', '-Venue', '-On', '-From']}>
                {data.map((entry) => (
                  <tr key={entry.id}>
                    <td class="quiet">{dateTime(entry.at)}</td>
                    <td>
                      <b>{entry.actor}</b>
                    </td>
                    <td title={JSON.stringify(entry.detail)}>{words(entry.action)}</td>
                    <td class="wide-only">
                      {entry.venue === null ? (
                        <span class="quiet">installation</span>
                      ) : (
                        <a class="link" href={`/desk/venues/${entry.venue.id}`}>
                          {entry.venue.name}
                        </a>
                      )}
                    </td>
                    <td class="wide-only">
                      <Id id={entry.subject} />
                    </td>
                    <td class="wide-only quiet">{entry.address ?? entry.via}</td>
                  </tr>
                ))}
              </Table>
            )}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
    </Page>
  );
}
