// Runs the requests of a reader's entry, one after another, and returns one document: each answer under the name of its
// step. A step with pages gets the lists of all its pages joined, up to a limit. An answer without its list is a failure:
// taken for an empty list it would end the sale of what the list has. Nothing here touches the database.

import type { Reader } from '../../../../schemas/types.gen.ts';
import { allItemValues, type BodyScope, textOf, valueAt } from '../mapping/body.ts';
import { areAllMet, isMet } from '../mapping/conditions.ts';
import { MappingError } from '../mapping/convert.ts';
import {
  callStep,
  type ProviderCall,
  type ProviderClient,
  REPLAY_LATER,
  ReadFailure,
  SEND_IT_YOURSELF,
} from './call-provider.ts';
import { joinAnswers } from './join-answers.ts';
import { dateAfter, dayValues } from './read-days.ts';
import type { ReadEntry, ReadStep } from './read-readers.ts';
import type { Values } from './template.ts';

const MAX_PAGES = 20;
/** Of one read, each within its deadline. */
const MAX_RESTARTS = 2;

export interface FetchRequest {
  readonly reader: Reader;
  readonly credentials: Values;
  readonly credentialsKey: string;
  /** The ids that name the object. */
  readonly variables: Values;
  /** The time zone that the venue has stated; null: none. */
  readonly timezone: string | null;
  readonly deadline: number;
  readonly pace: () => Promise<void>;
  readonly count: () => void;
}

/** The answers by the names of their steps, the members that `join` makes of them, and the variables under `ping`. */
export async function fetchDocument(client: ProviderClient, request: FetchRequest, entry: Steps): Promise<Values> {
  for (let restarts = 0; ; restarts++) {
    try {
      return await fetchOnce(client, request, entry);
    } catch (error) {
      if (!(error instanceof PartGone)) throw error;
      // The object may have been deleted, or deleted and put back, since the first request: from the start again.
      if (restarts >= MAX_RESTARTS) throw partNotFound(error);
    }
  }
}

type Steps = Pick<ReadEntry, 'steps' | 'join' | 'empty_list_is_left_out'>;

async function fetchOnce(
  client: ProviderClient,
  request: FetchRequest,
  { steps, join, empty_list_is_left_out: isLeftOut = false }: Steps,
): Promise<Values> {
  let document: Values = { ping: request.variables };
  for (const step of steps) {
    const call = callOf(client, request, document);
    const answer = await allPages(client, call, step, isLeftOut).catch((error: unknown) => {
      throw step !== steps[0] && isGone(error) ? new PartGone(error.message) : error;
    });
    // Before the join, which would make an empty list of one that is missing.
    for (const path of step.lists ?? []) requireList({ [step.name]: answer }, path);
    document = joinAnswers({ ...document, [step.name]: answer, ...collected(step, answer) }, join);
    if (stopOf(step, document) !== null) break;
  }
  return document;
}

export type Stop = NonNullable<ReadStep['stop']>[number];

/** Why nothing is read after this step. Null: the next step follows. */
function stopOf({ stop }: ReadStep, document: Values): Stop | null {
  return stop?.find(({ where }) => areAllMet(where, { root: document, bound: [] })) ?? null;
}

/** Why the read ended before its last step. Null: it did not. */
export function stopOfRead({ steps }: ReadEntry, document: Values): Stop | null {
  const done = steps.filter(({ name }) => Object.hasOwn(document, name));
  return done.map((step) => stopOf(step, document)).find((stop) => stop !== null) ?? null;
}

function isGone(error: unknown): error is ReadFailure {
  return error instanceof ReadFailure && error.kind === 'gone';
}

/** Only the first request is for the object itself: what a later one does not find is not the object. */
class PartGone extends Error {}

function partNotFound({ message }: PartGone): ReadFailure {
  return new ReadFailure('failed', `${message} The object exists, and a part of it could not be read. ${REPLAY_LATER}`);
}

export interface FetchedPage {
  readonly answer: unknown;
  /** Null: this is the last page. */
  readonly next: string | null;
  /** Why the pages after this one cannot be read. Null: they can, or there are none. */
  readonly problem: string | null;
}

export async function fetchPage(
  client: ProviderClient,
  request: FetchRequest,
  step: ReadStep,
  cursor: string | null,
): Promise<FetchedPage> {
  return pageOf(client, callOf(client, request, {}), step, cursor, null);
}

/** The list at the path. Null: there is none. */
function listAt(body: unknown, path: string): readonly unknown[] | null {
  const list = valueAt({ root: body, bound: [] }, path);
  return Array.isArray(list) ? list : null;
}

export function requireList(body: unknown, path: string): void {
  if (listAt(body, path) === null)
    throw new ReadFailure('failed', `The answer of the venue system has no list at ${path}. ${REPLAY_LATER}`);
}

/** With the days by the clock of the venue: the zone that an answer states, else the one that the venue has stated. */
function callOf(client: ProviderClient, request: FetchRequest, document: Values): ProviderCall {
  const { reader, credentials, credentialsKey, variables, deadline, pace, count } = request;
  const { time_zone: path } = reader;
  const stated = path === undefined ? null : textOf(valueAt({ root: document, bound: [] }, path));
  const days = dayValues(client.clock.now(), stated ?? request.timezone);
  return { reader, credentialsKey, deadline, pace, count, values: { ...days, ...document, ...variables, credentials } };
}

async function allPages(
  client: ProviderClient,
  call: ProviderCall,
  step: ReadStep,
  isLeftOut: boolean,
): Promise<unknown> {
  const list = step.paging?.items;
  const seen = new Set<string | null>();
  let page = await pageOf(client, call, step, null, 0);
  let { answer } = page;
  while (list !== undefined) {
    if (!isLeftOut) requireList(page.answer, list);
    if (page.problem !== null) throw new ReadFailure('failed', `${page.problem} ${REPLAY_LATER}`);
    if (page.next === null) break;
    if (seen.has(page.next)) throw new ReadFailure('failed', `${REPEATED_PAGE} ${REPLAY_LATER}`);
    seen.add(page.next);
    if (seen.size >= MAX_PAGES)
      throw new ReadFailure('failed', `The list at ${list} has more than ${MAX_PAGES} pages: ${SEND_IT_YOURSELF}`);
    page = await pageOf(client, call, step, page.next, listAt(answer, list)?.length ?? 0);
    answer = joinedAt(answer, list, page.answer);
  }
  return answer;
}

/** `before`: how many items the pages before this one have. Null: it is not known. */
async function pageOf(
  client: ProviderClient,
  call: ProviderCall,
  step: ReadStep,
  cursor: string | null,
  before: number | null,
): Promise<FetchedPage> {
  const { paging } = step;
  const today = String(call.values.today);
  const current = cursor ?? (paging === undefined ? null : firstOf(paging, today));
  try {
    const answer = await callStep(client, call, step, current);
    return { answer, ...(paging === undefined ? LAST_PAGE : nextOf(paging, answer, current, today, before)) };
  } catch (error) {
    if (error instanceof MappingError) throw new ReadFailure('failed', `${error.message} ${REPLAY_LATER}`);
    throw error;
  }
}

type Paging = NonNullable<ReadStep['paging']>;

/** Null: the first request has no cursor. */
function firstOf({ kind, first }: Paging, today: string): string | null {
  if (kind === 'page_number') return String(first ?? 1);
  if (kind === 'offset') return '0';
  return kind === 'days' ? today : null;
}

type NextPage = Pick<FetchedPage, 'next' | 'problem'>;

const LAST_PAGE: NextPage = { next: null, problem: null };
const PAGE_WITHOUT_CURSOR = 'The venue system says that there are more pages, and does not name the next one.';
export const REPEATED_PAGE = 'The venue system names a page again that was read before.';

/**
 * The cursor of the next page. A page is the last one if it has no items, or if as many were read as the answer says that
 * there are. A short page is not: the provider may allow fewer items a page than were asked for.
 */
function nextOf(
  paging: Paging,
  answer: unknown,
  current: string | null,
  today: string,
  before: number | null,
): NextPage {
  if (paging.kind === 'days') {
    const next = dateAfter(current ?? today, 1);
    return next < dateAfter(today, paging.size ?? 1) ? { next, problem: null } : LAST_PAGE;
  }
  const scope: BodyScope = { root: answer, bound: [] };
  if (paging.more !== undefined && !isMet(paging.more, scope)) return LAST_PAGE;
  const count = paging.items === undefined ? null : (listAt(answer, paging.items)?.length ?? 0);
  if (count === 0) return LAST_PAGE;
  const readBefore = paging.kind === 'offset' ? Number(current) : before;
  const total = paging.total === undefined ? null : textOf(valueAt(scope, paging.total));
  if (total !== null && readBefore !== null && readBefore + (count ?? 0) === Number(total)) return LAST_PAGE;
  if (paging.kind === 'page_number') return { next: String(Number(current) + 1), problem: null };
  if (paging.kind === 'offset') return { next: String(Number(current) + (count ?? 0)), problem: null };
  const next = paging.next === undefined ? null : textOf(valueAt(scope, paging.next));
  if (next === null) return paging.more === undefined ? LAST_PAGE : { next, problem: PAGE_WITHOUT_CURSOR };
  return next === current ? { next: null, problem: REPEATED_PAGE } : { next, problem: null };
}

function joinedAt(answer: unknown, path: string, more: unknown): unknown {
  const [name = '', ...rest] = path.split('.');
  const members = answer as Record<string, unknown>;
  if (rest.length === 0)
    return { ...members, [name]: [...(listAt(answer, path) ?? []), ...(listAt(more, path) ?? [])] };
  return { ...members, [name]: joinedAt(members[name], rest.join('.'), (more as Record<string, unknown>)[name]) };
}

function collected({ collect }: ReadStep, answer: unknown): Values {
  return Object.fromEntries(
    Object.entries(collect ?? {}).map(([name, paths]) => [
      name,
      paths.flatMap((path) => allItemValues({ root: answer, bound: [] }, path)),
    ]),
  );
}
