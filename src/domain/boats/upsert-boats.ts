// POST /v1/boats: creates or updates one boat, or a fleet of 100 that is validated boat by boat: valid boats are
// written even when others are refused. Any change of a boat is reviewed again; a boat with `active` false is
// inactive.

import type { Boat } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, withPointers } from '../../base/errors.ts';
import { findBadTextsIn } from '../../base/json/escaped-text.ts';
import type { BadText, JsonValue } from '../../base/json/parse.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { candidateFrom } from '../../base/schema/contract.ts';
import { newProblemBudget, type ProblemBudget } from '../../base/schema/problem-budget.ts';
import { mapInChunks } from '../../base/yielding.ts';
import {
  previewByExternalId,
  type Seller,
  type Upserted,
  type UpsertResult,
  type UpsertTarget,
  upsertByExternalId,
} from '../catalogue/upsert.ts';
import type { Caller } from '../keys/caller.ts';
import { factsFor } from '../venues/venue.ts';
import { type BoatRow, boatView } from './boat.ts';
import { type BoatWrite, findByExternalIds, writeBoats } from './queries.ts';

type Body = Boat | { readonly boats: readonly JsonValue[] };

export async function upsertBoats(tx: Queryable, caller: Caller, input: Input<Body>): Promise<OperationResult> {
  const { body } = input;
  if ('boats' in body) return upsertFleet(tx, caller, body.boats, input.badTexts);
  const { result, row } = await upsertOne(tx, caller, body);
  const data = boatView(row);
  return {
    status: result === 'created' ? 201 : 200,
    body: { data, result, duplicate: result === 'unchanged', updated: result === 'updated' },
  };
}

export async function upsertOne(tx: Queryable, caller: Caller, boat: Boat): Promise<Upserted<BoatRow>> {
  const [upserted] = await upsertByExternalId(tx, caller, [boat], TARGET);
  if (upserted === undefined) throw new Error('the upsert of one boat gave no result');
  return upserted;
}

interface FleetItem {
  readonly externalId: string | null;
  /** Null: the boat has problems and is not written. */
  readonly boat: Boat | null;
  readonly problems: readonly FieldProblem[];
  /** How many more problems it has: an answer lists at most 100 in all. */
  readonly unlisted: number;
}

/** Other requests are answered in between: a fleet has up to a megabyte. */
const BOATS_PER_TURN = 10;

/** No answer is over 1 MB: the rest is for the problems and for what each result has beside its boat. */
const MAX_DATA_BYTES = 700 * 1024;

/** A longer text is no external id, and is not repeated in the answer. */
const MAX_EXTERNAL_ID_LENGTH = 256;

async function upsertFleet(
  tx: Queryable,
  caller: Caller,
  fleet: readonly JsonValue[],
  badTexts: readonly BadText[],
): Promise<OperationResult> {
  const items = await validateFleet(caller, fleet, badTexts);
  const valid = items.flatMap(({ boat }) => (boat === null ? [] : [boat]));
  const upserted = await upsertByExternalId(tx, caller, valid, TARGET);
  const byExternalId = new Map(upserted.map((one) => [one.row.external_id, one]));
  const counts = { total: fleet.length, created: 0, updated: 0, unchanged: 0, errors: 0 };
  let bytes = 0;
  const results = items.map(({ externalId, boat, problems, unlisted }, index) => {
    const written = boat === null ? undefined : byExternalId.get(boat.external_id);
    if (written === undefined) {
      counts.errors++;
      return { index, external_id: externalId, result: 'error', ...itemErrors(caller, index, problems, unlisted) };
    }
    counts[written.result]++;
    const item = { index, external_id: externalId, result: written.result };
    const data = boatView(written.row);
    bytes += Buffer.byteLength(JSON.stringify(data));
    return bytes > MAX_DATA_BYTES ? { ...item, data_omitted: true } : { ...item, data };
  });
  return { status: 200, body: { results, summary: counts } };
}

function validateFleet(
  caller: Caller,
  fleet: readonly JsonValue[],
  badTexts: readonly BadText[],
): Promise<FleetItem[]> {
  const facts = factsFor(caller.now, caller.venue);
  const seen = new Set<string>();
  const budget = newProblemBudget();
  return mapInChunks(fleet, BOATS_PER_TURN, (value, index): FleetItem => {
    const candidate = { ...candidateFrom(value), badTexts: badTextsOf(value, index, badTexts) };
    const { problems, count } = caller.contract.validate('boat', candidate, facts, budget);
    const id = (value as { external_id?: unknown } | null)?.external_id;
    const externalId = typeof id === 'string' && id.length <= MAX_EXTERNAL_ID_LENGTH ? id : null;
    const inFleet = problems.map((problem) => withPointers(problem, (pointer) => `/boats/${index}${pointer}`));
    if (count > 0) return { externalId, boat: null, problems: inFleet, unlisted: count - inFleet.length };
    if (seen.has(externalId ?? '')) return { externalId, boat: null, ...repeated(externalId ?? '', index, budget) };
    seen.add(externalId ?? '');
    const boat = caller.contract.normalize('boat', value) as unknown as Boat;
    return { externalId, boat, problems: [], unlisted: 0 };
  });
}

/**
 * The reports about a body are bounded, and a boat must not be written because its own come after the last one: texts
 * that cannot be stored are looked for again in each boat, if the body has any.
 */
function badTextsOf(value: JsonValue, index: number, ofBody: readonly BadText[]): BadText[] {
  const inBoat = `/boats/${index}/`;
  const pointed = ofBody
    .filter(({ problem, field }) => problem === 'pointed' && field.startsWith(inBoat))
    .map((bad) => ({ ...bad, field: bad.field.slice(inBoat.length - 1) }));
  const hasUnstorable = ofBody.some(({ problem }) => problem !== 'pointed');
  return hasUnstorable ? [...findBadTextsIn(value), ...pointed] : pointed;
}

function repeated(id: string, index: number, budget: ProblemBudget): Pick<FleetItem, 'problems' | 'unlisted'> {
  if (budget.problems === 0) return { problems: [], unlisted: 1 };
  budget.problems--;
  return { problems: [repeatedId(id, index)], unlisted: 0 };
}

function repeatedId(id: string, index: number): FieldProblem {
  return {
    code: 'not_unique',
    field: `/boats/${index}/external_id`,
    message: `"${id}" appears twice in this fleet: only the first one is used.`,
    expected: 'an external_id that no other boat of the fleet has',
    example_fix: `${id.slice(0, 120)}-${index}`,
  };
}

/** The problems of one item, in the shape that every error has, and how many more it has. */
function itemErrors(
  caller: Caller,
  index: number,
  problems: readonly FieldProblem[],
  unlisted: number,
): { error: object; errors: object[]; more_errors?: number } {
  const first = problems[0] ?? unlistedProblem(index, unlisted);
  const error = {
    code: first.code,
    message: first.message,
    field: first.field,
    request_id: caller.actor.requestId ?? '',
  };
  const errors = problems.map((problem) => ({ ...problem, doc_url: caller.docUrl(problem.code) }));
  return { error, errors, ...(unlisted === 0 ? {} : { more_errors: unlisted }) };
}

function unlistedProblem(index: number, count: number): Pick<FieldProblem, 'code' | 'message' | 'field'> {
  const problems = count === 1 ? 'a problem that is' : `${count} problems that are`;
  const message = `This boat has ${problems} not listed, since an answer lists 100 problems: correct those, and send it again.`;
  return { code: 'invalid_request', field: `/boats/${index}`, message };
}

/** What an upsert of these valid boats would do; nothing is written. */
export function previewBoats(db: Queryable, seller: Seller, boats: readonly JsonValue[]): Promise<UpsertResult[]> {
  return previewByExternalId(db, seller, boats as unknown as Boat[], TARGET);
}

const TARGET: UpsertTarget<Boat, BoatRow, BoatWrite> = {
  kind: 'boat',
  findByExternalIds,
  writeRows: writeBoats,
  rowToWrite: (seller, boat, existing, { fingerprint, at }) => {
    const { extra, ...content } = boat;
    const isActive = boat.active !== false;
    return {
      id: existing?.id ?? seller.ids.uuid(),
      externalId: boat.external_id,
      status: isActive ? 'pending' : 'inactive',
      content,
      extra,
      fingerprint,
      calendarUrl: isActive ? (boat.availability?.ical_url ?? null) : null,
      at,
    };
  },
};
