// Verifies the signature of each provider over the raw bytes, before they are parsed. Signatures are compared in
// constant time; a missing header is a wrong signature. Square signs the hook URL and the body, Toast the body and the
// timestamp in it, Mindbody the body alone; custom deliveries are signed like our own webhooks.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../base/sha256.ts';

export interface Signed {
  readonly raw: Buffer;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly secret: string;
  /** The whole hook URL as it was issued, never built from the Host header. */
  readonly url: string;
  readonly now: number;
}

type Verifier = (signed: Signed) => boolean;

const TOLERANCE_SECONDS = 300;

export const SIGNATURE_HEADERS = {
  square: 'x-square-hmacsha256-signature',
  toast: 'toast-signature',
  mindbody: 'x-mindbody-signature',
  custom: 'service-signature',
} as const;

export const verifiers: Readonly<Record<string, Verifier>> = {
  square: ({ raw, headers, secret, url }) =>
    isEqual(headerOf(headers, SIGNATURE_HEADERS.square), hmac(secret, url, raw).digest('base64')),
  toast: ({ raw, headers, secret }) => {
    const timestamp = timestampIn(raw);
    const expected = hmac(secret, raw, timestamp ?? '').digest('base64');
    return isEqual(headerOf(headers, SIGNATURE_HEADERS.toast), expected) && timestamp !== null;
  },
  mindbody: ({ raw, headers, secret }) =>
    isEqual(headerOf(headers, SIGNATURE_HEADERS.mindbody), `sha256=${hmac(secret, raw).digest('base64')}`),
  custom: ({ raw, headers, secret, now }) => {
    const { t, signatures } = partsOf(headerOf(headers, SIGNATURE_HEADERS.custom));
    const expected = hmac(secret, `${t}.`, raw).digest('hex');
    const matches = signatures.map((signature) => isEqual(signature, expected));
    return matches.includes(true) && Math.abs(now / 1000 - Number(t)) <= TOLERANCE_SECONDS;
  },
};

function hmac(secret: string, ...parts: readonly (string | Buffer)[]) {
  const hash = createHmac('sha256', secret);
  for (const part of parts) hash.update(part);
  return hash;
}

/** Compares hashes, so that timing reveals neither the length nor the first wrong character. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

function headerOf(headers: Signed['headers'], name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

const MAX_SIGNATURES = 5;

/** `t=<unix seconds>,v1=<hex>`, with further `v1` during a rotation of the secret. */
function partsOf(header: string): { readonly t: string; readonly signatures: readonly string[] } {
  const parts = header
    .slice(0, 1024)
    .split(',')
    .map((part) => part.trim());
  const t = parts.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2) ?? '0';
  const signatures = parts.filter((part) => /^v1=[0-9a-f]{64}$/.test(part)).map((part) => part.slice(3));
  return { t, signatures: signatures.slice(0, MAX_SIGNATURES) };
}

/** Toast signs the timestamp in the body, exactly as it was sent. */
function timestampIn(raw: Buffer): string | null {
  try {
    const body = JSON.parse(raw.toString('utf8')) as { timestamp?: unknown } | null;
    return typeof body?.timestamp === 'string' ? body.timestamp : null;
  } catch {
    return null; // Not JSON, so Toast cannot have signed it: the caller gets 401.
  }
}
