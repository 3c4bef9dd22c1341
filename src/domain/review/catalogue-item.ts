// An offering, an event or a boat as a line of the console's catalogue: the state of its review, what members see, its price
// and its next slot.

import type { CatalogueItem } from '../../../schemas/types.gen.ts';
import type { BoatViewRow } from '../boats/boat.ts';
import type { ExperienceRow } from '../experiences/experience.ts';
import type { OfferingContent, OfferingViewRow } from '../offerings/offering.ts';
import { bookableSlots } from '../offerings/slots.ts';

const DAY_MS = 86_400_000;
/** A week is searched first: most offerings have a slot in it. */
const SEARCHED_DAYS = [7, 62] as const;

type Price = CatalogueItem['price'];

export function offeringItem(row: OfferingViewRow, isVisible: boolean, now: number): CatalogueItem {
  const { content } = row;
  return {
    object: 'catalogue_item',
    kind: 'offering',
    id: row.id,
    external_id: row.external_id,
    title: content.title,
    category: content.kind,
    status: row.status,
    review_note: row.review_note,
    is_visible: isVisible,
    is_change_waiting: isVisible && row.status === 'pending',
    price: priceOf(content.tiers?.[0]),
    image_url: content.media?.[0]?.url ?? null,
    next_slot: nextSlot(content, now),
    changed_at: row.changed_at,
    reviewed_at: row.reviewed_at,
  };
}

export function eventItem(row: ExperienceRow, now: number): CatalogueItem {
  const { content } = row;
  const tiers = 'tiers' in content ? content.tiers : undefined;
  const media = 'media' in content ? content.media : undefined;
  const photos = 'photo_urls' in content ? content.photo_urls : undefined;
  return {
    object: 'catalogue_item',
    kind: 'event',
    id: row.id,
    external_id: row.external_id,
    title: content.title,
    category: content.category ?? null,
    status: row.status,
    review_note: row.review_note,
    is_visible: row.status === 'approved',
    is_change_waiting: false,
    price: priceOf(tiers?.[0]),
    image_url: media?.[0]?.url ?? photos?.[0] ?? null,
    next_slot: Date.parse(content.starts_at) > now ? new Date(content.starts_at).toISOString() : null,
    changed_at: row.created_at,
    reviewed_at: row.reviewed_at,
  };
}

export function boatItem(row: BoatViewRow): CatalogueItem {
  const { content } = row;
  const price = content.pricing?.[0];
  return {
    object: 'catalogue_item',
    kind: 'boat',
    id: row.id,
    external_id: row.external_id,
    title: content.name,
    category: content.type,
    status: row.status,
    review_note: row.review_note,
    is_visible: row.status === 'approved',
    is_change_waiting: false,
    price: price === undefined ? null : { amount: price.amount, currency: price.currency, unit: 'per_trip' },
    image_url: content.photo_urls?.[0] ?? null,
    next_slot: null,
    changed_at: row.changed_at,
    reviewed_at: row.reviewed_at,
  };
}

type Tier = OfferingContent['tiers'][number];

/** The first tier is the one that the venue names first. */
function priceOf(tier: Pick<Tier, 'amount' | 'currency' | 'unit'> | undefined): Price {
  return tier === undefined ? null : { amount: tier.amount, currency: tier.currency, unit: tier.unit };
}

/** The next slot that the smallest party can book within 62 days; null: there is none. */
function nextSlot(content: OfferingContent, now: number): string | null {
  const partySize = Math.min(...content.tiers.map(({ min_party }) => min_party ?? 1), 50);
  for (const days of SEARCHED_DAYS) {
    const range = { from: new Date(now), to: new Date(now + days * DAY_MS) };
    const [first] = bookableSlots(content, { ...range, partySize, now: new Date(now) }).data;
    if (first !== undefined) return first.starts_at;
  }
  return null;
}
