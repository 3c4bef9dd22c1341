// The first steps of a newcomer: a key and a first call, pay as a guest, receive the event. Each ticks itself off when the real
// thing happens.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Loaded, useLoad } from '../../client/load.ts';
import { NEVER, POLLS } from '../../client/polls.ts';
import type { FirstSteps } from '../../client/types.gen.ts';
import { usePlace } from '../../session.ts';
import { useApiCall } from '../../shell/api-line.tsx';
import { LinkButton } from '../../ui/controls.tsx';
import { Banner, Page, Shown } from '../../ui/parts.tsx';
import { EventStep } from './event-step.tsx';
import { KeyStep, useFirstCheckout } from './key-step.tsx';
import { PayStep } from './pay-step.tsx';

const STEPS = 3;

/** Read again and again until all are done, or while `isEnough` does not say that what was read is enough. */
export function useFirstSteps(isEnough: (steps: FirstSteps) => boolean = () => false): Loaded<FirstSteps> {
  const { client } = usePlace();
  const [isDone, setDone] = useState(false);
  const steps = useLoad(
    (signal) => client.console.getFirstSteps({ signal }),
    [client],
    isDone ? NEVER : POLLS.firstSteps.steps,
  );
  useEffect(
    () => setDone(steps.data !== undefined && (steps.data.done === STEPS || isEnough(steps.data))),
    [steps.data],
  );
  return steps;
}

export default function FirstStepsScreen(): JSX.Element {
  return <FirstStepsPage steps={useFirstSteps()} />;
}

export function FirstStepsPage({ steps }: { readonly steps: Loaded<FirstSteps> }): JSX.Element {
  const checkoutId = steps.data?.hold.checkout?.id;
  const body = useFirstCheckout('bk-1');
  useApiCall(
    checkoutId === undefined
      ? {
          method: 'POST',
          path: '/v1/checkouts',
          body,
          scope: 'checkouts:write',
          sdk: `everyshare.checkouts.create(${JSON.stringify(body, null, 2)})`,
          reads: '/console/api/first_steps',
        }
      : {
          method: 'POST',
          path: `/v1/test_helpers/checkouts/${checkoutId}/complete`,
          scope: 'none: test keys alone',
          sdk: `everyshare.testHelpers.checkouts.complete('${checkoutId}')`,
        },
  );
  return (
    <Page
      title="Take your first group payment"
      lead="Three steps. Each ticks itself off when the real thing happens."
      isNarrow
      actions={steps.data !== undefined && <Progress done={steps.data.done} />}
    >
      <Shown loaded={steps} lines={8}>
        {(data) => <Steps data={data} reload={steps.reload} />}
      </Shown>
    </Page>
  );
}

const BAR = 90;

const Progress = ({ done }: { readonly done: number }): JSX.Element => (
  <span class="progress" role="status">
    <svg width={BAR} height="6" viewBox={`0 0 ${BAR} 6`} aria-hidden="true">
      <rect class="rest" width={BAR} height="6" rx="3" />
      <rect class="done" width={(BAR * done) / STEPS} height="6" rx="3" />
    </svg>
    {done} of {STEPS}
  </span>
);

interface StepsProps {
  readonly data: FirstSteps;
  readonly reload: () => Promise<void>;
}

function Steps({ data, reload }: StepsProps): JSX.Element {
  const current = !data.request.done ? 1 : !data.hold.done ? 2 : data.event.done ? 0 : 3;
  const common = { data, reload };
  return (
    <>
      {data.done === STEPS && (
        <Banner
          color="green"
          icon="tick"
          action={
            <LinkButton to="/checkouts" kind="primary">
              See your checkouts
            </LinkButton>
          }
        >
          A test checkout is paid by its guests, and your side received its event. That is the whole of it.
        </Banner>
      )}
      <ol class="steps">
        <KeyStep {...common} isCurrent={current === 1} />
        <PayStep {...common} isCurrent={current === 2} />
        <EventStep {...common} isCurrent={current === 3} />
      </ol>
    </>
  );
}
