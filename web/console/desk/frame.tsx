// The frame of the desk: the band, the sidebar (tabs on a phone), the top line, the page, and the command that does the same.

import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { path, signOut } from '../session.ts';
import { showToast } from '../shell/announce.tsx';
import { goTo } from '../shell/go-to.ts';
import { Menu } from '../shell/menu.tsx';
import { DESK, isWithin, type NavigationItem } from '../shell/navigation.ts';
import { openShortcuts } from '../shell/shortcuts.tsx';
import { Copy } from '../ui/controls.tsx';
import { Icon } from '../ui/icon.tsx';
import { messageOf } from '../ui/parts.tsx';
import { desk, operator, waitingReviews } from './session.ts';

const command = signal<string | null>(null);

/** A page names the command of the operator's shell that does the same. */
export function useCommand(text: string): void {
  useEffect(() => {
    command.value = text;
    return () => {
      command.value = null;
    };
  }, [text]);
}

export function DeskFrame({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Band />
      <div class="frame">
        <nav class="sidebar" aria-label="Desk">
          <div class="desk-mark">
            <span class="badge" aria-hidden="true">
              Es
            </span>
            <span class="names">
              <b>Everyshare</b>
              <span>Operator’s desk</span>
            </span>
          </div>
          <Search />
          <ul>{DESK.map(link)}</ul>
          <ul class="foot">
            <li>
              <a href="/console">
                <Icon name="out" /> <span>Console</span>
              </a>
            </li>
            <li>
              <button type="button" class="sign-out" onClick={leaveDesk}>
                <Icon name="lock" /> <span>Sign out</span>
              </button>
            </li>
          </ul>
        </nav>
        <PhoneHead />
        <main id="content" class="panel" tabIndex={-1}>
          <TopLine />
          <div class="scroll">{children}</div>
          <CommandLine />
        </main>
      </div>
      <nav class="tabs desk-tabs" aria-label="Desk on a phone">
        {DESK.map(({ to, name, icon }) => (
          <a key={to} href={to} aria-current={isWithin(path.value, to) ? 'page' : undefined}>
            <Icon name={icon} size={20} /> {name.split(' ')[0]}
          </a>
        ))}
      </nav>
    </>
  );
}

/** What the sidebar has beside the pages, which are the tabs of a phone. */
function PhoneHead(): JSX.Element {
  const current = DESK.find(({ to }) => isWithin(path.value, to));
  return (
    <nav class="phone-head" aria-label="Desk, more">
      <b>{current?.name ?? 'Desk'}</b>
      <Menu
        class="help-menu"
        button={
          <>
            <Icon name="menu" size={20} /> More
          </>
        }
      >
        <a href="/desk/venues">
          <Icon name="search" /> Any id, venue, mail
        </a>
        <a href="/console">
          <Icon name="out" /> Console
        </a>
        <button type="button" onClick={leaveDesk}>
          <Icon name="lock" /> Sign out
        </button>
      </Menu>
    </nav>
  );
}

/** The id of what is reviewed opens its review; any other leads to its venue. */
async function openId(id: string): Promise<void> {
  const isReviewed = await desk.getReview(id).then(
    () => true,
    () => false,
  );
  goTo(isReviewed ? `/desk/review/${id}` : `/desk/venues?q=${encodeURIComponent(id)}`);
}

/** A person who leaves a shared computer must know when they are still signed in. */
function leaveDesk(): void {
  signOut().catch((error) => showToast(`You are still signed in. ${messageOf(error)}`, true));
}

/** A venue by name, any id, mail address or key; the field keeps what was typed. */
function Search(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  return (
    <form
      class="desk-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const text = field.current?.value.trim() ?? '';
        if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text)) {
          void openId(text);
          return;
        }
        goTo(text === '' ? '/desk/venues' : `/desk/venues?q=${encodeURIComponent(text)}`);
      }}
    >
      <Icon name="search" />
      <input ref={field} type="search" aria-label="Any id, venue, mail" placeholder="Any id, venue, mail…" />
      <kbd>/</kbd>
    </form>
  );
}

function Band(): JSX.Element {
  const { account, role } = operator.value ?? {};
  return (
    <header class="band desk">
      <p role="status">
        <Icon name="shield" /> <b>Operator’s desk</b>{' '}
        <span class="long">All venues, live and test. Everything you do here is in the audit log.</span>
        <span class="short">All venues</span>
      </p>
      <span class="who">
        {account?.name ?? account?.email} · {role}
      </span>
    </header>
  );
}

function link({ to, name, icon }: NavigationItem): JSX.Element {
  const waiting = to === '/desk/review' ? waitingReviews.value : null;
  return (
    <li key={to}>
      <a href={to} aria-current={isWithin(path.value, to) ? 'page' : undefined}>
        <Icon name={icon} /> <span>{name}</span> {waiting !== null && waiting > 0 && <small>{waiting}</small>}
      </a>
    </li>
  );
}

function TopLine(): JSX.Element {
  const current = DESK.find(({ to }) => isWithin(path.value, to));
  const isObject = current !== undefined && path.value !== current.to;
  return (
    <div class="top-line">
      <nav aria-label="Trail">
        <ol>
          <li>{isObject ? <a href={current.to}>{current.name}</a> : <b>{current?.name ?? 'Desk'}</b>}</li>
        </ol>
      </nav>
      <button type="button" onClick={openShortcuts}>
        Shortcuts <kbd>?</kbd>
      </button>
    </div>
  );
}

function CommandLine(): JSX.Element | null {
  const text = command.value;
  if (text === null) return null;
  return (
    <aside class="api-line" aria-label="The command that does the same">
      <div class="line">
        <Icon name="code" /> <b>Command</b>
        <code>$ {text}</code>
        <Copy text={text} label="Copy the command">
          Copy
        </Copy>
      </div>
    </aside>
  );
}
