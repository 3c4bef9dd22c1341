// Puts what others need before them.

/** Things that need each other in a circle stay in their order. */
export function sortByDependency<T>(all: readonly T[], needs: (one: T) => readonly T[]): T[] {
  const sorted: T[] = [];
  const seen = new Set<T>();
  const visit = (one: T): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const needed of needs(one)) visit(needed);
    sorted.push(one);
  };
  for (const one of all) visit(one);
  return sorted;
}
