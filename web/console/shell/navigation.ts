// The screens of a venue, as the sidebar, the tabs of a phone, the palette and the shortcuts list them.

import type { IconName } from '../ui/icon.tsx';

export interface NavigationItem {
  readonly to: string;
  readonly name: string;
  readonly icon: IconName;
  /** With `G` before it. */
  readonly key?: string;
}

export const MAIN: readonly NavigationItem[] = [
  { to: '/', name: 'Home', icon: 'home', key: 'H' },
  { to: '/checkouts', name: 'Checkouts', icon: 'receipt', key: 'C' },
  { to: '/payouts', name: 'Payouts', icon: 'bank', key: 'P' },
  { to: '/catalogue', name: 'Catalogue', icon: 'tag', key: 'O' },
  { to: '/analytics', name: 'Analytics', icon: 'chart', key: 'A' },
];

export const DEVELOPERS: readonly NavigationItem[] = [
  { to: '/requests', name: 'Requests', icon: 'lines', key: 'R' },
  { to: '/events', name: 'Events', icon: 'bolt', key: 'E' },
  { to: '/webhooks', name: 'Webhooks', icon: 'hook', key: 'W' },
  { to: '/keys', name: 'Keys', icon: 'key', key: 'K' },
  { to: '/origins', name: 'Origins', icon: 'globe' },
  { to: '/integrations', name: 'Integrations', icon: 'plug' },
  { to: '/agents', name: 'Agents', icon: 'robot' },
];

export const SETTINGS: readonly NavigationItem[] = [
  { to: '/team', name: 'Team', icon: 'people' },
  { to: '/audit', name: 'Audit log', icon: 'shield' },
  { to: '/settings', name: 'Settings', icon: 'gear', key: 'S' },
];

export const GO_LIVE: NavigationItem = { to: '/go-live', name: 'Go live', icon: 'rocket' };

/** Under Help. */
export const FIRST_STEPS: NavigationItem = { to: '/first-steps', name: 'First steps', icon: 'flag' };

export const EVERYWHERE: readonly NavigationItem[] = [...MAIN, ...DEVELOPERS, GO_LIVE, ...SETTINGS, FIRST_STEPS];

/** The pages of the desk, by their whole address. */
export const DESK: readonly NavigationItem[] = [
  { to: '/desk/review', name: 'Review queue', icon: 'lines', key: 'R' },
  { to: '/desk/money', name: 'Money health', icon: 'bank', key: 'M' },
  { to: '/desk/disputes', name: 'Disputes', icon: 'warning', key: 'D' },
  { to: '/desk/venues', name: 'Venues', icon: 'home', key: 'V' },
  { to: '/desk/people', name: 'People', icon: 'people', key: 'P' },
  { to: '/desk/health', name: 'Health', icon: 'bolt', key: 'H' },
  { to: '/desk/audit', name: 'Audit log', icon: 'shield', key: 'A' },
];

export function isWithin(screen: string, to: string): boolean {
  return to === '/' ? screen === '/' : screen === to || screen.startsWith(`${to}/`);
}
