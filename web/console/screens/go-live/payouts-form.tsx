// Opens the card processor's own form. The first time it asks for the country, which the processor never changes.

import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useAction } from '../../client/action.ts';
import { usePlace } from '../../session.ts';
import { Button, SelectField } from '../../ui/controls.tsx';
import { Failed } from '../../ui/parts.tsx';

/** Where Stripe opens accounts. The processor has the last word: what it refuses stands at the field. */
const COUNTRIES =
  'AE AT AU BE BG BR CA CH CI CY CZ DE DK EE ES FI FR GB GI GR HK HR HU ID IE IN IT JP LI LT LU LV MT MX MY NL NO NZ PL PT RO SE SG SI SK TH US';

/** By name, as a person looks for them. */
function countryChoices(): { readonly value: string; readonly label: string }[] {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return COUNTRIES.split(' ')
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((one, other) => one.label.localeCompare(other.label, 'en'));
}

export function PayoutsForm({ isNew }: { readonly isNew: boolean }): JSX.Element {
  const { client } = usePlace();
  const [country, setCountry] = useState('');
  const choices = useMemo(() => [{ value: '', label: 'Choose a country' }, ...countryChoices()], []);
  const open = useAction(async () => {
    const { url } = await client.console.startPayoutOnboarding(country === '' ? {} : { country });
    location.assign(url);
  });
  const other = open.otherProblem(isNew ? ['/country'] : []);
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void open.run();
      }}
    >
      {other !== undefined && <Failed error={other} />}
      {isNew && (
        <SelectField
          label="Country"
          value={country}
          choices={choices}
          onChange={setCountry}
          hint="Where the business has its bank account. It cannot be changed later."
          error={open.problemAt('/country')}
        />
      )}
      <p class="line">
        <Button kind="primary" icon="out" type="submit" isBusy={open.isBusy}>
          {isNew ? 'Start with payouts' : 'Continue with payouts'}
        </Button>
        <span class="quiet">Opens the card processor’s own form. We never see your bank login.</span>
      </p>
    </form>
  );
}
