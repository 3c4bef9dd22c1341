// An offering as it is stored, and as its partner sees it.

import type { Offering } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import { withMediaTypes } from '../catalogue/written-defaults.ts';

export type OfferingContent = Offering;

export interface OfferingRow {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly external_id: string;
  readonly status: 'pending' | 'approved' | 'rejected';
  readonly review_note: string | null;
  readonly content: OfferingContent;
  readonly fingerprint: Buffer;
  /** The version that members see: the last one approved. */
  readonly approved: OfferingContent | null;
  readonly created_at: string;
  readonly changed_at: string;
  readonly reviewed_at: string | null;
}

/** The columns that a partner sees. */
export type OfferingViewRow = Omit<OfferingRow, 'approved' | 'fingerprint'>;

export function offeringView(row: OfferingViewRow): Record<string, unknown> {
  return {
    id: row.id,
    object: 'offering',
    mode: row.mode,
    status: row.status,
    ...withMediaTypes(row.content),
    review_note: row.review_note,
    created_at: row.created_at,
    updated_at: row.changed_at,
    reviewed_at: row.reviewed_at,
  };
}

/** The fields that members read: a change of any of them is reviewed again. Other fields change without a review. */
export const REVIEWED_FIELDS = ['title', 'description', 'kind', 'category', 'media', 'policy', 'booking_url'] as const;
