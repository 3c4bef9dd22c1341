// Lists. `for await` reads every object, page after page; `await` or `.page()` gives one page.

import { ApiPromise, type WithResponse } from './api-promise.ts';

/** The answer of most lists. */
export interface PageAnswer<Item> {
  readonly data: readonly Item[];
  readonly next_before: string | null;
}

/** One page. `for await` over it reads it and every page after it. */
export class Page<Item, Answer = PageAnswer<Item>> implements AsyncIterable<Item> {
  readonly data: readonly Item[];
  /** The whole answer, with what it says beside the objects. */
  readonly answer: Answer;
  readonly #fetchNext: (() => PagePromise<Item, Answer>) | null;

  constructor(data: readonly Item[], answer: Answer, fetchNext: (() => PagePromise<Item, Answer>) | null) {
    this.data = data;
    this.answer = answer;
    this.#fetchNext = fetchNext;
  }

  get hasMore(): boolean {
    return this.#fetchNext !== null;
  }

  /** The page after this one; null after the last. */
  async next(): Promise<Page<Item, Answer> | null> {
    return this.#fetchNext === null ? null : this.#fetchNext();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let page: Page<Item, Answer> | null = this; page !== null; page = await page.next()) yield* page.data;
  }
}

/** A promise of the first page that can also be read with `for await`, object by object. */
export class PagePromise<Item, Answer = PageAnswer<Item>>
  extends ApiPromise<Page<Item, Answer>>
  implements AsyncIterable<Item>
{
  /** One page. */
  page(): ApiPromise<Page<Item, Answer>> {
    return this;
  }

  /** The first objects of the list, at most `limit`: pages are read as far as needed. */
  async toArray({ limit }: { readonly limit: number }): Promise<Item[]> {
    const items: Item[] = [];
    const first = await this;
    if (limit > 0) for await (const item of first) if (items.push(item) >= limit) break;
    return items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    yield* await this;
  }
}

/** Makes a page of a list's answer; `fetchAfter` sends the request again with the answer's cursor. */
export function pageOf<Item, Answer>(
  { data: answer, ...sent }: WithResponse<unknown>,
  cursor: string | undefined,
  fetchAfter: (cursor: string) => PagePromise<Item, Answer>,
): WithResponse<Page<Item, Answer>> {
  const fields = answer as { readonly data: readonly Item[]; readonly [name: string]: unknown };
  const next = fields[`next_${cursor}`];
  const fetchNext = typeof next === 'string' ? () => fetchAfter(next) : null;
  return { ...sent, data: new Page(fields.data, answer as Answer, fetchNext) };
}
