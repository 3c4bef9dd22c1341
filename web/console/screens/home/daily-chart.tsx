// What was completed on each of 30 days, in the venue's main currency: weekends darker, today in orange, the largest day named.

import type { JSX } from 'preact';
import type { ConsoleHome } from '../../client/types.gen.ts';
import { count, money } from '../../ui/format.ts';
import { Section, Table } from '../../ui/parts.tsx';

type Day = ConsoleHome['daily'][number];

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP] = [700, 190, 56, 66, 24];

export function DailyChart({ home }: { readonly home: ConsoleHome }): JSX.Element {
  const currency = home.daily[0]?.currency ?? 'usd';
  const days = home.daily.filter((one) => one.currency === currency);
  const total = home.completed_30_days.find((one) => one.currency === currency);
  return (
    <Section
      title={
        <>
          Completed, last 30 days <b class="sum">{money(total?.amount ?? 0, currency)}</b>{' '}
          <span class="quiet">{count(total?.checkouts ?? 0, 'checkout')}</span>
        </>
      }
      aside={
        <span class="chart-legend wide-only">
          <i class="weekend" /> weekend <i class="weekday" /> weekday
        </span>
      }
    >
      <Bars days={days} today={home.today} currency={currency} />
      <details class="as-table">
        <summary>As a table</summary>
        <Table caption="Completed on each day" head={['Day', '>Checkouts', '>Amount']}>
          {days.map(({ date, checkouts, amount }) => (
            <tr key={date}>
              <td>{nameOf(date)}</td>
              <td class="number">{checkouts}</td>
              <td class="number">{money(amount, currency)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </Section>
  );
}

/** A date without a time is the same day everywhere. */
const format = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));
const nameOf = (date: string): string => format(date, { month: 'short', day: 'numeric' });
const weekday = (date: string): string => format(date, { weekday: 'short' });

interface BarsProps {
  readonly days: readonly Day[];
  readonly today: string;
  readonly currency: string;
}

const GRID_LINES = 3;

/** The step between grid lines, so that three of them reach the largest day. */
function stepOf(most: number): number {
  const third = Math.max(100, most) / GRID_LINES;
  const power = 10 ** Math.floor(Math.log10(third));
  return ([1, 2, 3, 5, 10].find((factor) => factor * power >= third) ?? 10) * power;
}

/** `$3k`, `$150`: without cents. */
const short = (amount: number, currency: string): string =>
  money(amount, currency)
    .replace(/\.\d+$/, '')
    .replace(/,000$/, 'k');

function Bars({ days, today, currency }: BarsProps): JSX.Element {
  const most = Math.max(0, ...days.map(({ amount }) => amount));
  const step = stepOf(most);
  const y = (amount: number): number => TOP + (HEIGHT - TOP) * (1 - amount / (step * GRID_LINES));
  const width = (WIDTH - LEFT - RIGHT) / Math.max(1, days.length);
  const x = (i: number): number => LEFT + i * width;
  const largest = days.findIndex(({ amount, date }) => amount === most && amount > 0 && date !== today);
  const last = days.at(-1);
  return (
    <svg class="daily-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT + 26}`} aria-hidden="true">
      {Array.from({ length: GRID_LINES + 1 }, (_, i) => i * step).map((value) => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            {value === 0 ? '0' : short(value, currency)}
          </text>
        </g>
      ))}
      {days.map(({ date, amount }, i) => (
        <g key={date}>
          <rect
            class={date === today ? 'today' : /^S/.test(weekday(date)) ? 'weekend' : 'weekday'}
            x={x(i) + width * 0.1}
            width={width * 0.8}
            y={y(amount)}
            height={y(0) - y(amount)}
            rx="2"
          />
          {(days.length - 1 - i) % 7 === 0 && (
            <text x={x(i) + width / 2} y={HEIGHT + 18} text-anchor="middle">
              {date === today ? 'Today' : nameOf(date)}
            </text>
          )}
        </g>
      ))}
      {largest >= 0 && (
        <text class="name" x={x(largest) + width / 2} y={y(most) - 6} text-anchor="middle">
          {money(most, currency)} · {weekday(days[largest]?.date ?? '')}
        </text>
      )}
      {last !== undefined && last.date === today && (
        <>
          <text class="now" x={WIDTH - RIGHT + 6} y={Math.min(y(last.amount) + 4, y(0) - 16)}>
            {short(last.amount, currency)}
          </text>
          <text x={WIDTH - RIGHT + 6} y={Math.min(y(last.amount) + 20, y(0))}>
            so far
          </text>
        </>
      )}
    </svg>
  );
}
