// The operator's command for the console: a link that signs in once.

import { consoleLinkUrl, createConsoleLink, FIRST_OWNER, LINK_SECONDS } from '../domain/accounts/console-link.ts';
import { isMailAddress } from '../domain/venues/venue-profile.ts';
import { commandError, quoted, usageError } from './cli-error.ts';
import type { Command } from './command-definition.ts';
import { parseId } from './options.ts';
import { requireVenue } from './require-venue.ts';
import { block } from './table.ts';

const link: Command = {
  words: ['console', 'link'],
  arguments: [],
  help: 'print a link that signs in to the console once, within 15 minutes; a new person becomes owner of the venue',
  options: [
    { name: 'mail', valueName: 'M', help: `the mail address of the person; ${FIRST_OWNER} by default` },
    {
      name: 'venue',
      valueName: 'ID',
      help: 'the venue; by default one of the person, or the first of the installation; an operator needs none',
    },
  ],
  async run(input, open) {
    const email = input.text('mail') ?? FIRST_OWNER;
    if (!isMailAddress(email))
      throw usageError(`--mail is ${quoted(email)}: give a mail address, such as ada@example.com.`);
    const given = input.text('venue');
    const venueId = given === null ? null : parseId(given, '--venue', 'venue list');
    const { context, command } = await open();
    if (context.address.base === '')
      throw commandError('the address of the server is not known yet: start the server once, or set BASE_URL.');
    if (venueId !== null) await requireVenue(context.db, venueId);
    const made = await context.db.transaction((tx) => createConsoleLink(tx, command, { email, venueId }));
    const url = consoleLinkUrl(context.services.consoleUrl(), made);
    return {
      json: { url, account: made.accountId, venue: made.venueId, expires_in: LINK_SECONDS },
      text: block([
        ['link', url],
        ['account', made.accountId],
        ...(made.venueId === null ? [] : [['venue', made.venueId] as const]),
      ]),
    };
  },
};

export const consoleCommands: readonly Command[] = [link];
