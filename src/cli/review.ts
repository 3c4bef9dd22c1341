// The operator's commands for review: list pending objects, show one, and approve or reject it.

import type { CommandContext } from '../base/command-context.ts';
import type { Queryable } from '../base/db.ts';
import { Problem } from '../base/errors.ts';
import { listForReview } from '../domain/review/queue.ts';
import { REJECTION_REASONS } from '../domain/review/rejection-reasons.ts';
import {
  type Decision,
  findForReview,
  type ReviewCandidate,
  type Reviewed,
  reopen,
  review,
  versionOf,
} from '../domain/review/review.ts';
import { findVenue } from '../domain/venues/queries.ts';
import { commandError, usageError } from './cli-error.ts';
import type { Command, CommandInput, CommandResult, OpenContext, Option } from './command-definition.ts';
import { choiceOption, integerOption, parseId } from './options.ts';
import { requireVenue } from './require-venue.ts';
import { block, formatTimestamp, table } from './table.ts';

const MAX_LISTED = 1000;
const DEFAULT_LISTED = 100;
const MAX_NOTE_LENGTH = 2000;

function choiceIn<T extends string>(input: CommandInput, name: string, choices: readonly T[]): T | null {
  return input.text(name) === null ? null : choiceOption(input, name, choices);
}

function idIn(input: CommandInput): string {
  return parseId(input.argument(0), 'ID', 'review list');
}

const REASON_KEYS = REJECTION_REASONS.map(({ key }) => key);

/** The note itself, or that of a reason. */
function noteIn(input: CommandInput): string {
  const reason = choiceIn(input, 'reason', REASON_KEYS);
  const given = input.text('note') ?? REJECTION_REASONS.find(({ key }) => key === reason)?.note;
  if (given === undefined || (reason !== null && input.text('note') !== null))
    throw usageError(`--note is missing: say why, with it or with --reason ${REASON_KEYS.join('|')}.`);
  const note = given.trim();
  const length = [...note].length;
  if (length >= 1 && length <= MAX_NOTE_LENGTH) return note;
  throw usageError(
    `--note has ${length} characters: give the reason in 1 to ${MAX_NOTE_LENGTH}, so that the venue can correct it.`,
  );
}

/** Finds the object, or throws an error that names the command that lists them. */
async function requireForReview(db: Queryable, id: string): Promise<ReviewCandidate> {
  try {
    return await findForReview(db, id, null);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    throw commandError(`there is nothing to review with the id ${id}: "everyshare review list" shows what waits.`);
  }
}

function textOrDash(value: unknown): string {
  return typeof value === 'string' ? value : '-';
}

function linesOf({ id, kind, venueId, mode }: ReviewCandidate, shown: Reviewed, venueName: string): [string, string][] {
  const lines: [string, string][] = [
    ['id', id],
    ['type', kind],
    ['title', textOrDash(kind === 'boat' ? shown.name : shown.title)],
    ['external id', textOrDash(shown.external_id)],
    ['venue', `${venueId} (${venueName})`],
    ['mode', mode],
    ['status', textOrDash(shown.status)],
  ];
  if (typeof shown.review_note === 'string') lines.push(['note', shown.review_note]);
  if (typeof shown.experience_id === 'string') lines.push(['experience', shown.experience_id]);
  lines.push(['created', formatTimestamp(textOrDash(shown.created_at))]);
  if (typeof shown.reviewed_at === 'string') lines.push(['reviewed', formatTimestamp(shown.reviewed_at)]);
  return lines;
}

/** Each line is a cell of its own, so that control characters are removed from it. */
function formatJson(value: unknown): string {
  return block(
    JSON.stringify(value, null, 2)
      .split('\n')
      .map((line) => [line]),
  );
}

const list: Command = {
  words: ['review', 'list'],
  arguments: [],
  help: 'list what waits for review, oldest first',
  options: [
    { name: 'type', valueName: 'TYPE', help: 'offering, experience or boat; all three when absent' },
    { name: 'status', valueName: 'STATUS', help: 'pending, approved or rejected; pending when absent' },
    { name: 'mode', valueName: 'MODE', help: 'test or live; both when absent' },
    { name: 'venue', valueName: 'ID', help: 'what one venue sent' },
    { name: 'limit', valueName: 'N', help: `how many, 1 to ${MAX_LISTED}; ${DEFAULT_LISTED} when absent` },
    { name: 'after', valueName: 'ID', help: 'go on after the object with this id' },
  ],
  async run(input, open) {
    const venue = input.text('venue');
    const filter = {
      kind: choiceIn(input, 'type', ['offering', 'experience', 'boat']),
      status: choiceIn(input, 'status', ['pending', 'approved', 'rejected']) ?? 'pending',
      mode: choiceIn(input, 'mode', ['test', 'live']),
      venueId: venue === null ? null : parseId(venue, '--venue', 'venue list'),
    } as const;
    const limit = integerOption(input, 'limit', 1, MAX_LISTED) ?? DEFAULT_LISTED;
    const last = input.text('after');
    const lastId = last === null ? null : parseId(last, '--after', 'review list');
    const { context } = await open();
    if (filter.venueId !== null) await requireVenue(context.db, filter.venueId);
    const after = lastId === null ? null : await positionOf(context.db, lastId);
    // One more than is shown: it says that there are more.
    const found = await listForReview(context.db, { ...filter, after, limit: limit + 1 });
    const queue = found.slice(0, limit);
    const rows = queue.map(({ id, type, title, external_id, mode, status, created_at, venue_id }) => [
      id,
      type,
      title,
      external_id ?? '-',
      mode,
      status,
      formatTimestamp(created_at),
      venue_id,
    ]);
    const emptyText = filter.status === 'pending' ? 'Nothing waits for review.' : `Nothing is ${filter.status}.`;
    const more = found.length > limit ? `\n\nThere are more: add --after ${queue.at(-1)?.id} to go on.` : '';
    const shown = table(['ID', 'TYPE', 'TITLE', 'EXTERNAL ID', 'MODE', 'STATUS', 'CREATED', 'VENUE'], rows);
    return { json: queue, text: rows.length === 0 ? emptyText : `${shown}${more}` };
  },
};

/** Where an object stands in the list. It stays there after its review, so paging goes on while others review. */
async function positionOf(db: Queryable, id: string): Promise<{ createdAt: string; id: string }> {
  const { shown } = await requireForReview(db, id);
  return { createdAt: String(shown.created_at), id };
}

const show: Command = {
  words: ['review', 'show'],
  arguments: ['ID'],
  help: 'show an object as its partner sees it, and what reviewers alone see',
  options: [],
  async run(input, open) {
    const id = idIn(input);
    const { context } = await open();
    const object = await requireForReview(context.db, id);
    const venue = await findVenue(context.db, object.venueId);
    const venueFacts = { id: object.venueId, name: venue?.name ?? '', linked: venue?.linked ?? false };
    const reviewersOnly = { ...object.reviewersOnly, venue: venueFacts };
    const version = versionOf(object);
    const text = [
      block([...linesOf(object, object.shown, venueFacts.name), ['version', version]]),
      `As its partner sees it:\n${formatJson(object.shown)}`,
      `For reviewers only:\n${formatJson(reviewersOnly)}`,
    ];
    return { json: { ...object.shown, version, reviewers_only: reviewersOnly }, text: text.join('\n\n') };
  },
};

function decide(id: string, open: OpenContext, decision: Decision): Promise<CommandResult> {
  const rule =
    decision.reach === 'visible'
      ? 'only what members see can be taken down.'
      : decision.status === 'rejected'
        ? 'only what is pending or approved can be rejected.'
        : 'only what is pending can be approved.';
  return change(id, open, rule, (tx, command) => review(tx, command, id, decision, null));
}

/** Runs the change; `rule` says which objects it takes, for the error line of another one. */
async function change(
  id: string,
  open: OpenContext,
  rule: string,
  work: (tx: Queryable, command: CommandContext) => Promise<Reviewed>,
): Promise<CommandResult> {
  const { context, command } = await open();
  const object = await requireForReview(context.db, id);
  const venue = await findVenue(context.db, object.venueId);
  try {
    const shown = await context.db.transaction((tx) => work(tx, command));
    return { json: shown, text: block(linesOf(object, shown, venue?.name ?? '')) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error;
    if (error.detail.reason === 'changed_since') throw commandError(error.message);
    const { kind, shown } = await requireForReview(context.db, id);
    throw commandError(`${kind} ${id} is ${textOrDash(shown.status)}: ${rule}`);
  }
}

const SEEN_OPTION: Option = {
  name: 'seen',
  valueName: 'VERSION',
  help: 'the version, or the updated_at, that "review show" gave: refuse when it was changed since',
};
const REQUIRED_SEEN_OPTION: Option = { ...SEEN_OPTION, help: `${SEEN_OPTION.help}; required` };

/** Events have no updated_at, so `review show` gives every object a version. */
function seenIn(input: CommandInput): { seen?: string; version?: string } {
  const seen = input.text('seen');
  if (seen === null) return {};
  return /^[0-9a-f]{32}$/.test(seen) ? { version: seen } : { seen };
}

/** A decision about what waits is about a version that the reviewer has read: the venue may send another at any moment. */
function requireSeen(input: CommandInput, id: string): { seen?: string; version?: string } {
  if (input.text('seen') === null)
    throw usageError(
      `--seen is missing: read the object with "everyshare review show ${id}", and give the version that it prints.`,
    );
  return seenIn(input);
}

const NOTE_OPTIONS: readonly Option[] = [
  { name: 'note', valueName: 'TEXT', help: `why, 1 to ${MAX_NOTE_LENGTH} characters` },
  { name: 'reason', valueName: REASON_KEYS.join('|'), help: 'in place of a note: one of the reasons of the desk' },
];

const approve: Command = {
  words: ['review', 'approve'],
  arguments: ['ID'],
  help: 'approve what waits: members see it from now on',
  options: [REQUIRED_SEEN_OPTION],
  async run(input, open) {
    const id = idIn(input);
    return decide(id, open, { status: 'approved', note: null, ...requireSeen(input, id) });
  },
};

const reject: Command = {
  words: ['review', 'reject'],
  arguments: ['ID'],
  help: 'reject what waits, or take down what is approved, and tell its venue why',
  options: [...NOTE_OPTIONS, REQUIRED_SEEN_OPTION],
  async run(input, open) {
    const id = idIn(input);
    const note = noteIn(input);
    return decide(id, open, { status: 'rejected', note, ...requireSeen(input, id) });
  },
};

const takeDown: Command = {
  words: ['review', 'take-down'],
  arguments: ['ID'],
  help: 'hide what members see at once, also while a change of it waits, and tell its venue why',
  options: [...NOTE_OPTIONS, SEEN_OPTION],
  async run(input, open) {
    const id = idIn(input);
    const note = noteIn(input);
    return decide(id, open, { status: 'rejected', note, reach: 'visible', ...seenIn(input) });
  },
};

const reopenCommand: Command = {
  words: ['review', 'reopen'],
  arguments: ['ID'],
  help: 'let what was rejected wait for review again',
  options: [SEEN_OPTION],
  async run(input, open) {
    const id = idIn(input);
    const seen = seenIn(input);
    return change(id, open, 'only what is rejected can be reopened.', (tx, command) => reopen(tx, command, id, seen));
  },
};

export const reviewCommands: readonly Command[] = [list, show, approve, reject, takeDown, reopenCommand];
