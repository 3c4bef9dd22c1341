// What happened, for eyes and for screen readers: a toast for six seconds, and a polite live region.

import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Icon } from '../ui/icon.tsx';

const TOAST_MS = 6_000;
/** A dialog that closes at the same time is gone by then: what is outside of an open dialog is not read out. */
const SPOKEN_AFTER_MS = 100;
const spoken = signal('');
const toast = signal<{ readonly text: string; readonly isBad: boolean } | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** For screen readers alone. */
export function announce(text: string): void {
  setTimeout(() => {
    // The same text twice is read twice.
    spoken.value = spoken.value === text ? `${text}\u00a0` : text;
  }, SPOKEN_AFTER_MS);
}

export function showToast(text: string, isBad = false): void {
  announce(text);
  toast.value = { text, isBad };
  clearTimeout(timer);
  timer = setTimeout(() => {
    toast.value = null;
  }, TOAST_MS);
}

/** One is in the page and one in every dialog: screen readers hear nothing from outside of an open dialog. */
export const LiveRegion = (): JSX.Element => (
  <div class="unseen" role="status">
    {spoken}
  </div>
);

export function Announcements(): JSX.Element {
  return (
    <>
      <LiveRegion />
      {toast.value !== null && (
        <div class={toast.value.isBad ? 'toast bad' : 'toast'} aria-hidden="true">
          <Icon name={toast.value.isBad ? 'alert' : 'tick'} /> {toast.value.text}
        </div>
      )}
    </>
  );
}
