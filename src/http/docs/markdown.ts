// Converts Markdown to HTML. Raw HTML is escaped, headings get ids, and links between files become links between pages.

import type { RendererObject, Tokens } from 'marked';

/** The folders of docs/ that are pages of the site. */
export const FOLDERS = ['errors', 'guides', 'providers'] as const;
export type Folder = (typeof FOLDERS)[number];

export interface Rendered {
  readonly title: string;
  /** The first paragraph, as plain text. */
  readonly summary: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

interface Section {
  readonly id: string;
  readonly title: string;
}

/** A table with this many columns does not fit a phone, so there each row becomes a block. */
const MIN_STACKED_COLUMNS = 3;

/** Ids that the layout uses. */
const RESERVED_IDS = ['main', 'sections'];

const PLACEHOLDER_ORIGIN = 'http://pages.invalid';

export async function renderMarkdown(source: string, folder: Folder): Promise<Rendered> {
  const { Marked } = await import('marked');
  const sections: Section[] = [];
  const marked = new Marked({ renderer: makeRenderer(folder, sections) });
  const tokens = marked.lexer(source);
  const heading = tokens.find((token) => token.type === 'heading' && token.depth === 1);
  const paragraph = tokens.find((token) => token.type === 'paragraph');
  return {
    title: plainText(heading),
    summary: plainText(paragraph),
    html: marked.parser(tokens),
    sections,
  };
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

function makeRenderer(folder: string, sections: Section[]): RendererObject {
  const taken = new Set<string>(RESERVED_IDS);
  return {
    html: ({ text }) => escapeHtml(text),
    heading(token) {
      const title = plainText(token);
      const id = uniqueId(title, taken);
      if (token.depth === 2) sections.push({ id, title });
      const anchor =
        token.depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)}${anchor}</h${token.depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const target = siteLink(href, folder);
      if (target === null) return text;
      const rel = target.startsWith('http') ? ' rel="noreferrer"' : '';
      return `<a href="${escapeHtml(target)}"${rel}>${text}</a>`;
    },
    // A code block may scroll sideways, so the keyboard has to reach it.
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table(token) {
      const inline = (cell: Tokens.TableCell): string => this.parser.parseInline(cell.tokens);
      return renderTable(token, inline);
    },
  };
}

/** The roles are explicit because some browsers drop a table's own roles when its rows are laid out as blocks. */
function renderTable({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const kind = header.length < MIN_STACKED_COLUMNS ? '' : ' class="stacked"';
  const heads = header.map((cell) => `<th role="columnheader" scope="col">${inline(cell)}</th>`).join('');
  const body = rows.map((row) => {
    const cells = row.map(
      (cell, i) => `<td role="cell" data-label="${escapeHtml(header[i]?.text ?? '')}">${inline(cell)}</td>`,
    );
    return `<tr role="row">${cells.join('')}</tr>\n`;
  });
  return `<div class="table"><table role="table"${kind}>
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">
${body.join('')}</tbody>
</table></div>\n`;
}

/** The address of a link on the site; null if a page may not link to it. */
function siteLink(href: string, folder: string): string | null {
  if (href.startsWith('#')) return href;
  const base = `${PLACEHOLDER_ORIGIN}/docs/${folder}/`;
  if (!URL.canParse(href, base)) return null;
  const url = new URL(href, base);
  if (url.origin === PLACEHOLDER_ORIGIN) return `${url.pathname.replace(/\.md$/, '')}${url.search}${url.hash}`;
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
