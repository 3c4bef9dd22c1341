// Runs the requests of a reader's entry, one after another, and returns one document: each answer under the name of its
// step. A step with pages gets the lists of all its pages joined, up to a limit. Nothing here touches the database.

import type { Reader } from '../../../../schemas/types.gen.ts';
import { allItemValues, type BodyScope, textOf, valueAt } from '../mapping/body.ts';
import { holds } from '../mapping/conditions.ts';
import { MappingError } from '../mapping/convert.ts';
import { callStep, type ProviderCall, type ProviderClient, REPLAY_LATER, ReadFailure } from './call-provider.ts';
import type { ReadStep } from './read-readers.ts';
import type { Values } from './template.ts';

const MAX_PAGES = 20;
const DAY_MS = 86_400_000;

export interface FetchRequest {
  readonly reader: Reader;
  readonly credentials: Values;
  readonly credentialsKey: string;
  /** The ids that name the object. */
  readonly variables: Values;
  readonly deadline: number;
  readonly count: () => void;
}

/** The answers by the names of their steps, and the variables under `ping`. */
export async function fetchDocument(
  client: ProviderClient,
  request: FetchRequest,
  steps: readonly ReadStep[],
): Promise<Values> {
  let document: Values = { ping: request.variables };
  for (const step of steps) {
    const call = callOf(client, request, document);
    const answer = await allPages(client, call, step).catch((error: unknown) => {
      throw step === steps[0] ? error : asPartOfObject(error);
    });
    document = { ...document, [step.name]: answer, ...collected(step, answer) };
  }
  return document;
}

/** Only the first request is for the object itself: what a later one does not find is not the object. */
function asPartOfObject(error: unknown): unknown {
  if (!(error instanceof ReadFailure) || error.kind !== 'gone') return error;
  return new ReadFailure(
    'failed',
    `${error.message} The object exists, and a part of it could not be read. ${REPLAY_LATER}`,
  );
}

export interface FetchedPage {
  readonly answer: unknown;
  /** Null: this is the last page. */
  readonly next: string | null;
}

export async function fetchPage(
  client: ProviderClient,
  request: FetchRequest,
  step: ReadStep,
  cursor: string | null,
): Promise<FetchedPage> {
  return pageOf(client, callOf(client, request, {}), step, cursor);
}

/** Days, for reads of a range of time: today and the days ahead, in UTC. */
function callOf(client: ProviderClient, request: FetchRequest, document: Values): ProviderCall {
  const { reader, credentials, credentialsKey, variables, deadline, count } = request;
  const dayAfter = (days: number): string => new Date(client.clock.now() + days * DAY_MS).toISOString().slice(0, 10);
  const days = { today: dayAfter(0), in_30_days: dayAfter(30), in_90_days: dayAfter(90) };
  return { reader, credentialsKey, deadline, count, values: { ...days, ...document, ...variables, credentials } };
}

async function allPages(client: ProviderClient, call: ProviderCall, step: ReadStep): Promise<unknown> {
  let { answer, next } = await pageOf(client, call, step, null);
  const list = step.paging?.items;
  for (let pages = 1; next !== null && list !== undefined; pages++) {
    if (pages >= MAX_PAGES) throw new ReadFailure('failed', `The list at ${list} has more than ${MAX_PAGES} pages.`);
    const page: FetchedPage = await pageOf(client, call, step, next);
    answer = joinedAt(answer, list, page.answer);
    next = page.next;
  }
  return answer;
}

async function pageOf(
  client: ProviderClient,
  call: ProviderCall,
  step: ReadStep,
  cursor: string | null,
): Promise<FetchedPage> {
  const { paging } = step;
  const first = paging?.kind === 'page_number' ? String(paging.first ?? 1) : null;
  const current = cursor ?? first;
  try {
    const answer = await callStep(client, call, step, current);
    return { answer, next: paging === undefined ? null : nextOf(paging, answer, current) };
  } catch (error) {
    if (error instanceof MappingError) throw new ReadFailure('failed', error.message);
    throw error;
  }
}

/** The cursor of the next page; one that repeats ends the listing, so that it cannot run forever. */
function nextOf(paging: NonNullable<ReadStep['paging']>, answer: unknown, current: string | null): string | null {
  const scope: BodyScope = { root: answer, bound: [] };
  if (paging.more !== undefined && !holds(paging.more, scope)) return null;
  const items = paging.items === undefined ? null : valueAt(scope, paging.items);
  const count = Array.isArray(items) ? items.length : 0;
  if (items !== null && (count === 0 || (paging.size !== undefined && count < paging.size))) return null;
  if (paging.kind === 'page_number') return String(Number(current) + 1);
  const next = paging.next === undefined ? null : textOf(valueAt(scope, paging.next));
  return next === current ? null : next;
}

function joinedAt(answer: unknown, path: string, more: unknown): unknown {
  const listAt = (body: unknown): readonly unknown[] => {
    const list = valueAt({ root: body, bound: [] }, path);
    return Array.isArray(list) ? list : [];
  };
  const [name = '', ...rest] = path.split('.');
  const members = answer as Record<string, unknown>;
  if (rest.length === 0) return { ...members, [name]: [...listAt(answer), ...listAt(more)] };
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
