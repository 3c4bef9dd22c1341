// The signature of a delivery: `t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<raw body>`, keyed with the whole
// secret, prefix included. While earlier secrets are still valid after a rotation, each adds its own `v1`.

import { createHmac } from 'node:crypto';
import type { Seal } from '../../../base/seal.ts';

export const SIGNATURE_HEADER = 'service-signature';

export function signatureOf(secrets: readonly string[], body: Buffer | string, now: number): string {
  const t = Math.floor(now / 1000);
  const signed = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'));
  return [`t=${t}`, ...signed.map((hex) => `v1=${hex}`)].join(',');
}

/** The row that a sealed secret is bound to. */
export const secretRow = (venueId: string, endpointId: string): string => `webhook_endpoint ${venueId} ${endpointId}`;

export interface SealedSecrets {
  readonly venueId: string;
  readonly endpointId: string;
  readonly secret: Buffer;
  readonly earlierSecrets: readonly Buffer[];
}

/** The current secret, then the earlier ones that are still valid. */
export function openSecrets(seal: Seal, sealed: SealedSecrets): string[] {
  const row = secretRow(sealed.venueId, sealed.endpointId);
  return [sealed.secret, ...sealed.earlierSecrets].map((secret) => seal.open(secret, row));
}
