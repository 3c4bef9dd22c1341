// The browsers in which an account has signed in. A cookie of 256 random bits marks a browser; only its hash is stored. It
// opens nothing: it says that a sign-in is not from a new browser, and gives its person codes that no other caller can use up.

import type { Queryable } from '../../base/db.ts';
import type { Random } from '../../base/random.ts';
import { sha256 } from '../../base/sha256.ts';
import { useDevice } from './device-queries.ts';

/** Browsers keep no cookie for longer. */
export const DEVICE_COOKIE_SECONDS = 400 * 24 * 3_600;
const TOKEN_BYTES = 32;
/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** What a request says of its browser. */
export interface Browser {
  /** The cookie that marks the browser; null: it has none. */
  readonly deviceToken: string | null;
  readonly userAgent: string | null;
}

/** Null: the browser has no mark of ours. */
export function deviceHashOf(browser: Browser | undefined): Buffer | null {
  const token = browser?.deviceToken ?? null;
  return token !== null && TOKEN.test(token) ? sha256(token) : null;
}

export interface RecognizedDevice {
  /** For the cookie. A browser keeps its mark when another account signs in. */
  readonly token: string;
  /** The account has signed in in this browser within 90 days. */
  readonly isKnown: boolean;
}

/** Stores that the account signs in in this browser. */
export async function recognizeDevice(
  tx: Queryable,
  { random, now }: { readonly random: Random; readonly now: number },
  accountId: string,
  browser: Browser | undefined,
): Promise<RecognizedDevice> {
  const marked = deviceHashOf(browser) === null ? null : (browser?.deviceToken ?? null);
  const token = marked ?? random.bytes(TOKEN_BYTES).toString('base64url');
  return { token, isKnown: await useDevice(tx, accountId, sha256(token), now) };
}
