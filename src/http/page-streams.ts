// The streams of open pages, hosted ones and those of partners: their bounds, apart from the streams of partners' programs,
// so that pages do not use up their places.

import { networkOf } from '../base/network.ts';
import { EventStreams, type StreamLimit } from './event-stream.ts';

const MAX_PAGE_STREAMS = 2_000;
const MAX_PER_ADDRESS = 60;
const MAX_PER_CHECKOUT = 120;
/** The page opens the next one. */
const LIFETIME_MS = 5 * 60_000;
/** A script cannot see a comment. A message without an id leaves the last id as it is. */
const HEARTBEAT = 'event: alive\ndata: 1\n\n';

export function makePageStreams(): EventStreams {
  return new EventStreams({ heartbeat: HEARTBEAT, maxStreams: MAX_PAGE_STREAMS });
}

/** A page that is refused polls instead. */
export function pageStreamLimits(checkoutId: string, address: string): readonly StreamLimit[] {
  const message = 'Too many pages are open: this one asks for changes from time to time.';
  return [
    { subject: `address ${networkOf(address)}`, max: MAX_PER_ADDRESS, message },
    { subject: `checkout ${checkoutId}`, max: MAX_PER_CHECKOUT, message },
  ];
}

export function withPageLifetime(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(LIFETIME_MS)]);
}
