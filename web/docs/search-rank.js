// Finds the sections of the documentation that match a query. The page's script runs it while a reader types, and the
// server for /docs/search, which needs no script: one ranking for both.

/** A word of the query counts for where it begins a word of the section. */
const TITLE_WORD = 12;
const TITLE_PREFIX = 8;
const PAGE_PREFIX = 2;
const TEXT_WORD = 3;
const TEXT_PREFIX = 1;

/** The words of a text, in lower case: letters, digits and "_". */
export function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/**
 * The best sections first. Every word of the query has to begin a word of the section: of its title, of its page's
 * title, or of its text. A section is {page, title, path, words}, and `words` has each word of its text once.
 */
export function findSections(sections, query, limit) {
  const asked = [...new Set(wordsOf(query))].slice(0, 8);
  if (asked.length === 0) return [];
  const scored = [];
  for (const section of sections) {
    const score = scoreOf(section, asked);
    if (score > 0) scored.push({ section, score });
  }
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, limit).map(({ section }) => section);
}

function scoreOf({ page, title, words }, asked) {
  // The text above the first heading is the page itself.
  const inTitle = wordsOf(title === '' ? page : title);
  const inPage = wordsOf(page);
  let total = 0;
  for (const word of asked) {
    const score = Math.max(
      scoreIn(inTitle, word, TITLE_WORD, TITLE_PREFIX),
      scoreIn(inPage, word, PAGE_PREFIX, PAGE_PREFIX),
      scoreIn(words, word, TEXT_WORD, TEXT_PREFIX),
    );
    if (score === 0) return 0;
    total += score;
  }
  return total;
}

/** "pay" begins "payout" and "pay_by", and is a part of "must_pay". */
function scoreIn(words, asked, whole, prefix) {
  let best = 0;
  for (const word of words) {
    if (word === asked) return whole;
    if (word.startsWith(asked) || word.includes(`_${asked}`)) best = prefix;
  }
  return best;
}
