// Asks the process that delivers: endpoints and events are laid ready, then our loops bring them to the receiver, or a raw
// loop posts the same signed bytes.

import { ask } from './asking.ts';
import type { Running } from './processes.ts';

/** Takes every post and never answers; answers with bytes that are no HTTP, or with 500 and a long body of noise. */
export type Bad = 'hang' | 'garbage';

/** So many events for each of so many endpoints, each endpoint of a venue of its own. */
export interface Mail {
  readonly venueIds: readonly string[];
  readonly each: number;
  /** What the first of the endpoints do; the others answer. */
  readonly bad: readonly Bad[];
}

export type DeliverOrder =
  | { readonly do: 'open'; readonly mail: Mail }
  | { readonly do: 'load'; readonly mail: Mail }
  | { readonly do: 'deliver'; readonly mail: Mail }
  | { readonly do: 'raw'; readonly mail: Mail; readonly atOnce: number };

export interface Deliveries {
  /** The endpoints, once. */
  open(mail: Mail): Promise<void>;
  /** New events for all of them, with nothing left over from before, at any endpoint. */
  load(mail: Mail): Promise<void>;
  /** From the log to acknowledged and written down, at every endpoint that answers. Gives deliveries a second. */
  deliver(mail: Mail): Promise<number>;
  /** The same bytes, signed beforehand, by so many keep-alive loops. Gives posts a second. */
  raw(mail: Mail, atOnce: number): Promise<number>;
}

export function deliveriesBy(running: Running): Deliveries {
  return {
    open: (mail) => ask(running, { do: 'open', mail } satisfies DeliverOrder),
    load: (mail) => ask(running, { do: 'load', mail } satisfies DeliverOrder),
    deliver: (mail) => ask(running, { do: 'deliver', mail } satisfies DeliverOrder),
    raw: (mail, atOnce) => ask(running, { do: 'raw', mail, atOnce } satisfies DeliverOrder),
  };
}
