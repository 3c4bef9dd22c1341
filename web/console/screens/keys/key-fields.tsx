// The fields of a key that its maker and its changer share: when it ends, and from where it works.

import type { JSX } from 'preact';
import { usePlace } from '../../session.ts';
import { TextField } from '../../ui/controls.tsx';
import { date } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { addressesIn, addressesInWords, EXPIRIES, expiresAfter, splitAddresses } from './key-words.ts';

interface Props {
  readonly value: string;
  readonly error: string | null;
}

export function ExpiryField({
  value,
  onChange,
  error,
}: Props & { readonly onChange: (id: string) => void }): JSX.Element {
  const expiresAt = expiresAfter(EXPIRIES.find(({ id }) => id === value)?.days ?? null);
  // No mail is sent about a test key.
  const mail = usePlace().mode === 'live' ? ' We mail you 14 days before.' : '';
  const hint = expiresAt === null ? 'It works until you revoke it.' : `On ${date(expiresAt)}.${mail}`;
  return (
    <fieldset class="field">
      <legend class="legend">Expires</legend>
      <div class="segmented">
        {EXPIRIES.map(({ id, name }) => (
          <button key={id} type="button" aria-pressed={value === id} onClick={() => onChange(id)}>
            {name}
          </button>
        ))}
      </div>
      <div class="hint">
        {error === null ? (
          hint
        ) : (
          <span class="error">
            <Icon name="alert" /> {error}
          </span>
        )}
      </div>
    </fieldset>
  );
}

/** Says while it is typed how many addresses that is, or which part is none. */
export function AddressesField({
  value,
  onInput,
  error,
}: Props & { readonly onInput: (text: string) => void }): JSX.Element {
  const list = splitAddresses(value);
  const wrong = list.find((part) => addressesIn(part) === null);
  const live = wrong === undefined ? null : `${wrong} is no address and no range such as 203.0.113.0/28.`;
  return (
    <TextField
      label="Allowed addresses"
      isOptional
      value={value}
      onInput={onInput}
      placeholder="203.0.113.0/28"
      error={error ?? live}
      hint={addressesInWords(list)}
    />
  );
}
