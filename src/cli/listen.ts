// `everyshare listen --forward-to URL`: posts the test events of a venue to a local address, signed with a secret that
// stays the same, so that a developer can write a receiver without a public address. The events come from the server of
// the user's login, over the API, or from the installation on this machine. It tries each event once and prints the
// response. Deliveries to webhook endpoints are not affected.

import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../base/clock.ts';
import { sendTrusted } from '../base/outbound/trusted-request.ts';
import type { Seal } from '../base/seal.ts';
import { isSubscribable } from '../domain/events/event-types.ts';
import { EventFollower } from '../domain/events/follow-events.ts';
import { signatureHeaders } from '../domain/webhooks/deliveries/signature.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput, OpenContext } from './command-definition.ts';
import { LOG_ONLY } from './events.ts';
import type { Login } from './login-file.ts';
import { integerOption } from './options.ts';
import { keepRunningOnError } from './print.ts';
import { explainApiError, remoteClient, testLogin } from './remote.ts';
import { printable } from './table.ts';
import { testCaller, VENUE_OPTION, venueIn } from './test-venue.ts';

const POLL_INTERVAL_MS = 300;
const TIMEOUT_MS = 10_000;

/** Derived from the installation's key and the venue, so it is secret, stable, and stored nowhere. */
function listenSecret(seal: Seal, venueId: string): string {
  return `whsec_${seal.fingerprint(venueId, 'everyshare listen').toString('base64')}`;
}

/** An event to forward: its JSON as the event log has it. */
interface ForwardedEvent {
  readonly id: string;
  readonly type: string;
  readonly json: string;
}

/** Where the events come from. */
interface EventSource {
  /** The id of the venue; null: the server does not say it. */
  readonly venueId: string | null;
  readonly description: string;
  readonly secret: string;
  events(signal: AbortSignal): AsyncIterable<ForwardedEvent>;
}

/** The events of the installation on this machine, read from its database. */
async function localSource(open: OpenContext, venueId: string | null): Promise<EventSource> {
  const { context, command } = await open();
  const { venue } = await testCaller(context.db, command, venueId);
  const follower = await EventFollower.fromNow(context, venue.id, 'test');
  return {
    venueId: venue.id,
    description: `${venue.name} (${venue.id})`,
    secret: listenSecret(context.seal, venue.id),
    async *events(signal) {
      while (!signal.aborted) {
        yield* await follower.next();
        await delay(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

/** The events of the login's server, over the API: after a break the stream goes on after the last event. */
function remoteSource(login: Login, printLine: (line: string) => void): EventSource {
  return {
    venueId: null,
    description: `${login.venue} at ${login.url}`,
    secret: login.listenSecret,
    async *events(signal) {
      let isFirst = true;
      const onOpen = (): void => {
        printLine(isFirst ? 'ready' : 'the stream is open again');
        isFirst = false;
      };
      const onBreak = (): void => printLine('the stream broke: opening it again');
      const messages = remoteClient(login).events.stream({ signal, onOpen, onBreak }).messages();
      try {
        const readNext = () => explainApiError(login.url, () => messages.next());
        for (let next = await readNext(); next.done !== true; next = await readNext())
          yield { id: next.value.id, type: next.value.type, json: next.value.data };
      } finally {
        await messages.return();
      }
    },
  };
}

/** Returns the response's status, or why the address could not be reached. */
async function forward(url: string, secret: string, event: ForwardedEvent): Promise<string> {
  try {
    const { status } = await sendTrusted({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Everyshare-Webhooks/1 (listen)',
        ...signatureHeaders([secret], Buffer.from(event.json), systemClock.now()),
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

/** Aborts on SIGINT (Ctrl-C) or SIGTERM, and when the reader of the output has gone away (`| head -1`). */
function stopSignal(output: NodeJS.WriteStream): { readonly signal: AbortSignal; end(): void } {
  const stop = new AbortController();
  const onStop = (): void => stop.abort();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, onStop);
  keepRunningOnError(output);
  output.on('error', onStop);
  return {
    signal: stop.signal,
    end() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onStop);
      output.off('error', onStop);
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
  async run(input, open, readSettings, configFolder) {
    const url = targetUrlIn(input);
    const count = integerOption(input, 'count', 1, 1_000_000) ?? Number.POSITIVE_INFINITY;
    const types = input.texts('event');
    const venueId = venueIn(input);
    const output = input.flag('json') ? process.stderr : process.stdout;
    const printLine = (line: string): void => void output.write(`${printable(line)}\n`);
    const login = testLogin(input, configFolder, readSettings);
    const source = login === null ? await localSource(open, venueId) : remoteSource(login, printLine);
    const forwarded: { id: string; type: string; result: string; subscribable: boolean }[] = [];
    const stop = stopSignal(output);
    try {
      printLine(`forwarding test events of ${source.description} to ${url}`);
      printLine(`signing secret ${source.secret}`);
      for await (const event of source.events(stop.signal)) {
        if (types.length > 0 && !types.includes(event.type)) continue;
        const result = await forward(url, source.secret, event);
        const subscribable = isSubscribable(event.type);
        forwarded.push({ id: event.id, type: event.type, result, subscribable });
        const mark = subscribable ? '' : `  (${LOG_ONLY}: no webhook endpoint can subscribe to it)`;
        printLine(`${event.type}  ${event.id}  ${result}${mark}`);
        if (stop.signal.aborted || forwarded.length >= count) break;
      }
    } finally {
      stop.end();
    }
    const { length } = forwarded;
    return {
      json: { venue: source.venueId, secret: source.secret, forwarded },
      text: `${length} ${length === 1 ? 'event' : 'events'} forwarded.`,
    };
  },
};

export const listenCommands: readonly Command[] = [listen];
