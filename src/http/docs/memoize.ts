// Work that is done once, when it is first asked for. What failed is forgotten, so that the next request tries again.

export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | null = null;
  return () => {
    kept ??= make().catch((error: unknown) => {
      kept = null;
      throw error;
    });
    return kept;
  };
}
