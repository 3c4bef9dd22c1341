// The venue's audit log: who did what, when and from where. It cannot be changed.

import type { JSX } from 'preact';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import type { AuditEntry } from '../client/types.gen.ts';
import { usePlace } from '../session.ts';
import { useApiCall } from '../shell/api-line.tsx';
import { Id, SelectField } from '../ui/controls.tsx';
import { CsvButton } from '../ui/csv-button.tsx';
import { dateTime, words } from '../ui/format.ts';
import { Pages } from '../ui/pages.tsx';
import { Empty, Page, Shown, Table } from '../ui/parts.tsx';

/** The beginnings of actions, as src/domain writes them. */
const ACTIONS = [
  { value: '', label: 'Everything' },
  { value: 'key.', label: 'Keys' },
  { value: 'venue.', label: 'Venue' },
  { value: 'origin.', label: 'Origins' },
  { value: 'domain.', label: 'Domain' },
  { value: 'terms.', label: 'Terms' },
  { value: 'webhook', label: 'Endpoints' },
  { value: 'integration.', label: 'Integrations' },
  { value: 'review.', label: 'Reviews' },
  { value: 'checkout.', label: 'Refunds and cancellations' },
  { value: 'payout.', label: 'Payout account' },
  { value: 'capture.', label: 'Charges tried again' },
  { value: 'movement.', label: 'Refunds and payouts tried again or reserved' },
  { value: 'refund.', label: 'Refunds paid by hand' },
  { value: 'transfer.', label: 'Payouts paid by hand' },
  { value: 'reversal.', label: 'Payouts to take back' },
  { value: 'debt.', label: 'Debts' },
  { value: 'reconcile.', label: 'Corrections by reconcile' },
  { value: 'person.', label: 'People' },
  { value: 'console.', label: 'Console' },
] as const;

export default function AuditScreen(): JSX.Element {
  const { client } = usePlace();
  const address = useAddressQuery();
  const [action, before] = [address.get('action'), address.get('before')];
  const query = { limit: 50, ...(action === '' ? {} : { action }), ...(before === '' ? {} : { before }) };
  const loaded = useLoad(
    (signal) => client.console.listAudit(query, { signal }).then(({ answer }) => answer),
    [client, action, before],
  );
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  useApiCall({ method: 'GET', path: `/console/api/audit?${search}` });
  return (
    <Page
      title="Audit log"
      lead="Who did what, when and from where. It cannot be changed."
      actions={
        <CsvButton
          name="audit"
          read={(page) => client.console.listAuditCsv({ ...(action === '' ? {} : { action }), ...page })}
        />
      }
    >
      <div class="filters">
        <SelectField
          label="Show"
          value={action}
          choices={ACTIONS}
          onChange={(value) => address.replace({ action: value })}
        />
      </div>
      <Shown loaded={loaded}>
        {({ data, next_before }) => (
          <>
            {data.length === 0 ? <Empty>Nothing of this kind has been done yet.</Empty> : <AuditTable entries={data} />}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }): JSX.Element {
  return (
    <Table caption="Audit log" head={['When', 'Who', 'What', '-On', '-From', '-Request']}>
      {entries.map(({ id, at, actor, action, subject, subject_name, address, request_id, detail }) => (
        <tr key={id}>
          <td class="quiet">{dateTime(at)}</td>
          <td>
            <b>{actor.name}</b> {actor.type === 'key' && <span class="chip neutral">Key</span>}
          </td>
          <td title={JSON.stringify(detail)}>{words(action)}</td>
          <td class="wide-only">
            {subject_name} <Id id={subject} />
          </td>
          <td class="wide-only quiet">{address ?? '–'}</td>
          <td class="wide-only">{request_id === null ? '–' : <Id id={request_id} />}</td>
        </tr>
      ))}
    </Table>
  );
}
