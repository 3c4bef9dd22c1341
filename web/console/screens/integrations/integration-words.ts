// Venue systems in words, and what their deliveries came to.

import type { InboundDelivery, Integration } from '../../../../sdk/src/types.gen.ts';

export type Provider = Integration['provider'];

const NAMES: Readonly<Record<Provider, string>> = {
  square: 'Square',
  toast: 'Toast',
  mindbody: 'Mindbody',
  fareharbor: 'FareHarbor',
  peek: 'Peek Pro',
  ventrata: 'Ventrata',
  xola: 'Xola',
  rezdy: 'Rezdy',
  checkfront: 'Checkfront',
  eventbrite: 'Eventbrite',
  cloudbeds: 'Cloudbeds',
  tock: 'Tock',
  foreup: 'foreUP',
  mews: 'Mews',
  custom: 'A system of your own',
};

export const PROVIDERS = Object.keys(NAMES) as readonly Provider[];
export const providerName = (provider: Provider): string => NAMES[provider];
/** These sign their deliveries with a secret that they show. */
export const needsSecret = (provider: Provider): boolean => ['square', 'toast', 'mindbody'].includes(provider);

export const REFUSALS: Readonly<Record<string, string>> = {
  unauthorized: 'its signature or its address was wrong',
  invalid_json: 'its body was no JSON object',
  payload_too_large: 'its body was too large',
  rate_limited: 'there were too many deliveries',
};

type Status = InboundDelivery['status'];

export const OUTCOMES: Readonly<
  Record<Status, { readonly word: string; readonly color: string; readonly text: string }>
> = {
  pending: { word: 'Waiting', color: 'neutral', text: 'It waits for its turn, rarely for more than a second.' },
  reading: { word: 'Being read', color: 'neutral', text: 'It names an object that is read from the venue system.' },
  applied: { word: 'Applied', color: 'green', text: 'The offering is up to date.' },
  ignored: { word: 'Ignored', color: 'neutral', text: 'It changes nothing that is sold.' },
  superseded: { word: 'Superseded', color: 'neutral', text: 'A newer delivery was applied before it.' },
  unmapped: { word: 'Unmapped', color: 'amber', text: 'It cannot become an offering.' },
  needs_api_read: {
    word: 'Only names an id',
    color: 'amber',
    text: 'Its content is in the system’s API: set credentials, or send the offering yourself.',
  },
  failed: { word: 'Failed', color: 'red', text: 'The offering would break a rule.' },
};

export const STATUSES = Object.keys(OUTCOMES) as readonly Status[];
