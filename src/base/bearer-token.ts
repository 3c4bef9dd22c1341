// The bearer token of an Authorization header, and its comparison with a secret.

import { timingSafeEqual } from 'node:crypto';
import { sha256 } from './sha256.ts';

const MAX_TOKEN_LENGTH = 512;

export function bearer(header: string | undefined): string | null {
  const match = header === undefined ? null : /^Bearer +([\x21-\x7e]+) *$/i.exec(header);
  const token = match?.[1];
  return token === undefined || token.length > MAX_TOKEN_LENGTH ? null : token;
}

/**
 * Compares hashes, so that the time taken reveals neither the length nor the first wrong character. No request has an empty
 * token.
 */
export function hasBearerToken(token: string, header: string | undefined): boolean {
  const given = bearer(header);
  if (given === null) return false;
  return timingSafeEqual(sha256(given), sha256(token));
}
