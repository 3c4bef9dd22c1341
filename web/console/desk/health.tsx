// Health: the queues of the worker and their oldest entry, endpoints, senders, the processor, and the versions that run.

import type { JSX } from 'preact';
import { useLoad } from '../client/load.ts';
import { DESK_POLLS } from '../client/polls.ts';
import type { DeskHealth as Health } from '../client/types.gen.ts';
import { count, dateTime, number, span, time, words } from '../ui/format.ts';
import { Empty, Page, Section, Shown, Stat, Stats, Table } from '../ui/parts.tsx';
import { Chip } from '../ui/states.tsx';
import { useCommand } from './frame.tsx';
import { desk } from './session.ts';

export default function HealthScreen(): JSX.Element {
  const loaded = useLoad((signal) => desk.deskHealth({ signal }), [], DESK_POLLS.health);
  useCommand('npx everyshare doctor');
  return (
    <Page title="Health" lead="What waits, what fails, and which versions run. Read again every 15 seconds.">
      <Shown loaded={loaded}>
        {(health) => (
          <>
            <Stats>
              <Stat
                icon="tick"
                label="All together"
                figure={WORDS[health.status]}
                note={`as of ${time(health.computed_at)}`}
              />
              <Stat
                icon="lines"
                label="Review queue"
                figure={number(health.review.waiting)}
                note={health.review.waiting === 0 ? 'empty' : `oldest ${ageOf(health.review.oldest_age_seconds)}`}
              />
              <Stat
                icon="hook"
                label="Endpoints failing"
                figure={number(health.endpoints.failing)}
                note={`${health.endpoints.active} active, ${health.endpoints.disabled} disabled`}
              />
              <Stat
                icon="code"
                label="Schema"
                figure={String(health.schema.version)}
                note={
                  health.schema.version === health.schema.expected
                    ? 'as expected'
                    : `expected ${health.schema.expected}`
                }
              />
            </Stats>
            <Queues health={health} />
            <Senders health={health} />
            <Processes health={health} />
          </>
        )}
      </Shown>
    </Page>
  );
}

type Status = Health['status'] | 'unknown';

const WORDS: Readonly<Record<Status, string>> = {
  ok: 'works',
  attention: 'look at it',
  failing: 'fails',
  unknown: 'not known',
};

const ageOf = (seconds: number): string => span(seconds * 1_000);

function StatusChip({ status }: { readonly status: Status }): JSX.Element {
  const [color, icon] = (
    {
      ok: ['green', 'tick'],
      attention: ['amber', 'warning'],
      failing: ['red', 'alert'],
      unknown: ['neutral', 'ring'],
    } as const
  )[status];
  return (
    <Chip color={color} icon={icon}>
      {WORDS[status]}
    </Chip>
  );
}

interface PartProps {
  readonly health: Health;
}

/** Those that wait first; the others are one line. */
function Queues({ health: { queues } }: PartProps): JSX.Element {
  const waiting = queues.filter((queue) => queue.waiting > 0 || queue.status !== 'ok');
  return (
    <Section title="Queues" aside={<span class="quiet">{count(queues.length - waiting.length, 'queue')} empty</span>}>
      {waiting.length === 0 ? (
        <Empty>Nothing waits.</Empty>
      ) : (
        <Table caption="Queues" head={['Queue', '>Waiting', '-Oldest', 'State']}>
          {waiting.map((queue) => (
            <tr key={queue.name}>
              <td>{words(queue.name.replaceAll('-', '_'))}</td>
              <td class="number">
                {number(queue.waiting)}
                {queue.is_capped && '+'}
              </td>
              <td class="wide-only quiet">{queue.waiting === 0 ? '–' : ageOf(queue.oldest_age_seconds)}</td>
              <td>
                <StatusChip status={queue.status} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

function Senders({ health: { senders, processors, checks } }: PartProps): JSX.Element {
  return (
    <Section title="Senders, processor and checks">
      <Table caption="Senders, processor and checks" head={['What', '-Last', '-Note', 'State']}>
        {senders.map((sender) => (
          <tr key={sender.kind}>
            <td>
              {words(sender.kind)} <span class="quiet">by {sender.sender}</span>
            </td>
            <td class="wide-only quiet">{sender.last_sent_at === null ? 'never' : dateTime(sender.last_sent_at)}</td>
            <td class="wide-only quiet">
              {sender.sent_last_hour} sent, {sender.failed_last_hour} failed in an hour; {sender.waiting} wait
              {sender.last_error !== null && `; ${sender.last_error}`}
            </td>
            <td>
              <StatusChip status={sender.status} />
            </td>
          </tr>
        ))}
        {processors.map((processor) => (
          <tr key={processor.mode}>
            <td>
              Processor{' '}
              <span class="quiet">
                {processor.name}, {processor.mode}
              </span>
            </td>
            <td class="wide-only quiet">
              {processor.last_success_at === null ? 'never' : dateTime(processor.last_success_at)}
            </td>
            <td class="wide-only quiet">{processor.last_failure ?? '–'}</td>
            <td>
              <StatusChip status={processor.status} />
            </td>
          </tr>
        ))}
        {checks.map((check) => (
          <tr key={`${check.name} ${check.mode}`}>
            <td>
              {words(check.name)} <span class="quiet">{check.mode}</span>
            </td>
            <td class="wide-only quiet">{check.at === null ? 'never' : dateTime(check.at)}</td>
            <td class="wide-only quiet">{check.at === null ? '–' : count(check.differences ?? 0, 'difference')}</td>
            <td>
              <StatusChip status={check.status} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

function Processes({ health: { processes } }: PartProps): JSX.Element {
  return (
    <Section title="Servers and workers">
      {processes.length === 0 ? (
        <Empty>No process has reported in the last minute.</Empty>
      ) : (
        <Table caption="Servers and workers" head={['Role', '-Host', 'Version', '-Since', '-Seen']}>
          {processes.map((one) => (
            <tr key={one.id}>
              <td>{one.role}</td>
              <td class="wide-only">{one.host}</td>
              <td>
                {one.version}
                {!one.is_current && <span class="chip amber">another version</span>}
              </td>
              <td class="wide-only quiet">{dateTime(one.started_at)}</td>
              <td class="wide-only quiet">{dateTime(one.seen_at)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
