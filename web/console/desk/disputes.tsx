// The disputes that are not decided: what must be answered first comes first, with a link to the payment at the processor.

import type { JSX } from 'preact';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import { DESK_POLLS } from '../client/polls.ts';
import type { MoneyCase } from '../client/types.gen.ts';
import { Id } from '../ui/controls.tsx';
import { count, dateTime, money } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { ListCsvButton } from '../ui/list-csv-button.tsx';
import { Empty, Page, Section, Shown, Table } from '../ui/parts.tsx';
import { AnswerLink } from './answer-link.tsx';
import { useCommand } from './frame.tsx';
import { ModeChips } from './mode-chips.tsx';
import { MONEY_CASE_COLUMNS } from './money-case-columns.ts';
import { desk } from './session.ts';

const SOON_MS = 2 * 24 * 3_600_000;

export default function DisputesScreen(): JSX.Element {
  const mode = useAddressQuery().get('mode') === 'test' ? 'test' : 'live';
  const loaded = useLoad((signal) => desk.getMoneyHealth({ mode }, { signal }), [mode], DESK_POLLS.disputes);
  useCommand(`npx everyshare reconcile --mode ${mode} --days 30 --json`);
  return (
    <Page
      title="Disputes"
      lead={`Guests who asked their bank to take a payment back. ${mode === 'live' ? 'Live' : 'Test'} mode alone.`}
      actions={<ModeChips to="/desk/disputes" mode={mode} />}
    >
      <Shown loaded={loaded}>
        {({ needs_person, figures: { open_disputes }, as_of }) => {
          const disputes = needs_person.filter(({ kind }) => kind === 'dispute');
          const together = `${count(open_disputes.count, 'open dispute')}, ${money(open_disputes.amount, 'usd')}`;
          return (
            <Section
              title="Not decided"
              aside={
                <>
                  <span class="quiet">{together}</span>{' '}
                  <ListCsvButton
                    name="disputes"
                    columns={MONEY_CASE_COLUMNS}
                    rows={() => disputes}
                    isCut={open_disputes.count > disputes.length}
                  />
                </>
              }
            >
              {disputes.length === 0 ? (
                <Empty>No charge is disputed.</Empty>
              ) : (
                <Table caption="Disputes" head={['Answer by', '-Venue', '-Checkout', '>Amount', '-Why', '']}>
                  {disputes.map((one) => (
                    <DisputeRow key={one.id} one={one} now={Date.parse(as_of)} />
                  ))}
                </Table>
              )}
              {open_disputes.count > disputes.length && (
                <p class="quiet">Those that must be answered first are listed; the others follow as these end.</p>
              )}
            </Section>
          );
        }}
      </Shown>
    </Page>
  );
}

function DisputeRow({ one, now }: { readonly one: MoneyCase; readonly now: number }): JSX.Element {
  const isSoon = one.answer_by !== null && Date.parse(one.answer_by) - now < SOON_MS;
  return (
    <tr>
      <td>
        <span class={`state ${isSoon ? 'red' : 'amber'}`}>
          <Icon name="warning" /> {one.answer_by === null ? 'No answer is due' : dateTime(one.answer_by)}
        </span>
        <div class="quiet">{one.what}</div>
        <div class="quiet case-remedy">{one.remedy}</div>
      </td>
      <td class="wide-only">
        <a class="link" href={`/desk/venues/${one.venue.id}`}>
          {one.venue.name}
        </a>
      </td>
      <td class="wide-only">
        <Id id={one.checkout_id} />
      </td>
      <td class="number">{money(one.amount, one.currency)}</td>
      <td class="wide-only quiet">since {dateTime(one.since)}</td>
      <td class="row-actions-cell">{one.dashboard_url !== null && <AnswerLink href={one.dashboard_url} />}</td>
    </tr>
  );
}
