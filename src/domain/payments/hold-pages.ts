// All pages of the processor's holds since a time.

import type { HoldFacts, HoldsPage, Processor } from './processor.ts';

/** A page has up to 100 holds. A processor whose cursor does not move on must not keep a worker busy for ever. */
const MAX_PAGES = 100_000;

export async function* holdPages(
  processor: Pick<Processor, 'holdsSince'>,
  since: number,
): AsyncGenerator<readonly HoldFacts[]> {
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { holds, next }: HoldsPage = await processor.holdsSince(since, after);
    yield holds;
    if (next === null) return;
    after = next;
  }
  throw new Error(`the processor listed more than ${MAX_PAGES} pages of holds since ${new Date(since).toISOString()}`);
}
