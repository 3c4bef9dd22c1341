// `everyshare demo`: fills a venue with a believable year, and prints a link to the console and the keys.

import type { Mode } from '../base/config.ts';
import { createConsoleLink } from '../domain/accounts/console-link.ts';
import { OWNER_EMAIL } from '../domain/demo/demo-venue.ts';
import { DemoRefusal, type FilledVenue, fillVenue } from '../domain/demo/fill-venue.ts';
import type { AppContext } from '../run/context.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput } from './command-definition.ts';
import { integerOption, parseId } from './options.ts';
import { ProgressBar } from './progress-bar.ts';
import { block } from './table.ts';

const DEFAULT_SEED = 1;
const DEFAULT_CHECKOUTS = 3_000;
const MAX_YEARS_AGO_MS = 5 * 365 * 24 * 3_600_000;

const demo: Command = {
  words: ['demo'],
  arguments: [],
  help: 'fill a venue with a believable year of bookings, for trying the console; only with the sandbox processor',
  mayBeFirst: true,
  options: [
    {
      name: 'venue',
      valueName: 'ID',
      help: 'a linked venue without checkouts; a new one called Harbor Club when absent',
    },
    {
      name: 'seed',
      valueName: 'N',
      help: `the same seed and the same end give the same year; ${DEFAULT_SEED} when absent`,
    },
    { name: 'until', valueName: 'T', help: 'when the year ends, such as 2027-06-12T09:30:00Z; now when absent' },
    { name: 'live', valueName: null, help: 'in live mode, still with the sandbox processor; test mode when absent' },
    { name: 'checkouts', valueName: 'N', help: `about how many, 20 to 20000; ${DEFAULT_CHECKOUTS} when absent` },
  ],
  async run(input, open) {
    const given = input.text('venue');
    const venueId = given === null ? null : parseId(given, '--venue', 'venue list');
    const seed = integerOption(input, 'seed', 0, 4_294_967_295) ?? DEFAULT_SEED;
    const checkouts = integerOption(input, 'checkouts', 20, 20_000) ?? DEFAULT_CHECKOUTS;
    const mode: Mode = input.flag('live') ? 'live' : 'test';
    const { context, command } = await open();
    const until = untilOption(input, command.now);
    if (context.address.base === '')
      throw commandError('the address of the server is not known yet: start the server once, or set BASE_URL.');
    const bar = new ProgressBar('filling', context.clock, input.flag('json') ? null : process.stderr);
    const options = { venueId, seed, until, mode, checkouts, onProgress: (part: number) => bar.show(0, 0, part) };
    const filled = await fillVenue(context.services, command, options).catch((error: unknown) => {
      throw error instanceof DemoRefusal ? commandError(error.message) : error;
    });
    bar.end();
    return resultOf(filled, await linkTo(context, command, filled));
  },
};

function untilOption(input: CommandInput, now: number): number {
  const text = input.text('until');
  if (text === null) return now;
  const at = Date.parse(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && at <= now && at > now - MAX_YEARS_AGO_MS) return at;
  throw usageError(
    `--until is ${quoted(text)}: give a time of the last five years, up to now, such as ${new Date(now).toISOString()}.`,
  );
}

async function linkTo(
  { db, services }: AppContext,
  command: Parameters<typeof createConsoleLink>[1],
  { venueId }: FilledVenue,
): Promise<string> {
  const { token } = await db.transaction((tx) => createConsoleLink(tx, command, { email: OWNER_EMAIL, venueId }));
  return `${services.consoleUrl()}#link=${token}`;
}

function resultOf({ venueId, mode, keys, checkouts }: FilledVenue, url: string) {
  return {
    json: { venue: venueId, mode, checkouts, keys: { secret: keys.secret, publishable: keys.publishable }, url },
    text: block([
      ['venue', venueId],
      ['mode', mode],
      ['checkouts', String(checkouts)],
      ['secret key', keys.secret],
      ['publishable key', keys.publishable],
      ['console', `${url} (once, for 15 minutes)`],
    ]),
  };
}

export const demoCommands: readonly Command[] = [demo];
