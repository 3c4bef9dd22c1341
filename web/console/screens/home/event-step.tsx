// The third step: receive the event, with `listen` on the person's own machine or with the built-in inbox.

import type { JSX } from 'preact';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import { POLLS } from '../../client/polls.ts';
import { mayChangeCheckouts, mayDevelop } from '../../client/rights.ts';
import { usePlace } from '../../session.ts';
import { Button, Copy, Link } from '../../ui/controls.tsx';
import { dateTime, timeWithSeconds } from '../../ui/format.ts';
import { Failed, Shown } from '../../ui/parts.tsx';
import { type StepProps, useFirstCheckout } from './key-step.tsx';
import { Step } from './step.tsx';
import { payByTestGuests } from './test-guests.ts';

const LISTEN = 'npx everyshare listen --forward-to http://localhost:3000/hooks/everyshare';
const MAX_MESSAGES = 8;

const VIA = { endpoint: 'by your endpoint', inbox: 'by the built-in inbox', stream: 'by listen' } as const;

export function EventStep({ data, reload, isCurrent }: StepProps): JSX.Element {
  const { venue, client } = usePlace();
  const { done, at, event_id, via, is_listening } = data.event;
  const inbox = useAction(async () => {
    await client.console.createTestInbox();
    await reload();
  });
  return (
    <Step
      number={3}
      title="Receive the event"
      isDone={done}
      isCurrent={isCurrent}
      aside={
        done && event_id !== null ? (
          <>
            <Link to={`/events/${event_id}`}>checkout.completed</Link> received {via === null ? '' : VIA[via]}
            {at !== null && `, ${dateTime(at)}`}
          </>
        ) : (
          <>
            ticks when <code>checkout.completed</code> is delivered
          </>
        )
      }
    >
      {inbox.error !== undefined && <Failed error={inbox.error} />}
      {!done && (
        <div class="line">
          <input type="text" readOnly aria-label="The command that receives events" class="mono" value={LISTEN} />
          <Copy text={LISTEN} label="Copy the command">
            Copy
          </Copy>
          {data.inbox === null && mayDevelop(venue.role) && (
            <>
              <span class="quiet">or</span>
              <Button icon="bolt" isBusy={inbox.isBusy} onClick={() => void inbox.run()}>
                Use the built-in inbox
              </Button>
            </>
          )}
        </div>
      )}
      {!done && is_listening && <p class="quiet">A program listens now. The event comes when a checkout completes.</p>}
      {!done && data.hold.done && (data.inbox !== null || is_listening) && <Another reload={reload} />}
      {data.inbox !== null && <Inbox />}
    </Step>
  );
}

/** The first checkout may have completed before anything listened. */
function Another({ reload }: Pick<StepProps, 'reload'>): JSX.Element | null {
  const { venue, client } = usePlace();
  const body = useFirstCheckout(`bk-${Date.now().toString(36)}`);
  const run = useAction(async () => {
    const { id } = await client.partner.checkouts.create(body);
    await payByTestGuests(client.partner, id, reload);
  });
  if (!mayChangeCheckouts(venue.role)) return null;
  return (
    <div class="line">
      {run.error !== undefined && <Failed error={run.error} />}
      <Button isBusy={run.isBusy} icon="people" onClick={() => void run.run()}>
        Complete another test checkout
      </Button>
      <span class="quiet">Events are sent to what listens when they happen.</span>
    </div>
  );
}

function Inbox(): JSX.Element {
  const { client } = usePlace();
  const inbox = useLoad(
    (signal) => client.console.getTestInbox({ limit: MAX_MESSAGES }, { signal }),
    [client],
    POLLS.firstSteps.inbox,
  );
  return (
    <Shown loaded={inbox} lines={2}>
      {({ messages }) =>
        messages.length === 0 ? (
          <p class="quiet" role="status">
            The inbox listens. Nothing has come yet.
          </p>
        ) : (
          <ul class="inbox" aria-label="Received events">
            {messages.map(({ event_id, type, received_at, body }) => (
              <li key={event_id}>
                <details>
                  <summary>
                    <code>{type}</code>
                    <span class="quiet">signature verified</span>
                    <time datetime={received_at}>{timeWithSeconds(received_at)}</time>
                  </summary>
                  <pre tabIndex={0}>{pretty(body)}</pre>
                </details>
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  );
}

const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);
