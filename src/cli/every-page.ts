// Reads a list to its end, page by page, so that a command never shows a part of it as the whole.

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
