// Converts Markdown to HTML. Raw HTML is escaped, headings get ids, and links between files become links between pages.

import type { RendererObject, Token, Tokens } from 'marked';
import { type CodeBlock, readCodeBlock, renderCode, renderTabs } from './code-blocks.ts';
import { escapeHtml } from './escape-html.ts';
import { OUTSIDE_FILES } from './site-map.ts';

export interface Opening {
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly summary: string;
}

export interface Rendered extends Opening {
  readonly html: string;
  /** The headings of the second level, for the table of contents. */
  readonly sections: readonly Heading[];
  /** What the search finds: the text below each heading. The first has an empty id, and is all above the first heading. */
  readonly searchTexts: readonly SearchText[];
}

export interface Heading {
  readonly id: string;
  readonly title: string;
}

export interface SearchText extends Heading {
  readonly text: string;
}

/** A table with this many columns does not fit a phone, so there each row becomes a block. */
const MIN_STACKED_COLUMNS = 3;

/** Ids that the layout uses. */
const RESERVED_IDS = ['main', 'menu', 'search', 'sections', 'results'];

/** Pages and documents of this server: a guide names them as code, because where it is read as a file they do not exist. */
const LINKED_ADDRESS =
  /^\/(docs(\/(reference|explorer|sdk|examples|errors|providers|changelog|search))?|llms\.txt|v1\/openapi\.json|schemas\/v1\/[\w/]+\.json)$/;

const PLACEHOLDER_ORIGIN = 'http://pages.invalid';

/** Enough of a page for its title and its first paragraph. */
const OPENING_LENGTH = 3000;

/** Reads no more than the beginning of the page, where that has both: lists of all pages need nothing else. */
export async function readOpening(source: string): Promise<Opening> {
  const { Marked } = await import('marked');
  const marked = new Marked();
  const end = source.lastIndexOf('\n\n', OPENING_LENGTH);
  const opening = openingOf(marked.lexer(end < 0 ? source : source.slice(0, end)));
  return opening.summary === '' ? openingOf(marked.lexer(source)) : opening;
}

function openingOf(tokens: readonly Token[]): Opening {
  const heading = tokens.find((token) => token.type === 'heading' && token.depth === 1);
  const paragraph = tokens.find((token) => token.type === 'paragraph');
  return { title: plainText(heading), summary: plainText(paragraph).replace(/\s+/g, ' ') };
}

/** `address` is that of the page on the site: links are relative to it. */
export async function renderMarkdown(source: string, address: string): Promise<Rendered> {
  const { Marked } = await import('marked');
  const headings: (Heading & { readonly depth: number })[] = [];
  const marked = new Marked({ renderer: makeRenderer(address, headings) });
  const tokens = marked.lexer(source);
  const html = groupTabs(tokens)
    .map((part, index) => ('tabs' in part ? renderTabs(part.tabs, `tabs-${index}`) : marked.parser(part.tokens)))
    .join('');
  return {
    ...openingOf(tokens),
    html,
    sections: headings.filter(({ depth }) => depth === 2).map(({ id, title }) => ({ id, title })),
    searchTexts: readSearchTexts(tokens, headings),
  };
}

type Part = { readonly tokens: Token[] } | { readonly tabs: readonly CodeBlock[] };

/** The page in parts: blocks of code that are tabs of one group, and all that is between such groups. */
function groupTabs(tokens: readonly Token[]): Part[] {
  const parts: Part[] = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    const block = token.type === 'code' ? readCodeBlock(token as Tokens.Code) : null;
    if (block?.tab != null) {
      if (last !== undefined && 'tabs' in last) parts[parts.length - 1] = { tabs: [...last.tabs, block] };
      else parts.push({ tabs: [block] });
    } else if (last === undefined || 'tabs' in last) {
      if (token.type !== 'space') parts.push({ tokens: [token] });
    } else last.tokens.push(token);
  }
  return parts;
}

/** `headings` are those of the tokens, in order. */
function readSearchTexts(tokens: readonly Token[], headings: readonly Heading[]): SearchText[] {
  const waiting = [...headings];
  const searchTexts: { id: string; title: string; text: string }[] = [{ id: '', title: '', text: '' }];
  for (const token of tokens) {
    const isTitle = token.type === 'heading' && token.depth === 1;
    const next = token.type === 'heading' ? waiting.shift() : undefined;
    if (next !== undefined && !isTitle) searchTexts.push({ id: next.id, title: next.title, text: '' });
    else if (!isTitle) (searchTexts.at(-1) as { text: string }).text += ` ${searchText(token)}`;
  }
  return searchTexts.map(({ id, title, text }) => ({ id, title, text: text.replace(/\s+/g, ' ').trim() }));
}

/** Everything that a reader sees of a token, tables and lists included. */
function searchText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map(plainText)).join(' ');
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map((item) => item.tokens.map(searchText).join(' ')).join(' ');
  return plainText(token);
}

function makeRenderer(address: string, headings: (Heading & { readonly depth: number })[]): RendererObject {
  const taken = new Set<string>(RESERVED_IDS);
  let isInLink = false;
  return {
    html: ({ text }) => escapeHtml(text),
    heading(token) {
      const title = plainText(token);
      const id = uniqueId(title, taken);
      headings.push({ id, title, depth: token.depth });
      const anchor =
        token.depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)}${anchor}</h${token.depth}>\n`;
    },
    link({ href, tokens }) {
      isInLink = true;
      const text = this.parser.parseInline(tokens);
      isInLink = false;
      const target = siteLink(href, address);
      if (target === null) return text;
      const rel = target.startsWith('http') ? ' rel="noreferrer"' : '';
      return `<a href="${escapeHtml(target)}"${rel}>${text}</a>`;
    },
    code: (token) => renderCode(readCodeBlock(token)),
    codespan: ({ text }) => {
      const code = `<code>${escapeHtml(text)}</code>`;
      return LINKED_ADDRESS.test(text) && !isInLink ? `<a href="${text}">${code}</a>` : code;
    },
    table(token) {
      const inline = (cell: Tokens.TableCell): string => this.parser.parseInline(cell.tokens);
      return renderTable(token, inline);
    },
  };
}

/**
 * A wide table scrolls sideways, so the keyboard has to reach it. The roles are explicit because some browsers drop a
 * table's own roles when its rows are laid out as blocks.
 */
function renderTable({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const kind = header.length < MIN_STACKED_COLUMNS ? '' : ' class="stacked"';
  const heads = header.map((cell) => `<th role="columnheader" scope="col">${inline(cell)}</th>`).join('');
  const body = rows.map((row) => {
    const cells = row.map(
      (cell, i) => `<td role="cell" data-label="${escapeHtml(header[i]?.text ?? '')}">${inline(cell)}</td>`,
    );
    return `<tr role="row">${cells.join('')}</tr>\n`;
  });
  return `<div class="table" tabindex="0"><table role="table"${kind}>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">
${body.join('')}</tbody>
</table></div>\n`;
}

/** The address of a link on the site; null if a page may not link to it. */
function siteLink(href: string, address: string): string | null {
  if (href.startsWith('#')) return href;
  const base = `${PLACEHOLDER_ORIGIN}${address}`;
  if (!URL.canParse(href, base)) return null;
  const url = new URL(href, base);
  if (url.origin === PLACEHOLDER_ORIGIN)
    return `${OUTSIDE_FILES[url.pathname.slice(1)] ?? url.pathname.replace(/\.md$/, '')}${url.search}${url.hash}`;
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
}

function uniqueId(title: string, taken: Set<string>): string {
  const name =
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\s-]/gu, '')
      .trim()
      .replace(/\s+/g, '-') || 'section';
  let id = name;
  for (let n = 1; taken.has(id); n += 1) id = `${name}-${n}`;
  taken.add(id);
  return id;
}

/** The text without its markup. */
function plainText(token: unknown): string {
  const { text, tokens } = (token ?? {}) as { text?: string; tokens?: readonly unknown[] };
  return tokens === undefined || tokens.length === 0 ? (text ?? '') : tokens.map(plainText).join('');
}
