// Single keys outside fields: `/` and Ctrl K open the palette, `?` this list, `.` the API drawer, `G` and a letter a screen,
// J, K, Enter and Y the rows of a table. They can be switched off in the settings.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { hrefOf, isAtDesk, place } from '../session.ts';
import { Button } from '../ui/controls.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { toggleApiLine } from './api-line.tsx';
import { goTo } from './go-to.ts';
import { DESK, EVERYWHERE } from './navigation.ts';
import { openPalette } from './palette.tsx';

const OFF = 'everyshare.console.keys_off';
export const areKeysOff = signal(localStorage.getItem(OFF) === '1');
const isShown = signal(false);

export function setKeysOff(isOff: boolean): void {
  areKeysOff.value = isOff;
  localStorage.setItem(OFF, isOff ? '1' : '0');
}

export function openShortcuts(): void {
  isShown.value = true;
}

/** What a screen adds: the key as it is typed, and what it does. */
export interface ScreenKey {
  readonly key: string;
  readonly name: string;
  readonly run: () => void;
}

const screenKeys = signal<readonly ScreenKey[]>([]);

/** Before the browser paints: a key that is pressed as soon as an object is shown must not be lost. */
export function useKeys(keys: readonly ScreenKey[]): void {
  useLayoutEffect(() => {
    screenKeys.value = keys;
    return () => {
      screenKeys.value = [];
    };
  });
}

const GO_MS = 1_500;
let goUntil = 0;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** The desk has a field in place of the palette. */
function focusSearch(): void {
  document.querySelector<HTMLElement>('.sidebar input')?.focus();
}

function moveRow(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('.table tbody tr a.row-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
}

function copyRowId(): void {
  document.activeElement?.closest('tr')?.querySelector<HTMLElement>('.id .copy')?.click();
}

function onKey(event: KeyboardEvent): void {
  // A dialog is decided first: the palette above it would lead away from what it shows. Not only an open one: a browser closes
  // it for a moment at a second Esc, and it is on the page a moment before it opens.
  const isInDialog = document.querySelector('dialog') !== null;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    if (!isInDialog && place.value !== null) openPalette();
    return;
  }
  const isBlocked = event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isInDialog;
  if (isBlocked || areKeysOff.value || (place.value === null && !isAtDesk.value)) return;
  const key = event.key;
  if (Date.now() < goUntil) {
    goUntil = 0;
    const item = (isAtDesk.value ? DESK : EVERYWHERE).find((one) => one.key === key.toUpperCase());
    if (item !== undefined) goTo(isAtDesk.value ? item.to : hrefOf(item.to));
    return;
  }
  const run: Readonly<Record<string, () => void>> = {
    '/': isAtDesk.value ? focusSearch : openPalette,
    '?': openShortcuts,
    '.': toggleApiLine,
    g: () => {
      goUntil = Date.now() + GO_MS;
    },
    j: () => moveRow(1),
    k: () => moveRow(-1),
    y: copyRowId,
  };
  const found = screenKeys.value.find((one) => one.key === key)?.run ?? run[key];
  if (found === undefined) return;
  event.preventDefault();
  found();
}

const general = (): readonly (readonly [string, string])[] => [
  ['/', isAtDesk.value ? 'search venues and people' : 'search, and jump to a page or an id'],
  [
    'G and a letter',
    (isAtDesk.value ? DESK : EVERYWHERE)
      .filter(({ key }) => key !== undefined)
      .map(({ key, name }) => `${key} ${name}`)
      .join(', '),
  ],
  ['J, K', 'next and previous row'],
  ['Enter', 'open the row'],
  ['Y', 'copy the id of the row'],
  ['.', 'the call behind this page'],
  ['?', 'this list'],
];

export function Shortcuts(): JSX.Element | null {
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  if (!isShown.value) return null;
  const close = (): void => {
    isShown.value = false;
  };
  const lines = [
    ...screenKeys.value.map(({ key, name }) => [key.toUpperCase(), name] as const),
    ...general().filter(([key]) => !screenKeys.value.some((one) => key.split(', ').includes(one.key.toUpperCase()))),
  ];
  return (
    <Dialog
      title="Shortcuts"
      onClose={close}
      onSubmit={close}
      note="They work outside fields."
      buttons={<Button type="submit">Close</Button>}
    >
      <dl class="shortcuts">
        {lines.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={!areKeysOff.value}
          onChange={(event) => setKeysOff(!event.currentTarget.checked)}
        />{' '}
        Single keys are shortcuts
      </label>
    </Dialog>
  );
}
