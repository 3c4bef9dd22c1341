// The operator's commands for venues.

import type { CommandContext } from '../base/command-context.ts';
import type { Queryable } from '../base/db.ts';
import { createVenueWithKeys } from '../domain/keys/sandbox-venue.ts';
import { onboardingLink } from '../domain/payments/payout-account.ts';
import { audit } from '../domain/venues/audit.ts';
import { addOrigin, changeFee, linkVenue, removeOrigin, revokeVenue } from '../domain/venues/change-venue.ts';
import { requireOrigin } from '../domain/venues/create-venue.ts';
import { findVenue, listVenues, type VenueRow } from '../domain/venues/queries.ts';
import { lookedUp, noSuch, quoted, usageError } from './cli-error.ts';
import { everyPage } from './every-page.ts';
import { choiceOf, uuidOf, wholeOf } from './options.ts';
import type { Answer, Command, Given, Open } from './shape.ts';
import { block, shownTime, table } from './table.ts';

const MOST_ORIGINS = 50;

function shown(venue: VenueRow) {
  const { id, name, linked, origins, fee_bps, fee_fixed, created_at, revoked_at } = venue;
  return { id, name, linked, origins, fee: { bps: fee_bps, fixed: fee_fixed }, created_at, revoked_at };
}

function statusOf(venue: VenueRow): string {
  if (venue.revoked_at !== null) return 'revoked';
  return venue.linked ? 'linked' : 'sandbox';
}

function feeText(venue: VenueRow): string {
  return `${venue.fee_bps} bps + ${venue.fee_fixed}`;
}

function answerWith(venue: VenueRow): Answer {
  const pairs: [string, string][] = [
    ['id', venue.id],
    ['name', venue.name],
    ['status', statusOf(venue)],
    ['origins', venue.origins.join(', ') || 'none'],
    ['fee', feeText(venue)],
    ['created', shownTime(venue.created_at)],
  ];
  if (venue.revoked_at !== null) pairs.push(['revoked', shownTime(venue.revoked_at)]);
  return { json: shown(venue), text: block(pairs) };
}

function idIn(given: Given): string {
  return uuidOf(given.argument(0), 'ID', 'venue list');
}

/** An origin is judged by the domain; here, before the database is opened. */
function originIn(text: string, label: string): string {
  try {
    return requireOrigin(text);
  } catch {
    throw usageError(
      `${label} is ${quoted(text)}, which is not an origin: give scheme, host and port alone, such as https://example.com (http only for localhost).`,
    );
  }
}

type Change = (tx: Queryable, command: CommandContext, id: string) => Promise<VenueRow>;

async function changed(id: string, open: Open, change: Change): Promise<Answer> {
  const { context, command } = await open();
  return answerWith(await lookedUp('venue', id, () => context.db.transaction((tx) => change(tx, command, id))));
}

/** The venue with this id, or a line that says there is none. */
export async function knownVenue(db: Queryable, id: string): Promise<VenueRow> {
  const venue = await findVenue(db, id);
  if (venue === null) throw noSuch('venue', id);
  return venue;
}

const create: Command = {
  words: ['venue', 'create'],
  arguments: [],
  help: 'create a venue with a test key of each kind; linked, unless it is a sandbox',
  options: [
    { name: 'name', value: 'NAME', needed: true, help: 'its name, 1 to 120 characters' },
    { name: 'origin', value: 'URL', many: true, help: 'an origin whose pages may use its publishable keys' },
    { name: 'sandbox', value: null, help: 'not linked: test mode only, until "venue link"' },
  ],
  async run(given, open) {
    const origins = given.texts('origin').map((text) => originIn(text, '--origin'));
    if (origins.length > MOST_ORIGINS)
      throw usageError(`--origin is given ${origins.length} times: a venue has at most ${MOST_ORIGINS} origins.`);
    const wish = { name: given.needed('name'), origins, sandbox: given.flag('sandbox') };
    const { context, command } = await open();
    const { venue, secretTest, publishableTest } = await context.db.transaction((tx) =>
      createVenueWithKeys(tx, command, wish),
    );
    const { id, name, linked } = venue;
    const text = block([
      ['id', id],
      ['name', name],
      ['status', linked ? 'linked' : 'sandbox'],
      ['origins', venue.origins.join(', ') || 'none'],
      ['secret key (test)', secretTest],
      ['publishable key (test)', publishableTest],
    ]);
    return {
      json: {
        id,
        name,
        linked,
        origins: venue.origins,
        keys: { secret_test: secretTest, publishable_test: publishableTest },
      },
      text: `${text}\n\nThe keys are shown once: keep them now.`,
    };
  },
};

const list: Command = {
  words: ['venue', 'list'],
  arguments: [],
  help: 'list the venues, newest first',
  options: [],
  async run(_given, open) {
    const { context } = await open();
    const venues = await everyPage((before) => listVenues(context.db, before));
    const rows = venues.map((venue) => [
      venue.id,
      venue.name,
      statusOf(venue),
      feeText(venue),
      shownTime(venue.created_at),
      venue.origins.join(' ') || '-',
    ]);
    const none = 'There are no venues yet: create one with "everyshare venue create --name NAME".';
    return {
      json: venues.map(shown),
      text: rows.length === 0 ? none : table(['ID', 'NAME', 'STATUS', 'FEE', 'CREATED', 'ORIGINS'], rows),
    };
  },
};

const show: Command = {
  words: ['venue', 'show'],
  arguments: ['ID'],
  help: 'show one venue',
  options: [],
  async run(given, open) {
    const id = idIn(given);
    const { context } = await open();
    return answerWith(await knownVenue(context.db, id));
  },
};

const link: Command = {
  words: ['venue', 'link'],
  arguments: ['ID'],
  help: 'assert that a sandbox venue is verified and can be paid, so that it may have live keys',
  options: [],
  run: async (given, open) => changed(idIn(given), open, linkVenue),
};

const revoke: Command = {
  words: ['venue', 'revoke'],
  arguments: ['ID'],
  help: 'shut a venue out: from the next request on, none of its keys opens anything',
  options: [],
  run: async (given, open) => changed(idIn(given), open, revokeVenue),
};

const onboard: Command = {
  words: ['venue', 'onboard'],
  arguments: ['ID'],
  help: 'give the link with which a venue tells the card processor where it is paid',
  options: [
    { name: 'mode', value: 'test|live', needed: true, help: 'whose account' },
    { name: 'return-url', value: 'URL', needed: true, help: 'where the venue goes afterwards' },
  ],
  async run(given, open) {
    const id = idIn(given);
    const mode = choiceOf(given, 'mode', ['test', 'live']);
    const returnUrl = given.needed('return-url');
    if (!URL.canParse(returnUrl)) throw usageError(`--return-url is ${quoted(returnUrl)}: give a web address.`);
    const { context, command } = await open();
    await knownVenue(context.db, id);
    const found = await onboardingLink(context.services, id, mode, returnUrl);
    await context.db.transaction((tx) =>
      audit(tx, command, { venueId: id, action: 'payout.onboard', subject: found.accountId, detail: { mode } }),
    );
    return { json: { account: found.accountId, url: found.url }, text: found.url };
  },
};

const originAdd: Command = {
  words: ['venue', 'origin', 'add'],
  arguments: ['ID', 'URL'],
  help: 'let the pages of an origin use the publishable keys of a venue',
  options: [],
  async run(given, open) {
    const id = idIn(given);
    const origin = originIn(given.argument(1), 'URL');
    return changed(id, open, (tx, command) => addOrigin(tx, command, id, origin));
  },
};

const originRemove: Command = {
  words: ['venue', 'origin', 'remove'],
  arguments: ['ID', 'URL'],
  help: 'take an origin of a venue away again',
  options: [],
  async run(given, open) {
    const id = idIn(given);
    const origin = originIn(given.argument(1), 'URL');
    return changed(id, open, (tx, command) => removeOrigin(tx, command, id, origin));
  },
};

const fee: Command = {
  words: ['venue', 'fee'],
  arguments: ['ID'],
  help: 'set the fee that checkouts created from now on carry',
  options: [
    { name: 'bps', value: 'N', needed: true, help: 'hundredths of a percent of the amount, 0 to 10000' },
    { name: 'fixed', value: 'N', needed: true, help: 'minor units on top, 0 to 99999999' },
  ],
  async run(given, open) {
    const id = idIn(given);
    const bps = wholeOf(given, 'bps', 0, 10_000) ?? 0;
    const fixed = wholeOf(given, 'fixed', 0, 99_999_999) ?? 0;
    return changed(id, open, (tx, command) => changeFee(tx, command, id, bps, fixed));
  },
};

export const venueCommands: readonly Command[] = [
  create,
  list,
  show,
  link,
  onboard,
  revoke,
  originAdd,
  originRemove,
  fee,
];
