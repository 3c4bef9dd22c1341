// The desk: the pages of the people who run the service. Sign-in, shell and parts are those of the console.

import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { codeOf } from '../client/api.ts';
import { matchOf } from '../client/match-path.ts';
import type { Screen, ScreenProps } from '../screens.ts';
import { path, signOut } from '../session.ts';
import { goTo } from '../shell/go-to.ts';
import { Button } from '../ui/controls.tsx';
import { Empty, Failed, messageOf, Waiting } from '../ui/parts.tsx';
import { DeskFrame } from './frame.tsx';
import { loadOperator, operator } from './session.ts';

interface DeskRoute {
  readonly path: string;
  readonly load: () => Promise<{ readonly default: Screen }>;
  /** Pages that stay when another object is opened in them. */
  readonly group?: string;
}

const ROUTES: readonly DeskRoute[] = [
  { path: '/desk/review', group: 'review', load: () => import('./review.tsx') },
  { path: '/desk/review/:id', group: 'review', load: () => import('./review.tsx') },
  { path: '/desk/money', load: () => import('./money.tsx') },
  { path: '/desk/disputes', load: () => import('./disputes.tsx') },
  { path: '/desk/venues', load: () => import('./venues.tsx') },
  { path: '/desk/venues/:id', load: () => import('./venue.tsx') },
  { path: '/desk/people', load: () => import('./people.tsx') },
  { path: '/desk/health', load: () => import('./health.tsx') },
  { path: '/desk/audit', load: () => import('./audit.tsx') },
];

export default function Desk(): JSX.Element | null {
  const [failure, setFailure] = useState<unknown>(undefined);
  const load = (): void => {
    setFailure(undefined);
    loadOperator().catch(setFailure);
  };
  useEffect(load, []);
  if (failure !== undefined) return <NoDesk error={failure} onRetry={load} />;
  if (operator.value === null) return null;
  return (
    <DeskFrame>
      <DeskScreen at={path.value} />
    </DeskFrame>
  );
}

/** A person who is no operator sees why, and can sign in as another. */
function NoDesk({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }): JSX.Element {
  if (codeOf(error) !== 'role_not_allowed')
    return (
      <main class="alone">
        <Failed error={error} onRetry={onRetry} />
      </main>
    );
  return (
    <main class="alone">
      <h1>The desk is for operators</h1>
      <p>{messageOf(error)}</p>
      <a class="button primary" href="/console">
        <span>Go to your console</span>
      </a>
      <Button onClick={() => void signOut()}>Sign in as another person</Button>
    </main>
  );
}

const loaded = new Map<string, Screen>();

function DeskScreen({ at }: { readonly at: string }): JSX.Element | null {
  const [, update] = useState(0);
  const [failure, setFailure] = useState<unknown>(undefined);
  const found = routeOf(at);
  // The pages of a group are one screen, which keeps its state.
  const screenKey = found?.route.group ?? found?.route.path ?? '';
  const shownKey = found?.route.group ?? at;
  useLayoutEffect(() => {
    if (/^\/desk\/?$/.test(at)) goTo('/desk/review', true);
  }, [at]);
  useEffect(() => {
    setFailure(undefined);
    if (found === null || loaded.has(screenKey)) return;
    found.route.load().then((module) => {
      loaded.set(screenKey, module.default);
      update((n) => n + 1);
    }, setFailure);
  }, [screenKey]);
  useEffect(() => {
    document.querySelector('.scroll')?.scrollTo(0, 0);
    document.querySelector<HTMLElement>('.page h1')?.focus({ preventScroll: true });
  }, [shownKey]);
  if (/^\/desk\/?$/.test(at)) return null;
  if (found === null)
    return (
      <div class="page">
        <Empty>There is no such page at the desk.</Empty>
      </div>
    );
  if (failure !== undefined)
    return (
      <div class="page">
        <Failed error={failure} onRetry={() => location.reload()} />
      </div>
    );
  const Shown = loaded.get(screenKey);
  return Shown === undefined ? <Waiting /> : <Shown {...found.params} key={shownKey} />;
}

function routeOf(at: string): { readonly route: DeskRoute; readonly params: ScreenProps } | null {
  for (const route of ROUTES) {
    const params = matchOf(route.path, at);
    if (params !== null) return { route, params };
  }
  return null;
}
