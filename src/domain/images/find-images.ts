// The pictures of a checkout's page: the first picture of its offering, and the logo of its venue. A picture that was never
// asked for is fetched by the worker; until then, and when it cannot be fetched, the page has none. A page never waits.

import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { type OfferingForGuests, offeringForGuests } from '../offerings/queries.ts';
import { findVenue } from '../venues/queries.ts';
import { type ImageFiles, type ImageSource, readImages, takeImageRequests, wantImages } from './image-queries.ts';

export interface CheckoutImages {
  /** Paths of the service itself, such as /guest/images/….webp; null: there is none, or none yet. */
  readonly cover: string | null;
  readonly thumbnail: string | null;
  readonly logo: string | null;
}

/** What a picture is of; `LockedCheckout` and the guest's view have it. */
export interface PicturedCheckout {
  readonly venueId: string;
  readonly mode: Mode;
  readonly offeringExternalId: string | null;
}

export async function findImages(
  db: Queryable,
  venueId: string,
  sources: readonly ImageSource[],
  now: number,
): Promise<CheckoutImages> {
  const { cover, logo } = await findFiles(db, venueId, sources, now);
  return {
    cover: pathOf(cover?.file),
    thumbnail: pathOf(cover?.thumbnail),
    logo: pathOf(logo?.file),
  };
}

interface Files {
  readonly cover: ImageFiles | null;
  readonly logo: ImageFiles | null;
}

function pathOf(hash: string | null | undefined): string | null {
  return typeof hash === 'string' ? `/guest/images/${hash}.webp` : null;
}

/** The files of the cover and the logo, as far as they are fetched. What is not known yet is wanted from now on. */
export async function findImageFiles(db: Queryable, checkout: PicturedCheckout, now: number): Promise<Files> {
  const { venueId, mode, offeringExternalId } = checkout;
  const [offering, venue] = await Promise.all([
    offeringExternalId === null ? null : offeringForGuests(db, venueId, mode, offeringExternalId),
    findVenue(db, venueId),
  ]);
  return findFiles(db, venueId, imageSources(offering, venue?.logo_url ?? null), now);
}

async function findFiles(db: Queryable, venueId: string, sources: readonly ImageSource[], now: number): Promise<Files> {
  if (sources.length === 0) return { cover: null, logo: null };
  const known = await readImages(db, venueId, sources, now);
  const wanted = sources.filter(({ kind }) => known.get(kind)?.isStale !== false);
  if (wanted.length > 0) await wantImages(db, venueId, wanted, now);
  return { cover: known.get('cover')?.files ?? null, logo: known.get('logo')?.files ?? null };
}

/** The cover is the first picture of the offering. */
export function imageSources(offering: OfferingForGuests | null, logoUrl: string | null): readonly ImageSource[] {
  const cover = offering?.media?.find(({ type }) => type === undefined || type === 'image');
  return [
    ...(cover === undefined ? [] : [{ kind: 'cover', url: cover.url } as const]),
    ...(logoUrl === null ? [] : [{ kind: 'logo', url: logoUrl } as const]),
  ];
}

/** Wants the pictures of up to `limit` new checkouts, so that they are there when the first guest comes. Returns how many. */
export async function wantRequestedImages(db: Db, now: number, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const requests = await takeImageRequests(tx, limit);
    for (const request of requests) await findImageFiles(tx, request, now);
    return requests.reduce((sum, { count }) => sum + count, 0);
  });
}
