// Test keys that this browser has seen, for the snippets of the console and of the documentation. Live keys are never kept.
// They are forgotten when the session ends, at the latest when a session without requests ends by itself, and when the key
// is revoked.

const TEST_KEYS = 'everyshare.test_keys';
/** As long as a session without requests: 12 hours. */
const KEPT_MS = 12 * 3_600_000;

type Keys = Readonly<Record<string, string>>;

/** By venue, the latest last. */
export function testKeys(): Keys {
  try {
    const { keys, until } = JSON.parse(localStorage.getItem(TEST_KEYS) ?? '{}');
    return until > Date.now() ? keys : {};
  } catch {
    return {}; // Another program wrote it.
  }
}

/** For another 12 hours: a session was used. */
export function keepTestKeys(keys: Keys): void {
  if (Object.keys(keys).length === 0) forgetTestKeys();
  else localStorage.setItem(TEST_KEYS, JSON.stringify({ keys, until: Date.now() + KEPT_MS }));
}

export function keepTestKey(venueId: string, key: string): void {
  // The documentation takes the last one.
  const { [venueId]: _previous, ...others } = testKeys();
  keepTestKeys({ ...others, [venueId]: key });
}

export function forgetTestKeys(): void {
  localStorage.removeItem(TEST_KEYS);
}

const hintOf = (key: string): string => key.slice(-4);

/** The venue's kept key, unless one of these hints, which end with the end of the key, is its own. */
export function forgetTestKeyUnless(venueId: string, hints: readonly string[]): void {
  const { [venueId]: key, ...others } = testKeys();
  if (key !== undefined && !hints.some((hint) => hint.endsWith(hintOf(key)))) keepTestKeys(others);
}

/** It was revoked. */
export function forgetTestKey(venueId: string, hint: string): void {
  const { [venueId]: key, ...others } = testKeys();
  if (key !== undefined && hint.endsWith(hintOf(key))) keepTestKeys(others);
}
