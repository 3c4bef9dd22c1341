// Reads all pages of a list, so that a command never shows only a part of it.

export async function everyPage<T extends { readonly id: string }>(
  page: (before: string | null) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const more = await page(all.at(-1)?.id ?? null);
    if (more.length === 0) return all;
    all.push(...more);
  }
}
