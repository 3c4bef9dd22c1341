// The first step: the test key, a call to paste with the key in it, and the request when it comes.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckoutCreate } from '../../../../sdk/src/types.gen.ts';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import { mayChangeCheckouts, mayDevelop } from '../../client/rights.ts';
import { keepTestKey, testKeys } from '../../client/test-keys.ts';
import type { FirstSteps } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { Button, Copy, Link } from '../../ui/controls.tsx';
import { dateTime } from '../../ui/format.ts';
import { Failed } from '../../ui/parts.tsx';
import { Chip } from '../../ui/states.tsx';
import { forgetNewKeys, newKeys } from '../new-keys.ts';
import { firstCall, firstCheckout, LANGUAGES, type Language } from './first-call.ts';
import { RefusedRequest } from './refused-request.tsx';
import { Step } from './step.tsx';

export interface StepProps {
  readonly data: FirstSteps;
  readonly reload: () => Promise<void>;
  readonly isCurrent: boolean;
}

/** The origin of a sandbox venue, until another is registered. */
const SANDBOX_ORIGIN = 'https://example.com';

export function useFirstCheckout(bookingId: string): CheckoutCreate {
  const { client } = usePlace();
  const origins = useLoad((signal) => client.console.listOrigins({ signal }).then(({ data }) => data), [client]);
  return firstCheckout(origins.data?.find(({ mode }) => mode === 'test')?.origin ?? SANDBOX_ORIGIN, bookingId);
}

export function KeyStep({ data, reload, isCurrent }: StepProps): JSX.Element {
  const { request } = data;
  if (request.done)
    return (
      <Step
        number={1}
        title="Your test key"
        isDone
        isCurrent={false}
        aside={
          <>
            <Chip color="green" icon="check">
              201
            </Chip>{' '}
            <code>POST /v1/checkouts</code>{' '}
            {request.key === null ? 'from the console' : `with ${request.key.name ?? 'your key'}`}
            {request.at !== null && `, ${dateTime(request.at)}`}
          </>
        }
      />
    );
  return (
    <Step number={1} title="Your test key" isDone={false} isCurrent={isCurrent} aside="ticks with your first request">
      <KeyAndCall reload={reload} />
    </Step>
  );
}

function KeyAndCall({ reload }: Pick<StepProps, 'reload'>): JSX.Element {
  const { venue, client } = usePlace();
  const [made, setMade] = useState<string | null>(null);
  const isFirst = newKeys.value?.venue_id === venue.id;
  const shownOnce = made ?? (isFirst ? newKeys.value?.secret_test : null) ?? null;
  const key = shownOnce ?? testKeys()[venue.id] ?? null;
  const store = (): void => {
    setMade(null);
    if (isFirst) forgetNewKeys();
  };
  const body = useFirstCheckout('bk-1');
  const make = useAction(async () => {
    const created = await client.console.createKey({ kind: 'secret', name: 'First steps' });
    keepTestKey(venue.id, created.key);
    setMade(created.key);
  });
  const send = useAction(async () => {
    await client.partner.checkouts.create(body);
    await reload();
  });
  return (
    <>
      {make.error !== undefined && <Failed error={make.error} />}
      {key !== null && <KeyField value={key} isNew={shownOnce !== null} onStored={store} />}
      {key === null && mayDevelop(venue.role) && (
        <p class="line">
          <Button kind="primary" icon="key" isBusy={make.isBusy} onClick={() => void make.run()}>
            Make a test key
          </Button>
          <span class="quiet">This browser has none of your test keys: they are shown once.</span>
        </p>
      )}
      <FirstCall value={key} isMasked={shownOnce === null} body={body} />
      {send.error !== undefined && <Failed error={send.error} />}
      <RefusedRequest />
      <div class="waiting-line">
        <span class="pulse" aria-hidden="true" />
        <p role="status">
          <b>Waiting for your first request…</b>{' '}
          <span>Run it in a terminal: this page sees it within two seconds.</span>
        </p>
        {mayChangeCheckouts(venue.role) && (
          <Button kind="quiet" isBusy={send.isBusy} onClick={() => void send.run()}>
            Send it for me
          </Button>
        )}
      </div>
    </>
  );
}

const masked = (key: string): string => `${key.slice(0, 'svc_test_'.length)}…${key.slice(-4)}`;

interface KeyFieldProps {
  readonly value: string;
  readonly isNew: boolean;
  readonly onStored: () => void;
}

/** Whole while it is new, and masked after it was stored. */
function KeyField({ value, isNew, onStored }: KeyFieldProps): JSX.Element {
  return (
    <div class="line">
      <input type="text" readOnly aria-label="Your test key" class="mono" value={isNew ? value : masked(value)} />
      <Copy text={value} label="Copy the key">
        Copy
      </Copy>
      {isNew && <Button onClick={onStored}>I’ve stored it</Button>}
      {isNew && (
        <Chip color="amber" icon="eye">
          Shown once: copy it now
        </Chip>
      )}
    </div>
  );
}

interface FirstCallProps {
  /** Null: this browser has none. */
  readonly value: string | null;
  /** What was masked stays masked: the key is in what is copied, and not in what is shown. */
  readonly isMasked: boolean;
  readonly body: CheckoutCreate;
}

function FirstCall({ value, isMasked, body }: FirstCallProps): JSX.Element {
  const [language, setLanguage] = useState<Language>('curl');
  const text = firstCall(language, value ?? '$EVERYSHARE_KEY', body);
  const shown = value !== null && isMasked ? firstCall(language, masked(value), body) : text;
  return (
    <div class="call">
      <header>
        <div class="tab-list" role="group" aria-label="Language">
          {LANGUAGES.map((name) => (
            <button key={name} type="button" aria-pressed={name === language} onClick={() => setLanguage(name)}>
              {name}
            </button>
          ))}
        </div>
        <span class="quiet wide-only">
          {value !== null ? 'your key is already in the copy' : <Link to="/keys">make a key, and it is put in</Link>}
        </span>
        <Copy text={text} label="Copy the call">
          Copy
        </Copy>
      </header>
      <pre tabIndex={0}>{shown}</pre>
    </div>
  );
}
