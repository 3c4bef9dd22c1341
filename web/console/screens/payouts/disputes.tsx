// Disputes of guests with their banks: what is at stake, and how they ended.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoad } from '../../client/load.ts';
import { usePlace } from '../../session.ts';
import { Id, Link } from '../../ui/controls.tsx';
import { date, money, words } from '../../ui/format.ts';
import { Empty, Shown, Table } from '../../ui/parts.tsx';
import { Chip } from '../../ui/states.tsx';

const OUTCOMES = ['open', 'won', 'lost'] as const;
const COLORS = { open: 'amber', won: 'green', lost: 'red' } as const;

export function Disputes(): JSX.Element {
  const { client } = usePlace();
  const [status, setStatus] = useState<(typeof OUTCOMES)[number] | null>(null);
  const query = { limit: 100, ...(status === null ? {} : { status }) };
  const loaded = useLoad(
    (signal) => client.console.listDisputes(query, { signal }).then(({ answer }) => answer),
    [client, status],
  );
  return (
    <Shown loaded={loaded}>
      {({ data, counts }) => (
        <>
          <div class="chips" role="group" aria-label="Outcome">
            <button type="button" aria-pressed={status === null} onClick={() => setStatus(null)}>
              All {counts.open + counts.won + counts.lost}
            </button>
            {OUTCOMES.map((outcome) => (
              <button key={outcome} type="button" aria-pressed={status === outcome} onClick={() => setStatus(outcome)}>
                {words(outcome)} {counts[outcome]}
              </button>
            ))}
          </div>
          {data.length === 0 ? (
            <Empty>No guest has disputed a charge.</Empty>
          ) : (
            <Table caption="Disputes" head={['State', 'Checkout', '-Guest', '-Why', '-Opened', '-Dispute', '>Amount']}>
              {data.map((one) => (
                <tr key={one.id}>
                  <td>
                    <Chip color={COLORS[one.outcome]}>{words(one.outcome === 'open' ? one.status : one.outcome)}</Chip>
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
        </>
      )}
    </Shown>
  );
}
