// POST /v1/offerings: create or update, one or a batch of 25, all or nothing. The same content again writes nothing. A
// change that members read waits for review again, while the last approved version stays the visible one.

import type { Queryable } from '../../base/db.ts';
import { invalid } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { routeForReview } from '../venues/review-routes.ts';
import { unboundedRules } from './bounded-rules.ts';
import { type OfferingContent, type OfferingRow, READ_BY_MEMBERS, shownOffering } from './offering.ts';
import { findByExternalIds, type OfferingWrite, writeOfferings } from './queries.ts';

type Result = 'created' | 'updated' | 'unchanged';

interface Upserted {
  readonly result: Result;
  readonly row: OfferingRow;
}

/** Who sells: a partner with a key, or a venue whose system has sent the offering. */
type Seller = Pick<Caller, 'venue' | 'mode' | 'contract' | 'ids' | 'now'>;

type Body = OfferingContent | { readonly offerings: readonly OfferingContent[] };

export async function upsertOfferings(
  tx: Queryable,
  caller: Seller,
  input: Pick<Input<Body>, 'body'>,
): Promise<OperationResult> {
  const { body } = input;
  refuseUnbounded(body);
  if (!('offerings' in body)) {
    const [only] = await upsertAll(tx, caller, [body]);
    if (only === undefined) throw new Error('one offering in, one out');
    const { result, row } = only;
    const data = shownOffering(row);
    return {
      status: result === 'created' ? 201 : 200,
      body: { data, duplicate: result === 'unchanged', updated: result === 'updated' },
    };
  }
  const all = await upsertAll(tx, caller, body.offerings);
  const count = (result: Result): number => all.filter((one) => one.result === result).length;
  const results = all.map(({ result, row }, index) => ({
    index,
    external_id: row.external_id,
    result,
    data: shownOffering(row),
  }));
  const summary = {
    total: all.length,
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
  };
  return { status: 200, body: { results, summary } };
}

function refuseUnbounded(body: Body): void {
  const offerings =
    'offerings' in body
      ? body.offerings.map((content, index) => ({ at: `/offerings/${index}`, content }))
      : [{ at: '', content: body }];
  const problems = unboundedRules(offerings);
  if (problems.length > 0) throw invalid(problems);
}

/** In the order given. Nothing is written when everything is known already. */
export async function upsertAll(
  tx: Queryable,
  caller: Seller,
  contents: readonly OfferingContent[],
): Promise<Upserted[]> {
  const { venue, mode } = caller;
  const ids = contents.map(({ external_id }) => external_id);
  const prints = contents.map((content) => caller.contract.fingerprint('offering', content as unknown as JsonValue));
  const known = await findByExternalIds(tx, venue.id, mode, ids);
  const same = (rows: ReadonlyMap<string, OfferingRow>, index: number): OfferingRow | null => {
    const row = rows.get(ids[index] ?? '');
    return row !== undefined && prints[index]?.equals(row.fingerprint) === true ? row : null;
  };
  const unchanged = contents.map((_, index) => same(known, index));
  if (unchanged.every((row) => row !== null)) return unchanged.map((row) => ({ result: 'unchanged', row }));
  // From here on this is the venue's only writer: what is known is asked again, and now it stays so.
  const ticks = await allocateTimestamps(tx, venue.id, mode, caller.now, contents.length);
  const settled = await findByExternalIds(tx, venue.id, mode, ids);
  const writes = contents.flatMap((content, index): OfferingWrite[] => {
    if (same(settled, index) !== null) return [];
    const before = settled.get(content.external_id) ?? null;
    const fingerprint = prints[index] as Buffer;
    return [
      {
        ...statusAfter(caller, before, content),
        id: before?.id ?? caller.ids.uuid(),
        externalId: content.external_id,
        content,
        fingerprint,
        approved: visibleAfter(before, content),
        at: ticks.at(index),
      },
    ];
  });
  const written = await writeOfferings(tx, venue.id, mode, writes);
  const fresh = writes.filter(({ externalId }) => !settled.has(externalId)).map(({ id }) => id);
  await routeForReview(tx, 'offering', venue.id, fresh);
  return ids.map((id) => outcome(id, settled, written));
}

function outcome(
  id: string,
  settled: ReadonlyMap<string, OfferingRow>,
  written: ReadonlyMap<string, OfferingRow>,
): Upserted {
  const row = written.get(id);
  if (row !== undefined) return { result: settled.has(id) ? 'updated' : 'created', row };
  const before = settled.get(id);
  if (before === undefined) throw new Error(`offering ${id} was neither known nor written`);
  return { result: 'unchanged', row: before };
}

function statusAfter(
  caller: Seller,
  before: OfferingRow | null,
  content: OfferingContent,
): { status: string; reviewNote: string | null } {
  if (before === null) return { status: 'pending', reviewNote: null };
  const seen = (version: OfferingContent): Buffer =>
    caller.contract.fingerprint(
      'offering',
      Object.fromEntries(
        READ_BY_MEMBERS.flatMap((name) => (version[name] === undefined ? [] : [[name, version[name]]])),
      ) as JsonValue,
    );
  const now = seen(content);
  if (seen(before.content).equals(now)) return { status: before.status, reviewNote: before.review_note };
  // Back to what members see already: there is nothing to review.
  const isVisible = before.approved !== null && seen(before.approved).equals(now);
  return { status: isVisible ? 'approved' : 'pending', reviewNote: null };
}

/** The version that members see: what they read as it was approved, with the prices and times of now, which nobody reviews. */
function visibleAfter(before: OfferingRow | null, content: OfferingContent): OfferingContent | null {
  if (before === null || before.approved === null) return null;
  const visible: Record<string, unknown> = { ...content };
  for (const name of READ_BY_MEMBERS) {
    if (before.approved[name] === undefined) delete visible[name];
    else visible[name] = before.approved[name];
  }
  return visible as unknown as OfferingContent;
}
