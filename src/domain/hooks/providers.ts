// The venue systems that can be connected, how they sign, and how much they may send. The list is the contract's
// (schemas/v1/fields.json); a test holds both together.

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

/** Those whose deliveries are signed: the first three with a secret of the provider's, custom with one of ours. */
const SIGNED: readonly string[] = ['square', 'toast', 'mindbody', 'custom'];

export function isSigned(provider: string): boolean {
  return SIGNED.includes(provider);
}

/** Toast's own pages speak of orders over 600 KB. */
export function bodyLimitOf(provider: string): number {
  return provider === 'toast' ? 1024 * KB : 256 * KB;
}
