// Every page of the documentation as Markdown, with this server's address in its examples: the guides, the pages of
// error codes and venue systems, the reference, the changelog and the home page. Each is also published as it is, under
// its address with `.md`.

import { readdir, readFile } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { catalogue, type ErrorCode } from '../../base/errors.ts';
import { packageRoot } from '../../base/package-root.ts';
import type { ApiDocument } from './api-document.ts';
import { type Opening, type Rendered, readOpening, renderMarkdown } from './markdown.ts';
import { memoize } from './memoize.ts';
import { type ReferencePage, referenceIndex, referencePages } from './reference-pages.ts';
import { GUIDE_GROUPS, OUTSIDE_FILES } from './site-map.ts';

export interface SitePage extends Opening {
  /** "/docs/guides/payments". */
  readonly path: string;
  readonly kind: 'home' | 'guide' | 'reference' | 'error' | 'provider' | 'list' | 'file';
  /** The group of the sidebar; shown above the title. */
  readonly group: string;
  readonly markdown: string;
  /** Made at its first call: all pages together take a second, and a reader waits for one. */
  readonly rendered: () => Promise<Rendered>;
}

type Unrendered = Pick<SitePage, 'path' | 'kind' | 'group' | 'markdown'>;

/** Stand for this server in the files, which are also read where no server is. */
const PLACEHOLDER_ADDRESSES = ['https://api.everyshare.example', 'https://pay.everyshare.example', '$BASE_URL'];

/** A service that the reader has started: it is this server only where this server runs on the reader's machine. */
const LOCAL_ADDRESS = 'http://127.0.0.1:8080';
const LOOPBACK = /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/;

/** The examples have dates of this year; some calls accept only a date in the next two years. */
const EXAMPLE_YEAR = '2027-';

export interface SiteFacts {
  /** The address of this server. */
  readonly base: string;
  /** The present time, in milliseconds since 1970. */
  readonly now: number;
}

/** In reading order. */
export async function loadPages({ document, ...site }: SiteFacts & { document: ApiDocument }): Promise<SitePage[]> {
  const reference = referencePages(document);
  const guides = await Promise.all(
    GUIDE_GROUPS.flatMap(({ title, guides: names }) =>
      names.map(async (name) => guidePage(title, name, await readDocument(`docs/guides/${name}.md`))),
    ),
  );
  const [errors, providers] = [await readFolder('errors'), await readFolder('providers')];
  const read = await Promise.all(
    [
      ...guides,
      listPage('/docs/reference', referenceIndex(document, reference)),
      ...reference.map(operationPage),
      listPage('/docs/errors', errorIndex()),
      ...errors.map(([name, markdown]) => ({
        path: `/docs/errors/${name}`,
        kind: 'error' as const,
        group: 'Error codes',
        markdown,
      })),
      listPage('/docs/providers', providerIndex(providers)),
      ...providers.map(([name, markdown]) => ({
        path: `/docs/providers/${name}`,
        kind: 'provider' as const,
        group: 'Venue systems',
        markdown,
      })),
      ...(await Promise.all(Object.entries(OUTSIDE_FILES).map(filePage))),
    ].map((page) => makePage(page, site)),
  );
  const home = { path: '/docs', kind: 'home' as const, group: '', markdown: homePage(read) };
  return [await makePage(home, site), ...read];
}

async function makePage(page: Unrendered, { base, now }: SiteFacts): Promise<SitePage> {
  const addresses = LOOPBACK.test(base) ? [...PLACEHOLDER_ADDRESSES, LOCAL_ADDRESS] : PLACEHOLDER_ADDRESSES;
  const addressed = addresses.reduce((text, address) => text.replaceAll(address, base), page.markdown);
  const dated = page.kind === 'file' ? addressed : withFutureDates(addressed, now);
  const markdown = withPageLinks(dated, page.path);
  const rendered = memoize(() => renderMarkdown(markdown, page.path));
  return { ...page, markdown, ...(await readOpening(markdown)), rendered };
}

/** The dates of examples lie in the next year, so that a server accepts them. */
export function withFutureDates(text: string, now: number): string {
  return text.replaceAll(EXAMPLE_YEAR, `${new Date(now).getUTCFullYear() + 1}-`);
}

/** Links to files outside docs/ lead to their pages, as Markdown too: the site has no such files. */
function withPageLinks(markdown: string, address: string): string {
  return markdown.replace(/(?<=\]\()[^()\s#]+\.md(?=[#)])/g, (href) => {
    const base = `http://pages.invalid${address}`;
    const file = URL.canParse(href, base) ? new URL(href, base).pathname.slice(1) : '';
    return Object.hasOwn(OUTSIDE_FILES, file) ? `${OUTSIDE_FILES[file]}.md` : href;
  });
}

const readDocument = (file: string): Promise<string> => readFile(join(packageRoot, file), 'utf8');

/** The Markdown files of a folder of docs/, by name. */
async function readFolder(folder: string): Promise<(readonly [name: string, markdown: string])[]> {
  const files = (await readdir(join(packageRoot, 'docs', folder))).filter((file) => file.endsWith('.md')).sort();
  return Promise.all(
    files.map(async (file) => [file.slice(0, -'.md'.length), await readDocument(`docs/${folder}/${file}`)] as const),
  );
}

const guidePage = (group: string, name: string, markdown: string): Unrendered => ({
  path: `/docs/guides/${name}`,
  kind: 'guide',
  group,
  markdown,
});

async function filePage([file, path]: readonly [string, string]): Promise<Unrendered> {
  return { path, kind: 'file', group: 'Look up', markdown: await readDocument(file) };
}

const listPage = (path: string, markdown: string): Unrendered => ({ path, kind: 'list', group: 'Look up', markdown });

const operationPage = ({ path, tag, markdown }: ReferencePage): Unrendered => ({
  path,
  kind: 'reference',
  group: tag,
  markdown,
});

/** For lists of pages. */
export function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

function homePage(pages: readonly SitePage[]): string {
  const entry = ({ path, title, summary }: SitePage): string =>
    `- [${title}](${path.replace('/docs/', 'docs/')}.md)\n\n  ${firstSentence(summary)}`;
  const groups = GUIDE_GROUPS.map(({ title }) => {
    const listed = pages.filter(({ kind, group }) => kind === 'guide' && group === title);
    return `## ${title}\n\n${listed.map(entry).join('\n')}`;
  });
  const lists = pages.filter(({ kind }) => kind === 'list' || kind === 'file');
  return `# Everyshare documentation

A group books, and each guest pays their own share. No card is charged until every share is held. Start with the
[quickstart](docs/guides/quickstart.md): a paid test booking and its signed event, in five minutes.

${groups.join('\n\n')}

## Look up

${lists.map(entry).join('\n')}
`;
}

function errorIndex(): string {
  const codes = Object.keys(catalogue) as ErrorCode[];
  const statuses = [...new Set(codes.map((code) => catalogue[code].status))].sort((a, b) => a - b);
  const groups = statuses.map((status) => {
    const rows = codes
      .filter((code) => catalogue[code].status === status)
      .map((code) => `| [\`${code}\`](errors/${code}.md) | ${catalogue[code].message} |`);
    return [
      `## ${status} ${STATUS_CODES[status] ?? ''}`,
      '',
      '| Code | What it means |',
      '| --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  return `# Error codes

${codes.length} codes, by HTTP status. A code never changes its meaning, so act on the code and not on the message.

How to read an error, and when to try again: [Reading errors](guides/errors.md).

${groups.join('\n')}`;
}

function providerIndex(providers: readonly (readonly [string, string])[]): string {
  const entries = providers.map(([name, markdown]) => {
    const title = /^# (.*)$/m.exec(markdown)?.[1] ?? name;
    const kinds = /Used for: ([^.\n]*)\./.exec(markdown)?.[1];
    return `- [${title}](providers/${name}.md)${kinds === undefined ? '' : `: ${kinds.replaceAll('_', ' ')}`}`;
  });
  return `# Venue systems

What to click in each system, what the service reads of its deliveries, and what it cannot know. How a connection works:
[Connect a venue system](guides/venue-systems.md).

${entries.join('\n')}
`;
}
