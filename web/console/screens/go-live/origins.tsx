// The live origins: where guests may return to, and whose pages may use publishable live keys.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { usePlace } from '../../session.ts';
import { Button, Link, TextField } from '../../ui/controls.tsx';
import { Failed } from '../../ui/parts.tsx';
import { isDone, Step, type StepProps } from './step.tsx';

export function OriginsStep({ goLive, onChanged }: StepProps): JSX.Element {
  const { venue, client } = usePlace();
  const [origin, setOrigin] = useState('');
  const add = useAction(async () => {
    await client.console.addOrigin({ origin: origin.trim(), mode: 'live' });
    setOrigin('');
    onChanged();
  });
  const other = add.otherProblem(['/origin']);
  const done = isDone(goLive, 'origins');
  const mayChange = venue.role === 'owner' || venue.role === 'developer';
  return (
    <Step
      isDone={done}
      title="Name your live website"
      note={done ? `guests may return to ${goLive.origins.join(', ')}` : 'guests return there after they have paid'}
      aside={done && <Link to="/origins">Add another</Link>}
    >
      {!done && !mayChange && <p class="quiet">An owner or a developer does this.</p>}
      {!done && mayChange && (
        <form
          class="form inline"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void add.run();
          }}
        >
          {other !== undefined && <Failed error={other} />}
          <TextField
            label="Origin"
            type="url"
            value={origin}
            onInput={setOrigin}
            placeholder="https://covepine.example"
            hint="Scheme and host alone, with https."
            error={add.problemAt('/origin')}
          />
          <Button kind="primary" type="submit" isBusy={add.isBusy}>
            Add it
          </Button>
        </form>
      )}
    </Step>
  );
}
