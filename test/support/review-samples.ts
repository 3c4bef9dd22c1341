// Objects that a venue sends for review.

export const OFFERING = {
  external_id: 'cabana-7',
  kind: 'cabana',
  title: 'Poolside cabana',
  description: 'A shaded cabana with a bottle of water.',
  tiers: [{ amount: 25000, currency: 'usd', unit: 'per_group' }],
};
export const BOAT = {
  external_id: 'boat-17',
  name: 'Second Wind',
  type: 'catamaran',
  length_ft: 42,
  capacity: 12,
  captain: 'included',
  location: { city: 'Miami' },
  pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd' }],
  photo_urls: ['https://cdn.fleet.example/1.jpg'],
  extra: { insurance: 'Harbor Mutual' },
};
export const EVENT = { title: 'Sunset sail', starts_at: new Date(Date.now() + 30 * 86_400_000).toISOString() };
