// The keys of a new venue, which the server shows once: kept in memory for the first steps, until the page is left.

import { signal } from '@preact/signals';
import type { ConsoleSignedIn } from '../client/types.gen.ts';

export type NewKeys = NonNullable<ConsoleSignedIn['keys']>;

export const newKeys = signal<NewKeys | null>(null);

export function keepNewKeys(keys: NewKeys): void {
  newKeys.value = keys;
}

/** The person has stored them. */
export function forgetNewKeys(): void {
  newKeys.value = null;
}
