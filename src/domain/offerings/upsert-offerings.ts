// POST /v1/offerings: creates or updates one offering or a batch of 25, all or nothing. The same content again writes
// nothing. A change that members read is reviewed again; until then members see the last approved version.

import type { Queryable } from '../../base/db.ts';
import { invalid } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import {
  type Seller,
  type Upserted,
  type UpsertResult,
  type UpsertTarget,
  upsertByExternalId,
} from '../catalogue/upsert.ts';
import { recurrenceProblems } from './bounded-rules.ts';
import { type OfferingContent, type OfferingRow, offeringView, REVIEWED_FIELDS } from './offering.ts';
import { findByExternalIds, type OfferingWrite, writeOfferings } from './queries.ts';

type Body = OfferingContent | { readonly offerings: readonly OfferingContent[] };

export async function upsertOfferings(
  tx: Queryable,
  seller: Seller,
  input: Pick<Input<Body>, 'body'>,
): Promise<OperationResult> {
  const { body } = input;
  refuseUnbounded(body);
  if (!('offerings' in body)) {
    const [only] = await upsertAll(tx, seller, [body]);
    if (only === undefined) throw new Error('the upsert of one offering gave no result');
    const { result, row } = only;
    const data = offeringView(row);
    return {
      status: result === 'created' ? 201 : 200,
      body: { data, duplicate: result === 'unchanged', updated: result === 'updated' },
    };
  }
  const all = await upsertAll(tx, seller, body.offerings);
  const count = (result: UpsertResult): number => all.filter((upserted) => upserted.result === result).length;
  const results = all.map(({ result, row }, index) => ({
    index,
    external_id: row.external_id,
    result,
    data: offeringView(row),
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
  const problems = recurrenceProblems(offerings);
  if (problems.length > 0) throw invalid(problems);
}

/**
 * One result for each offering, in the order given. Rules are not checked here: the caller has refused unbounded
 * ones.
 */
export function upsertAll(
  tx: Queryable,
  seller: Seller,
  offerings: readonly OfferingContent[],
): Promise<Upserted<OfferingRow>[]> {
  return upsertByExternalId(tx, seller, offerings, TARGET);
}

const TARGET: UpsertTarget<OfferingContent, OfferingRow, OfferingWrite> = {
  kind: 'offering',
  findByExternalIds,
  writeRows: writeOfferings,
  rowToWrite: (seller, content, before, { fingerprint, at }) => ({
    ...statusAfter(seller, before, content),
    id: before?.id ?? seller.ids.uuid(),
    externalId: content.external_id,
    content,
    fingerprint,
    approved: approvedContentAfter(before, content),
    at,
  }),
};

function statusAfter(
  seller: Seller,
  before: OfferingRow | null,
  content: OfferingContent,
): { status: string; reviewNote: string | null } {
  // Any change of a rejected offering asks for a new review: the change may be the correction.
  if (before === null || before.status === 'rejected') return { status: 'pending', reviewNote: null };
  const reviewedFieldsHash = (version: OfferingContent): Buffer =>
    seller.contract.fingerprint(
      'offering',
      Object.fromEntries(
        REVIEWED_FIELDS.flatMap((name) => (version[name] === undefined ? [] : [[name, version[name]]])),
      ) as JsonValue,
    );
  const after = reviewedFieldsHash(content);
  if (reviewedFieldsHash(before.content).equals(after))
    return { status: before.status, reviewNote: before.review_note };
  // A change back to the version that members see needs no review.
  const isVisible = before.approved !== null && reviewedFieldsHash(before.approved).equals(after);
  return { status: isVisible ? 'approved' : 'pending', reviewNote: null };
}

/**
 * The version that members see: the reviewed fields as approved, with the new prices and times, which need no review.
 */
function approvedContentAfter(before: OfferingRow | null, content: OfferingContent): OfferingContent | null {
  if (before === null || before.approved === null) return null;
  const visible: Record<string, unknown> = { ...content };
  for (const name of REVIEWED_FIELDS) {
    if (before.approved[name] === undefined) delete visible[name];
    else visible[name] = before.approved[name];
  }
  return visible as unknown as OfferingContent;
}
