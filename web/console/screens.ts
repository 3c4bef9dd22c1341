// The screen of each path (routes.ts). A screen is loaded when it is first opened: its file exports it as `default`, and gets
// the parameters of its path.

import type { JSX } from 'preact';
import type { ScreenPath, ScreenProps } from './routes.ts';

export type { ScreenProps };
export type Screen = (props: ScreenProps) => JSX.Element | null;

interface ScreenModule {
  readonly load: () => Promise<{ readonly default: Screen }>;
  /** Routes of one split view: the list stays when another object is opened beside it. */
  readonly group?: string;
}

export const SCREENS: Readonly<Record<ScreenPath, ScreenModule>> = {
  '/': { load: () => import('./screens/home/home.tsx') },
  '/payouts': { load: () => import('./screens/payouts/payouts.tsx') },
  '/catalogue': { load: () => import('./screens/catalogue/list.tsx') },
  '/catalogue/:kind/new': { load: () => import('./screens/catalogue/edit.tsx') },
  '/catalogue/:kind/:id': { load: () => import('./screens/catalogue/item.tsx') },
  '/catalogue/:kind/:id/edit': { load: () => import('./screens/catalogue/edit.tsx') },
  '/go-live': { load: () => import('./screens/go-live/go-live.tsx') },
  '/analytics': { load: () => import('./screens/analytics/analytics.tsx') },
  '/first-steps': { load: () => import('./screens/home/first-steps.tsx') },
  '/checkouts': { load: () => import('./screens/checkouts/list.tsx') },
  '/checkouts/:id': { load: () => import('./screens/checkouts/checkout.tsx') },
  '/team': { load: () => import('./screens/team.tsx') },
  '/audit': { load: () => import('./screens/audit.tsx') },
  '/settings': { load: () => import('./screens/settings/settings.tsx') },
  '/settings/notifications': { load: () => import('./screens/settings/settings.tsx') },
  '/keys': { load: () => import('./screens/keys/keys.tsx') },
  '/keys/:id': { load: () => import('./screens/keys/key.tsx') },
  '/requests': { group: 'requests', load: () => import('./screens/requests/requests.tsx') },
  '/requests/:id': { group: 'requests', load: () => import('./screens/requests/requests.tsx') },
  '/origins': { load: () => import('./screens/origins.tsx') },
  '/webhooks': { load: () => import('./screens/webhooks/webhooks.tsx') },
  '/webhooks/:id': { load: () => import('./screens/webhooks/endpoint.tsx') },
  '/events': { load: () => import('./screens/events/events.tsx') },
  '/events/:id': { load: () => import('./screens/events/event.tsx') },
  '/integrations': { load: () => import('./screens/integrations/integrations.tsx') },
  '/integrations/:id': { load: () => import('./screens/integrations/integration.tsx') },
  '/agents': { load: () => import('./screens/agents.tsx') },
};
