// The frame around every screen: the band of the mode, the sidebar (five tabs on a phone), the top line, the screen and the
// line with the call behind it.

import type { ComponentChildren, JSX } from 'preact';
import { hrefOf, place, screenPath, session, signOut, usePlace } from '../session.ts';
import { time } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { messageOf, Page } from '../ui/parts.tsx';
import { showToast } from './announce.tsx';
import { ApiLine } from './api-line.tsx';
import { Menu } from './menu.tsx';
import {
  DEVELOPERS,
  EVERYWHERE,
  FIRST_STEPS,
  GO_LIVE,
  isWithin,
  MAIN,
  type NavigationItem,
  SETTINGS,
} from './navigation.ts';
import { openPalette } from './palette.tsx';
import { openShortcuts } from './shortcuts.tsx';

export function Frame({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Band />
      <div class="frame">
        <Sidebar />
        <PhoneHead />
        <main id="content" class="panel" tabIndex={-1}>
          <TopLine />
          <div class="scroll">{children}</div>
          <ApiLine />
        </main>
      </div>
      <PhoneTabs />
    </>
  );
}

/** The only mode switch. It names the mode in words: the colour is never the only sign. */
function Band(): JSX.Element {
  const { venue, mode } = usePlace();
  const isSandbox = mode === 'test' && !venue.linked;
  const [name, text, short] =
    mode === 'live'
      ? ['Live', 'Real guests, real money.', 'Real money']
      : isSandbox
        ? ['Sandbox', 'No real money moves, and no guest is texted. Test cards only.', 'Test cards only']
        : ['Test', 'No real money moves, and no guest is texted. Test cards only.', 'Test cards only'];
  if (venue.viewed_until !== undefined)
    return (
      <header class="band desk">
        <p role="status">
          <Icon name="eye" /> <b>You look at {venue.name} as an operator</b>{' '}
          <span class="long">
            {mode === 'live' ? 'Live' : 'Test'} mode. You can change nothing. Until {time(venue.viewed_until)}.
          </span>
        </p>
        {venue.linked && <ModeSwitch mode={mode} />}
        <a class="switch" href={`/desk/venues/${venue.id}`}>
          Back to the desk
        </a>
      </header>
    );
  return (
    <header class={`band ${mode}`}>
      <p role="status">
        <Icon name={mode === 'live' ? 'globe' : 'flask'} /> <b>{name}</b> <span class="long">{text}</span>
        <span class="short">{short}</span>
      </p>
      {venue.linked ? (
        <ModeSwitch mode={mode} />
      ) : (
        <a class="switch" href={hrefOf('/go-live', { mode: 'test' })}>
          Go live <Icon name="right" />
        </a>
      )}
    </header>
  );
}

function ModeSwitch({ mode }: { readonly mode: 'test' | 'live' }): JSX.Element {
  const other = mode === 'live' ? 'test' : 'live';
  return (
    <a class="switch" href={hrefOf(screenWithoutObject(), { mode: other })}>
      Switch to {other} <Icon name={other === 'live' ? 'globe' : 'flask'} />
    </a>
  );
}

/** An object of one mode does not exist in the other: its list does. */
const screenWithoutObject = (): string => `/${screenPath.value.split('/')[1] ?? ''}`;

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => /^\p{L}|^\p{N}/u.test(word))
    .slice(0, 2)
    .map((word) => [...word][0])
    .join('')
    .toUpperCase();

function Sidebar(): JSX.Element {
  const { venue } = usePlace();
  return (
    <nav class="sidebar" aria-label="Console">
      <VenueMenu />
      <button type="button" class="jump" onClick={openPalette}>
        <Icon name="search" /> <span>Search or jump to…</span> <kbd>/</kbd>
      </button>
      <ul>{MAIN.map(navigationLink)}</ul>
      <h2>Developers</h2>
      <ul>{DEVELOPERS.map(navigationLink)}</ul>
      <ul class="foot">
        {!venue.linked && navigationLink(GO_LIVE)}
        {SETTINGS.map(navigationLink)}
      </ul>
    </nav>
  );
}

function navigationLink({ to, name, icon }: NavigationItem): JSX.Element {
  return (
    <li key={to}>
      <a href={hrefOf(to)} aria-current={isWithin(screenPath.value, to) ? 'page' : undefined}>
        <Icon name={icon} /> <span>{name}</span>
      </a>
    </li>
  );
}

function VenueMenu(): JSX.Element {
  const { venue, mode } = usePlace();
  const person = session.value?.account;
  return (
    <Menu
      class="venue-menu"
      button={
        <>
          <span class="badge" aria-hidden="true">
            {initials(venue.name)}
          </span>
          <span class="names">
            <b>{venue.name}</b>
            <span>
              {venue.linked ? '' : 'Sandbox · '}
              {person?.name ?? person?.email}
            </span>
          </span>
          <Icon name="down" />
        </>
      }
    >
      <VenueList mode={mode} />
      <a href="/console/account">
        <Icon name="person" /> Your account
      </a>
      <button type="button" onClick={leaveConsole}>
        <Icon name="out" /> Sign out
      </button>
    </Menu>
  );
}

function VenueList({ mode }: { readonly mode: 'test' | 'live' }): JSX.Element {
  const { venue } = usePlace();
  return (
    <>
      {(session.value?.venues ?? []).map(({ id, name, linked }) => (
        <a
          key={id}
          href={hrefOf('/', { venueId: id, mode: linked ? mode : 'test' })}
          aria-current={id === venue.id ? 'true' : undefined}
        >
          <Icon name={id === venue.id ? 'check' : 'bank'} /> {name}
          {!linked && <small>Sandbox</small>}
        </a>
      ))}
      <a href="/console/venues">
        <Icon name="menu" /> Your venues
      </a>
    </>
  );
}

/** The trail to the screen, help and the shortcuts. */
function TopLine(): JSX.Element {
  const current = EVERYWHERE.find(({ to }) => isWithin(screenPath.value, to)) ?? MAIN[0];
  const object = current === undefined || current.to === '/' ? '' : screenPath.value.slice(current.to.length + 1);
  const isDevelopers = DEVELOPERS.some(({ to }) => to === current?.to);
  return (
    <div class="top-line">
      <nav aria-label="Trail">
        <ol>
          {isDevelopers && <li>Developers</li>}
          <li>{object === '' ? <b>{current?.name}</b> : <a href={hrefOf(current?.to ?? '/')}>{current?.name}</a>}</li>
          {object !== '' && (
            <li>
              <b>{decoded(object)}</b>
            </li>
          )}
        </ol>
      </nav>
      <Menu
        class="help-menu"
        button={
          <>
            <Icon name="help" /> Help
          </>
        }
      >
        <a href={hrefOf(FIRST_STEPS.to)}>
          <Icon name={FIRST_STEPS.icon} /> {FIRST_STEPS.name}
        </a>
        {DOCUMENTATION.map(({ href, name, icon }) => (
          <a key={href} href={href}>
            <Icon name={icon} /> {name}
          </a>
        ))}
      </Menu>
      <button type="button" onClick={openShortcuts}>
        Shortcuts <kbd>?</kbd>
      </button>
    </div>
  );
}

const DOCUMENTATION = [
  { href: '/docs', name: 'Documentation', icon: 'lines' },
  { href: '/docs/reference', name: 'API reference', icon: 'code' },
] as const;

/** An address that is wrongly encoded is shown as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A person who leaves a shared computer must know when they are still signed in. */
function leaveConsole(): void {
  signOut().catch((error) => showToast(`You are still signed in. ${messageOf(error)}`, true));
}

function PhoneHead(): JSX.Element {
  const { venue } = usePlace();
  const current = EVERYWHERE.find(({ to }) => isWithin(screenPath.value, to));
  return (
    <nav class="phone-head" aria-label="Venue">
      {/* The name begins with what is shown: a person who speaks to the phone says that. */}
      <a class="badge" href={hrefOf('/')} aria-label={`${initials(venue.name)}, ${venue.name}: home`}>
        {initials(venue.name)}
      </a>
      <b>{current === undefined || current.to === '/' ? venue.name : current.name}</b>
      <button type="button" aria-label="Search or jump to" onClick={openPalette}>
        <Icon name="search" size={20} />
      </button>
    </nav>
  );
}

function PhoneTabs(): JSX.Element {
  const screen = screenPath.value;
  const tabs: readonly NavigationItem[] = [
    ...MAIN.slice(0, 3),
    { to: '/developers', name: 'Developers', icon: 'code' },
    { to: '/more', name: 'More', icon: 'menu' },
  ];
  const isDevelopers = DEVELOPERS.some(({ to }) => isWithin(screen, to));
  const isMore = [...SETTINGS, ...MAIN.slice(3), GO_LIVE].some(({ to }) => isWithin(screen, to));
  return (
    <nav class="tabs" aria-label="Console on a phone">
      {tabs.map(({ to, name, icon }) => {
        const isCurrent = isWithin(screen, to) || (to === '/developers' && isDevelopers) || (to === '/more' && isMore);
        return (
          <a key={to} href={hrefOf(to)} aria-current={isCurrent ? 'page' : undefined}>
            <Icon name={icon} size={20} /> {name}
          </a>
        );
      })}
    </nav>
  );
}

/** The lists behind the last two tabs of a phone. */
export function MenuScreen({
  items,
  title,
}: {
  readonly items: readonly NavigationItem[];
  readonly title: string;
}): JSX.Element {
  return (
    <Page title={title}>
      <ul class="menu-list">{items.map(navigationLink)}</ul>
      {title === 'More' && place.value !== null && (
        <ul class="menu-list">
          {(session.value?.venues ?? []).length > 1 && (
            <li>
              <VenueList mode={place.value.mode} />
            </li>
          )}
          {DOCUMENTATION.map(({ href, name, icon }) => (
            <li key={href}>
              <a href={href}>
                <Icon name={icon} /> <span>{name}</span>
              </a>
            </li>
          ))}
          <li>
            <a href="/console/account">
              <Icon name="person" /> <span>Your account</span>
            </a>
          </li>
          <li>
            <button type="button" onClick={leaveConsole}>
              <Icon name="out" /> <span>Sign out</span>
            </button>
          </li>
        </ul>
      )}
    </Page>
  );
}
