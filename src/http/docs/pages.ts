// The pages rendered from Markdown: one for each error code, guide and venue system, and an index of each group.

import { readdir, readFile } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { catalogue, type ErrorCode } from '../../base/errors.ts';
import { packageRoot } from '../../base/package-root.ts';
import { type Page, renderPage } from './layout.ts';
import { escapeHtml, type Folder, type Rendered, renderMarkdown } from './markdown.ts';

/** A page with this many sections gets a list of them. */
const MIN_LISTED_SECTIONS = 4;

/** Every page of a folder as HTML, by the name of its file; the index is under ''. */
export async function renderFolder(folder: Folder): Promise<ReadonlyMap<string, string>> {
  const path = join(packageRoot, 'docs', folder);
  const files = (await readdir(path)).filter((file) => file.endsWith('.md')).sort();
  const rendered = new Map<string, Rendered>();
  for (const file of files) {
    rendered.set(file.slice(0, -'.md'.length), await renderMarkdown(await readFile(join(path, file), 'utf8'), folder));
  }
  const index = folder === 'errors' ? errorIndex(new Set(rendered.keys())) : listOf(INDEXES[folder], rendered);
  const pages = new Map([['', renderPage(index)]]);
  for (const [name, page] of rendered) {
    pages.set(name, renderPage(folder === 'errors' ? errorPage(name, page) : longPage(INDEXES[folder], page)));
  }
  return pages;
}

function errorPage(name: string, { title, html }: Rendered): Page {
  const known: Partial<Record<string, { status: number; message: string }>> = catalogue;
  return {
    area: 'errors',
    title: `${title} · Errors`,
    description: known[name]?.message ?? title,
    body: `<p class="trail"><a href="/docs/errors">All errors</a></p>\n<article class="error">\n${html}</article>`,
  };
}

interface Index {
  readonly area: 'guides' | 'providers';
  readonly title: string;
  readonly description: string;
  /** As HTML. */
  readonly intro: string;
  /** The text of the link back to the index. */
  readonly all: string;
}

const INDEXES: Readonly<Record<Index['area'], Index>> = {
  guides: {
    area: 'guides',
    title: 'Guides',
    description: 'Guides to the Everyshare API, for developers.',
    intro:
      'What spans more than one call. Single calls are in the <a href="/docs">reference</a>, single failures under <a href="/docs/errors">errors</a>.',
    all: 'All guides',
  },
  providers: {
    area: 'providers',
    title: 'Venue systems',
    description:
      'The venue systems that can be connected to Everyshare: what to click, what is read, what cannot be known.',
    intro:
      'What to click in each system, what we read of its deliveries, and what we cannot know. How a connection works: <a href="/docs/guides/venue-systems">Connecting a venue system</a>.',
    all: 'All venue systems',
  },
};

/** The list of sections is between the opening and the rest; on a wide screen it is beside both. */
function longPage({ area, title: areaTitle, all }: Index, { title, summary, html, sections }: Rendered): Page {
  const links = sections.map(({ id, title: text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join('\n');
  const list = `<nav class="sections" aria-labelledby="sections"><h2 id="sections">On this page</h2>\n<ul>${links}</ul></nav>\n`;
  const cut = sections.length < MIN_LISTED_SECTIONS ? html.length : html.indexOf('<h2 ');
  const rest = cut === html.length ? '' : `${list}<div class="rest">\n${html.slice(cut)}</div>\n`;
  return {
    area,
    title: `${title} · ${areaTitle}`,
    description: summary,
    body: `<p class="trail"><a href="/docs/${area}">${all}</a></p>
<article class="guide">
<div class="opening">\n${html.slice(0, cut)}</div>\n${rest}</article>`,
  };
}

function errorIndex(written: ReadonlySet<string>): Page {
  const codes = (Object.keys(catalogue) as ErrorCode[]).filter((code) => written.has(code));
  const statuses = [...new Set(codes.map((code) => catalogue[code].status))].sort((a, b) => a - b);
  const groups = statuses.map((status) => {
    const entries = codes
      .filter((code) => catalogue[code].status === status)
      .map(
        (code) =>
          `<dt><a href="/docs/errors/${code}"><code>${code}</code></a></dt>\n<dd>${escapeHtml(catalogue[code].message)}</dd>\n`,
      );
    return `<section aria-labelledby="status-${status}">
<h2 class="by-status" id="status-${status}"><span class="status">${status}</span> ${escapeHtml(STATUS_CODES[status] ?? '')}</h2>
<dl class="codes">
${entries.join('')}</dl>
</section>\n`;
  });
  const description = 'Every error code of the Everyshare API, with its HTTP status and what it means.';
  const intro = `${codes.length} codes, by HTTP status. A code never changes its meaning, so act on the code and not on the message.`;
  const guide = 'How to read an answer, and when to try again: <a href="/docs/guides/errors">Reading our errors</a>.';
  return {
    area: 'errors',
    title: 'Errors',
    description,
    body: `<h1>Errors</h1>\n<p class="lead">${intro}</p>\n<p>${guide}</p>\n${groups.join('')}`,
  };
}

function listOf({ area, title, description, intro }: Index, pages: ReadonlyMap<string, Rendered>): Page {
  const entries = [...pages].map(([name, { title: text, summary }]) => {
    return `<li><a href="/docs/${area}/${name}">${escapeHtml(text)}</a>\n<p>${escapeHtml(summary)}</p></li>\n`;
  });
  return {
    area,
    title,
    description,
    body: `<h1>${title}</h1>\n<p class="lead">${intro}</p>\n<ul class="guides">\n${entries.join('')}</ul>`,
  };
}
