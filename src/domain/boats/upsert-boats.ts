// POST /v1/boats: one boat, or a fleet of 100 that is judged boat by boat: good ones are written even when others fail. A
// boat that changed at all waits for review again; one with `active` false is inactive.

import type { Boat } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import type { FieldProblem } from '../../base/errors.ts';
import type { BadText, JsonValue } from '../../base/json/parse.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { candidateFrom } from '../../base/schema/contract.ts';
import type { Caller } from '../keys/caller.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { routeForReview } from '../venues/review-routes.ts';
import { factsFor } from '../venues/venue.ts';
import { type BoatRow, shownBoat } from './boat.ts';
import { type BoatWrite, findByExternalIds, writeBoats } from './queries.ts';

type Result = 'created' | 'updated' | 'unchanged';

export interface UpsertedBoat {
  readonly result: Result;
  readonly row: BoatRow;
}

type Body = Boat | { readonly boats: readonly JsonValue[] };

export async function upsertBoats(tx: Queryable, caller: Caller, input: Input<Body>): Promise<OperationResult> {
  const { body } = input;
  if ('boats' in body) return upsertFleet(tx, caller, body.boats, input.badStrings);
  const { result, row } = await upsertOne(tx, caller, body);
  const data = shownBoat(row);
  const answer = { data, result, duplicate: result === 'unchanged', updated: result === 'updated' };
  return { status: result === 'created' ? 201 : 200, body: answer };
}

export async function upsertOne(tx: Queryable, caller: Caller, boat: Boat): Promise<UpsertedBoat> {
  const done = (await upsertAll(tx, caller, [boat])).get(boat.external_id);
  if (done === undefined) throw new Error('one boat in, one out');
  return done;
}

interface Judged {
  readonly externalId: string | null;
  /** Null: it has problems. */
  readonly boat: Boat | null;
  readonly problems: readonly FieldProblem[];
}

async function upsertFleet(
  tx: Queryable,
  caller: Caller,
  fleet: readonly JsonValue[],
  badStrings: readonly BadText[],
): Promise<OperationResult> {
  const judged = judgeFleet(caller, fleet, badStrings);
  const good = judged.flatMap(({ boat }) => (boat === null ? [] : [boat]));
  const done = good.length === 0 ? new Map<string, UpsertedBoat>() : await upsertAll(tx, caller, good);
  const counts = { total: fleet.length, created: 0, updated: 0, unchanged: 0, errors: 0 };
  const results = judged.map(({ externalId, boat, problems }, index) => {
    const upserted = boat === null ? undefined : done.get(boat.external_id);
    if (upserted === undefined) {
      counts.errors++;
      return { index, external_id: externalId, result: 'error', ...told(caller, problems) };
    }
    counts[upserted.result]++;
    return { index, external_id: externalId, result: upserted.result, data: shownBoat(upserted.row) };
  });
  return { status: 200, body: { results, summary: counts } };
}

function judgeFleet(caller: Caller, fleet: readonly JsonValue[], badStrings: readonly BadText[]): Judged[] {
  const facts = factsFor(caller.now, caller.venue);
  const seen = new Set<string>();
  return fleet.map((value, index) => {
    const own = badStrings
      .filter(({ field }) => field === `/boats/${index}` || field.startsWith(`/boats/${index}/`))
      .map((bad) => ({ ...bad, field: bad.field.slice(`/boats/${index}`.length) }));
    const { problems } = caller.contract.validate('boat', { ...candidateFrom(value), badStrings: own }, facts);
    const id = (value as { external_id?: unknown } | null)?.external_id;
    const externalId = typeof id === 'string' ? id : null;
    const at = problems.map((problem) => ({ ...problem, field: `/boats/${index}${problem.field}` }));
    if (at.length > 0) return { externalId, boat: null, problems: at };
    if (seen.has(externalId ?? '')) return { externalId, boat: null, problems: [twice(externalId ?? '', index)] };
    seen.add(externalId ?? '');
    return { externalId, boat: caller.contract.normalize('boat', value) as unknown as Boat, problems: [] };
  });
}

function twice(id: string, index: number): FieldProblem {
  return {
    code: 'not_unique',
    field: `/boats/${index}/external_id`,
    message: `"${id}" stands twice in this fleet: the first one counts.`,
    expected: 'an external_id that no other boat of the fleet has',
    example_fix: `${id.slice(0, 120)}-${index}`,
  };
}

/** An item's problems in the shape of every error. */
function told(caller: Caller, problems: readonly FieldProblem[]): { error: object; errors: object[] } {
  const first = problems[0] ?? twice('', 0);
  const error = { code: first.code, message: first.message, field: first.field, request_id: caller.by.requestId ?? '' };
  return { error, errors: problems.map((problem) => ({ ...problem, doc_url: caller.docUrl(problem.code) })) };
}

/** By external id. Nothing is written when everything is known already. */
async function upsertAll(tx: Queryable, caller: Caller, boats: readonly Boat[]): Promise<Map<string, UpsertedBoat>> {
  const { venue, mode } = caller;
  const ids = boats.map(({ external_id }) => external_id);
  const prints = new Map(
    boats.map((boat) => [boat.external_id, caller.contract.fingerprint('boat', boat as unknown as JsonValue)]),
  );
  const isSame = (row: BoatRow | undefined, id: string): boolean =>
    row !== undefined && prints.get(id)?.equals(row.fingerprint) === true;
  const known = await findByExternalIds(tx, venue.id, mode, ids);
  if (ids.every((id) => isSame(known.get(id), id))) {
    return new Map([...known].map(([id, row]) => [id, { result: 'unchanged', row }]));
  }
  // From here on this is the venue's only writer: what is known is asked again, and now it stays so.
  const ticks = await allocateTimestamps(tx, venue.id, mode, caller.now, boats.length);
  const settled = await findByExternalIds(tx, venue.id, mode, ids);
  const writes = boats.flatMap((boat, index): BoatWrite[] => {
    const before = settled.get(boat.external_id);
    if (isSame(before, boat.external_id)) return [];
    return [writeOf(caller, boat, before, prints.get(boat.external_id) as Buffer, ticks.at(index))];
  });
  const written = await writeBoats(tx, venue.id, mode, writes);
  const fresh = writes.filter(({ externalId }) => !settled.has(externalId)).map(({ id }) => id);
  await routeForReview(tx, 'boat', venue.id, fresh);
  const all = new Map<string, UpsertedBoat>();
  for (const [id, row] of settled) all.set(id, { result: 'unchanged', row });
  for (const [id, row] of written) all.set(id, { result: settled.has(id) ? 'updated' : 'created', row });
  return all;
}

function writeOf(caller: Caller, boat: Boat, before: BoatRow | undefined, fingerprint: Buffer, at: string): BoatWrite {
  const { extra, ...content } = boat;
  return {
    id: before?.id ?? caller.ids.uuid(),
    externalId: boat.external_id,
    status: boat.active === false ? 'inactive' : 'pending',
    content,
    extra,
    fingerprint,
    calendarUrl: boat.active === false ? null : (boat.availability?.ical_url ?? null),
    at,
  };
}
