// One delivery: its tries, the last answer of the receiver, the event that was sent, and Resend.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Delivery } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import { mayDevelop } from '../../client/rights.ts';
import { usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { Button, Id, Link } from '../../ui/controls.tsx';
import { dateTime, span, timeWithSeconds, zoneName } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Json } from '../../ui/json.tsx';
import { Failed, Shown } from '../../ui/parts.tsx';
import { State } from '../../ui/states.tsx';
import { reasonOf, stateOf } from './delivery-words.ts';

interface Props {
  readonly delivery: Delivery;
  readonly closeHref: string;
  readonly canResend: boolean;
  readonly onChanged: () => Promise<void>;
}

export function OpenDelivery({ delivery, closeHref, canResend, onChanged }: Props): JSX.Element {
  const { venue } = usePlace();
  const [tab, setTab] = useState<'Answer' | 'Event sent'>('Answer');
  return (
    <section class="split-open delivery-box" aria-label="The open delivery">
      <p class="phone-only">
        <Link isWhole to={closeHref}>
          <Icon name="back" /> All deliveries
        </Link>
      </p>
      <header class="open-head">
        <div>
          <h2>
            <code>{delivery.type}</code>
          </h2>
          {delivery.sample ? (
            <Id id={delivery.event_id} />
          ) : (
            <>
              <Link to={`/events/${delivery.event_id}`}>See the event</Link> <Id id={delivery.event_id} />
            </>
          )}
        </div>
        {mayDevelop(venue.role) && canResend && !delivery.sample && (
          <Resend delivery={delivery} onChanged={onChanged} />
        )}
        <Link isWhole to={closeHref} class="button plain wide-only" label="Close the delivery">
          <Icon name="cross" />
        </Link>
      </header>
      <Tries delivery={delivery} />
      <div class="tab-list" role="group" aria-label="What to show">
        {(['Answer', ...(delivery.sample ? [] : ['Event sent'])] as ('Answer' | 'Event sent')[]).map((name) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {name}
          </button>
        ))}
      </div>
      {tab === 'Answer' ? <Answer delivery={delivery} /> : <EventSent id={delivery.event_id} />}
      {delivery.status !== 'delivered' && (
        <p class="hint">
          Tried for 72 hours in all, then kept here for 30 days. Nothing is lost: resend or recover it.
        </p>
      )}
    </section>
  );
}

/** Due at once, with another 72 hours. */
export function Resend({
  delivery,
  onChanged,
}: {
  readonly delivery: Delivery;
  readonly onChanged: () => Promise<void>;
}): JSX.Element {
  const { client } = usePlace();
  const resend = useAction(async () => {
    await client.partner.webhookEndpoints.redeliver(delivery.endpoint_id, delivery.id);
    showToast('It is sent again.');
    await onChanged();
  });
  return (
    <>
      {resend.error !== undefined && <Failed error={resend.error} />}
      <Button icon="turn" isBusy={resend.isBusy} onClick={() => void resend.run()}>
        Resend now
      </Button>
    </>
  );
}

function Tries({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const log = [...delivery.attempts_log].reverse();
  const next = delivery.next_attempt_at;
  return (
    <div class="tries">
      <header>
        <h3>Tries</h3>
        {next === null ? (
          <State kind="delivery" state={stateOf(delivery)} />
        ) : (
          <span class="state amber">
            <Icon name="clock" /> Next in {span(Date.parse(next) - Date.now())}, {timeWithSeconds(next)} {zoneName()}
          </span>
        )}
      </header>
      {log.length === 0 && <p class="quiet">Not tried yet.</p>}
      <ol>
        {log.map((attempt, i) => (
          <li key={attempt.at}>
            <span class="quiet">{delivery.attempts - i}</span>
            <time dateTime={attempt.at}>{dateTime(attempt.at)}</time>
            <span class={attempt.error === null ? 'state green' : 'state red'}>
              <Icon
                name={attempt.error === null ? 'tick' : 'refused'}
                label={attempt.error === null ? 'delivered' : 'failed'}
              />
              {attempt.status ?? attempt.error}
            </span>
            <span class="quiet">{attempt.duration_ms} ms</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Answer({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const { last_status: status, last_error: error, last_response: response } = delivery;
  if (status === null)
    return <p class="quiet">{error === null ? 'No answer yet.' : `No answer: ${reasonOf(status, error)}.`}</p>;
  return (
    <>
      <p class={error === null ? 'state green' : 'state red'}>
        <Icon name={error === null ? 'tick' : 'refused'} /> HTTP {status}
      </p>
      {response === null || response === '' ? (
        <p class="quiet">The answer had no body.</p>
      ) : (
        <Json label="Answer" value={response} />
      )}
    </>
  );
}

function EventSent({ id }: { readonly id: string }): JSX.Element {
  const { client } = usePlace();
  const event = useLoad((signal) => client.partner.events.retrieve(id, { signal }), [client, id]);
  return (
    <Shown loaded={event} lines={4}>
      {(found) => <Json label="Event sent" value={found} />}
    </Shown>
  );
}
