// The venue systems that can be connected, whether they sign their deliveries, and their size limits. The contract
// (schemas/v1/fields.json) has the same list; a test compares both.

const KB = 1024;

export const PROVIDERS: readonly string[] = [
  'square',
  'toast',
  'mindbody',
  'fareharbor',
  'peek',
  'ventrata',
  'xola',
  'rezdy',
  'checkfront',
  'eventbrite',
  'cloudbeds',
  'tock',
  'foreup',
  'mews',
  'custom',
];

/**
 * Providers that sign their deliveries: the first three with the provider's own secret, custom with a secret that we
 * issue.
 */
const SIGNED: readonly string[] = ['square', 'toast', 'mindbody', 'custom'];

export function isSigned(provider: string): boolean {
  return SIGNED.includes(provider);
}

/** Providers that have one address for each partner application, which all its venues share. */
export const PROVIDERS_WITH_SHARED_HOOKS = ['mews'] as const;

export function canShareHooks(provider: string): boolean {
  return (PROVIDERS_WITH_SHARED_HOOKS as readonly string[]).includes(provider);
}

/** Toast documents orders over 600 KB. */
export function bodyLimitOf(provider: string): number {
  return provider === 'toast' ? 1024 * KB : 256 * KB;
}
