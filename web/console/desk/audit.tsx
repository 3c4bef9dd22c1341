// The audit log of every venue and of the installation.

import type { JSX } from 'preact';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import { Id } from '../ui/controls.tsx';
import { dateTime, words } from '../ui/format.ts';
import { Pages } from '../ui/pages.tsx';
import { Empty, Page, Shown, Table } from '../ui/parts.tsx';
import { useCommand } from './frame.tsx';
import { desk } from './session.ts';

export default function DeskAuditScreen(): JSX.Element {
  const address = useAddressQuery();
  const [by, venue, before] = [address.get('by'), address.get('venue'), address.get('before')];
  const isAll = by === 'all';
  const query = {
    limit: 50,
    ...(isAll ? {} : ({ by: 'operators' } as const)),
    ...(venue === '' ? {} : { venue }),
    ...(before === '' ? {} : { before }),
  };
  const loaded = useLoad(
    (signal) => desk.listDeskAudit(query, { signal }).then(({ answer }) => answer),
    [by, venue, before],
  );
  useCommand('npx everyshare audit');
  return (
    <Page title="Audit log" lead="Who did what, when and from where, in every venue. It cannot be changed.">
      <div class="chips">
        <a href={address.hrefWith({ by: undefined })} aria-current={isAll ? undefined : 'true'}>
          Operators
        </a>
        <a href={address.hrefWith({ by: 'all' })} aria-current={isAll ? 'true' : undefined}>
          Everything
        </a>
      </div>
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
