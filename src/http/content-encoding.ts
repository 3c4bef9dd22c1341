// Which compression a client accepts: brotli before gzip. A weight of zero refuses one.

export type ContentEncoding = 'br' | 'gzip';

/** Null: the client accepts neither. */
export function acceptedEncoding(
  header: string | string[] | undefined,
  offered: readonly ContentEncoding[] = ['br', 'gzip'],
): ContentEncoding | null {
  const offers = String(header ?? '')
    .toLowerCase()
    .split(',');
  const weights = new Map(
    offers.map((offer) => [offer.split(';')[0]?.trim(), /;\s*q=0(\.0*)?\s*$/.test(offer) ? 0 : 1]),
  );
  return offered.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0) ?? null;
}
