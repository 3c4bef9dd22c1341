// Home of a venue that has begun: money now, what needs a person, how far checkouts come, 30 days, and what happened last.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Loaded, useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import { mayChangeCheckouts } from '../../client/rights.ts';
import type { ConsoleHome, FirstSteps } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { useKeys } from '../../shell/shortcuts.tsx';
import { Button, LinkButton } from '../../ui/controls.tsx';
import { count, longDay, money, time, zoneName } from '../../ui/format.ts';
import type { IconName } from '../../ui/icon.tsx';
import { Banner, Page, Shown, Stat, Stats } from '../../ui/parts.tsx';
import { NewCheckoutDialog } from '../checkouts/new-checkout-dialog.tsx';
import { Activity } from './activity.tsx';
import { Attention } from './attention.tsx';
import { DailyChart } from './daily-chart.tsx';
import { Funnel } from './funnel.tsx';

/** `steps` null: live mode, which has none. */
export function Overview({ steps }: { readonly steps: FirstSteps | null }): JSX.Element {
  const { venue, client } = usePlace();
  const [isNew, setNew] = useState(false);
  const home: Loaded<ConsoleHome> = useLoad(
    (signal) => client.console.getConsoleHome({ signal }),
    [client],
    POLLS.home.overview,
  );
  useApiCall({
    method: 'GET',
    path: '/v1/checkouts?status=collecting&limit=100',
    scope: 'checkouts:read',
    sdk: "everyshare.checkouts.list({ status: 'collecting', limit: 100 })",
    tool: { name: 'list_bookings', arguments: { status: 'collecting', limit: 100 } },
    reads: '/console/api/home',
  });
  const mayCreate = mayChangeCheckouts(venue.role);
  useKeys(mayCreate ? [{ key: 'c', name: 'new checkout', run: () => setNew(true) }] : []);
  return (
    <Page
      name="Home"
      title={longDay(Date.now())}
      lead={`${venue.name} · times in ${zoneName()}`}
      actions={
        mayCreate && (
          <Button icon="plus" shortcut="C" onClick={() => setNew(true)}>
            New checkout
          </Button>
        )
      }
    >
      {steps !== null && !steps.event.done && (
        <Banner color="blue" icon="bolt" action={<LinkButton to="/first-steps">Receive the event</LinkButton>}>
          Guests have paid a test checkout. One first step is left: receive its event.
        </Banner>
      )}
      <Shown loaded={home} lines={10}>
        {(data) => <HomeParts home={data} />}
      </Shown>
      {isNew && <NewCheckoutDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

const HomeParts = ({ home }: { readonly home: ConsoleHome }): JSX.Element => (
  <>
    <Figures home={home} />
    <div class="columns">
      <div>
        <Attention attention={home.attention} />
        <DailyChart home={home} />
      </div>
      <div>
        <Funnel funnel={home.funnel} />
        <Activity activity={home.activity} />
      </div>
    </div>
  </>
);

interface Sum {
  readonly currency: string;
  readonly amount: number;
}

interface FigureProps<T extends Sum> {
  readonly icon: IconName;
  readonly label: string;
  readonly sums: readonly T[];
  readonly noteOf: (sum: T) => string;
  readonly nothing: string;
}

/** The largest sum as the figure; those of other currencies in its note. */
function Figure<T extends Sum>({ icon, label, sums, noteOf, nothing }: FigureProps<T>): JSX.Element {
  const [first, ...others] = [...sums].sort((one, other) => other.amount - one.amount);
  const note = first === undefined ? nothing : noteOf(first);
  const rest = others.map(({ amount, currency }) => money(amount, currency));
  return (
    <Stat
      icon={icon}
      label={label}
      amount={first?.amount ?? 0}
      currency={first?.currency ?? 'usd'}
      note={[note, ...rest].join(' · ')}
    />
  );
}

const Figures = ({ home }: { readonly home: ConsoleHome }): JSX.Element => (
  <Stats>
    <Figure
      icon="lock"
      label="Held on cards"
      sums={home.held}
      noteOf={({ shares, checkouts }) =>
        `${count(shares, 'share')} in ${count(checkouts, 'checkout')}, not charged yet`
      }
      nothing="nothing is held now"
    />
    <Figure
      icon="tick"
      label="Completed today"
      sums={home.completed_today}
      noteOf={({ checkouts, guests }) => `${count(checkouts, 'checkout')} · ${count(guests, 'guest')}`}
      nothing="none yet today"
    />
    <Figure
      icon="bank"
      label="Paid out today"
      sums={home.paid_today}
      noteOf={({ payouts }) => `${count(payouts, 'payout')}${paidIn30Days(home)}`}
      nothing={`none yet today${paidIn30Days(home)}`}
    />
    <Figure
      icon="clock"
      label="On its way to you"
      sums={home.on_its_way}
      noteOf={({ payouts, next_at }) =>
        `${count(payouts, 'payout')}${next_at === null ? '' : `, next at ${time(next_at)}`}`
      }
      nothing="nothing waits"
    />
  </Stats>
);

/** The largest currency alone: the figures of a venue are nearly always of one. */
function paidIn30Days({ paid_30_days: [largest] }: ConsoleHome): string {
  return largest === undefined ? '' : ` · ${money(largest.amount, largest.currency)} in 30 days`;
}
