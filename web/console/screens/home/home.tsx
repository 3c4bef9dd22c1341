// Home: the first steps until guests have paid a test checkout, afterwards what the money does and what needs a person.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { usePlace } from '../../session.ts';
import { Page, Shown } from '../../ui/parts.tsx';
import { FirstStepsPage, useFirstSteps } from './first-steps.tsx';
import { Overview } from './overview.tsx';

export default function HomeScreen(): JSX.Element {
  const { mode } = usePlace();
  return mode === 'live' ? <Overview steps={null} /> : <TestHome />;
}

function TestHome(): JSX.Element {
  // Who has begun the steps finishes them here, also the third.
  const [hasBegun, setBegun] = useState(false);
  // The overview shows what was read once.
  const steps = useFirstSteps(({ hold }) => hold.done && !hasBegun);
  const { data } = steps;
  if (data === undefined)
    return (
      <Page title="Home">
        <Shown loaded={steps}>{() => <div />}</Shown>
      </Page>
    );
  if (!data.hold.done && !hasBegun) setBegun(true);
  return data.hold.done && !hasBegun ? <Overview steps={data} /> : <FirstStepsPage steps={steps} />;
}
