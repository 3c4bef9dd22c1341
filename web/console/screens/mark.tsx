// The mark of the service, on pages without a venue.

import type { JSX } from 'preact';

export const Mark = (): JSX.Element => (
  <span class="mark">
    <svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true">
      <rect width="26" height="26" rx="7" />
      <circle cx="13" cy="13" r="6" />
    </svg>
    <b>Everyshare</b>
  </span>
);
