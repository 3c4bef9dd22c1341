// The operator's commands for review: what waits, what a reviewer sees of it, and the decision.

import type { Queryable } from '../base/db.ts';
import { Problem } from '../base/errors.ts';
import { listForReview } from '../domain/review/queue.ts';
import { type Decision, findForReview, type ReviewCandidate, type Reviewed, review } from '../domain/review/review.ts';
import { findVenue } from '../domain/venues/queries.ts';
import { refused, usageError } from './cli-error.ts';
import { choiceOf, uuidOf, wholeOf } from './options.ts';
import type { Answer, Command, Given, Open, Option } from './shape.ts';
import { block, shownTime, table } from './table.ts';
import { knownVenue } from './venue.ts';

const MOST_LISTED = 1000;
const LISTED = 100;
const LONGEST_NOTE = 2000;

function choiceIn<T extends string>(given: Given, name: string, choices: readonly T[]): T | null {
  return given.text(name) === null ? null : choiceOf(given, name, choices);
}

function idIn(given: Given): string {
  return uuidOf(given.argument(0), 'ID', 'review list');
}

function noteIn(given: Given): string {
  const note = given.needed('note').trim();
  const length = [...note].length;
  if (length >= 1 && length <= LONGEST_NOTE) return note;
  throw usageError(`--note has ${length} characters: say in 1 to ${LONGEST_NOTE} why, so that the venue can mend it.`);
}

/** Says what was not found, and where what there is can be seen. */
async function found(db: Queryable, id: string): Promise<ReviewCandidate> {
  try {
    return await findForReview(db, id, null);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
    throw refused(`there is nothing to review with the id ${id}: "everyshare review list" shows what waits.`);
  }
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '-';
}

function linesOf({ id, kind, venueId, mode }: ReviewCandidate, shown: Reviewed, venueName: string): [string, string][] {
  const lines: [string, string][] = [
    ['id', id],
    ['type', kind],
    ['title', word(kind === 'boat' ? shown.name : shown.title)],
    ['external id', word(shown.external_id)],
    ['venue', `${venueId} (${venueName})`],
    ['mode', mode],
    ['status', word(shown.status)],
  ];
  if (typeof shown.review_note === 'string') lines.push(['note', shown.review_note]);
  if (typeof shown.experience_id === 'string') lines.push(['experience', shown.experience_id]);
  lines.push(['created', shownTime(word(shown.created_at))]);
  if (typeof shown.reviewed_at === 'string') lines.push(['reviewed', shownTime(shown.reviewed_at)]);
  return lines;
}

/** Line by line, so that nothing in it can move the cursor. */
function laidOut(value: unknown): string {
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
    { name: 'type', value: 'TYPE', help: 'offering, experience or boat; all three when absent' },
    { name: 'status', value: 'STATUS', help: 'pending, approved or rejected; pending when absent' },
    { name: 'mode', value: 'MODE', help: 'test or live; both when absent' },
    { name: 'venue', value: 'ID', help: 'what one venue sent' },
    { name: 'limit', value: 'N', help: `how many, 1 to ${MOST_LISTED}; ${LISTED} when absent` },
  ],
  async run(given, open) {
    const venue = given.text('venue');
    const question = {
      kind: choiceIn(given, 'type', ['offering', 'experience', 'boat']),
      status: choiceIn(given, 'status', ['pending', 'approved', 'rejected']) ?? 'pending',
      mode: choiceIn(given, 'mode', ['test', 'live']),
      venueId: venue === null ? null : uuidOf(venue, '--venue', 'venue list'),
      limit: wholeOf(given, 'limit', 1, MOST_LISTED) ?? LISTED,
    } as const;
    const { context } = await open();
    if (question.venueId !== null) await knownVenue(context.db, question.venueId);
    const queue = await listForReview(context.db, question);
    const rows = queue.map(({ id, type, title, external_id, mode, status, created_at, venue_id }) => [
      id,
      type,
      title,
      external_id ?? '-',
      mode,
      status,
      shownTime(created_at),
      venue_id,
    ]);
    const none = question.status === 'pending' ? 'Nothing waits for review.' : `Nothing is ${question.status}.`;
    return {
      json: queue,
      text:
        rows.length === 0
          ? none
          : table(['ID', 'TYPE', 'TITLE', 'EXTERNAL ID', 'MODE', 'STATUS', 'CREATED', 'VENUE'], rows),
    };
  },
};

const show: Command = {
  words: ['review', 'show'],
  arguments: ['ID'],
  help: 'show an object as its partner sees it, and what reviewers alone see',
  options: [],
  async run(given, open) {
    const id = idIn(given);
    const { context } = await open();
    const one = await found(context.db, id);
    const venue = await findVenue(context.db, one.venueId);
    const about = { id: one.venueId, name: venue?.name ?? '', linked: venue?.linked ?? false };
    const reviewersOnly = { ...one.reviewersOnly, venue: about };
    const text = [
      block(linesOf(one, one.shown, about.name)),
      `As its partner sees it:\n${laidOut(one.shown)}`,
      `For reviewers only:\n${laidOut(reviewersOnly)}`,
    ];
    return { json: { ...one.shown, reviewers_only: reviewersOnly }, text: text.join('\n\n') };
  },
};

async function decided(id: string, open: Open, decision: Decision): Promise<Answer> {
  const { context, command } = await open();
  const one = await found(context.db, id);
  const venue = await findVenue(context.db, one.venueId);
  try {
    const shown = await context.db.transaction((tx) => review(tx, command, id, decision, null));
    return { json: shown, text: block(linesOf(one, shown, venue?.name ?? '')) };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error;
    if (error.detail.reason === 'changed_since') throw refused(error.message);
    const { kind, shown } = await found(context.db, id);
    throw refused(`${kind} ${id} is ${word(shown.status)}: only what is pending can be reviewed.`);
  }
}

const SEEN: Option = {
  name: 'seen',
  value: 'UPDATED_AT',
  help: 'the updated_at that "review show" gave: refuse when it was changed since',
};

function seenIn(given: Given): { seen?: string } {
  const seen = given.text('seen');
  return seen === null ? {} : { seen };
}

const approve: Command = {
  words: ['review', 'approve'],
  arguments: ['ID'],
  help: 'approve what waits: members see it from now on',
  options: [SEEN],
  run: async (given, open) => decided(idIn(given), open, { status: 'approved', note: null, ...seenIn(given) }),
};

const reject: Command = {
  words: ['review', 'reject'],
  arguments: ['ID'],
  help: 'reject what waits, and tell its venue why',
  options: [{ name: 'note', value: 'TEXT', needed: true, help: `why, 1 to ${LONGEST_NOTE} characters` }, SEEN],
  async run(given, open) {
    const id = idIn(given);
    const note = noteIn(given);
    return decided(id, open, { status: 'rejected', note, ...seenIn(given) });
  },
};

export const reviewCommands: readonly Command[] = [list, show, approve, reject];
