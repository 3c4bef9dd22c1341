// The origins of the venue's own pages, for each mode: checkouts return to them, and publishable keys work from them.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../client/action.ts';
import { useAddressQuery } from '../client/address-query.ts';
import { useLoad } from '../client/load.ts';
import { mayDevelop } from '../client/rights.ts';
import type { VenueOrigin } from '../client/types.gen.ts';
import { usePlace } from '../session.ts';
import { showToast } from '../shell/announce.tsx';
import { useApiCall } from '../shell/api-line.tsx';
import { Button, Copy, Link, TextField } from '../ui/controls.tsx';
import type { Columns } from '../ui/csv.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ListCsvButton } from '../ui/list-csv-button.tsx';
import { Failed, Page, Section, Shown, Table } from '../ui/parts.tsx';
import { contains, SearchField } from '../ui/search-field.tsx';

type Mode = VenueOrigin['mode'];

const COLUMNS: Columns<VenueOrigin> = [
  ['mode', ({ mode }) => mode],
  ['origin', ({ origin }) => origin],
];

export default function OriginsScreen(): JSX.Element {
  const { client, mode } = usePlace();
  const address = useAddressQuery();
  const origins = useLoad((signal) => client.console.listOrigins({ signal }).then(({ data }) => data), [client]);
  useApiCall({ method: 'GET', path: '/console/api/origins' });
  const other: Mode = mode === 'live' ? 'test' : 'live';
  const isShown = ({ origin }: VenueOrigin): boolean => contains(address.get('q'), [origin]);
  return (
    <Page
      title="Origins"
      lead="Where your pages are. Guests return to these addresses, and publishable keys work from them alone."
      isNarrow
      actions={
        origins.data !== undefined &&
        origins.data.length > 0 && (
          <ListCsvButton name="origins" columns={COLUMNS} rows={() => (origins.data ?? []).filter(isShown)} />
        )
      }
    >
      <Shown loaded={origins} lines={4}>
        {(list) => (
          <>
            {list.length > 0 && <SearchField address={address} placeholder="Address" />}
            {[mode, other].map((one) => (
              <OriginsOf
                key={one}
                mode={one}
                list={list.filter((origin) => origin.mode === one)}
                isShown={isShown}
                onChanged={origins.reload}
              />
            ))}
          </>
        )}
      </Shown>
    </Page>
  );
}

interface OriginsProps {
  readonly mode: Mode;
  readonly list: readonly VenueOrigin[];
  /** Whether the search finds it. */
  readonly isShown: (origin: VenueOrigin) => boolean;
  readonly onChanged: () => Promise<void>;
}

function OriginsOf({ mode, list, isShown, onChanged }: OriginsProps): JSX.Element {
  const { venue } = usePlace();
  const [removed, setRemoved] = useState<string | null>(null);
  const mayChange = mayDevelop(venue.role);
  const name = mode === 'live' ? 'Live' : 'Test';
  const found = list.filter(isShown);
  return (
    <Section title={name} aside={mode === 'live' ? 'https only' : 'https, and http for localhost'}>
      {list.length === 0 ? (
        <p class="quiet">
          No {mode} origin yet.{' '}
          {mode === 'live' && !venue.linked && (
            <>
              It is one of the steps to <Link to="/go-live">go live</Link>.
            </>
          )}
        </p>
      ) : found.length === 0 ? (
        <p class="quiet">No {mode} origin matches the search.</p>
      ) : (
        <Table caption={`${name} origins`} head={['Origin', '']}>
          {found.map(({ origin }) => (
            <tr key={origin}>
              <td>
                <code>{origin}</code> <Copy text={origin} label={`Copy ${origin}`} />
              </td>
              <td class="row-actions">
                {mayChange && (
                  <Button kind="quiet" label={`Remove ${origin} from ${mode}`} onClick={() => setRemoved(origin)}>
                    Remove
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {mayChange && <AddOrigin mode={mode} onChanged={onChanged} />}
      {removed !== null && (
        <RemoveDialog
          mode={mode}
          origin={removed}
          onClose={async (isChanged) => {
            setRemoved(null);
            if (isChanged) await onChanged();
          }}
        />
      )}
    </Section>
  );
}

function AddOrigin({ mode, onChanged }: Pick<OriginsProps, 'mode' | 'onChanged'>): JSX.Element {
  const { client } = usePlace();
  const [origin, setOrigin] = useState('');
  const add = useAction(async () => {
    const added = await client.console.addOrigin({ origin: origin.trim(), mode });
    showToast(`${added.origin} is added to ${mode}.`);
    setOrigin('');
    await onChanged();
  });
  const other = add.otherProblem(['/origin', '/mode']);
  return (
    <form
      class="add-line"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void add.run();
      }}
    >
      {other !== undefined && <Failed error={other} />}
      <TextField
        label={`Add a ${mode} origin`}
        value={origin}
        onInput={setOrigin}
        placeholder={mode === 'live' ? 'https://www.your-venue.com' : 'http://localhost:3000'}
        inputMode="url"
        error={add.problemAt('/origin') ?? add.problemAt('/mode')}
      />
      <Button type="submit" icon="plus" isBusy={add.isBusy}>
        Add
      </Button>
    </form>
  );
}

function RemoveDialog({
  mode,
  origin,
  onClose,
}: {
  readonly mode: Mode;
  readonly origin: string;
  readonly onClose: (isChanged: boolean) => Promise<void>;
}): JSX.Element {
  const { client } = usePlace();
  const remove = useAction(async () => {
    await client.console.removeOrigin({ origin, mode });
    showToast(`${origin} is removed from ${mode}.`);
    await onClose(true);
  });
  return (
    <Dialog
      title={`Remove ${origin}?`}
      onClose={() => void onClose(false)}
      onSubmit={() => void remove.run()}
      note="You can add it again."
      buttons={
        <>
          <Button onClick={() => void onClose(false)}>Cancel</Button>
          <Button kind="danger" type="submit" isBusy={remove.isBusy}>
            Remove the origin
          </Button>
        </>
      }
    >
      {remove.error !== undefined && <Failed error={remove.error} />}
      <p>
        New {mode} checkouts cannot return to it, and publishable {mode} keys are refused in its pages. Checkouts that
        are open now end as they should.
      </p>
    </Dialog>
  );
}
