// Runs a function on the first call and reuses its result. A failure is not stored, so the next call tries again.

export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= make().catch((error: unknown) => {
      result = null;
      throw error;
    });
    return result;
  };
}
