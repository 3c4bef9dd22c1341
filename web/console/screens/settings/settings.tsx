// The settings of a venue: what guests see of it, and which mails the signed-in person gets about it.

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { useLoad } from '../../client/load.ts';
import type { VenueSettings } from '../../client/types.gen.ts';
import { loadSession, usePlace } from '../../session.ts';
import { showToast } from '../../shell/announce.tsx';
import { useApiCall } from '../../shell/api-line.tsx';
import { areKeysOff, setKeysOff } from '../../shell/shortcuts.tsx';
import { Button, Id, TextField } from '../../ui/controls.tsx';
import { timeZone } from '../../ui/format.ts';
import { Failed, Page, Section, Shown } from '../../ui/parts.tsx';
import { Notifications } from './notifications.tsx';

export default function SettingsScreen(): JSX.Element {
  const { venue, client } = usePlace();
  const loaded = useLoad((signal) => client.console.getVenue({ signal }), [client]);
  useApiCall({ method: 'GET', path: '/console/api/venue' });
  return (
    <Page title="Settings" isNarrow>
      <Shown loaded={loaded}>
        {(settings) =>
          venue.role === 'owner' ? <VenueForm key={settings.id} venue={settings} /> : <VenueFacts venue={settings} />
        }
      </Shown>
      <Section title="Mails to you about this venue">
        <Notifications />
      </Section>
      <Section title="This browser">
        <label class="check">
          <input
            type="checkbox"
            checked={!areKeysOff.value}
            onChange={(event) => setKeysOff(!event.currentTarget.checked)}
          />{' '}
          Single keys are shortcuts
        </label>
      </Section>
    </Page>
  );
}

interface TextSetting {
  readonly name:
    | 'name'
    | 'timezone'
    | 'support_email'
    | 'support_phone'
    | 'support_url'
    | 'terms_url'
    | 'privacy_url'
    | 'accent_color'
    | 'logo_url';
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'email' | 'url';
}

const SETTINGS: readonly TextSetting[] = [
  { name: 'name', label: 'Name', hint: 'Guests see it on every page and text.' },
  {
    name: 'timezone',
    label: 'Time zone',
    hint: 'An IANA name, such as America/New_York. Times of the console and of guests follow it.',
  },
  { name: 'support_email', label: 'Support mail', type: 'email' },
  { name: 'support_phone', label: 'Support phone' },
  { name: 'support_url', label: 'Support page', type: 'url' },
  { name: 'terms_url', label: 'Your terms', type: 'url' },
  { name: 'privacy_url', label: 'Your privacy page', type: 'url' },
  {
    name: 'accent_color',
    label: 'Colour',
    hint: 'Such as #0f5486. We keep its hue and make every text on it readable.',
  },
  { name: 'logo_url', label: 'Logo', type: 'url', hint: 'An https address of a picture.' },
];

const POINTERS = SETTINGS.map(({ name }) => `/${name}`);

function VenueForm({ venue }: { readonly venue: VenueSettings }): JSX.Element {
  const { client } = usePlace();
  const [saved, setSaved] = useState(venue);
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() => textsOf(venue));
  useEffect(() => {
    timeZone.value = saved.timezone;
  }, [saved.timezone]);
  const changes = Object.fromEntries(
    SETTINGS.filter(({ name }) => values[name] !== (saved[name] ?? '')).map(({ name }) => [
      name,
      values[name]?.trim() || null,
    ]),
  );
  const save = useAction(async () => {
    const after = await client.console.updateVenue(changes as Parameters<typeof client.console.updateVenue>[0]);
    setSaved(after);
    setValues(textsOf(after));
    showToast('The settings are saved.');
    // The sidebar shows the name.
    await loadSession();
  });
  const other = save.otherProblem(POINTERS);
  return (
    <form
      class="form settings"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {other !== undefined && <Failed error={other} />}
      <p class="quiet">
        Venue <Id id={saved.id} isWhole />
      </p>
      <div class="halves">
        {SETTINGS.map(({ name, label, hint, type }) => (
          <TextField
            key={name}
            label={label}
            type={type ?? 'text'}
            hint={hint}
            isOptional={name !== 'name'}
            value={values[name] ?? ''}
            onInput={(value) => setValues({ ...values, [name]: value })}
            error={save.problemAt(`/${name}`)}
          />
        ))}
      </div>
      <Button kind="primary" type="submit" isBusy={save.isBusy} isDisabled={Object.keys(changes).length === 0}>
        Save the settings
      </Button>
    </form>
  );
}

/** For other roles: no field that they cannot change. */
function VenueFacts({ venue }: { readonly venue: VenueSettings }): JSX.Element {
  return (
    <>
      <dl class="facts">
        <dt>Venue</dt>
        <dd>
          <Id id={venue.id} isWhole />
        </dd>
        {SETTINGS.map(({ name, label }) => (
          <>
            <dt>{label}</dt>
            <dd>{venue[name] ?? <span class="quiet">not set</span>}</dd>
          </>
        ))}
      </dl>
      <p class="quiet">An owner changes these.</p>
    </>
  );
}

const textsOf = (venue: VenueSettings): Record<string, string> =>
  Object.fromEntries(SETTINGS.map(({ name }) => [name, venue[name] ?? '']));
