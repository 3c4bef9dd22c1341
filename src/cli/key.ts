// The operator's commands for keys. A key's text is shown once, by the command that makes it, and by no other.

import { createInterface } from 'node:readline';
import { isAddressRange } from '../base/config.ts';
import { Problem } from '../base/errors.ts';
import { isTime } from '../base/schema/formats.ts';
import { nearestName } from '../base/schema/near-miss.ts';
import { type IssuedKey, importKey, issueKey, type NewKeyRequest } from '../domain/keys/issue-key.ts';
import { isOlderKey, SCOPES } from '../domain/keys/key.ts';
import { type KeyRow, listKeys } from '../domain/keys/queries.ts';
import { revokeKey } from '../domain/keys/revoke-key.ts';
import { lookedUp, quoted, refused, usageError } from './cli-error.ts';
import { everyPage } from './every-page.ts';
import { choiceOf, uuidOf, wholeOf } from './options.ts';
import type { Answer, Command, Given } from './shape.ts';
import { block, shownTime, table } from './table.ts';
import { knownVenue } from './venue.ts';

const MOST_PER_HOUR = 1_000_000_000;

function factsOf(key: KeyRow) {
  const { kind, mode, scopes, venue_id, expires_at, allow_ips, writes_per_hour, reads_per_hour, created_at } = key;
  return { kind, mode, scopes, venue_id, expires_at, allow_ips, writes_per_hour, reads_per_hour, created_at };
}

function listed(key: KeyRow) {
  return { id: key.id, hint: key.hint, ...factsOf(key), revoked_at: key.revoked_at };
}

function scopesOf(key: KeyRow): string {
  if (key.scopes.length === SCOPES.length) return 'all';
  return key.scopes.join(' ') || '-';
}

function statusOf(key: KeyRow, now: number): string {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && Date.parse(key.expires_at) <= now ? 'expired' : 'active';
}

function linesOf(key: KeyRow): [string, string][] {
  const lines: [string, string][] = [
    ['kind', `${key.kind}, ${key.mode}`],
    ['venue', key.venue_id],
    ['scopes', scopesOf(key)],
    ['limits', `${key.writes_per_hour} writes and ${key.reads_per_hour} reads an hour`],
    ['addresses', key.allow_ips?.join(', ') ?? 'any'],
    ['expires', key.expires_at === null ? 'never' : shownTime(key.expires_at)],
    ['created', shownTime(key.created_at)],
  ];
  if (key.revoked_at !== null) lines.push(['revoked', shownTime(key.revoked_at)]);
  return lines;
}

function answerWithNew(issued: IssuedKey): Answer {
  return {
    json: { id: issued.id, key: issued.key, ...factsOf(issued) },
    text: `${block([['id', issued.id], ['key', issued.key], ...linesOf(issued)])}\n\nThe key is shown once: keep it now.`,
  };
}

function venueIn(given: Given): string | null {
  const text = given.text('venue');
  return text === null ? null : uuidOf(text, '--venue', 'venue list');
}

function scopesIn(given: Given): readonly string[] {
  const asked = given.texts('scope');
  for (const scope of asked) {
    if (scope === 'all' || (SCOPES as readonly string[]).includes(scope)) continue;
    const near = nearestName(scope, SCOPES);
    throw usageError(
      `--scope is ${quoted(scope)}: ${near === null ? `give all, or some of ${SCOPES.join(', ')}.` : `did you mean ${near}?`}`,
    );
  }
  return asked.includes('all') ? SCOPES : asked;
}

function wishIn(given: Given): NewKeyRequest {
  const venueId = uuidOf(given.needed('venue'), '--venue', 'venue list');
  const kind = choiceOf(given, 'kind', ['secret', 'publishable']);
  const mode = choiceOf(given, 'mode', ['test', 'live']);
  const scopes = scopesIn(given);
  if (kind === 'secret' && mode === 'live' && scopes.length === 0) {
    throw usageError(`--scope is missing: a live secret key needs --scope all, or some of ${SCOPES.join(', ')}.`);
  }
  const expiresAt = given.text('expires-at');
  if (expiresAt !== null && !isTime(expiresAt)) {
    throw usageError(
      `--expires-at is ${quoted(expiresAt)}: give a time with its offset, such as 2027-06-12T09:30:00Z.`,
    );
  }
  const allowIps = given.texts('allow-ip');
  const range = allowIps.find((text) => !isAddressRange(text));
  if (range !== undefined)
    throw usageError(`--allow-ip is ${quoted(range)}: give an address or a CIDR range, such as 203.0.113.0/24.`);
  return {
    venueId,
    kind,
    mode,
    scopes,
    expiresAt: expiresAt?.toUpperCase() ?? null,
    allowIps,
    writesPerHour: wholeOf(given, 'writes-per-hour', 1, MOST_PER_HOUR),
    readsPerHour: wholeOf(given, 'reads-per-hour', 1, MOST_PER_HOUR),
  };
}

/** Says which venue there is not, and how a sandbox gets live keys. */
async function forVenue(id: string, work: () => Promise<IssuedKey>): Promise<IssuedKey> {
  try {
    return await lookedUp('venue', id, work);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'venue_not_linked') throw error;
    throw refused(
      `--venue ${id} is a sandbox, which gets no live keys: link it first with "everyshare venue link ${id}".`,
    );
  }
}

/** The first line of standard input, so that a key need not stand in the shell's history. */
async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    process.stdin.destroy();
  }
}

const create: Command = {
  words: ['key', 'create'],
  arguments: [],
  help: 'create a key; its text is shown once',
  options: [
    { name: 'venue', value: 'ID', needed: true, help: 'the venue that it opens' },
    { name: 'kind', value: 'KIND', needed: true, help: 'secret (for servers) or publishable (for pages)' },
    { name: 'mode', value: 'MODE', needed: true, help: 'test or live' },
    {
      name: 'scope',
      value: 'SCOPE',
      many: true,
      help: `all, or some of ${SCOPES.join(', ')} (a test key carries every one)`,
    },
    { name: 'expires-at', value: 'TIME', help: 'when it ends, such as 2027-06-12T09:30:00Z' },
    { name: 'allow-ip', value: 'CIDR', many: true, help: 'an address or range that it may be used from' },
    { name: 'writes-per-hour', value: 'N', help: 'its hourly limit of writes' },
    { name: 'reads-per-hour', value: 'N', help: 'its hourly limit of reads' },
  ],
  async run(given, open) {
    const wish = wishIn(given);
    const { context, command } = await open();
    return answerWithNew(
      await forVenue(wish.venueId, () => context.db.transaction((tx) => issueKey(tx, command, wish))),
    );
  },
};

const list: Command = {
  words: ['key', 'list'],
  arguments: [],
  help: 'list the keys, newest first, without their text',
  options: [{ name: 'venue', value: 'ID', help: 'those of one venue' }],
  async run(given, open) {
    const venueId = venueIn(given);
    const { context, command } = await open();
    if (venueId !== null) await knownVenue(context.db, venueId);
    const keys = await everyPage((before) => listKeys(context.db, venueId, before));
    const rows = keys.map((key) => [
      key.id,
      key.hint,
      key.kind,
      key.mode,
      statusOf(key, command.now),
      shownTime(key.expires_at),
      key.venue_id,
      scopesOf(key),
    ]);
    const none = 'There are no keys yet: create one with "everyshare key create --help".';
    return {
      json: keys.map(listed),
      text:
        rows.length === 0 ? none : table(['ID', 'KEY', 'KIND', 'MODE', 'STATUS', 'EXPIRES', 'VENUE', 'SCOPES'], rows),
    };
  },
};

const revoke: Command = {
  words: ['key', 'revoke'],
  arguments: ['ID'],
  help: 'revoke a key: from the next request on it opens nothing',
  options: [],
  async run(given, open) {
    const id = given.argument(0);
    if (!/^key_[0-9a-z]{26}$/.test(id)) {
      throw usageError(
        `ID is ${quoted(id)}, which is not the id of a key (key_ and 26 characters): "everyshare key list" shows the ids.`,
      );
    }
    const { context, command } = await open();
    const key = await lookedUp('key', id, () => context.db.transaction((tx) => revokeKey(tx, command, id)));
    return { json: listed(key), text: block([['id', key.id], ['key', key.hint], ...linesOf(key)]) };
  },
};

const bring: Command = {
  words: ['key', 'import'],
  arguments: [],
  help: 'take over a live key of the older form, with every scope',
  options: [
    { name: 'venue', value: 'ID', needed: true, help: 'the venue that it opens' },
    {
      name: 'key',
      value: 'KEY',
      needed: true,
      help: 'svc_live_ and 48 hex characters; "-" reads it from standard input',
    },
  ],
  async run(given, open) {
    const venueId = uuidOf(given.needed('venue'), '--venue', 'venue list');
    const typed = given.needed('key');
    const text = (typed === '-' ? await firstLine() : typed).trim();
    if (!isOlderKey(text)) {
      throw usageError(
        '--key is not a live key of the older form: give svc_live_ and 48 hex characters in lower case, or - to read it from standard input.',
      );
    }
    const { context, command } = await open();
    return answerWithNew(
      await forVenue(venueId, () => context.db.transaction((tx) => importKey(tx, command, venueId, text))),
    );
  },
};

export const keyCommands: readonly Command[] = [create, list, revoke, bring];
