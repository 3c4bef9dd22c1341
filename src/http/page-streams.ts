// The streams of open pages, hosted ones and those of partners: their bounds, apart from the streams of partners' programs,
// so that pages do not use up their places.

import { networkOf } from '../base/network.ts';
import { EventStreams, type StreamLimit } from './event-stream.ts';

const MAX_PAGE_STREAMS = 2_000;
const MAX_PER_ADDRESS = 60;
const MAX_PER_CHECKOUT = 120;
/** Pages of partners get at most half of the places, so that guests who pay on a hosted page always find one. */
const MAX_EMBED_STREAMS = MAX_PAGE_STREAMS / 2;
const MAX_EMBEDS_PER_CHECKOUT = MAX_PER_CHECKOUT / 2;
/** The page opens the next one. */
const LIFETIME_MS = 5 * 60_000;
/** A script cannot see a comment. A message without an id leaves the last id as it is. */
const HEARTBEAT = 'event: alive\ndata: 1\n\n';

export function makePageStreams(): EventStreams {
  return new EventStreams({ heartbeat: HEARTBEAT, maxStreams: MAX_PAGE_STREAMS });
}

/** A page that is refused polls instead. */
const TOO_MANY = 'Too many pages are open: this one asks for changes from time to time.';

export function pageStreamLimits(checkoutId: string, address: string): readonly StreamLimit[] {
  return [
    { subject: `address ${networkOf(address)}`, max: MAX_PER_ADDRESS, message: TOO_MANY },
    { subject: `checkout ${checkoutId}`, max: MAX_PER_CHECKOUT, message: TOO_MANY },
  ];
}

/** The bounds of a progress stream: those of every page, and those of embeds. */
export function embedStreamLimits(checkoutId: string, address: string): readonly StreamLimit[] {
  return [
    ...pageStreamLimits(checkoutId, address),
    { subject: 'embeds', max: MAX_EMBED_STREAMS, message: TOO_MANY },
    { subject: `embeds of ${checkoutId}`, max: MAX_EMBEDS_PER_CHECKOUT, message: TOO_MANY },
  ];
}

export function withPageLifetime(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(LIFETIME_MS)]);
}
