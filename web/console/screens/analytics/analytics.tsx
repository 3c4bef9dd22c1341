// What members did with the venue's experiences: funnel, days, and a table for each experience. Totals only, never a person.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Analytics } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { type AddressQuery, useAddressQuery } from '../../client/address-query.ts';
import { useLoad } from '../../client/load.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { saveFile } from '../../ui/download.ts';
import { day, money, number } from '../../ui/format.ts';
import { Empty, Failed, Page, Section, Shown, Table } from '../../ui/parts.tsx';
import { DailyCharts } from './daily-charts.tsx';

const DAY = 86_400_000;
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;
const PRESETS = [
  { days: 7, name: '7 days' },
  { days: 30, name: '30 days' },
  { days: 90, name: '90 days' },
  { days: 365, name: 'Year' },
] as const;

interface Range {
  readonly from: string;
  readonly to: string;
}

/** The end is exclusive; days are in UTC, as the API counts them. */
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const lastDays = (days: number): Range => ({ from: dayOf(Date.now() - (days - 1) * DAY), to: dayOf(Date.now() + DAY) });
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Undefined: the address names dates. What is wrong in it is no choice. */
function presetOf(address: AddressQuery): number | undefined {
  const [from, until] = [address.get('from'), address.get('until')];
  const isDates = [from, until].every((text) => DATE.test(text) && !Number.isNaN(Date.parse(text)));
  if (isDates && from <= until && lengthOf({ from, to: until }) < MAX_DAYS) return undefined;
  return PRESETS.find(({ days }) => String(days) === address.get('days'))?.days ?? DEFAULT_DAYS;
}

function rangeOf(address: AddressQuery): Range {
  const preset = presetOf(address);
  if (preset !== undefined) return lastDays(preset);
  return { from: address.get('from'), to: dayOf(Date.parse(address.get('until')) + DAY) };
}

const lengthOf = ({ from, to }: Range): number => (Date.parse(to) - Date.parse(from)) / DAY;

export default function AnalyticsScreen(): JSX.Element {
  const { client } = usePlace();
  const address = useAddressQuery();
  const range = rangeOf(address);
  const query = { from: `${range.from}T00:00:00Z`, to: `${range.to}T00:00:00Z` };
  const loaded = useLoad(
    (signal) => client.partner.analytics.retrieve(query, { signal }),
    [client, range.from, range.to],
  );
  useApiCall({
    method: 'GET',
    path: `/v1/analytics?from=${query.from}&to=${query.to}`,
    scope: 'analytics:read',
    sdk: `everyshare.analytics.retrieve(${JSON.stringify(query)})`,
    tool: { name: 'get_analytics', arguments: query },
    reads: `/v1/analytics?${new URLSearchParams(query)}`,
  });
  const csv = useAction(async () => {
    saveFile(`analytics-${range.from}.csv`, await client.partner.analytics.retrieveCsv(query));
  });
  return (
    <Page
      title="Analytics"
      lead="What members did with your experiences. Totals only, never a person. Test payments are left out."
      actions={
        <>
          <RangePicker key={`${range.from} ${range.to}`} range={range} address={address} />
          <Button icon="download" isBusy={csv.isBusy} onClick={() => void csv.run()}>
            CSV
          </Button>
        </>
      }
    >
      {csv.error !== undefined && <Failed error={csv.error} />}
      <Shown loaded={loaded} lines={10}>
        {(analytics) => <Figures analytics={analytics} />}
      </Shown>
    </Page>
  );
}

interface PickerProps {
  readonly range: Range;
  readonly address: AddressQuery;
}

function RangePicker({ range, address }: PickerProps): JSX.Element {
  const preset = presetOf(address);
  const [isOpen, setOpen] = useState(preset === undefined);
  const [from, setFrom] = useState(range.from);
  const [until, setUntil] = useState(dayOf(Date.parse(range.to) - DAY));
  const isFilled = from !== '' && until !== '';
  const chosen = { from, to: isFilled ? dayOf(Date.parse(until) + DAY) : '' };
  const problem = !isFilled
    ? 'Choose both days.'
    : from > until
      ? 'It ends before it begins.'
      : lengthOf(chosen) > MAX_DAYS
        ? `At most ${MAX_DAYS} days at once.`
        : null;
  return (
    <>
      <div class="tab-list" role="group" aria-label="Window">
        {PRESETS.map(({ days, name }) => (
          <button
            key={days}
            type="button"
            aria-pressed={!isOpen && preset === days}
            onClick={() => {
              setOpen(false);
              address.replace({ days: days === DEFAULT_DAYS ? '' : String(days), from: '', until: '' });
            }}
          >
            {name}
          </button>
        ))}
        <button type="button" aria-pressed={isOpen} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Dates…
        </button>
      </div>
      {isOpen && (
        <form
          class="dates"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (problem === null) address.replace({ days: '', from, until });
          }}
        >
          <TextField label="From" type="date" value={from} onInput={setFrom} />
          <TextField label="Until" type="date" value={until} onInput={setUntil} error={problem} />
          <Button type="submit" isDisabled={problem !== null}>
            Show
          </Button>
        </form>
      )}
    </>
  );
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const ratio = (part: number, whole: number): string => (whole === 0 ? '–' : percent(part / whole));
/** The API gives dollars. */
const dollars = (value: number): string => money(Math.round(value * 100), 'usd');

function Figures({ analytics }: { readonly analytics: Analytics }): JSX.Element {
  const { totals, daily, experiences } = analytics;
  if (totals.experiences === 0)
    return <Empty>Figures come after an experience of yours is approved and members look at it.</Empty>;
  return (
    <>
      <Funnel totals={totals} />
      <Section title="Each day" aside="Days in UTC">
        <DailyCharts daily={daily} />
      </Section>
      <Section
        title="Each experience"
        aside="People and starts count each person once, so the rows can come to more than the total."
      >
        <ExperienceTable experiences={experiences} totals={totals} />
      </Section>
    </>
  );
}

function Funnel({ totals }: { readonly totals: Analytics['totals'] }): JSX.Element {
  const { views, unique_viewers: people, booking_starts: starts, bookings } = totals;
  const bars: readonly (readonly [string, number, string])[] = [
    ['Views', views, 'of your pages'],
    ['People who looked', people, 'each person once'],
    ['Started booking', starts, `${ratio(starts, people)} of people`],
    ['Booked', bookings, `${ratio(bookings, starts)} of starts`],
  ];
  const rest: readonly (readonly [string, string])[] = [
    ['Booked value', dollars(totals.booked_value)],
    ['Guests', number(totals.guests)],
    ['Look to booking', percent(totals.view_to_booking_rate)],
    ['Came to the door', percent(totals.show_rate)],
    ['Saves', number(totals.saves)],
    ['Venue page views', number(totals.venue_page_views)],
  ];
  return (
    <div class="funnel">
      <dl class="stats">
        {bars.map(([name, value, note]) => (
          <div key={name} class="stat">
            <dt>{name}</dt>
            <dd class="figure">{number(value)}</dd>
            <dd class="note">{note}</dd>
            <dd class="bar" aria-hidden="true">
              <svg width="100%" height="40" preserveAspectRatio="none" viewBox="0 0 100 40">
                <rect x="0" width="100" y={40 - height(value, views)} height={height(value, views)} />
              </svg>
            </dd>
          </div>
        ))}
      </dl>
      <dl class="rest">
        {rest.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const height = (value: number, most: number): number =>
  most === 0 ? 0 : Math.max(value > 0 ? 1 : 0, (40 * value) / most);

interface ExperienceProps {
  readonly experiences: Analytics['experiences'];
  readonly totals: Analytics['totals'];
}

function ExperienceTable({ experiences, totals }: ExperienceProps): JSX.Element {
  const head = [
    'Experience',
    '-When',
    '->Views',
    '->People',
    '->Saves',
    '->Starts',
    '>Bookings',
    '->Look to booking',
    '->Guests',
    '>Booked value',
    '->Came',
  ];
  return (
    <Table
      caption="Each experience"
      head={head}
      foot={
        <tr>
          <td>Together</td>
          <td class="wide-only" />
          {[totals.views, totals.unique_viewers, totals.saves, totals.booking_starts].map((value, i) => (
            <td key={head[i + 2]} class="wide-only number">
              {number(value)}
            </td>
          ))}
          <td class="number">{number(totals.bookings)}</td>
          <td class="wide-only number">{percent(totals.view_to_booking_rate)}</td>
          <td class="wide-only number">{number(totals.guests)}</td>
          <td class="number">{dollars(totals.booked_value)}</td>
          <td class="wide-only number">{percent(totals.show_rate)}</td>
        </tr>
      }
    >
      {experiences.map((one) => (
        <tr key={one.experience_id}>
          <td>
            <b>{one.title}</b>
          </td>
          <td class="wide-only quiet">{day(one.starts_at)}</td>
          <td class="wide-only number">{number(one.views)}</td>
          <td class="wide-only number">{number(one.unique_viewers)}</td>
          <td class="wide-only number">{number(one.saves)}</td>
          <td class="wide-only number">{number(one.booking_starts)}</td>
          <td class="number">
            <b>{number(one.bookings)}</b>
          </td>
          <td class="wide-only number">{percent(one.view_to_booking_rate)}</td>
          <td class="wide-only number">{number(one.guests)}</td>
          <td class="number">{dollars(one.booked_value)}</td>
          <td class="wide-only number">
            {Date.parse(one.starts_at) > Date.now() ? 'to come' : ratio(one.checked_in, one.bookings)}
          </td>
        </tr>
      ))}
    </Table>
  );
}
