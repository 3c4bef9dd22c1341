// The operator's commands for keys. Only the command that creates or imports a key shows its text.

import { createInterface } from 'node:readline';
import { isAddressRange } from '../base/address-range.ts';
import { Problem } from '../base/errors.ts';
import { isTime } from '../base/schema/formats.ts';
import { nearestName } from '../base/schema/nearest-name.ts';
import { type IssuedKey, importKey, issueKey, type NewKeyRequest } from '../domain/keys/issue-key.ts';
import { isLegacyKey, SCOPES, statusOfKey } from '../domain/keys/key.ts';
import { type KeyRow, listKeys } from '../domain/keys/queries.ts';
import { revokeKey } from '../domain/keys/revoke-key.ts';
import { DEFAULT_OVERLAP_HOURS, MAX_OVERLAP_HOURS, rollKey } from '../domain/keys/roll-key.ts';
import { type KeyChanges, updateKey } from '../domain/keys/update-key.ts';
import { commandError, explainNotFound, quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput, CommandResult, Option } from './command-definition.ts';
import { everyPage } from './every-page.ts';
import { choiceOption, integerOption, parseId } from './options.ts';
import { requireVenue } from './require-venue.ts';
import { block, formatTimestamp, table } from './table.ts';

const MAX_PER_HOUR = 1_000_000_000;

function fieldsOf(key: KeyRow) {
  const { name, kind, mode, scopes, venue_id, expires_at, allow_ips, writes_per_hour, reads_per_hour, created_at } =
    key;
  return { name, kind, mode, scopes, venue_id, expires_at, allow_ips, writes_per_hour, reads_per_hour, created_at };
}

function toJson(key: KeyRow) {
  return { id: key.id, hint: key.hint, ...fieldsOf(key), revoked_at: key.revoked_at, rolled_to: key.rolled_to };
}

function scopesOf(key: KeyRow): string {
  if (key.scopes.length === SCOPES.length) return 'all';
  return key.scopes.join(' ') || '-';
}

function linesOf(key: KeyRow): [string, string][] {
  const lines: [string, string][] = [
    ...(key.name === null ? [] : [['name', key.name] as [string, string]]),
    ['kind', `${key.kind}, ${key.mode}`],
    ['venue', key.venue_id],
    ['scopes', scopesOf(key)],
    ['limits', `${key.writes_per_hour} writes and ${key.reads_per_hour} reads an hour`],
    ['addresses', key.allow_ips?.join(', ') ?? 'any'],
    ['expires', key.expires_at === null ? 'never' : formatTimestamp(key.expires_at)],
    ['created', formatTimestamp(key.created_at)],
  ];
  if (key.revoked_at !== null) lines.push(['revoked', formatTimestamp(key.revoked_at)]);
  if (key.rolled_to !== null) lines.push(['rolled to', key.rolled_to]);
  return lines;
}

function newKeyResult(issued: IssuedKey): CommandResult {
  return {
    json: { id: issued.id, key: issued.key, ...fieldsOf(issued) },
    text: `${block([['id', issued.id], ['key', issued.key], ...linesOf(issued)])}\n\nThe key is shown once: keep it now.`,
  };
}

function keyResult(key: KeyRow): CommandResult {
  return { json: toJson(key), text: block([['id', key.id], ['key', key.hint], ...linesOf(key)]) };
}

function venueIn(input: CommandInput): string | null {
  const text = input.text('venue');
  return text === null ? null : parseId(text, '--venue', 'venue list');
}

function scopesIn(input: CommandInput): readonly string[] {
  const asked = input.texts('scope');
  for (const scope of asked) {
    if (scope === 'all' || (SCOPES as readonly string[]).includes(scope)) continue;
    const near = nearestName(scope, SCOPES);
    throw usageError(
      `--scope is ${quoted(scope)}: ${near === null ? `give all, or some of ${SCOPES.join(', ')}.` : `did you mean ${near}?`}`,
    );
  }
  return asked.includes('all') ? SCOPES : asked;
}

/** Null: not given, or empty. */
function expiryIn(input: CommandInput): string | null {
  const text = input.text('expires-at') || null;
  if (text === null || isTime(text)) return text?.toUpperCase() ?? null;
  throw usageError(`--expires-at is ${quoted(text)}: give a time with its offset, such as 2027-06-12T09:30:00Z.`);
}

function rangesIn(texts: readonly string[]): readonly string[] {
  const wrong = texts.find((text) => !isAddressRange(text));
  if (wrong === undefined) return texts;
  throw usageError(`--allow-ip is ${quoted(wrong)}: give an address or a CIDR range, such as 203.0.113.0/24.`);
}

/** `--allow-ip ""` alone: every address. Limits cannot be empty. */
function keyChangesIn(input: CommandInput): KeyChanges {
  const [name, expiresAt, ranges] = [input.text('name'), input.text('expires-at'), input.texts('allow-ip')];
  const writesPerHour = integerOption(input, 'writes-per-hour', 1, MAX_PER_HOUR);
  const readsPerHour = integerOption(input, 'reads-per-hour', 1, MAX_PER_HOUR);
  const isAnyAddress = ranges.length === 1 && ranges[0] === '';
  const changes: KeyChanges = {
    ...(name === null ? {} : { name: name.trim() || null }),
    ...(writesPerHour === null ? {} : { writesPerHour }),
    ...(readsPerHour === null ? {} : { readsPerHour }),
    ...(ranges.length === 0 ? {} : { allowIps: isAnyAddress ? [] : rangesIn(ranges) }),
    ...(expiresAt === null ? {} : { expiresAt: expiryIn(input) }),
  };
  if (Object.keys(changes).length > 0) return changes;
  const names = CHANGEABLE.map((option) => `--${option.name}`).join(', ');
  throw usageError(`"key update" has nothing to change: give some of ${names}.`);
}

function keyIdIn(input: CommandInput): string {
  const id = input.argument(0);
  if (/^key_[0-9a-z]{26}$/.test(id)) return id;
  throw usageError(
    `ID is ${quoted(id)}, which is not the id of a key (key_ and 26 characters): "everyshare key list" shows the ids.`,
  );
}

function newKeyIn(input: CommandInput): NewKeyRequest {
  const venueId = parseId(input.required('venue'), '--venue', 'venue list');
  const kind = choiceOption(input, 'kind', ['secret', 'publishable']);
  const mode = choiceOption(input, 'mode', ['test', 'live']);
  const scopes = scopesIn(input);
  if (kind === 'secret' && mode === 'live' && scopes.length === 0) {
    throw usageError(`--scope is missing: a live secret key needs --scope all, or some of ${SCOPES.join(', ')}.`);
  }
  return {
    venueId,
    name: input.text('name'),
    kind,
    mode,
    scopes,
    expiresAt: expiryIn(input),
    allowIps: rangesIn(input.texts('allow-ip')),
    writesPerHour: integerOption(input, 'writes-per-hour', 1, MAX_PER_HOUR),
    readsPerHour: integerOption(input, 'reads-per-hour', 1, MAX_PER_HOUR),
  };
}

/** Turns the errors about a venue into lines that name it and say how a sandbox gets live keys. */
async function explainVenueErrors(id: string, work: () => Promise<IssuedKey>): Promise<IssuedKey> {
  try {
    return await explainNotFound('venue', id, work);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'venue_not_linked') throw error;
    throw commandError(
      `--venue ${id} is a sandbox, which gets no live keys: link it first with "everyshare venue link ${id}".`,
    );
  }
}

/** The first line of standard input, so that the key does not appear in the shell's history. */
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

const LIMITS: readonly Option[] = [
  { name: 'writes-per-hour', valueName: 'N', help: 'its hourly limit of writes' },
  { name: 'reads-per-hour', valueName: 'N', help: 'its hourly limit of reads' },
];

const CHANGEABLE: readonly Option[] = [
  { name: 'name', valueName: 'TEXT', mayBeEmpty: true, help: 'what you call it' },
  { name: 'expires-at', valueName: 'TIME', mayBeEmpty: true, help: 'when it ends, such as 2027-06-12T09:30:00Z' },
  {
    name: 'allow-ip',
    valueName: 'CIDR',
    isRepeatable: true,
    mayBeEmpty: true,
    help: 'an address or range that it may be used from: those given replace all others',
  },
  ...LIMITS,
];

const create: Command = {
  words: ['key', 'create'],
  arguments: [],
  help: 'create a key; its text is shown once',
  options: [
    { name: 'venue', valueName: 'ID', isRequired: true, help: 'the venue that it opens' },
    { name: 'kind', valueName: 'KIND', isRequired: true, help: 'secret (for servers) or publishable (for pages)' },
    { name: 'mode', valueName: 'MODE', isRequired: true, help: 'test or live' },
    {
      name: 'scope',
      valueName: 'SCOPE',
      isRepeatable: true,
      help: `all, or some of ${SCOPES.join(', ')} (a test key carries every one)`,
    },
    { name: 'name', valueName: 'TEXT', help: 'what you call it' },
    { name: 'expires-at', valueName: 'TIME', help: 'when it ends, such as 2027-06-12T09:30:00Z' },
    { name: 'allow-ip', valueName: 'CIDR', isRepeatable: true, help: 'an address or range that it may be used from' },
    ...LIMITS,
  ],
  async run(input, open) {
    const request = newKeyIn(input);
    const { context, command } = await open();
    return newKeyResult(
      await explainVenueErrors(request.venueId, () => context.db.transaction((tx) => issueKey(tx, command, request))),
    );
  },
};

const list: Command = {
  words: ['key', 'list'],
  arguments: [],
  help: 'list the keys, newest first, without their text',
  options: [{ name: 'venue', valueName: 'ID', help: 'those of one venue' }],
  async run(input, open) {
    const venueId = venueIn(input);
    const { context, command } = await open();
    if (venueId !== null) await requireVenue(context.db, venueId);
    const keys = await everyPage((before) => listKeys(context.db, venueId, before));
    const rows = keys.map((key) => [
      key.id,
      key.hint,
      key.kind,
      key.mode,
      statusOfKey(key, command.now),
      formatTimestamp(key.expires_at),
      key.venue_id,
      scopesOf(key),
    ]);
    const emptyText = 'There are no keys yet: create one with "everyshare key create --help".';
    return {
      json: keys.map(toJson),
      text:
        rows.length === 0
          ? emptyText
          : table(['ID', 'KEY', 'KIND', 'MODE', 'STATUS', 'EXPIRES', 'VENUE', 'SCOPES'], rows),
    };
  },
};

const update: Command = {
  words: ['key', 'update'],
  arguments: ['ID'],
  help: 'change a key: the next request with it follows the new values; an empty text ("") clears one',
  options: CHANGEABLE,
  async run(input, open) {
    const id = keyIdIn(input);
    const changes = keyChangesIn(input);
    const { context, command } = await open();
    const key = await explainNotFound('key', id, () =>
      context.db.transaction((tx) => updateKey(tx, command, id, changes)),
    );
    return keyResult(key);
  },
};

const roll: Command = {
  words: ['key', 'roll'],
  arguments: ['ID'],
  help: 'replace a key by a new one with the same name, scopes, addresses and limits; its text is shown once',
  options: [
    {
      name: 'overlap-hours',
      valueName: 'N',
      help: `how long the old key keeps working, 0 to ${MAX_OVERLAP_HOURS}; ${DEFAULT_OVERLAP_HOURS} when absent`,
    },
  ],
  async run(input, open) {
    const id = keyIdIn(input);
    const overlapHours = integerOption(input, 'overlap-hours', 0, MAX_OVERLAP_HOURS) ?? DEFAULT_OVERLAP_HOURS;
    const { context, command } = await open();
    const { issued, old } = await explainNotFound('key', id, () =>
      context.db.transaction((tx) => rollKey(tx, command, id, overlapHours)),
    );
    const { json, text } = newKeyResult(issued);
    const end = old.revoked_at === null ? `works until ${formatTimestamp(old.expires_at)}` : 'is revoked';
    return { json: { ...(json as object), rolled: toJson(old) }, text: `${text}\nThe old key ${old.hint} ${end}.` };
  },
};

const revoke: Command = {
  words: ['key', 'revoke'],
  arguments: ['ID'],
  help: 'revoke a key: from the next request on it is refused',
  options: [],
  async run(input, open) {
    const id = keyIdIn(input);
    const { context, command } = await open();
    const key = await explainNotFound('key', id, () => context.db.transaction((tx) => revokeKey(tx, command, id)));
    return keyResult(key);
  },
};

const importOlder: Command = {
  words: ['key', 'import'],
  arguments: [],
  help: 'take over a live key of the older form, with every scope',
  options: [
    { name: 'venue', valueName: 'ID', isRequired: true, help: 'the venue that it opens' },
    {
      name: 'key',
      valueName: 'KEY',
      isRequired: true,
      help: 'svc_live_ and 48 hex characters; "-" reads it from standard input',
    },
  ],
  async run(input, open) {
    const venueId = parseId(input.required('venue'), '--venue', 'venue list');
    const typed = input.required('key');
    const text = (typed === '-' ? await firstLine() : typed).trim();
    if (!isLegacyKey(text)) {
      throw usageError(
        '--key is not a live key of the older form: give svc_live_ and 48 hex characters in lower case, or - to read it from standard input.',
      );
    }
    const { context, command } = await open();
    return newKeyResult(
      await explainVenueErrors(venueId, () => context.db.transaction((tx) => importKey(tx, command, venueId, text))),
    );
  },
};

export const keyCommands: readonly Command[] = [create, list, update, roll, revoke, importOlder];
