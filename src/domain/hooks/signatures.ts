// How each provider signs, verified over the raw bytes that came, before anything parses them. Compared in constant time; a
// missing header is a wrong one. Square signs the address that was handed out together with the body, Toast the body together
// with the time that stands in it, Mindbody the body alone; custom deliveries are signed as our own events are.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface Signed {
  readonly raw: Buffer;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly secret: string;
  /** The whole address that was handed out: never what a Host header says. */
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
    const fits = signatures.map((signature) => isEqual(signature, expected));
    return fits.includes(true) && Math.abs(now / 1000 - Number(t)) <= TOLERANCE_SECONDS;
  },
};

function hmac(secret: string, ...services: readonly (string | Buffer)[]) {
  const made = createHmac('sha256', secret);
  for (const part of services) made.update(part);
  return made;
}

/** As hashes, so that neither the length nor the first wrong character can be timed. */
function isEqual(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function headerOf(headers: Signed['headers'], name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

const MAX_SIGNATURES = 5;

/** `t=<unix seconds>,v1=<hex>`, with further `v1` while a secret is being changed. */
function partsOf(header: string): { readonly t: string; readonly signatures: readonly string[] } {
  const services = header
    .slice(0, 1024)
    .split(',')
    .map((part) => part.trim());
  const t = services.find((part) => /^t=\d{1,12}$/.test(part))?.slice(2) ?? '0';
  const signatures = services.filter((part) => /^v1=[0-9a-f]{64}$/.test(part)).map((part) => part.slice(3));
  return { t, signatures: signatures.slice(0, MAX_SIGNATURES) };
}

/** The time that Toast signs stands in the body, and counts exactly as it was sent. */
function timestampIn(raw: Buffer): string | null {
  try {
    const body = JSON.parse(raw.toString('utf8')) as { timestamp?: unknown } | null;
    return typeof body?.timestamp === 'string' ? body.timestamp : null;
  } catch {
    return null; // Not JSON: then it is not signed by Toast either, and that is what the caller is told.
  }
}
