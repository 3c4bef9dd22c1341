// Reads all pages of a list, so that a command never shows only a part of it.

/** More rows than a terminal can show. A list whose cursor does not move on must not keep the command busy for ever. */
const MAX_PAGES = 10_000;

export async function everyPage<T extends { readonly id: string }>(
  page: (before: string | null) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const more = await page(all.at(-1)?.id ?? null);
    if (more.length === 0) return all;
    all.push(...more);
  }
  throw new Error(`the list has more than ${MAX_PAGES} pages`);
}
