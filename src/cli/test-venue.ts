// The venue of a developer's command: --venue, or the first sandbox venue. Always in test mode, which moves no real money.

import type { CommandContext } from '../base/command-context.ts';
import type { Queryable } from '../base/db.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { listVenues } from '../domain/venues/queries.ts';
import { commandError } from './cli-error.ts';
import type { CommandInput, Option } from './command-definition.ts';
import { everyPage } from './every-page.ts';
import { operatorCaller } from './operator-caller.ts';
import { parseId } from './options.ts';

export const VENUE_OPTION: Option = {
  name: 'venue',
  valueName: 'ID',
  help: 'a venue of the installation on this machine; when absent, that of the login, or the first sandbox here',
};

/** Checked before the database is opened. Null: the option is absent. */
export function venueIn(input: CommandInput): string | null {
  const text = input.text('venue');
  return text === null ? null : parseId(text, '--venue', 'venue list');
}

export async function testCaller(db: Queryable, command: CommandContext, venueId: string | null): Promise<Caller> {
  return operatorCaller(db, command, venueId ?? (await firstSandbox(db)), 'test');
}

async function firstSandbox(db: Queryable): Promise<string> {
  const venues = await everyPage((before) => listVenues(db, before));
  const found = venues.findLast(({ linked, revoked_at }) => !linked && revoked_at === null);
  if (found !== undefined) return found.id;
  throw commandError(
    'there is no sandbox venue: make one with "everyshare venue create --name N --sandbox", or name --venue ID.',
  );
}
