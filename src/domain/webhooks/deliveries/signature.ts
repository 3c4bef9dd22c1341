// The signatures of a delivery. Service-Signature is `t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<raw body>`, keyed
// with the whole secret, prefix included. The headers of Standard Webhooks (standardwebhooks.com) sign the id of the event
// as well, and are keyed with the decoded part of the secret after its prefix. While earlier secrets are still valid after a
// rotation, each adds a signature of its own.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../../base/random.ts';
import type { Seal } from '../../../base/seal.ts';

export const SIGNATURE_HEADER = 'service-signature';

export function signatureOf(secrets: readonly string[], body: Buffer | string, now: number): string {
  const t = Math.floor(now / 1000);
  const signed = secrets.map((secret) => createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex'));
  return [`t=${t}`, ...signed.map((hex) => `v1=${hex}`)].join(',');
}

const TOLERANCE_SECONDS = 300;

/** Whether one of the secrets signed these bytes, within five minutes of now: what a receiver checks. */
export function isSignedBy(secrets: readonly string[], body: Buffer, header: string, now: number): boolean {
  const match = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64}){1,5})$/.exec(header);
  if (match === null) return false;
  const t = Number(match[1]);
  if (Math.abs(now / 1000 - t) > TOLERANCE_SECONDS) return false;
  const signatures = (match[2] ?? '').split(',v1=').slice(1);
  return secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
    return signatures.some((hex) => timingSafeEqual(Buffer.from(hex, 'hex'), expected));
  });
}

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** In base64, as Standard Webhooks says. */
export function newSecret({ random }: { readonly random: Random }): string {
  return `${PREFIX}${random.bytes(SECRET_BYTES).toString('base64')}`;
}

/** 32 bytes in base64. A secret that was made before has another form, and its characters are the key as they are. */
const ENCODED_KEY = /^[A-Za-z0-9+/]{43}=$/;

function keyOf(secret: string): Buffer {
  const text = secret.slice(PREFIX.length);
  return Buffer.from(text, ENCODED_KEY.test(text) ? 'base64' : 'utf8');
}

/** Every event, as it is stored and sent, begins with its id. */
const EVENT_ID = /^\{"id":"(\w+)"/;

/** The headers that prove the sender and the time of one attempt. */
export function signatureHeaders(secrets: readonly string[], body: Buffer, now: number): Record<string, string> {
  const id = EVENT_ID.exec(body.toString('latin1', 0, 100))?.[1];
  if (id === undefined) throw new Error('the body of a delivery does not begin with the id of its event');
  const timestamp = String(Math.floor(now / 1000));
  const signed = secrets.map((secret) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64'),
  );
  return {
    [SIGNATURE_HEADER]: signatureOf(secrets, body, now),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signed.map((text) => `v1,${text}`).join(' '),
  };
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
