// The icons of the pages: each is drawn by guest.css in the colour of the text beside it, and says nothing by itself.

import { type Html, html } from './html.ts';

export type IconName =
  | 'calendar'
  | 'pin'
  | 'shield'
  | 'lock'
  | 'check'
  | 'cross'
  | 'plus'
  | 'minus'
  | 'people'
  | 'back'
  | 'chevron'
  | 'globe'
  | 'link'
  | 'share'
  | 'copy'
  | 'message'
  | 'qr'
  | 'alert'
  | 'clock'
  | 'printer';

export function icon(name: IconName): Html {
  return html`<span class="i ${name}" aria-hidden="true"></span>`;
}
