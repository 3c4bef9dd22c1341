// How an endpoint has answered: four figures, and the last 48 hours as bars with the worst hours named.

import type { JSX } from 'preact';
import type { EndpointHealth } from '../../client/types.gen.ts';
import { count, dateTime, number, time, zoneName } from '../../ui/format.ts';
import { Stat, Stats, Table } from '../../ui/parts.tsx';
import { reasonOf } from './delivery-words.ts';

type Hour = EndpointHealth['hours'][number];

const HOUR_MS = 3_600_000;
const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${(Math.floor((part / whole) * 1_000) / 10).toLocaleString('en-US')} %`;

export function Health({ health }: { readonly health: EndpointHealth }): JSX.Element {
  const delivered = health.first_try + health.late;
  const all = delivered + health.waiting + health.failed;
  return (
    <section class="health" aria-label="The last 48 hours">
      <Stats>
        <Stat
          label="Delivered, 48 hours"
          figure={percent(delivered, all)}
          note={`${number(delivered)} of ${count(all, 'event')}${health.is_complete ? '' : ', the newest'}`}
        />
        <Stat
          label="First try"
          figure={percent(health.first_try, delivered)}
          note={`${number(health.late)} needed more than one`}
        />
        <Stat
          label="Your answer time"
          figure={health.median_ms === null ? '–' : `${number(health.median_ms)} ms`}
          note={health.slow_ms === null ? 'no answer yet' : `median; slowest of 20: ${number(health.slow_ms)} ms`}
        />
        <Stat
          label="Waiting for a retry"
          figure={number(health.retrying)}
          note={
            health.oldest_waiting_at === null ? 'nothing waits' : `oldest since ${dateTime(health.oldest_waiting_at)}`
          }
        />
      </Stats>
      {all > 0 && <HealthChart health={health} />}
    </section>
  );
}

const troubleOf = ({ late, failed, waiting }: Hour): number => late + failed + waiting;
const totalOf = (hour: Hour): number => hour.first_try + troubleOf(hour);

interface Hours {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

/** The hours in a row with the most deliveries that did not succeed at once; null: there are none. */
function worstHours(hours: readonly Hour[]): Hours | null {
  const runs: Hours[] = [];
  let isRunning = false;
  for (const hour of hours) {
    const trouble = troubleOf(hour);
    if (trouble > 0) {
      const before = isRunning ? runs.pop() : undefined;
      const to = new Date(Date.parse(hour.at) + HOUR_MS).toISOString();
      runs.push({ from: before?.from ?? hour.at, to, count: (before?.count ?? 0) + trouble });
    }
    isRunning = trouble > 0;
  }
  return runs.sort((one, other) => other.count - one.count)[0] ?? null;
}

const HEIGHT = 72;
const STEP = 20;
const BAR = 16;
const LABEL_HOURS = 6;

function HealthChart({ health }: { readonly health: EndpointHealth }): JSX.Element {
  const { hours, common_failure: failure } = health;
  const highest = Math.max(1, ...hours.map(totalOf));
  const worst = worstHours(hours);
  const heightOf = (value: number): number => (value === 0 ? 0 : Math.max(2, (value / highest) * HEIGHT));
  return (
    <div class="health-chart">
      {worst !== null && (
        <p class="amber">
          <b>
            {number(worst.count)} not delivered at once, {time(worst.from)} to {time(worst.to)} {zoneName()}
            {failure !== null && `: ${reasonOf(failure.status, failure.error)}`}
          </b>
        </p>
      )}
      <svg
        viewBox={`0 0 ${hours.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Deliveries by hour; the table below has the figures"
      >
        {hours.map((hour, i) => {
          const [good, bad] = [heightOf(hour.first_try), heightOf(troubleOf(hour))];
          return (
            <g key={hour.at}>
              <rect class="bar-good" x={i * STEP + 2} y={HEIGHT - bad - good} width={BAR} height={good} />
              <rect class="bar-bad" x={i * STEP + 2} y={HEIGHT - bad} width={BAR} height={bad} />
            </g>
          );
        })}
      </svg>
      <div class="chart-labels" aria-hidden="true">
        {hours
          .filter((_, i) => i % LABEL_HOURS === 0)
          .map(({ at }) => (
            <span key={at}>{time(at).replace(':00', '')}</span>
          ))}
      </div>
      <details class="as-table">
        <summary>As a table</summary>
        <Table caption="Deliveries by hour" head={['Hour', '>First try', '>Later', '>Waiting', '>Failed']}>
          {hours
            .filter((hour) => totalOf(hour) > 0)
            .map((hour) => (
              <tr key={hour.at}>
                <td>{dateTime(hour.at)}</td>
                <td class="number">{number(hour.first_try)}</td>
                <td class="number">{number(hour.late)}</td>
                <td class="number">{number(hour.waiting)}</td>
                <td class="number">{number(hour.failed)}</td>
              </tr>
            ))}
        </Table>
      </details>
    </div>
  );
}
