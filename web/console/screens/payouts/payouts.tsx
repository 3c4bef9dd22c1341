// Payouts: weeks by completion, a statement whose lines add up, its days, and the checkouts of a day. Disputes beside it.

import type { JSX } from 'preact';
import { type AddressQuery, useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import type { Statement } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { type ApiCall, useApiCall } from '../../shell/api-line.tsx';
import { Link } from '../../ui/controls.tsx';
import { CsvButton } from '../../ui/csv-button.tsx';
import { atWallClock, count, dateTime, money } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Pages } from '../../ui/pages.tsx';
import { Banner, Empty, Page, Shown } from '../../ui/parts.tsx';
import { Days } from './days.tsx';
import { Disputes, disputeOutcome, disputesQuery } from './disputes.tsx';
import { rangeName } from './range-name.ts';

/** The most periods that listStatements gives at once: a year of weeks. */
const WEEKS_PER_PAGE = 53;

const WEEKS = 26;

/** How the address names a week: a week has a statement for each currency. */
const nameOf = ({ from, currency }: Statement): string => (currency === 'usd' ? from : `${from} ${currency}`);

export default function PayoutsScreen(): JSX.Element {
  const { client } = usePlace();
  const address = useAddressQuery();
  const isDisputes = address.get('tab') === 'disputes';
  const before = isDisputes ? '' : address.get('before');
  const weeks = useLoad(
    (signal) =>
      client.console
        .listStatements({ period: 'week', limit: WEEKS, ...(before === '' ? {} : { before }) }, { signal })
        .then(({ answer }) => answer),
    [client, before],
  );
  const chosen = weeks.data?.data.find((week) => nameOf(week) === address.get('week')) ?? weeks.data?.data[0];
  useApiCall(isDisputes ? disputesCall(address) : payoutsCall(chosen, before));
  return (
    <Page
      title="Payouts"
      lead="Each completed checkout is paid out by the card processor’s schedule, less our fee."
      actions={
        isDisputes ? (
          <CsvButton
            name="disputes"
            read={(page) => {
              const status = disputeOutcome(address);
              return client.console.listDisputesCsv({ ...(status === undefined ? {} : { status }), ...page });
            }}
          />
        ) : (
          chosen !== undefined && (
            <>
              <CsvButton
                name="weeks"
                pageRows={WEEKS_PER_PAGE}
                read={(page) => client.console.listStatementsCsv({ period: 'week', ...page })}
              >
                CSV of all weeks
              </CsvButton>
              <CsvButton
                name={`statement-${chosen.from}`}
                read={(page) => client.console.listPaidCheckoutsCsv({ from: chosen.from, to: chosen.to, ...page })}
              >
                CSV of this week
              </CsvButton>
            </>
          )
        )
      }
    >
      <nav class="chips" aria-label="What to show">
        <Link to="/payouts" class="" isCurrent={!isDisputes}>
          <Icon name="bank" /> Payouts
        </Link>
        <Link to="/payouts?tab=disputes" class="" isCurrent={isDisputes}>
          <Icon name="flag" /> Disputes
        </Link>
      </nav>
      {isDisputes ? (
        <Disputes address={address} />
      ) : (
        <Shown loaded={weeks}>
          {({ data, balance, next_before }) => (
            <>
              {balance.map((one) => (
                <Balance key={one.currency} {...one} />
              ))}
              {chosen === undefined ? (
                <Empty>The first payout comes after your first completed checkout.</Empty>
              ) : (
                <div class="split">
                  <div>
                    <Weeks weeks={data} chosen={chosen} address={address} />
                    <Pages address={address} nextBefore={next_before} />
                  </div>
                  <Week key={nameOf(chosen)} week={chosen} address={address} />
                </div>
              )}
            </>
          )}
        </Shown>
      )}
    </Page>
  );
}

/** What a key reads about the chosen week. The statements themselves are of the console alone. */
function payoutsCall(chosen: Statement | undefined, before: string): ApiCall {
  const page = before === '' ? '' : `&before=${before}`;
  const reads = `/console/api/payouts?period=week&limit=${WEEKS}${page}`;
  if (chosen === undefined) return { method: 'GET', path: reads };
  const [from, to] = [chosen.from, chosen.to].map((day) => atWallClock(`${day}T00:00`));
  const period = { from, to };
  return {
    method: 'GET',
    path: `/v1/payouts?from=${period.from}&to=${period.to}`,
    scope: 'checkouts:read',
    sdk: `everyshare.payouts.list({ from: '${period.from}', to: '${period.to}' })`,
    reads,
  };
}

const disputesCall = (address: AddressQuery): ApiCall => ({
  method: 'GET',
  path: `/console/api/disputes?${new URLSearchParams(
    Object.entries(disputesQuery(address)).map(([name, value]) => [name, String(value)]),
  )}`,
});

interface BalanceProps {
  readonly currency: string;
  readonly on_its_way: number;
  readonly next_at: string | null;
  readonly held_back: number;
  readonly owed: number;
  readonly failed: number;
}

/** What is to come, and what is wrong with it, in words. */
function Balance({ currency, on_its_way, next_at, held_back, owed, failed }: BalanceProps): JSX.Element {
  return (
    <>
      {on_its_way > 0 && (
        <Banner color="blue" icon="clock">
          <b>{money(on_its_way, currency)}</b> is on its way to you
          {next_at === null ? '.' : `, the next part on ${dateTime(next_at)}.`}
        </Banner>
      )}
      {held_back > 0 && (
        <Banner color="amber" icon="lock">
          <b>{money(held_back, currency)}</b> waits, because the card processor cannot pay this venue now. See “Go live”
          for what it needs.
        </Banner>
      )}
      {failed > 0 && (
        <Banner color="red" icon="alert">
          <b>{money(failed, currency)}</b> could not be sent. We try again; support knows about it.
        </Banner>
      )}
      {owed > 0 && (
        <Banner color="amber" icon="back">
          You owe <b>{money(owed, currency)}</b> from refunds and disputes. Your next payouts are reduced by it.
        </Banner>
      )}
    </>
  );
}

const STATUS: Readonly<Record<Statement['status'], readonly [string, string]>> = {
  paid: ['green', 'paid'],
  to_come: ['amber', 'to come'],
  part: ['amber', 'part to come'],
  failed: ['red', 'failed'],
};

interface WeeksProps {
  readonly weeks: readonly Statement[];
  readonly chosen: Statement;
  readonly address: AddressQuery;
}

function Weeks({ weeks, chosen, address }: WeeksProps): JSX.Element {
  return (
    <nav class="weeks" aria-label="Weeks">
      {weeks.map((week) => {
        const [color, word] = STATUS[week.status];
        return (
          <Link
            key={nameOf(week)}
            isWhole
            class=""
            to={address.hrefWith({ before: address.get('before'), week: nameOf(week), day: '' })}
            isCurrent={week === chosen}
          >
            <span>{rangeName(week.from, week.to)}</span>
            <b>{money(week.kept, week.currency)}</b>
            <span class="quiet">{count(week.checkouts, 'checkout')}</span>
            <span class={color}>{word}</span>
          </Link>
        );
      })}
    </nav>
  );
}

/** The parts of what the venue keeps; those that are seldom are named only when they are there. */
function whereItIs({ currency, paid_out, to_come, settled_debts, owed }: Statement): string {
  const parts = [`${money(paid_out, currency)} paid`, `${money(to_come, currency)} to come`];
  if (settled_debts !== 0) parts.push(`${money(settled_debts, currency)} settled what you owed`);
  if (owed !== 0) parts.push(`${money(-owed, currency)} owed`);
  return parts.join(', ');
}

function Week({ week, address }: { readonly week: Statement; readonly address: AddressQuery }): JSX.Element {
  const { currency } = week;
  const sums: readonly (readonly [string, string, number, string])[] = [
    ['', 'Guests paid', week.paid, count(week.guests, 'guest')],
    ['−', 'Our fee', week.fee, 'of what stays'],
    ['−', 'Refunded', week.refunded, ''],
    ...(week.lost_to_disputes > 0 ? [['−', 'Lost to disputes', week.lost_to_disputes, ''] as const] : []),
    ['=', 'Yours', week.kept, whereItIs(week)],
  ];
  return (
    <section class="week">
      <h2>
        {rangeName(week.from, week.to)} <span class="quiet">{count(week.checkouts, 'checkout')}</span>
      </h2>
      <dl class="stats sum">
        {sums.map(([sign, name, amount, note]) => (
          <div key={name} class="stat">
            <dt>{name}</dt>
            <dd class="figure">
              {sign !== '' && <span class="sign">{sign}</span>} {money(amount, currency)}
            </dd>
            <dd class="note">{note}</dd>
          </div>
        ))}
      </dl>
      <Days week={week} address={address} />
    </section>
  );
}
