// Payouts: weeks by completion, a statement whose lines add up, its days, and the checkouts of a day. Disputes beside it.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import type { Statement } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Button } from '../../ui/controls.tsx';
import { saveFile } from '../../ui/download.ts';
import { count, dateTime, money } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Banner, Empty, Failed, Page, Shown } from '../../ui/parts.tsx';
import { Days } from './days.tsx';
import { Disputes } from './disputes.tsx';
import { rangeName } from './range-name.ts';

export default function PayoutsScreen(): JSX.Element {
  const [tab, setTab] = useState<'payouts' | 'disputes'>(location.hash === '#disputes' ? 'disputes' : 'payouts');
  const { client } = usePlace();
  const weeks = useLoad(
    (signal) => client.console.listStatements({ period: 'week', limit: 26 }, { signal }).then(({ answer }) => answer),
    [client],
  );
  const [from, setFrom] = useState<string | null>(null);
  const chosen = weeks.data?.data.find((week) => `${week.from} ${week.currency}` === from) ?? weeks.data?.data[0];
  useApiCall({
    method: 'GET',
    path: '/v1/payouts?limit=50',
    scope: 'checkouts:read',
    sdk: 'everyshare.payouts.list({ limit: 50 })',
    reads: '/console/api/payouts?period=week&limit=26',
  });
  const csv = useAction(async () => {
    if (chosen === undefined) return;
    const text = await client.console.listPaidCheckoutsCsv({ from: chosen.from, to: chosen.to, limit: 100 });
    saveFile(`statement-${chosen.from}.csv`, text);
  });
  return (
    <Page
      title="Payouts"
      lead="Each completed checkout is paid out by the card processor’s schedule, less our fee."
      actions={
        tab === 'payouts' &&
        chosen !== undefined && (
          <Button icon="download" isBusy={csv.isBusy} onClick={() => void csv.run()}>
            CSV
          </Button>
        )
      }
    >
      <div class="chips" role="group" aria-label="What to show">
        <button type="button" aria-pressed={tab === 'payouts'} onClick={() => setTab('payouts')}>
          <Icon name="bank" /> Payouts
        </button>
        <button type="button" aria-pressed={tab === 'disputes'} onClick={() => setTab('disputes')}>
          <Icon name="flag" /> Disputes
        </button>
      </div>
      {csv.error !== undefined && <Failed error={csv.error} />}
      {tab === 'disputes' ? (
        <Disputes />
      ) : (
        <Shown loaded={weeks}>
          {({ data, balance }) => (
            <>
              {balance.map((one) => (
                <Balance key={one.currency} {...one} />
              ))}
              {chosen === undefined ? (
                <Empty>The first payout comes after your first completed checkout.</Empty>
              ) : (
                <div class="split">
                  <Weeks weeks={data} chosen={chosen} onChoose={setFrom} />
                  <Week key={`${chosen.from} ${chosen.currency}`} week={chosen} />
                </div>
              )}
            </>
          )}
        </Shown>
      )}
    </Page>
  );
}

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
  readonly onChoose: (from: string) => void;
}

function Weeks({ weeks, chosen, onChoose }: WeeksProps): JSX.Element {
  return (
    <nav class="weeks" aria-label="Weeks">
      {weeks.map((week) => {
        const [color, word] = STATUS[week.status];
        return (
          <button
            key={`${week.from} ${week.currency}`}
            type="button"
            aria-pressed={week === chosen}
            onClick={() => onChoose(`${week.from} ${week.currency}`)}
          >
            <span>{rangeName(week.from, week.to)}</span>
            <b>{money(week.kept, week.currency)}</b>
            <span class="quiet">{count(week.checkouts, 'checkout')}</span>
            <span class={color}>{word}</span>
          </button>
        );
      })}
    </nav>
  );
}

function Week({ week }: { readonly week: Statement }): JSX.Element {
  const { currency } = week;
  const sums: readonly (readonly [string, string, number, string])[] = [
    ['', 'Guests paid', week.paid, count(week.guests, 'guest')],
    ['−', 'Our fee', week.fee, 'of what stays'],
    ['−', 'Refunded', week.refunded, ''],
    ...(week.lost_to_disputes > 0 ? [['−', 'Lost to disputes', week.lost_to_disputes, ''] as const] : []),
    ['=', 'Yours', week.kept, `${money(week.paid_out, currency)} paid, ${money(week.to_come, currency)} to come`],
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
      <Days week={week} />
    </section>
  );
}
