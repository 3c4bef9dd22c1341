// A submission: a dated event, or the older form of its body, with the status of its review.

import type { Event, LegacyExperience } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import { withMediaTypes } from '../catalogue/written-defaults.ts';

export type ExperienceForm = 'event' | 'legacy_experience';
export type ExperienceContent = Event | LegacyExperience;

export interface ExperienceRow {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly external_id: string | null;
  readonly form: ExperienceForm;
  readonly status: 'pending' | 'approved' | 'rejected';
  readonly review_note: string | null;
  readonly content: ExperienceContent;
  /** Given at the first approval, and kept when the experience is taken down. */
  readonly experience_id: string | null;
  readonly created_at: string;
  readonly reviewed_at: string | null;
}

const EVENT_ONLY = ['offering_external_id', 'tiers', 'on_sale', 'media', 'policy', 'metadata'];
const LEGACY_ONLY = ['price_per_person', 'photo_urls'];

/** A body is in the older form when it has a field of that form and no field that only an Event has. */
export function formOf(body: unknown): ExperienceForm {
  const hasField = (name: string): boolean =>
    typeof body === 'object' && body !== null && !Array.isArray(body) && Object.hasOwn(body, name);
  return !EVENT_ONLY.some(hasField) && LEGACY_ONLY.some(hasField) ? 'legacy_experience' : 'event';
}

export function submissionView(row: ExperienceRow): Record<string, unknown> {
  return {
    id: row.id,
    object: 'submission',
    mode: row.mode,
    price_per_person: null,
    capacity: null,
    ...withMediaTypes(row.content),
    external_id: row.external_id,
    status: row.status,
    experience_id: row.status === 'approved' ? row.experience_id : null,
    review_note: row.review_note,
    created_at: row.created_at,
    reviewed_at: row.reviewed_at,
  };
}
