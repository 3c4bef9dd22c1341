// The search of a list that is complete in the browser. The text is in the address, and filters what is shown.

import type { JSX } from 'preact';
import type { AddressQuery } from '../client/address-query.ts';
import { TextField } from './controls.tsx';

interface Props {
  readonly address: AddressQuery;
  /** What is searched: `Name, hint or id`. */
  readonly placeholder: string;
}

export function SearchField({ address, placeholder }: Props): JSX.Element {
  return (
    <div class="filters">
      <TextField
        label="Search"
        type="search"
        value={address.get('q')}
        onInput={(q) => address.replace({ q })}
        placeholder={placeholder}
        maxLength={200}
      />
    </div>
  );
}

/** Whether one of the values contains the text, in capitals or not. Every list contains the empty text. */
export function contains(text: string, values: readonly (string | null)[]): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted === '' || values.some((value) => value?.toLowerCase().includes(wanted) === true);
}
