// The venue that a developer's command is about: the one that is named, or the installation's first sandbox. Always in test
// mode, where nothing can cost anybody anything.

import type { CommandContext } from '../base/command-context.ts';
import type { Queryable } from '../base/db.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { listVenues } from '../domain/venues/queries.ts';
import { refused } from './cli-error.ts';
import { everyPage } from './every-page.ts';
import { operatorCaller } from './operator-caller.ts';
import { uuidOf } from './options.ts';
import type { Given, Option } from './shape.ts';

export const VENUE: Option = { name: 'venue', value: 'ID', help: 'the venue; the first sandbox when absent' };

/** Checked before anything is opened; null: none was named. */
export function namedVenue(given: Given): string | null {
  const text = given.text('venue');
  return text === null ? null : uuidOf(text, '--venue', 'venue list');
}

export async function testCaller(db: Queryable, command: CommandContext, named: string | null): Promise<Caller> {
  return operatorCaller(db, command, named ?? (await firstSandbox(db)), 'test');
}

async function firstSandbox(db: Queryable): Promise<string> {
  const venues = await everyPage((before) => listVenues(db, before));
  const found = venues.findLast(({ linked, revoked_at }) => !linked && revoked_at === null);
  if (found !== undefined) return found.id;
  throw refused(
    'there is no sandbox venue: make one with "everyshare venue create --name N --sandbox", or name --venue ID.',
  );
}
