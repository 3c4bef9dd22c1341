// GET /console/api/catalogue and /console/api/catalogue/{kind}/{id}: offerings, events and boats in one list, the newest
// change first; and one of them with the version that members see beside the one that they do not.

import type { CatalogueItem, CatalogueVersions } from '../../../schemas/types.gen.ts';
import type { Db } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { MAX_PAGE_BYTES, pageQueryOf } from '../../base/page.ts';
import { countBoats, findBoat, listBoatRows } from '../boats/queries.ts';
import { countExperiences, findExperience, listExperienceRows } from '../experiences/queries.ts';
import type { Caller } from '../keys/caller.ts';
import { countOfferings, findOffering, listOfferingRows, visibleOfferings } from '../offerings/queries.ts';
import { boatItem, eventItem, offeringItem } from './catalogue-item.ts';
import { differencesBetween } from './differences.ts';

type Kind = CatalogueItem['kind'];
const KINDS: readonly Kind[] = ['offering', 'event', 'boat'];
const MAX_DIFFERENCES = 200;

interface ListRequest {
  readonly status: string | null;
  readonly before: string | null;
  readonly limit: number;
  readonly search: string | null;
}

export async function listCatalogue(db: Db, caller: Caller, { query }: Input): Promise<OperationResult> {
  const search = typeof query.q === 'string' ? query.q.trim() || null : null;
  const page: ListRequest = { ...pageQueryOf(query), search };
  const kinds = KINDS.filter((kind) => query.kind === undefined || query.kind === kind);
  const [lists, counts] = await Promise.all([
    Promise.all(kinds.map((kind) => itemsOf(db, caller, kind, page))),
    countsOf(db, caller),
  ]);
  const { items, isCut } = merge(lists);
  const data = items.slice(0, page.limit);
  const next_before = isCut || items.length > page.limit ? (data.at(-1)?.changed_at ?? null) : null;
  return { status: 200, body: { data, next_before, counts } };
}

interface KindPage {
  readonly items: readonly CatalogueItem[];
  /** The page of this kind is full by its bytes, so there may be more. */
  readonly isCut: boolean;
}

/** The newest change first. Where the page of a kind was cut, what is older than its last item has to wait. */
function merge(pages: readonly KindPage[]): KindPage {
  const ends = pages.flatMap(({ items, isCut }) => (isCut ? (items.at(-1)?.changed_at ?? []) : []));
  const items = pages
    .flatMap((page) => page.items)
    .filter(({ changed_at }) => ends.every((end) => changed_at >= end))
    .sort((one, other) => (one.changed_at < other.changed_at ? 1 : -1));
  return { items, isCut: ends.length > 0 };
}

/** Of one kind, the newest change first: up to `limit` + 1, fewer where they are large. */
async function itemsOf(db: Db, caller: Caller, kind: Kind, page: ListRequest): Promise<KindPage> {
  const { venue, mode, now } = caller;
  if (kind === 'event') {
    const rows = await listExperienceRows(db, venue.id, mode, page);
    return { items: rows.map((row) => eventItem(row, now)), isCut: isFull(rows, page.limit) };
  }
  if (kind === 'boat') {
    const rows = await listBoatRows(db, venue.id, mode, page);
    return { items: rows.map(boatItem), isCut: isFull(rows, page.limit) };
  }
  const rows = await listOfferingRows(db, venue.id, mode, page);
  const ids = rows.map(({ id }) => id);
  const visible = await visibleOfferings(db, venue.id, ids);
  return {
    items: rows.map((row) => offeringItem(row, visible.has(row.id), now)),
    isCut: isFull(rows, page.limit),
  };
}

/** Whether a page ended because of its bytes. Close to that it may have ended by itself: the next page is empty then. */
function isFull(rows: readonly { readonly content: object }[], limit: number): boolean {
  const bytes = rows.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
  return rows.length <= limit && bytes > MAX_PAGE_BYTES / 2;
}

async function countsOf(db: Db, { venue, mode }: Caller) {
  const [offering, event, boat] = await Promise.all(
    [countOfferings, countExperiences, countBoats].map(async (count) => {
      const counts = await count(db, venue.id, mode);
      const of = (status: string): number => counts.get(status) ?? 0;
      const byStatus = {
        pending: of('pending'),
        approved: of('approved'),
        rejected: of('rejected'),
        inactive: of('inactive'),
      };
      return { all: Object.values(byStatus).reduce((sum, one) => sum + one, 0), ...byStatus };
    }),
  );
  return { offering, event, boat };
}

export async function getCatalogueItem(
  db: Db,
  caller: Caller,
  { params: { kind = '', id = '' } }: Input,
): Promise<OperationResult> {
  const found = await findVersions(db, caller, kind, id);
  if (found === null) throw notFound();
  const { item, visible, waiting } = found;
  const differences = visible === null || waiting === null ? [] : differencesBetween(visible, waiting, MAX_DIFFERENCES);
  const body: CatalogueVersions = { object: 'catalogue_versions', item, visible, waiting, differences };
  return { status: 200, body };
}

type Content = Readonly<Record<string, unknown>>;
interface Versions {
  readonly item: CatalogueItem;
  readonly visible: Content | null;
  /** What members do not see: it waits for its review, was rejected or is inactive. */
  readonly waiting: Content | null;
}

/** Events and boats have one version: members see it, or not. */
async function findVersions(db: Db, caller: Caller, kind: string, id: string): Promise<Versions | null> {
  const { venue, mode, now } = caller;
  const single = (item: CatalogueItem, content: object): Versions => ({
    item,
    visible: item.is_visible ? { ...content } : null,
    waiting: item.is_visible ? null : { ...content },
  });
  if (kind === 'offering') {
    const row = await findOffering(db, venue.id, mode, id);
    if (row === null) return null;
    const item = offeringItem(row, row.approved !== null, now);
    const waiting = row.status === 'approved' ? null : { ...row.content };
    return { item, visible: row.approved === null ? null : { ...row.approved }, waiting };
  }
  if (kind === 'event') {
    const row = await findExperience(db, venue.id, mode, id);
    return row === null ? null : single(eventItem(row, now), row.content);
  }
  const row = kind === 'boat' ? await findBoat(db, venue.id, mode, id) : null;
  return row === null ? null : single(boatItem(row), row.content);
}
