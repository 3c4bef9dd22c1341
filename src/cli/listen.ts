// `everyshare listen --forward-to URL`: posts the test events of a venue to a local address, signed with a secret that
// stays the same, so that a developer can write a receiver without a public address. It tries each event once and prints
// the response. Deliveries to webhook endpoints are not affected.

import { setTimeout as delay } from 'node:timers/promises';
import { sendTrusted } from '../base/outbound/trusted-request.ts';
import type { Seal } from '../base/seal.ts';
import { EventFollower } from '../domain/events/follow-events.ts';
import type { EventView } from '../domain/events/queries.ts';
import { signatureHeaders } from '../domain/webhooks/deliveries/signature.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput } from './command-definition.ts';
import { integerOption } from './options.ts';
import { testCaller, VENUE_OPTION, venueIn } from './test-venue.ts';

const POLL_INTERVAL_MS = 300;
const TIMEOUT_MS = 10_000;

/** Derived from the installation's key and the venue, so it is secret, stable, and stored nowhere. */
function listenSecret(seal: Seal, venueId: string): string {
  return `whsec_${seal.fingerprint(venueId, 'everyshare listen').toString('base64')}`;
}

interface Target {
  readonly url: string;
  readonly secret: string;
}

/** Returns the response's status, or why the address could not be reached. */
async function forward({ url, secret }: Target, event: EventView, now: number): Promise<string> {
  try {
    const { status } = await sendTrusted({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Everyshare-Webhooks/1 (listen)',
        ...signatureHeaders([secret], Buffer.from(event.json), now),
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

function targetUrlIn(input: CommandInput): string {
  const text = input.required('forward-to');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href;
  throw usageError(`--forward-to is ${quoted(text)}: give an address such as http://localhost:3000/hooks.`);
}

/** Aborts on SIGINT (Ctrl-C) or SIGTERM. */
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
    {
      name: 'forward-to',
      valueName: 'URL',
      isRequired: true,
      help: 'where to post them, such as http://localhost:3000/hooks',
    },
    { name: 'event', valueName: 'TYPE', isRepeatable: true, help: 'only events of this type; all when absent' },
    { name: 'count', valueName: 'N', help: 'stop after so many events' },
    VENUE_OPTION,
  ],
  async run(input, open) {
    const url = targetUrlIn(input);
    const count = integerOption(input, 'count', 1, 1_000_000) ?? Number.POSITIVE_INFINITY;
    const types = input.texts('event');
    const venueId = venueIn(input);
    const { context, command } = await open();
    const { venue } = await testCaller(context.db, command, venueId);
    const target = { url, secret: listenSecret(context.seal, venue.id) };
    const follower = await EventFollower.fromNow(context, venue.id, 'test');
    const printLine = (line: string): void =>
      void (input.flag('json') ? process.stderr : process.stdout).write(`${line}\n`);
    printLine(`forwarding test events of ${venue.name} (${venue.id}) to ${url}`);
    printLine(`signing secret ${target.secret}`);
    const forwarded: { id: string; type: string; result: string }[] = [];
    const stop = stopSignal();
    try {
      while (!stop.signal.aborted && forwarded.length < count) {
        for (const event of await follower.next()) {
          if (stop.signal.aborted || forwarded.length >= count) break;
          if (types.length > 0 && !types.includes(event.type)) continue;
          const result = await forward(target, event, context.clock.now());
          forwarded.push({ id: event.id, type: event.type, result });
          printLine(`${event.type}  ${event.id}  ${result}`);
        }
        if (forwarded.length < count)
          await delay(POLL_INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      }
    } finally {
      stop.end();
    }
    const { length } = forwarded;
    return {
      json: { venue: venue.id, secret: target.secret, forwarded },
      text: `${length} ${length === 1 ? 'event' : 'events'} forwarded.`,
    };
  },
};

export const listenCommands: readonly Command[] = [listen];
