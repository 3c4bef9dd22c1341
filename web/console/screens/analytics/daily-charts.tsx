// Views and bookings of each day, in two panels above one another instead of on two axes. The table below holds the same
// figures for screen readers.

import type { JSX } from 'preact';
import type { Analytics } from '../../../../sdk/src/types.gen.ts';
import { number } from '../../ui/format.ts';
import { Table } from '../../ui/parts.tsx';

type Day = Analytics['daily'][number];

const WIDTH = 1000;
const VIEWS_HEIGHT = 120;
const BOOKINGS_HEIGHT = 60;
const LEFT = 48;
const RIGHT = 120;

const label = (date: string): string =>
  new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(date));

/** The next round number: 1, 2, 5, 10, … */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

export function DailyCharts({ daily }: { readonly daily: readonly Day[] }): JSX.Element {
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, daily.length - 1);
  const x = (i: number): number => LEFT + i * step;
  const last = daily.at(-1);
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${VIEWS_HEIGHT + BOOKINGS_HEIGHT + 60}`} aria-hidden="true">
        <Views daily={daily} x={x} />
        <g transform={`translate(0 ${VIEWS_HEIGHT + 30})`}>
          <Bookings daily={daily} x={x} step={step} />
        </g>
        {daily.map(
          ({ date }, i) =>
            i % Math.max(1, Math.ceil(daily.length / 6)) === 0 && (
              <text key={date} x={x(i)} y={VIEWS_HEIGHT + BOOKINGS_HEIGHT + 52} text-anchor="middle">
                {label(date)}
              </text>
            ),
        )}
        <text class="name" x={WIDTH - RIGHT + 14} y={40}>
          Views
        </text>
        <text x={WIDTH - RIGHT + 14} y={58}>
          {number(last?.views ?? 0)} on the last day
        </text>
        <text class="name" x={WIDTH - RIGHT + 14} y={VIEWS_HEIGHT + 60}>
          Bookings
        </text>
        <text x={WIDTH - RIGHT + 14} y={VIEWS_HEIGHT + 78}>
          {number(last?.bookings ?? 0)} on the last day
        </text>
      </svg>
      <details class="as-table">
        <summary>As a table</summary>
        <Table caption="Each day" head={['Day', '>Views', '>Bookings']}>
          {daily.map(({ date, views, bookings }) => (
            <tr key={date}>
              <td>{label(date)}</td>
              <td class="number">{number(views)}</td>
              <td class="number">{number(bookings)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </>
  );
}

interface PanelProps {
  readonly daily: readonly Day[];
  readonly x: (i: number) => number;
}

function Views({ daily, x }: PanelProps): JSX.Element {
  const most = Math.max(0, ...daily.map(({ views }) => views));
  const top = roundUp(most);
  const y = (value: number): number => 20 + (VIEWS_HEIGHT - 20) * (1 - value / top);
  const points = daily.map(({ views }, i) => `${x(i).toFixed(1)},${y(views).toFixed(1)}`);
  const peak = daily.findIndex(({ views }) => views === most);
  return (
    <>
      {[0, top / 2, top].map((value) => (
        <g key={value}>
          <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            {number(value)}
          </text>
        </g>
      ))}
      {points.length > 0 && (
        <>
          <path class="area" d={`M${x(0)},${y(0)} L${points.join(' L')} L${x(daily.length - 1)},${y(0)}Z`} />
          <polyline class="line-1" points={points.join(' ')} />
        </>
      )}
      {most > 0 && (
        <>
          <circle class="peak" cx={x(peak)} cy={y(most)} r="4" />
          <text class="name" x={x(peak) + 8} y={y(most) - 6} text-anchor={peak > daily.length * 0.8 ? 'end' : 'start'}>
            {number(most)} on {label(daily[peak]?.date ?? '')}
          </text>
        </>
      )}
    </>
  );
}

function Bookings({ daily, x, step }: PanelProps & { readonly step: number }): JSX.Element {
  const most = Math.max(1, ...daily.map(({ bookings }) => bookings));
  const width = Math.max(2, Math.min(22, step * 0.7));
  return (
    <>
      <line class="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={BOOKINGS_HEIGHT} y2={BOOKINGS_HEIGHT} />
      <text x={LEFT - 8} y={BOOKINGS_HEIGHT + 4} text-anchor="end">
        0
      </text>
      <text x={LEFT - 8} y={12} text-anchor="end">
        {number(most)}
      </text>
      {daily.map(({ date, bookings }, i) => {
        const height = (BOOKINGS_HEIGHT * bookings) / most;
        return (
          <rect
            key={date}
            class="bar-2"
            x={x(i) - width / 2}
            width={width}
            y={BOOKINGS_HEIGHT - height}
            height={height}
            rx="2"
          />
        );
      })}
    </>
  );
}
