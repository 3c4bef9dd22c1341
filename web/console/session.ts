// Who is signed in, and the venue and mode of the page. The address names both, so that every page can be linked to:
// /console/v/<venue>/<mode>/<screen>.

import { computed, effect, signal } from '@preact/signals';
import {
  accountClient,
  type Client,
  codeOf,
  forgetAnswers,
  isSignedOut,
  type Mode,
  venueClient,
} from './client/api.ts';
import { venuePathOf } from './client/match-path.ts';
import { forgetTestKeys, keepTestKeys, testKeys } from './client/test-keys.ts';
import type { AccountVenue, ConsoleSession } from './client/types.gen.ts';

/** Undefined: not asked yet. Null: no person is signed in. */
export const session = signal<ConsoleSession | null | undefined>(undefined);
/** The path of the page, which the router sets. */
export const path = signal(location.pathname);

/** The pages of operators, at /desk. */
export const isAtDesk = computed(() => /^\/desk(\/|$)/.test(path.value));

const LAST_PLACE = 'everyshare.console.place';

export interface Place {
  readonly venue: AccountVenue;
  readonly mode: Mode;
  readonly client: Client;
}

const names = computed(() => {
  const named = venuePathOf(path.value);
  return named === null ? ' ' : `${named.venueId} ${named.mode}`;
});

/** The venue and mode of the page, and the client for both. Null: the address names no venue of this person. */
export const place = computed<Place | null>(() => {
  const [venueId = '', mode = ''] = names.value.split(' ');
  const venue = session.value?.venues.find(({ id }) => id === venueId);
  if (venue === undefined) return null;
  return { venue, mode: mode as Mode, client: venueClient(venueId, mode as Mode) };
});

/** For screens, which are shown only in a venue. */
export function usePlace(): Place {
  const { value } = place;
  if (value === null) throw new Error('this screen is shown only in a venue');
  return value;
}

/** The path behind the venue and the mode: `/checkouts`. */
export const screenPath = computed(() => venuePathOf(path.value)?.screen ?? '/');

/** The address of a screen, in the venue and mode of this page. */
export function hrefOf(
  screen: string,
  { venueId, mode }: { readonly venueId?: string; readonly mode?: Mode } = {},
): string {
  const current = place.value;
  const tail = screen === '/' ? '' : screen;
  return `/console/v/${venueId ?? current?.venue.id ?? ''}/${mode ?? current?.mode ?? 'test'}${tail}`;
}

/** Where a person without an address in mind begins: where they were last, or their first venue in test mode. */
export function homeHref(): string {
  const venues = session.value?.venues ?? [];
  const [venueId, mode] = (localStorage.getItem(LAST_PLACE) ?? '').split(' ');
  const last = venues.find(({ id }) => id === venueId);
  const first = last ?? venues[0];
  return first === undefined
    ? '/console/venues'
    : hrefOf('/', { venueId: first.id, mode: last?.linked === true && mode === 'live' ? 'live' : 'test' });
}

export function rememberPlace(): void {
  if (place.value !== null) localStorage.setItem(LAST_PLACE, names.value);
}

export async function loadSession(): Promise<void> {
  try {
    session.value = await accountClient.console.getConsoleSession();
    isSignedOut.value = false;
    keepTestKeys(testKeys());
  } catch (error) {
    if (codeOf(error) !== 'unauthorized') throw error;
    session.value = null;
    forgetTestKeys();
  }
}

export function startSession(signedIn: ConsoleSession): void {
  if (session.peek()?.account.id !== signedIn.account.id) {
    forgetAnswers();
    forgetTestKeys();
  }
  isSignedOut.value = false;
  session.value = { account: signedIn.account, venues: signedIn.venues, session: signedIn.session };
}

/** What must be sent before the session ends. Each says whether the person can leave, and tells them why not. */
export const beforeSignOut = new Set<() => Promise<boolean>>();

export async function signOut(): Promise<void> {
  for (const isReady of beforeSignOut) if (!(await isReady())) return;
  await accountClient.console.signOutOfConsole();
  forgetTestKeys();
  forgetAnswers();
  session.value = null;
}

effect(() => {
  if (isSignedOut.value) forgetTestKeys();
});
