// The token in the addresses that the processor sends a venue to during its onboarding: `/payouts/<token>` makes a new
// link when the former is stale, `/payouts/<token>/done` shows what is still due. A browser opens them without a key, so
// the token proves that the operator asked for the onboarding: it is encrypted and authenticated, and it expires.

import type { Mode } from '../../base/config.ts';
import type { Seal } from '../../base/seal.ts';

export interface Onboarding {
  readonly venueId: string;
  readonly mode: Mode;
  /** The venue's own page, linked on ours at the end; null: there is none. */
  readonly returnUrl: string | null;
  /** In milliseconds. */
  readonly expiresAt: number;
}

const PURPOSE = 'payout onboarding';
/** A person who holds the address can change where the venue is paid, so it must not work for long. */
export const ONBOARDING_TOKEN_MS = 7 * 86_400_000;

export function sealOnboarding(seal: Seal, onboarding: Onboarding): string {
  const { venueId, mode, returnUrl, expiresAt } = onboarding;
  return seal.seal(JSON.stringify([venueId, mode, returnUrl, expiresAt]), PURPOSE).toString('base64url');
}

/** Null: the token is not ours. An expired one is returned: its page says so. */
export function openOnboarding(seal: Seal, token: string): Onboarding | null {
  const sealed = Buffer.from(token, 'base64url');
  // One text for each token: other spellings of the same bytes are refused.
  if (sealed.toString('base64url') !== token) return null;
  let text: string;
  try {
    text = seal.open(sealed, PURPOSE);
  } catch {
    return null;
  }
  const [venueId, mode, returnUrl, expiresAt] = JSON.parse(text) as [string, Mode, string | null, number];
  return { venueId, mode, returnUrl, expiresAt };
}

/** The addresses for a link of the processor. `base`: the public address of the service. */
export function onboardingUrls(
  base: string,
  token: string,
): { readonly returnUrl: string; readonly refreshUrl: string } {
  return { refreshUrl: `${base}/payouts/${token}`, returnUrl: `${base}/payouts/${token}/done` };
}
