// The addresses of the console's pages: those outside of a venue, and the paths of a venue's screens behind
// /console/v/<venue>/<mode>. `:name` is a parameter.

import { matchOf } from './client/match-path.ts';

export const HOME_PAGE = '/console';
export const ACCOUNT_PAGE = '/console/account';
export const VENUES_PAGE = '/console/venues';

const SCREEN_PATHS = [
  '/',
  '/payouts',
  '/catalogue',
  '/catalogue/:kind/new',
  '/catalogue/:kind/:id',
  '/catalogue/:kind/:id/edit',
  '/go-live',
  '/analytics',
  '/first-steps',
  '/checkouts',
  '/checkouts/:id',
  '/team',
  '/audit',
  '/settings',
  '/settings/notifications',
  '/keys',
  '/keys/:id',
  '/requests',
  '/requests/:id',
  '/origins',
  '/webhooks',
  '/webhooks/:id',
  '/events',
  '/events/:id',
  '/integrations',
  '/integrations/:id',
  '/agents',
] as const;

export type ScreenPath = (typeof SCREEN_PATHS)[number];
export type ScreenProps = Readonly<Record<string, string>>;

/** Null: the path behind the venue and the mode names no screen. */
export function routeOf(screen: string): { readonly path: ScreenPath; readonly params: ScreenProps } | null {
  for (const path of SCREEN_PATHS) {
    const params = matchOf(path, screen);
    if (params !== null) return { path, params };
  }
  return null;
}
