// The search of the documentation: the index that a browser loads when a reader opens the search, and the page of
// results, which works without a script.

import { setImmediate } from 'node:timers/promises';
import { findSections, type SearchSection, wordsOf } from '../../../web/docs/search-rank.js';
import { escapeHtml } from './escape-html.ts';
import type { SitePage } from './site-pages.ts';

/** A longer query is cut. */
const MAX_QUERY_LENGTH = 100;
const MAX_RESULTS = 30;
/** Characters of text around the first word that was found. */
const EXCERPT_LENGTH = 180;

/** The list of pages, and the changelog, whose few long sections have almost every word. */
const UNSEARCHED = ['/docs', '/docs/changelog'];

export interface IndexedSection extends SearchSection {
  readonly text: string;
}

/** Page by page, with a turn of the event loop for each: other requests do not wait for all of them. */
export async function makeSearchIndex(pages: readonly SitePage[]): Promise<IndexedSection[]> {
  const index: IndexedSection[] = [];
  for (const { path, title, rendered } of pages.filter((page) => !UNSEARCHED.includes(page.path))) {
    const { searchTexts } = await rendered();
    for (const part of searchTexts)
      index.push({
        page: title,
        title: part.title,
        path: part.id === '' ? path : `${path}#${part.id}`,
        text: part.text,
        words: [...new Set(wordsOf(part.text))],
      });
    await setImmediate();
  }
  return index;
}

/** What the browser needs: the text itself stays here. */
export function publishedIndex(index: readonly IndexedSection[]): string {
  return JSON.stringify(index.map(({ page, title, path, words }) => ({ page, title, path, words })));
}

/** The query of an address; a name that comes twice is read as its first value. */
export function readQuery(given: unknown): string {
  const first: unknown = Array.isArray(given) ? given[0] : given;
  return typeof first === 'string' ? first.trim().slice(0, MAX_QUERY_LENGTH) : '';
}

/** Inside <main>, as HTML. */
export function renderResults(index: readonly IndexedSection[], query: string): string {
  const found = findSections(index, query, MAX_RESULTS);
  const items = found.map(
    ({ page, title, path, text }) =>
      `<li><a href="${escapeHtml(path)}">${escapeHtml(title === '' ? page : title)}</a>${
        title === '' ? '' : `<span class="from">${escapeHtml(page)}</span>`
      }\n<p>${excerpt(text, query)}</p></li>\n`,
  );
  const summary =
    found.length === 0
      ? 'Nothing was found. Try fewer words, or the start of a word.'
      : `${found.length === MAX_RESULTS ? `The best ${MAX_RESULTS}` : found.length} found.`;
  return `<h1>Search</h1>
${searchForm(query)}
${query === '' ? '' : `<p class="lead" role="status">${summary}</p>\n<ul class="results">\n${items.join('')}</ul>`}`;
}

export function searchForm(query: string): string {
  return `<form class="search-page" role="search" action="/docs/search" method="get" aria-label="Search all pages">
<label for="q">Words to find in the guides and the reference</label>
<div><input id="q" name="q" type="search" value="${escapeHtml(query)}" maxlength="${MAX_QUERY_LENGTH}" autocomplete="off"><button>Search</button></div>
</form>`;
}

/** The text around the first word of the query, with every such word marked. */
function excerpt(text: string, query: string): string {
  const asked = wordsOf(query);
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${asked.join('|')})[\\p{L}\\p{N}]*`, 'giu');
  const at = text.search(pattern);
  const start = at < 60 ? 0 : text.indexOf(' ', at - 60) + 1;
  const cut = text.slice(start, start + EXCERPT_LENGTH);
  const shown = cut.length < text.length - start ? `${cut.slice(0, cut.lastIndexOf(' '))} …` : cut;
  let html = start > 0 ? '… ' : '';
  let end = 0;
  for (const match of shown.matchAll(pattern)) {
    html += `${escapeHtml(shown.slice(end, match.index))}<mark>${escapeHtml(match[0])}</mark>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(shown.slice(end));
}
