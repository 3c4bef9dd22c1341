// The venue systems that can be connected. The list is the contract's (schemas/v1/integration.json); a test holds both
// together.

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
