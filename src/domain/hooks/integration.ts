// A connection to a venue system, and how the API shows it, without its token and its secret.

import type { Mode } from '../../base/config.ts';
import { isSigned } from './providers.ts';

/** Values that the venue states when it connects, for fields that its system does not send. */
export interface Defaults {
  readonly kind?: string;
  readonly timezone?: string;
  readonly currency?: string;
  readonly category?: string;
  /** What a price is for, if the system does not say it. */
  readonly unit?: string;
}

export interface IntegrationRow {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly provider: string;
  readonly defaults: Defaults;
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly last_delivery_at: string | null;
  readonly delivery_count: number;
  readonly refused_at: string | null;
  readonly refusal_code: string | null;
}

/** Without `reads`, which readers/reads-view.ts adds. */
export function integrationView(row: IntegrationRow) {
  return {
    id: row.id,
    object: 'integration',
    provider: row.provider,
    mode: row.mode,
    status: row.revoked_at === null ? 'active' : 'revoked',
    signed: isSigned(row.provider),
    defaults: row.defaults,
    created_at: row.created_at,
    last_delivery_at: row.last_delivery_at,
    delivery_count: row.delivery_count,
    last_refused: row.refused_at === null ? null : { code: row.refusal_code, at: row.refused_at },
  };
}

/** The row that a sealed secret is bound to. */
export const secretRow = (venueId: string, integrationId: string): string => `integration ${venueId} ${integrationId}`;
