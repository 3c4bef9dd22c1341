// Disputes of guests with their banks: what is at stake, and how they ended.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import type { ListDisputesParams } from '../../client/operations.gen.ts';
import { usePlace } from '../../session.ts';
import { Id, Link } from '../../ui/controls.tsx';
import { date, money, words } from '../../ui/format.ts';
import { Pages } from '../../ui/pages.tsx';
import { Empty, Shown, Table } from '../../ui/parts.tsx';
import { Chip } from '../../ui/states.tsx';

const OUTCOMES = ['open', 'won', 'lost'] as const;
const COLORS = { open: 'amber', won: 'green', lost: 'red' } as const;

/** Undefined: all of them. */
export function disputeOutcome(address: AddressQuery): (typeof OUTCOMES)[number] | undefined {
  return OUTCOMES.find((outcome) => outcome === address.get('outcome'));
}

export function disputesQuery(address: AddressQuery): ListDisputesParams {
  const [status, before] = [disputeOutcome(address), address.get('before')];
  return { limit: 50, ...(status === undefined ? {} : { status }), ...(before === '' ? {} : { before }) };
}

export function Disputes({ address }: { readonly address: AddressQuery }): JSX.Element {
  const { client } = usePlace();
  const [status, before] = [disputeOutcome(address), address.get('before')];
  const query = disputesQuery(address);
  const loaded = useLoad(
    (signal) => client.console.listDisputes(query, { signal }).then(({ answer }) => answer),
    [client, status, before],
  );
  // The counts of the last answer stay while another outcome is read.
  const [counts, setCounts] = useState<Readonly<Record<string, number>>>({});
  useEffect(() => {
    if (loaded.data !== undefined) setCounts(loaded.data.counts);
  }, [loaded.data]);
  const sum = OUTCOMES.reduce((total, outcome) => total + (counts[outcome] ?? 0), 0);
  return (
    <>
      <nav class="chips" aria-label="Outcome">
        <Link isWhole class="" to={address.hrefWith({ outcome: '' })} isCurrent={status === undefined}>
          All <span>{sum}</span>
        </Link>
        {OUTCOMES.map((outcome) => (
          <Link key={outcome} isWhole class="" to={address.hrefWith({ outcome })} isCurrent={status === outcome}>
            {words(outcome)} <span>{counts[outcome] ?? 0}</span>
          </Link>
        ))}
      </nav>
      <Shown loaded={loaded}>
        {({ data, next_before }) => (
          <>
            {data.length === 0 ? (
              <Empty>{status === undefined ? 'No guest has disputed a charge.' : `No dispute is ${status}.`}</Empty>
            ) : (
              <Table
                caption="Disputes"
                head={['State', 'Checkout', '-Guest', '-Why', '-Opened', '-Dispute', '>Amount']}
              >
                {data.map((one) => (
                  <tr key={one.id}>
                    <td>
                      <Chip color={COLORS[one.outcome]}>
                        {words(one.outcome === 'open' ? one.status : one.outcome)}
                      </Chip>
                    </td>
                    <td>
                      <Link to={`/checkouts/${one.checkout_id}`} class="row-link">
                        <b>{one.description}</b>
                      </Link>
                    </td>
                    <td class="wide-only">{one.display_name ?? '–'}</td>
                    <td class="wide-only">{one.reason === null ? '–' : words(one.reason)}</td>
                    <td class="wide-only quiet">{date(one.opened_at)}</td>
                    <td class="wide-only">
                      <Id id={one.id} />
                    </td>
                    <td class="number">{money(one.amount, one.currency)}</td>
                  </tr>
                ))}
              </Table>
            )}
            <Pages address={address} nextBefore={next_before} />
          </>
        )}
      </Shown>
    </>
  );
}
