// `everyshare listen --forward-to URL`: follows the test events of a venue and posts each to a local address, signed with a
// secret that is the same each time, so that a receiver can be written before there is a public address for it. It tries
// each once, and shows what came back; the real deliveries go on beside it.

import { setTimeout as delay } from 'node:timers/promises';
import { sendTrusted } from '../base/outbound/trusted-request.ts';
import type { Seal } from '../base/seal.ts';
import { type EventView, eventsSince } from '../domain/events/queries.ts';
import { SIGNATURE_HEADER, signatureOf } from '../domain/webhooks/deliveries/signature.ts';
import type { AppContext } from '../run/context.ts';
import { quoted, usageError } from './cli-error.ts';
import { wholeOf } from './options.ts';
import type { Command, Given } from './shape.ts';
import { namedVenue, testCaller, VENUE } from './test-venue.ts';

const LOOK_EVERY_MS = 300;
const TIMEOUT_MS = 10_000;
const AT_ONCE = 500;
/** A transaction may commit an event after a later one: so far back we look each time. */
const OVERLAP_MS = 10_000;
const SEEN_FOR_MS = 3 * OVERLAP_MS;

/** From the installation's own key and the venue: nobody else can know it, and it need not be kept. */
function listenSecret(seal: Seal, venueId: string): string {
  return `whsec_${seal.fingerprint(venueId, 'everyshare listen').toString('hex').slice(0, 32)}`;
}

/** Follows the log from now on: each event once, in the order of its time as far as that is known. */
class Follower {
  readonly #house: AppContext;
  readonly #venueId: string;
  readonly #seen = new Map<string, number>();
  #from: number;

  constructor(context: AppContext, venueId: string) {
    this.#house = context;
    this.#venueId = venueId;
    this.#from = context.clock.now() - OVERLAP_MS;
  }

  async next(): Promise<EventView[]> {
    const { db, clock } = this.#house;
    const fresh: EventView[] = [];
    for (let since = new Date(this.#from).toISOString(), full = true; full; ) {
      const page = await eventsSince(db, this.#venueId, 'test', since, AT_ONCE);
      for (const event of page) {
        if (!this.#seen.has(event.id)) fresh.push(event);
        this.#seen.set(event.id, clock.now());
      }
      full = page.length === AT_ONCE;
      since = page.at(-1)?.createdAt ?? since;
    }
    this.#from = Math.max(this.#from, clock.now() - OVERLAP_MS);
    for (const [id, at] of this.#seen) if (at < clock.now() - SEEN_FOR_MS) this.#seen.delete(id);
    return fresh;
  }
}

interface Target {
  readonly url: string;
  readonly secret: string;
}

/** What came back, in a few words. */
async function forward({ url, secret }: Target, event: EventView, now: number): Promise<string> {
  try {
    const { status } = await sendTrusted({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Everyshare-Webhooks/1 (listen)',
        [SIGNATURE_HEADER]: signatureOf([secret], event.json, now),
      },
      body: event.json,
      timeoutMs: TIMEOUT_MS,
    });
    return String(status);
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown };
    return `not reached (${typeof code === 'string' ? code : String(name)})`;
  }
}

function addressOf(given: Given): string {
  const text = given.needed('forward-to');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href;
  throw usageError(`--forward-to is ${quoted(text)}: give an address such as http://localhost:3000/hooks.`);
}

/** Until Ctrl-C. */
function stopSignal(): { readonly signal: AbortSignal; end(): void } {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, onSignal);
  return {
    signal: stop.signal,
    end() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onSignal);
    },
  };
}

const listen: Command = {
  words: ['listen'],
  arguments: [],
  help: 'forward the test events of a venue to a local address, until you stop it',
  options: [
    { name: 'forward-to', value: 'URL', needed: true, help: 'where to post them, such as http://localhost:3000/hooks' },
    { name: 'event', value: 'TYPE', many: true, help: 'only events of this type; all when absent' },
    { name: 'count', value: 'N', help: 'stop after so many events' },
    VENUE,
  ],
  async run(given, open) {
    const url = addressOf(given);
    const count = wholeOf(given, 'count', 1, 1_000_000) ?? Number.POSITIVE_INFINITY;
    const types = given.texts('event');
    const named = namedVenue(given);
    const { context, command } = await open();
    const { venue } = await testCaller(context.db, command, named);
    const target = { url, secret: listenSecret(context.seal, venue.id) };
    const follower = new Follower(context, venue.id);
    await follower.next();
    const tell = (line: string): void => void (given.flag('json') ? process.stderr : process.stdout).write(`${line}\n`);
    tell(`forwarding test events of ${venue.name} (${venue.id}) to ${url}`);
    tell(`signing secret ${target.secret}`);
    const told: { id: string; type: string; result: string }[] = [];
    const stop = stopSignal();
    try {
      while (!stop.signal.aborted && told.length < count) {
        for (const event of await follower.next()) {
          if (stop.signal.aborted || told.length >= count) break;
          if (types.length > 0 && !types.includes(event.type)) continue;
          const result = await forward(target, event, context.clock.now());
          told.push({ id: event.id, type: event.type, result });
          tell(`${event.type}  ${event.id}  ${result}`);
        }
        if (told.length < count) await delay(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    } finally {
      stop.end();
    }
    const { length } = told;
    return {
      json: { venue: venue.id, secret: target.secret, forwarded: told },
      text: `${length} ${length === 1 ? 'event' : 'events'} forwarded.`,
    };
  },
};

export const listenCommands: readonly Command[] = [listen];
