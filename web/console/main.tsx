// The console: a client of the API without rights of its own. It reads the session, then shows the way in or a screen.

import type { JSX } from 'preact';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso/router';
import { isSignedOut } from './client/api.ts';
import { ACCOUNT_PAGE, HOME_PAGE, routeOf, VENUES_PAGE } from './routes.ts';
import { AccountScreen } from './screens/account.tsx';
import { addCheckoutFinder } from './screens/checkouts/finder.ts';
import { isLink, LinkScreen } from './screens/link.tsx';
import { isPasskeyOffered, PasskeyOffer } from './screens/passkey-offer.tsx';
import { SignInScreen } from './screens/sign-in.tsx';
import { VenuesScreen } from './screens/venues.tsx';
import { SCREENS, type Screen } from './screens.ts';
import { homeHref, hrefOf, isAtDesk, loadSession, path, place, rememberPlace, screenPath, session } from './session.ts';
import { Announcements, showToast } from './shell/announce.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { Frame, MenuScreen } from './shell/frame.tsx';
import { goTo, setRoute } from './shell/go-to.ts';
import { DEVELOPERS, EVERYWHERE, FIRST_STEPS, GO_LIVE, isWithin, MAIN, SETTINGS } from './shell/navigation.ts';
import { Palette } from './shell/palette.tsx';
import { Shortcuts } from './shell/shortcuts.tsx';
import { StepUp } from './shell/step-up.tsx';
import { timeZone } from './ui/format.ts';
import { Empty, Failed, focusNextTitle, Page, Waiting } from './ui/parts.tsx';

function App(): JSX.Element {
  return (
    <LocationProvider scope={/^\/(console|desk)(\/|$)/}>
      <Pages />
      <Palette />
      <Shortcuts />
      <StepUp />
      <Announcements />
    </LocationProvider>
  );
}

function Pages(): JSX.Element | null {
  const location = useLocation();
  setRoute(location.route);
  if (path.peek() !== location.path) path.value = location.path;
  const [failure, setFailure] = useState<unknown>(undefined);
  const [byLink, setByLink] = useState(isLink);
  const load = (): void => {
    setFailure(undefined);
    loadSession().catch(setFailure);
  };
  // A link opens a session of its own: an answer about the one before would end it.
  useEffect(() => {
    if (!byLink) load();
  }, []);
  if (failure !== undefined)
    return (
      <main class="alone">
        <Failed error={failure} onRetry={load} />
      </main>
    );
  if (byLink) return <LinkScreen onDone={() => setByLink(false)} />;
  if (session.value === undefined) return null;
  if (session.value === null || isSignedOut.value) return <SignInScreen />;
  if (isPasskeyOffered.value) return <PasskeyOffer />;
  if (isAtDesk.value) return <DeskPages />;
  if (location.path === ACCOUNT_PAGE) return <AccountScreen />;
  if (location.path === VENUES_PAGE) return <VenuesScreen />;
  if (location.path === HOME_PAGE) return <Redirect to={homeHref()} />;
  return place.value === null ? <UnknownPage /> : <VenuePages />;
}

type Desk = typeof import('./desk/desk.tsx').default;

/** The desk is loaded when it is opened: partners never load it. */
function DeskPages(): JSX.Element {
  const [Shown, setShown] = useState<{ readonly Desk: Desk } | null>(null);
  const [failure, setFailure] = useState<unknown>(undefined);
  useEffect(() => {
    import('./desk/desk.tsx').then((module) => setShown({ Desk: module.default }), setFailure);
  }, []);
  if (failure !== undefined)
    return (
      <main class="alone">
        <Failed error={failure} onRetry={() => location.reload()} />
      </main>
    );
  return Shown === null ? <Waiting /> : <Shown.Desk />;
}

function Redirect({ to }: { readonly to: string }): null {
  useLayoutEffect(() => goTo(to, true), [to]);
  return null;
}

/** Also shown for a venue of other people: the answer is the same for one that does not exist. */
function UnknownPage(): JSX.Element {
  return (
    <main class="alone">
      <h1>There is no such page</h1>
      <p>The address is wrong, or the venue is not yours.</p>
      <a class="button primary" href={homeHref()}>
        <span>Go to your console</span>
      </a>
    </main>
  );
}

function VenuePages(): JSX.Element {
  const { venue, mode } = place.value ?? {};
  return mode === 'live' && venue?.linked === false ? <NotLive /> : <VenueFrame />;
}

/** A sandbox has no live mode: its calls would all be refused. */
function NotLive(): JSX.Element {
  // A later effect would not run: the redirection takes this component away.
  useLayoutEffect(
    () => showToast('This venue has no live mode yet: the checklist “Go live” says what is missing.'),
    [],
  );
  return <Redirect to={hrefOf(screenPath.value, { mode: 'test' })} />;
}

function VenueFrame(): JSX.Element {
  const { venue, mode } = place.value ?? {};
  useEffect(rememberPlace, [venue?.id, mode]);
  useEffect(() => void showTimesOfVenue(), [venue?.id]);
  return (
    <Frame>
      <ScreenOf key={`${venue?.id} ${mode}`} screen={screenPath.value} />
    </Frame>
  );
}

/** Until it is known, and where it cannot be read, times are in the zone of the browser: screens name the zone. */
async function showTimesOfVenue(): Promise<void> {
  timeZone.value = undefined;
  const asked = place.peek();
  const [venue] = await Promise.allSettled([asked?.client.console.getVenue()]);
  // Another venue may have been opened meanwhile.
  if (place.peek()?.venue.id !== asked?.venue.id) return;
  timeZone.value = venue.status === 'fulfilled' ? venue.value?.timezone : undefined;
}

const loaded = new Map<string, Screen>();

function ScreenOf({ screen }: { readonly screen: string }): JSX.Element {
  const [, update] = useState(0);
  const [failure, setFailure] = useState<unknown>(undefined);
  const found = routeOf(screen);
  const routePath = found?.path ?? '';
  const shownKey = (found && SCREENS[found.path].group) ?? screen;
  useEffect(() => {
    setFailure(undefined);
    if (found === null || loaded.has(routePath)) return;
    SCREENS[found.path].load().then((module) => {
      loaded.set(routePath, module.default);
      update((n) => n + 1);
    }, setFailure);
  }, [routePath]);
  // A new page begins at its top, and screen readers hear its title. On a phone the window scrolls.
  const previous = useRef<string | null>(null);
  if (previous.current !== shownKey) focusNextTitle();
  previous.current = shownKey;
  useEffect(() => {
    document.querySelector('.scroll')?.scrollTo(0, 0);
    scrollTo(0, 0);
  }, [shownKey]);
  if (screen === '/developers') return <MenuScreen title="Developers" items={DEVELOPERS} />;
  if (screen === '/more')
    return <MenuScreen title="More" items={[...MAIN.slice(3), GO_LIVE, ...SETTINGS, FIRST_STEPS]} />;
  if (found === null)
    return (
      <Page title="There is no such page">
        <Empty>The address names no screen of the console.</Empty>
      </Page>
    );
  if (failure !== undefined)
    return (
      <Page title="This page did not load">
        <Failed error={failure} onRetry={() => location.reload()} />
      </Page>
    );
  const Shown = loaded.get(routePath);
  if (Shown === undefined)
    return (
      <Page title={EVERYWHERE.find(({ to }) => isWithin(screen, to))?.name ?? 'Console'}>
        <Waiting />
      </Page>
    );
  return (
    <ErrorBoundary key={shownKey}>
      <Shown {...found.params} />
    </ErrorBoundary>
  );
}

addCheckoutFinder();
const root = document.getElementById('console');
if (root !== null) render(<App />, root);
