// The types of search-rank.js, which a browser runs as it is.

export interface SearchSection {
  readonly page: string;
  readonly title: string;
  readonly path: string;
  readonly words: readonly string[];
}

export function wordsOf(text: string): string[];
export function findSections<S extends SearchSection>(sections: readonly S[], query: string, limit: number): S[];
