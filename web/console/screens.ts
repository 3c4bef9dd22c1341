// Every screen of a venue and where it is. A screen is loaded when it is first opened: its file exports it as `default`, and
// gets the parameters of its path. `:name` is a parameter.

import type { JSX } from 'preact';

export type ScreenProps = Readonly<Record<string, string>>;
export type Screen = (props: ScreenProps) => JSX.Element | null;

interface ScreenRoute {
  readonly path: string;
  readonly load: () => Promise<{ readonly default: Screen }>;
  /** Routes of one split view: the list stays when another object is opened beside it. */
  readonly group?: string;
}

export const SCREENS: readonly ScreenRoute[] = [
  { path: '/', load: () => import('./screens/home/home.tsx') },
  { path: '/payouts', load: () => import('./screens/payouts/payouts.tsx') },
  { path: '/catalogue', load: () => import('./screens/catalogue/list.tsx') },
  { path: '/catalogue/:kind/new', load: () => import('./screens/catalogue/edit.tsx') },
  { path: '/catalogue/:kind/:id', load: () => import('./screens/catalogue/item.tsx') },
  { path: '/catalogue/:kind/:id/edit', load: () => import('./screens/catalogue/edit.tsx') },
  { path: '/go-live', load: () => import('./screens/go-live/go-live.tsx') },
  { path: '/analytics', load: () => import('./screens/analytics/analytics.tsx') },
  { path: '/first-steps', load: () => import('./screens/home/first-steps.tsx') },
  { path: '/checkouts', load: () => import('./screens/checkouts/list.tsx') },
  { path: '/checkouts/:id', load: () => import('./screens/checkouts/checkout.tsx') },
  { path: '/team', load: () => import('./screens/team.tsx') },
  { path: '/audit', load: () => import('./screens/audit.tsx') },
  { path: '/settings', load: () => import('./screens/settings/settings.tsx') },
  { path: '/settings/notifications', load: () => import('./screens/settings/settings.tsx') },
  { path: '/keys', load: () => import('./screens/keys/keys.tsx') },
  { path: '/keys/:id', load: () => import('./screens/keys/key.tsx') },
  { path: '/requests', group: 'requests', load: () => import('./screens/requests/requests.tsx') },
  { path: '/requests/:id', group: 'requests', load: () => import('./screens/requests/requests.tsx') },
  { path: '/origins', load: () => import('./screens/origins.tsx') },
  { path: '/webhooks', load: () => import('./screens/webhooks/webhooks.tsx') },
  { path: '/webhooks/:id', load: () => import('./screens/webhooks/endpoint.tsx') },
  { path: '/events', load: () => import('./screens/events/events.tsx') },
  { path: '/events/:id', load: () => import('./screens/events/event.tsx') },
  { path: '/integrations', load: () => import('./screens/integrations/integrations.tsx') },
  { path: '/integrations/:id', load: () => import('./screens/integrations/integration.tsx') },
  { path: '/agents', load: () => import('./screens/agents.tsx') },
];
