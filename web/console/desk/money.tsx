// Money health: what needs a person, then what is tried again by itself, and whether the books are right.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import { DESK_POLLS } from '../client/polls.ts';
import type { MoneyCase, MoneyHealth } from '../client/types.gen.ts';
import { Id } from '../ui/controls.tsx';
import { ago, count, date, dateTime, money, number, time } from '../ui/format.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { ListCsvButton } from '../ui/list-csv-button.tsx';
import { Empty, Page, Section, Shown, Stat, Stats, Table } from '../ui/parts.tsx';
import { Books } from './books.tsx';
import { useCommand } from './frame.tsx';
import { ModeChips } from './mode-chips.tsx';
import { type AskedCase, CaseActions, CaseDialog } from './money-actions.tsx';
import { MONEY_CASE_COLUMNS } from './money-case-columns.ts';
import { desk, mayMoveMoney } from './session.ts';

export default function MoneyScreen(): JSX.Element {
  const address = useAddressQuery();
  const mode = address.get('mode') === 'test' ? 'test' : 'live';
  const loaded = useLoad((signal) => desk.getMoneyHealth({ mode }, { signal }), [mode], DESK_POLLS.money);
  const [asked, setAsked] = useState<AskedCase | null>(null);
  useCommand(`npx everyshare reconcile --mode ${mode} --days 2 --json`);
  return (
    <Page
      title="Money health"
      lead={`What needs a person, then what is merely waiting. ${mode === 'live' ? 'Live' : 'Test'} mode alone.`}
      actions={<ModeChips to="/desk/money" mode={mode} />}
    >
      <Shown loaded={loaded}>
        {(health) => (
          <div class="desk-money">
            <Figures health={health} />
            <Cases
              title="Needs a person"
              fileName="money-needs-person"
              note="an operator must decide"
              empty="Nothing needs you."
              cases={health.needs_person}
              hasMore={health.has_more.needs_person}
              onAsk={setAsked}
              onDone={loaded.reload}
            />
            <Cases
              title="Waiting, tried again by itself"
              fileName="money-waiting"
              note="no card is charged twice"
              empty="Nothing waits."
              cases={health.waiting}
              hasMore={health.has_more.waiting}
              onAsk={setAsked}
              onDone={loaded.reload}
            />
            <Books health={health} onDone={loaded.reload} />
            <p class="quiet">As of {time(health.as_of)}; the page reads again every ten seconds.</p>
          </div>
        )}
      </Shown>
      {asked !== null && <CaseDialog asked={asked} onClose={() => setAsked(null)} onDone={loaded.reload} />}
    </Page>
  );
}

function Figures({ health }: { readonly health: MoneyHealth }): JSX.Element {
  const { stuck_captures, failed_refunds, failed_payouts, failed_reversals, open_disputes, venue_debts } =
    health.figures;
  const sum = ({ amount }: { readonly amount: number }, words: string): string =>
    amount === 0 ? 'none' : `${money(amount, 'usd')} ${words}`;
  return (
    <Stats>
      <Stat
        icon="turn"
        label="Stuck captures"
        figure={number(stuck_captures.count)}
        note={stuck_captures.oldest_at === null ? 'none' : `oldest ${ago(stuck_captures.oldest_at)}`}
      />
      <Stat
        icon="back"
        label="Failed refunds"
        figure={number(failed_refunds.count)}
        note={sum(failed_refunds, 'owed to guests')}
      />
      <Stat
        icon="bank"
        label="Failed payouts"
        figure={number(failed_payouts.count)}
        note={sum(failed_payouts, 'owed to venues')}
      />
      <Stat
        icon="bank"
        label="Failed reversals"
        figure={number(failed_reversals.count)}
        note={sum(failed_reversals, 'not taken back')}
      />
      <Stat
        icon="warning"
        label="Open disputes"
        figure={number(open_disputes.count)}
        note={
          open_disputes.first_answer_by === null
            ? sum(open_disputes, 'disputed')
            : `${sum(open_disputes, 'disputed')}, first answer by ${date(open_disputes.first_answer_by)}`
        }
      />
      <Stat icon="card" label="Venues owe" figure={number(venue_debts.count)} note={sum(venue_debts, 'to take back')} />
      <BooksStat books={health.books} />
    </Stats>
  );
}

/** A check that is old says nothing about today. */
function BooksStat({ books }: { readonly books: MoneyHealth['books'] }): JSX.Element {
  if (books === null) return <Stat icon="warning" label="Books" figure="–" note="never checked" />;
  if (books.differences > 0)
    return <Stat icon="alert" label="Books" figure="differ" note={`checked ${ago(books.at)}`} />;
  if (books.is_old)
    return <Stat icon="warning" label="Books" figure="not known" note={`not checked since ${dateTime(books.at)}`} />;
  return <Stat icon="tick" label="Books" figure="add up" note={`checked ${ago(books.at)}`} />;
}

interface CaseHandlers {
  /** An action that asks first: its dialog belongs to the page, since the row may leave the list meanwhile. */
  readonly onAsk: (asked: AskedCase) => void;
  readonly onDone: () => Promise<void>;
}

interface CasesProps extends CaseHandlers {
  readonly title: string;
  /** Of its CSV file. */
  readonly fileName: string;
  readonly note: string;
  readonly empty: string;
  readonly cases: readonly MoneyCase[];
  /** There are more than are listed. */
  readonly hasMore: boolean;
}

function Cases({ title, fileName, note, empty, cases, hasMore, ...handlers }: CasesProps): JSX.Element {
  return (
    <Section
      title={title}
      aside={
        <>
          <span class="quiet">{note}</span>{' '}
          <ListCsvButton name={fileName} columns={MONEY_CASE_COLUMNS} rows={() => cases} isCut={hasMore} />
        </>
      }
    >
      {cases.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <Table caption={title} head={['What', '-Venue', '-Id', '>Amount', '-Why', '-Next', '']}>
          {cases.map((one) => (
            <CaseRow key={`${one.kind} ${one.id}`} one={one} {...handlers} />
          ))}
        </Table>
      )}
      {hasMore && (
        <p class="quiet">
          The oldest {number(cases.length)} are listed. The figures above count all; the next ones appear as these are
          dealt with.
        </p>
      )}
    </Section>
  );
}

const LOOKS: Readonly<Record<MoneyCase['kind'], readonly [string, IconName, string]>> = {
  capture: ['Capture', 'turn', 'amber'],
  refund: ['Refund', 'back', 'red'],
  return: ['Return', 'back', 'red'],
  transfer: ['Payout', 'bank', 'red'],
  reversal: ['Reversal', 'bank', 'red'],
  debt: ['Venue owes', 'card', 'red'],
  dispute: ['Dispute', 'warning', 'amber'],
};

function CaseRow({ one, onAsk, onDone }: CaseHandlers & { readonly one: MoneyCase }): JSX.Element {
  const [word, icon, color] = LOOKS[one.kind];
  return (
    <tr>
      <td>
        <span class={`state ${color}`}>
          <Icon name={icon} /> {word}
        </span>
        <div class="quiet">{one.what}</div>
        <div class="quiet case-remedy">{one.remedy}</div>
        {one.reserved !== null && (
          <div class="quiet">
            Reserved by {one.reserved.is_yours ? 'you' : one.reserved.by}, {ago(one.reserved.at)}
            {one.reserved.is_old && (
              <>
                {' '}
                <span class="state amber">
                  <Icon name="warning" /> for more than a day
                </span>
              </>
            )}
          </div>
        )}
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
      <td class="wide-only quiet">
        {one.error ?? '–'}
        {one.tries > 0 && `; ${count(one.tries, 'try', 'tries')}`}
      </td>
      <td class="wide-only quiet">{nextOf(one)}</td>
      <td class="row-actions-cell">{mayMoveMoney() && <CaseActions one={one} onAsk={onAsk} onDone={onDone} />}</td>
    </tr>
  );
}

function nextOf({ answer_by, next_try_at, since }: MoneyCase): string {
  if (answer_by !== null) return `answer by ${dateTime(answer_by)}`;
  return next_try_at === null ? `since ${dateTime(since)}` : `next ${dateTime(next_try_at)}`;
}
