// The layout of every documentation page: the top with its search, the sidebar by task, the table of contents, and the
// links to the previous and next page. Nothing is inline. Without a script only copying, remembering a tab and the
// suggestions of the search are missing.

import { escapeHtml } from './escape-html.ts';
import type { Heading, Rendered } from './markdown.ts';
import { GUIDE_GROUPS, LOOK_UP, type SiteLink } from './site-map.ts';
import type { SitePage } from './site-pages.ts';

/** A page with this many sections gets a table of contents. */
const MIN_LISTED_SECTIONS = 2;

export interface SiteFrame {
  /** Every page, in reading order. */
  readonly pages: readonly SitePage[];
  /** The address of a file of web/docs, with its version. */
  readonly assetPath: (file: string) => string;
}

export function renderSitePage(page: SitePage, rendered: Rendered, frame: SiteFrame): string {
  const { title, summary, html, sections } = rendered;
  const isHome = page.kind === 'home';
  const contents = tableOfContents(isHome || page.kind === 'error' ? [] : sections);
  const article = html.replace('</h1>\n', `</h1>\n${contents.below}`);
  const trail = isHome ? '' : `<p class="trail">${trailOf(page)}</p>\n`;
  return renderFrame(frame, {
    path: page.path,
    title,
    description: summary,
    main: `<div class="column">\n${trail}<article class="${page.kind}">\n${article}</article>\n${footer(page, frame.pages)}</div>\n${contents.beside}`,
  });
}

/** A page that is no Markdown, such as the results of a search. */
export function renderOtherPage(
  frame: SiteFrame,
  page: SiteLink & { readonly description: string; readonly body: string },
): string {
  const { path, title, description, body } = page;
  return renderFrame(frame, { path, title, description, main: `<div class="column">\n${body}\n</div>` });
}

interface Framed {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly main: string;
}

function renderFrame(frame: SiteFrame, { path, title, description, main }: Framed): string {
  const script = `\n<script type="module" src="${frame.assetPath('site.js')}"></script>`;
  const isPage = frame.pages.some((page) => page.path === path);
  const twin = isPage ? `\n<link rel="alternate" type="text/markdown" href="${path}.md">` : '';
  return `${head(frame, title, description, `${twin}${script}`)}
<body class="text">
<a class="skip" href="#main">Skip to the content</a>
${header(path)}
<div class="frame">
${sidebar(path, frame.pages)}
<main id="main" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`;
}

/** The explorer fills its own element. The nonce is for the styles that its script adds. */
export function renderExplorer(
  frame: Pick<SiteFrame, 'assetPath'>,
  { nonce, scriptPath }: { readonly nonce: string; readonly scriptPath: string },
): string {
  const extra = `
<meta property="csp-nonce" content="${nonce}">
<link rel="stylesheet" href="${frame.assetPath('explorer.css')}">
<script src="${frame.assetPath('explorer.js')}" defer></script>
<script src="${scriptPath}" defer></script>`;
  return `${head(frame, 'API explorer', 'Send requests to the Everyshare API from your browser.', extra)}
<body class="explorer">
<a class="skip" href="#explorer">Skip to the content</a>
${header('/docs/explorer', false)}
<div id="explorer" tabindex="-1"></div>
<p class="waiting">Loading the explorer. It needs JavaScript; the <a href="/docs/reference">reference</a> does not, and says the same.</p>
</body>
</html>
`;
}

/** A page that loads nothing. */
export function renderRefusal(message: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Too many requests · Everyshare</title>
</head>
<body>
<main>
<h1>Too many requests</h1>
<p>${escapeHtml(message)}</p>
</main>
</body>
</html>
`;
}

function head({ assetPath }: Pick<SiteFrame, 'assetPath'>, title: string, description: string, extra: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Everyshare</title>
<meta name="description" content="${escapeHtml(description)}">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('site.css')}">${extra}
</head>`;
}

const TOP_LINKS: readonly SiteLink[] = [
  { path: '/docs', title: 'Guides' },
  { path: '/docs/reference', title: 'Reference' },
];

/** The area of the site to which an address belongs. */
const areaOf = (path: string): string => (/^\/docs\/(reference|explorer)/.test(path) ? '/docs/reference' : '/docs');

function header(path: string, hasMenu = true): string {
  const links = TOP_LINKS.map((link) => {
    const current = link.path === areaOf(path) ? ' aria-current="true"' : '';
    return `<li><a href="${link.path}"${current}>${link.title}</a></li>`;
  });
  return `<header class="top">
<a class="name" href="/docs">Everyshare <span>docs</span></a>
<nav aria-label="Areas"><ul>${links.join('')}</ul></nav>
<form class="search" role="search" action="/docs/search" method="get"><label for="search">Search the documentation</label><input id="search" name="q" type="search" placeholder="Search" maxlength="100" autocomplete="off"></form>
<a class="to-search" href="/docs/search">Search</a>
${hasMenu ? '<a class="to-menu" href="#menu">Menu</a>\n' : ''}</header>`;
}

/** On a phone it is shown when its address is `#menu`, over the page, until a link is followed. */
function sidebar(path: string, pages: readonly SitePage[]): string {
  const groups = areaOf(path) === '/docs/reference' ? referenceGroups(pages) : guideGroups(pages);
  const lists = groups.map(({ title, links }) => {
    const items = links.map((link) => {
      const current = link.path === path ? ' aria-current="page"' : '';
      return `<li><a href="${link.path}"${current}>${escapeHtml(link.title)}</a></li>`;
    });
    return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('\n')}</ul>`;
  });
  return `<nav id="menu" class="side" aria-label="Pages">
<div class="areas">${TOP_LINKS.map((link) => `<a href="${link.path}">${link.title}</a>`).join('')}<a href="#main">Close</a></div>
${lists.join('\n')}
</nav>`;
}

interface LinkGroup {
  readonly title: string;
  readonly links: readonly SiteLink[];
}

const linkTo = ({ path, title }: SitePage): SiteLink => ({ path, title });

function guideGroups(pages: readonly SitePage[]): LinkGroup[] {
  const groups = GUIDE_GROUPS.map(({ title }) => ({
    title,
    links: pages.filter(({ kind, group }) => kind === 'guide' && group === title).map(linkTo),
  }));
  return [...groups, { title: 'Look up', links: LOOK_UP }];
}

function referenceGroups(pages: readonly SitePage[]): LinkGroup[] {
  const operations = pages.filter(({ kind }) => kind === 'reference');
  const tags = [...new Set(operations.map(({ group }) => group))];
  const groups = tags.map((tag) => ({
    title: tag,
    links: operations.filter(({ group }) => group === tag).map(linkTo),
  }));
  const overview = [
    { path: '/docs/reference', title: 'All calls' },
    { path: '/docs/explorer', title: 'Explorer' },
    { path: '/docs/errors', title: 'Error codes' },
  ];
  return [{ title: 'API reference', links: overview }, ...groups];
}

/** Beside the text where there is room for it, else below the title, closed. */
function tableOfContents(sections: readonly Heading[]): { readonly beside: string; readonly below: string } {
  if (sections.length < MIN_LISTED_SECTIONS) return { beside: '', below: '' };
  const links = sections.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`).join('\n');
  return {
    beside: `<nav class="sections" aria-labelledby="sections"><h2 id="sections">On this page</h2>\n<ul>${links}</ul></nav>\n`,
    below: `<details class="contents"><summary>On this page</summary>\n<ul>${links}</ul></details>\n`,
  };
}

const PARENTS: Readonly<Partial<Record<SitePage['kind'], SiteLink>>> = {
  error: { path: '/docs/errors', title: 'Error codes' },
  provider: { path: '/docs/providers', title: 'Venue systems' },
  reference: { path: '/docs/reference', title: 'API reference' },
};

function trailOf({ kind, group }: SitePage): string {
  const parent = PARENTS[kind];
  if (parent === undefined) return escapeHtml(group);
  const link = `<a href="${parent.path}">${parent.title}</a>`;
  return group === parent.title ? link : `${link} / ${escapeHtml(group)}`;
}

/** The pages of the same kind before and after this one, and the page as Markdown. */
function footer(page: SitePage, pages: readonly SitePage[]): string {
  const sequence = pages.filter(({ kind }) => kind === page.kind);
  const at = sequence.indexOf(page);
  const link = (to: SitePage | undefined, rel: 'prev' | 'next', label: string): string =>
    to === undefined
      ? ''
      : `<a class="${rel}" rel="${rel}" href="${to.path}"><span>${label}</span> ${escapeHtml(to.title)}</a>`;
  const isSequence = page.kind !== 'home' && page.kind !== 'list';
  const around = isSequence
    ? `${link(sequence[at - 1], 'prev', 'Previous')}${link(sequence[at + 1], 'next', 'Next')}`
    : '';
  const nav = around === '' ? '' : `<nav class="around" aria-label="Previous and next page">${around}</nav>\n`;
  return `${nav}<p class="twin"><a href="${page.path}.md" rel="alternate" type="text/markdown">This page as Markdown</a></p>\n`;
}
